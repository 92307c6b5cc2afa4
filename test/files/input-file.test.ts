/**
 * Goal: what is handed over of a file belongs to one content of it, whatever somebody does to the file between two reads; and what comes
 * in by a pipe is a file like any other, that stays as it is when the same is piped in again.
 * Method: real files that are written, replaced and cut.
 */
import { createHash } from 'node:crypto';
import { renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { InputFile } from '../../src/files/input.ts';
import { spoolInput } from '../../src/files/spool.ts';
import { temporaryFolder } from '../ledger/stores/places.ts';
import { inputFolder, nextTick } from './formats/sheets.ts';

const BEFORE = 'Domain\na.example\nb.example\n';
const AFTER = 'Domain\nb.example\na.example\n';
const SHA256 = createHash('sha256').update(BEFORE).digest('hex');

const bytesOf = async (file: InputFile): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of file.chunks()) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

/** A file that was read once. */
async function readOnce(): Promise<{ file: InputFile; path: string }> {
  const write = await inputFolder();
  const path = await write(BEFORE);
  setTimeBack(path);
  const file = new InputFile(path);
  expect(await file.sha256()).toBe(SHA256);
  await nextTick(path);
  return { file, path };
}

const LONG_AGO = new Date(Date.UTC(2026, 0, 1));
const setTimeBack = (path: string): void => utimesSync(path, LONG_AGO, LONG_AGO);

const CHANGED = 'changed during the run, so its rows and their answers may not belong together.';

describe('nothing is handed over', () => {
  test.for([
    ['written over in place', (path: string) => writeFileSync(path, AFTER, { flag: 'r+' })],
    ['written over with the same content at another time', (path: string) => writeFileSync(path, BEFORE)],
    [
      'replaced by a file of the same content',
      (path: string) => {
        writeFileSync(`${path}.new`, BEFORE);
        renameSync(`${path}.new`, path);
        setTimeBack(path);
      },
    ],
    ['cut off', (path: string) => writeFileSync(path, BEFORE.slice(0, -10))],
    ['made longer', (path: string) => writeFileSync(path, 'c.example\n', { flag: 'a' })],
  ] as const)('once it was %s', async ([, change]) => {
    const { file, path } = await readOnce();
    change(path);
    await expect(bytesOf(file)).rejects.toMatchObject({ code: 'input', message: `${path} ${CHANGED}` });
    await expect(file.bytesAt(0, 3)).rejects.toMatchObject({ code: 'input' });
    await expect(file.requireUnchanged()).rejects.toMatchObject({ code: 'input' });
  });

  test('when it is gone, and that is said as what it is', async () => {
    const { file, path } = await readOnce();
    rmSync(path);
    await expect(bytesOf(file)).rejects.toThrow('does not exist');
    await expect(file.requireUnchanged()).rejects.toThrow(CHANGED);
  });
});

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
