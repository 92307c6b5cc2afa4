import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openFile } from '../../../src/files/input.ts';
import { some } from '../../combinations.ts';
import { SHOWN, writeMatrix } from './matrix.ts';
import { readOnce } from './promises.ts';

/**
 * Goal: what a person opens in a spreadsheet program for the check by eye is what docs/internals/manual-checks.md says.
 * Method: the files are written as that page tells, and read again by themselves, without a word on how.
 */

test('an output in every encoding, delimiter and line end shows the same table, and the page says which', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rowonce-matrix-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const names = (await writeMatrix(folder)).map(({ name }) => name);
  for (const name of some(names, 6)) {
    const { survey, rows } = await readOnce((await openFile(join(folder, name))).sheet);
    expect([survey.header, ...rows.map(({ cells }) => cells)], name).toEqual(SHOWN);
  }
  const page = await readFile(
    join(import.meta.dirname, '..', '..', '..', 'docs', 'internals', 'manual-checks.md'),
    'utf8',
  );
  expect(page).toContain(`${names.length} files`);
  for (const cell of SHOWN.flat().filter((cell) => cell !== '' && !/[\n|]/.test(cell)))
    expect(page).toContain(cell);
});
