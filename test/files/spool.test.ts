/**
 * Goal: what comes in by a pipe is a file like any other, and the same content piped in again while a run is at work on it
 * leaves that run its file.
 * Method: the function itself, and what the file system says of the file.
 */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { spoolInput } from '../../src/files/spool.ts';
import { temporaryFolder } from '../ledger/stores/places.ts';

test('the same content is one file, that is made once and mended when it was altered', async () => {
  const folder = temporaryFolder();
  const spool = (): Promise<string> =>
    spoolInput(Readable.from([Buffer.from('Domain\na.example\n')]), folder);
  const path = await spool();
  const { ino, mode } = await stat(path);
  expect(mode & 0o777).toBe(0o600);
  expect(await spool()).toBe(path);
  expect((await stat(path)).ino).toBe(ino);
  expect(await readdir(folder)).toHaveLength(1);

  await writeFile(path, 'Domain\nb.example\n');
  expect(await spool()).toBe(path);
  expect(await readFile(path, 'utf8')).toBe('Domain\na.example\n');
});
