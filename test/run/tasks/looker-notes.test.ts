/**
 * Goal: every file that an export noted beside the ledger is known to the next erasure, also of exports at the same instant.
 * Method: two real processes note many files each in one store.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { notesIn } from '../../../src/run/tasks/looker-notes.ts';
import { temporaryFolder } from '../../sandbox/client.ts';

const NOTES = join(import.meta.dirname, '../../../src/run/tasks/looker-notes.ts');

/** A process that notes these files, one after the other. */
async function noted(folder: string, paths: readonly string[]): Promise<void> {
  const script = `
    import { lookerNotes } from ${JSON.stringify(NOTES)};
    const { noteWritten } = lookerNotes(${JSON.stringify(folder)}, {}, '0123456789');
    for (const path of ${JSON.stringify(paths)}) await noteWritten(path, ['as written']);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'inherit' });
  expect(await once(child, 'close')).toEqual([0, null]);
}

test('two exports at the same instant both keep their notes', async () => {
  const folder = temporaryFolder();
  const pathsOf = (who: string) => Array.from({ length: 40 }, (_, at) => join(folder, `${who}-${at}.csv`));
  const both = [pathsOf('one'), pathsOf('other')] as const;
  for (const path of both.flat()) writeFileSync(path, '');
  await Promise.all(both.map((paths) => noted(folder, paths)));
  const known = notesIn(folder).map(({ path }) => path);
  expect(known.toSorted()).toEqual(both.flat().toSorted());
});
