import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Sheet } from '../../../src/core/format.ts';
import { rowRangeText } from '../../../src/core/row.ts';
import { openFile } from '../../../src/files/input.ts';
import { inputFolder } from '../formats/sheets.ts';
import { corpus, type ReadableFile, type RefusedFile } from './corpus.ts';
import {
  markedCopy,
  type Reading,
  readWhole,
  requireClear,
  requireMarked,
  requireSameBytes,
  unmarkedCopy,
} from './promises.ts';

/**
 * Goal: whatever a spreadsheet program, a country or an export button produced is read right and comes back with every
 * byte in place, or is refused with the reason.
 * Method: files made by hand, of the kinds that public collections of CSV files hold, each with the cells that a person
 * reads in it. Copies are compared as bytes and then read again.
 */

const files = await corpus();
const folders = Map.groupBy(files, ({ name }) => name.slice(0, name.indexOf('/')));

describe.each([...folders])('%s', (_folder, members) => {
  test.each(members.map((file) => [basename(file.path), file.about, file] as const))(
    '%s: %s',
    async (_name, _about, file) => {
      if ('refused' in file) await expectRefusal(file);
      else await expectCells(file);
    },
  );
});

async function expectRefusal({ path, read, refused }: RefusedFile & { path: string }): Promise<void> {
  const error: unknown = await openFile(path, { ...read, strict: true })
    .then(({ sheet }) => sheet.survey())
    .then(
      ({ rows }) => new Error(`${rows} rows were read`),
      (thrown: unknown) => thrown,
    );
  requireClear(error, path);
  expect(`${error.message.replaceAll(path, '')} ${error.next}`).toContain(refused);
}

async function expectCells(file: ReadableFile & { path: string }): Promise<void> {
  const { sheet } = await openFile(file.path, file.read);
  const reading = await readWhole(sheet);
  expect(reading.survey.header).toEqual(file.header);
  expect(reading.rows.map(({ row, cells }) => [row, ...cells])).toEqual(file.rows);
  if (file.delimiter !== undefined) expect(reading.survey.delimiter).toBe(file.delimiter);
  // The copy of a list without a header has one; `formats/csv.test.ts` looks at it.
  if (rowRangeText(sheet.start.header) !== '0') await expectCopies(file, sheet, reading);
}

/** The copy holds every byte of the file, and read again it gives the same cells with ours; our column goes as it came. */
async function expectCopies(
  { path, read }: ReadableFile & { path: string },
  sheet: Sheet,
  reading: Reading,
): Promise<void> {
  const write = await inputFolder();
  const copy = await markedCopy(sheet);
  const reopened = await openFile(await write(copy, basename(path)), read);
  requireMarked(await readWhole(reopened.sheet), reading);
  // Padding adds cells to short rows, so that ours stand below their name.
  if (read?.ragged === 'pad') return;
  const original = await readFile(path);
  requireSameBytes(copy, original);
  expect((await unmarkedCopy(reopened.sheet)).equals(original)).toBe(true);
}
