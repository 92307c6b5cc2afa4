import { execFileSync } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { StopError } from '../../../src/core/errors.ts';
import csv from '../../../src/files/formats/csv.ts';
import { InputFile } from '../../../src/files/input-file.ts';
import { inputFolder, stopOf } from './sheets.ts';

/**
 * Goal: no file that somebody hands in crashes the program, fills its memory or makes it wait, and the refusal names the
 * place.
 * Method: each trick as a file. Where size is the trick, the file goes on behind the place at which reading must stop.
 */

const MEBIBYTE = 1024 * 1024;

/** Appends so many mebibytes of rows, without holding them. */
async function appendRows(path: string, mebibytes: number): Promise<void> {
  const file = await open(path, 'a');
  const chunk = Buffer.alloc(MEBIBYTE, 'x,y\n');
  for (let count = 0; count < mebibytes; count += 1) await file.appendFile(chunk);
  await file.close();
}

describe('size', () => {
  test.each([
    ['a quote that is never closed, on the third line of a long file', 'a,b\n1,2\n3,"4\n', 'row 3, line 3'],
    ['a cell without end, on the second', `a,b\n${'x'.repeat(2 * MEBIBYTE)}`, 'row 2, line 2'],
    ['a header without end', 'x'.repeat(2 * MEBIBYTE), 'row 1, line 1'],
  ])('%s stops the reading after a mebibyte, at its line', async (_what, content, place) => {
    const write = await inputFolder();
    const path = await write(content);
    await appendRows(path, 8);
    const sheet = await csv.open(new InputFile(path), {});
    let seen = 0;
    const error = await sheet
      .survey(() => {
        seen += 1;
      })
      .then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
    expect(error).toBeInstanceOf(StopError);
    expect((error as StopError).message).toBe(
      `${path}, ${place}: the row is longer than 1048576 bytes, the most that one row may have.`,
    );
    expect((error as StopError).next).toContain('Look for a quote on this line that is never closed');
    expect(seen).toBeLessThan(2);
  });
});

test.skipIf(process.platform === 'win32')(
  'a pipe is refused without waiting for somebody to write into it',
  async () => {
    const write = await inputFolder();
    const beside = await write('a\n');
    const path = join(beside, '..', 'pipe.csv');
    execFileSync('mkfifo', [path]);
    expect((await stopOf(csv.open(new InputFile(path), {}))).message).toContain('is not a regular file');
  },
);
