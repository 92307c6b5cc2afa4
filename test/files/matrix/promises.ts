import { deepStrictEqual, match, ok } from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { StopError } from '../../../src/core/errors.ts';
import type { CopyOptions, Sheet, Survey } from '../../../src/core/format.ts';
import type { InputRow } from '../../../src/core/row.ts';
import { allOf, rowsOf } from '../formats/sheets.ts';

/**
 * What every format promises of every file, whoever wrote it. Each function reads the file in another way and holds it
 * against what is known; it throws an AssertionError when a promise is broken.
 */

/** A file as it was read. */
export interface Reading {
  readonly survey: Survey & Pick<Sheet, 'encoding' | 'delimiter'>;
  readonly rows: readonly InputRow[];
}

/** As `deepStrictEqual`, whose table of differences takes long to make and would not be read. */
function same(found: unknown, wanted: unknown, broken: string): void {
  ok(isDeepStrictEqual(found, wanted), broken);
}

const NO_COLUMNS: ReadonlySet<string> = new Set();

/** What the survey tells. Every row that can be read has the width of the header, and they come in order. */
export async function readOnce(sheet: Sheet): Promise<Reading> {
  const rows: InputRow[] = [];
  const survey = await sheet.survey((row) => rows.push(row));
  same(survey.rows, rows.length, 'the survey counts other rows than it tells of');
  for (const [index, { row, cells, unreadable }] of rows.entries()) {
    ok(row > (rows[index - 1]?.row ?? 0), `row ${row} does not come after the one above it`);
    if (unreadable === undefined)
      same(cells.length, survey.header.length, `row ${row} has another width than the header`);
  }
  const { encoding, delimiter } = sheet;
  return { survey: { ...survey, encoding, delimiter }, rows };
}

/** The survey and the rows in groups tell the same, and no row is lost between them. */
export async function readWhole(sheet: Sheet): Promise<Reading> {
  const reading = await readOnce(sheet);
  await readsAlike(sheet, reading);
  return reading;
}

/** The header and the rows are those of the survey. */
export async function readsAlike(sheet: Sheet, { survey, rows }: Reading): Promise<void> {
  same(await sheet.header(), survey.header, 'the header is not that of the survey');
  same(await rowsOf(sheet), rows, 'the rows are not those of the survey');
}

/** What is added to a row by `markedCopy`; the header gets `~0~`. No file of the corpus has such a cell. */
const markOf = (row: number): string => `~${row}~`;
export const MARK_COLUMN = markOf(0);

export function markedCopy(sheet: Sheet): Promise<Buffer> {
  const options: CopyOptions = { columns: [MARK_COLUMN], dropped: NO_COLUMNS };
  return copied(sheet, options, ({ row }) => [markOf(row)]);
}

/** The copy of a copy, in which our column is dropped and nothing is added. */
export function unmarkedCopy(sheet: Sheet): Promise<Buffer> {
  return copied(sheet, { columns: [], dropped: new Set([MARK_COLUMN]) }, () => []);
}

async function copied(
  sheet: Sheet,
  options: CopyOptions,
  cellsFor: (row: InputRow) => string[],
): Promise<Buffer> {
  return Buffer.concat(await allOf(sheet.copy(options, async (rows) => rows.map(cellsFor))));
}

/** The copy's rows are those of the file, each with its mark as the last cell. */
export function requireMarked(copy: Reading, original: Reading): void {
  same(copy.survey.header, [...original.survey.header, MARK_COLUMN], 'the header of the copy');
  const marked = original.rows.map(({ row, cells }) => ({ row, cells: [...cells, markOf(row)] }));
  same(copy.rows, marked, 'the copy says something else than the file');
}

/** A mark with what parts it from the cell before it, in the quotes that a file of nothing but quotes gives it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: Hive writes this one between cells
const MARK = /[,;\t| ^\x01](?:~\d+~|"~\d+~")/g;

/**
 * A line of nothing but delimiters and blanks, some of which are several bytes, is a blank row: where it is short it is padded to the
 * header's width, and it has a blank cell more, before cells for which the header has no name.
 */
const BLANK_ROW =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Hive writes this one between cells
  /^(?:[",;|^\x01]|[^\S\r\n]|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe1\x9a\x80|\xe2\x81\x9f|\xe3\x80\x80|\xc2\xa0|\xef\xbb\xbf)+(?=\r?$)/gm;

/** Without the marks, found as text and not by any reader of ours, the copy is the file to the byte. */
export function requireSameBytes(copy: Buffer, original: Buffer): void {
  for (const encoding of ['latin1', 'utf16le'] as const) {
    // Big-endian text differs from its little-endian only in the order of bytes, so it is turned round before.
    for (const turned of [false, true]) {
      const [marked, plain] = [copy, original].map((bytes) =>
        (turned ? swapped(bytes) : bytes).toString(encoding).replaceAll(MARK, '').replaceAll(BLANK_ROW, ''),
      );
      if (marked === plain) return;
    }
  }
  ok(false, 'bytes of the file were changed');
}

const swapped = (bytes: Buffer): Buffer => (bytes.length % 2 === 0 ? Buffer.from(bytes).swap16() : bytes);

/** Characters of a refusal besides the file's name: a screenful, because a person is to read it. */
const LONGEST_REFUSAL = 2_000;

/** A refusal tells the user which file, what is wrong and what to do, and is none of a bug's. */
export function requireClear(error: unknown, path: string): asserts error is StopError {
  if (!(error instanceof StopError)) throw error;
  deepStrictEqual(error.code, 'input');
  ok(error.message.includes(path), `the refusal does not name the file: ${error.message}`);
  ok(error.message.length <= path.length + LONGEST_REFUSAL, 'the refusal is too long to be read');
  match(error.next, /^[A-Z][^\n]+\.$/, 'the refusal does not say what to do');
}
