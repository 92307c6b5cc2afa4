import { deepStrictEqual, ok } from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GUESSED_ENCODINGS } from '../../src/core/encodings.ts';
import { messageOf, StopError } from '../../src/core/errors.ts';
import type { ReadOptions, Sheet } from '../../src/core/format.ts';
import { DELIMITERS, type Delimiter } from '../../src/core/reading.ts';
import { openFile } from '../../src/files/input.ts';
import { allOf } from '../files/formats/sheets.ts';
import {
  MARK_COLUMN,
  markedCopy,
  type Reading,
  readOnce,
  readsAlike,
  requireClear,
  requireMarked,
  requireSameBytes,
  unmarkedCopy,
} from '../files/matrix/promises.ts';
import { type Records, recordsOf } from './reference.ts';

/**
 * Holds one input against what every reader promises: it is read whole and comes back whole, or it is refused with a
 * clear reason before anything is made of it. Nothing else may happen, whatever the bytes.
 */

export interface FuzzInput {
  /** Its ending says which format reads it. */
  readonly name: string;
  readonly bytes: Buffer;
  readonly read: ReadOptions;
  /** A share, in [0, 1): which of the ways to read it are tried besides the survey. */
  readonly choice: number;
  /** Numbers of the rows that are there if it is read at all, where that is known beforehand. */
  readonly rows?: readonly number[];
}

export type Verdict =
  | { readonly kind: 'read'; readonly rows: number }
  | { readonly kind: 'refused'; readonly words: string }
  | { readonly kind: 'broken'; readonly why: string };

/** The promise: no file takes longer to be read once. Time of the processor, because a busy machine is no hang. */
const MOST_MS_TO_READ = 1_000;

/** Opens a file as the product does; a test may give one that breaks its promises. */
export type Open = (path: string, read: ReadOptions) => Promise<Sheet>;

/** Where the table stands is not guessed, so that all that is written is read. */
export const openSheet: Open = async (path, read) => (await openFile(path, { ...read, asBefore: {} })).sheet;

/** @param folder to which the input and its copies are written; on a memory file system this is some times faster. */
export async function judged(input: FuzzInput, folder: string, open: Open): Promise<Verdict> {
  const path = join(folder, input.name);
  try {
    await writeFile(path, input.bytes);
    return await readOrRefused(input, path, open);
  } catch (error) {
    return { kind: 'broken', why: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

async function readOrRefused(input: FuzzInput, path: string, open: Open): Promise<Verdict> {
  const begun = process.threadCpuUsage();
  const surveyed = await openAndSurvey(input, path, open);
  const { user, system } = process.threadCpuUsage(begun);
  ok(user + system <= MOST_MS_TO_READ * 1_000, `took ${Math.round((user + system) / 1_000)} ms to read`);
  if ('refusal' in surveyed) {
    const { sheet, refusal } = surveyed;
    if (sheet !== undefined) await pick(input, [requireRefused, enough])(sheet, input);
    requireReason(input, refusal);
    await requireSetAside(input, path, open);
    return { kind: 'refused', words: kindOf(refusal.message.replaceAll(path, 'FILE')) };
  }
  const { sheet, reading } = surveyed;
  try {
    requireWhatIsWritten(input, reading);
    await pick(input, [() => readsAlike(sheet, reading), enough])();
    await requireCopies(input, sheet, reading, path, open);
  } catch (error) {
    ok(!(error instanceof StopError), `refused only after it was surveyed: ${messageOf(error)}`);
    throw error;
  }
  return { kind: 'read', rows: reading.rows.length };
}

type Surveyed =
  | { readonly sheet: Sheet; readonly reading: Reading }
  | { readonly sheet: Sheet | undefined; readonly refusal: StopError };

/** Strictly, so that all that is read can be held against what is written. */
async function openAndSurvey({ read }: FuzzInput, path: string, open: Open): Promise<Surveyed> {
  let sheet: Sheet | undefined;
  try {
    sheet = await open(path, { ...read, strict: true });
    return { sheet, reading: await readOnce(sheet) };
  } catch (error) {
    requireClear(error, path);
    return { sheet, refusal: error };
  }
}

/** Nothing more is tried with this input. */
const enough = async (): Promise<void> => {};

/** One of several, by the input's choice: with many inputs all are tried, and each costs less. */
function pick<Way>({ choice }: FuzzInput, ways: readonly Way[]): Way {
  // The last digits, so that what is picked has nothing to do with the row that is picked.
  const way = ways[Math.floor(choice * 1e6) % ways.length];
  ok(way !== undefined);
  return way;
}

/** What is refused strictly may be read with rows set aside: then every way to read tells of them, and no byte is lost. */
async function requireSetAside({ bytes, name, read }: FuzzInput, path: string, open: Open): Promise<void> {
  let sheet: Sheet;
  let reading: Reading;
  try {
    sheet = await open(path, read);
    reading = await readOnce(sheet);
  } catch (error) {
    requireClear(error, path);
    return;
  }
  const reasons = reading.rows.flatMap(({ unreadable }) => unreadable ?? []);
  ok(reasons.length > 0, 'a strict reading refuses it, and no row is set aside');
  await readsAlike(sheet, reading);
  // A workbook is written anew, and where quotes make rows short or padding does, blank cells are put before ours.
  const isWide = reasons.every((reason) => reason.includes('cells, but'));
  if (
    isWide &&
    read.ragged === undefined &&
    !name.endsWith('.xlsx') &&
    !reading.survey.header.includes(MARK_COLUMN)
  )
    requireSameBytes(await markedCopy(sheet), bytes);
}

/** What the survey refuses must not come through another door, as fewer rows than there are. */
async function requireRefused(sheet: Sheet, input: FuzzInput): Promise<void> {
  const read = pick<() => AsyncIterable<unknown>>(input, [
    () => sheet.groups(),
    () => sheet.copy({ columns: [], dropped: new Set() }, async (rows) => rows.map(() => [])),
  ]);
  const error: unknown = await allOf(read()).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  ok(error !== undefined, 'the survey refuses the file, and another way of reading it does not');
  if (!(error instanceof StopError)) throw error;
}

async function requireCopies(
  input: FuzzInput,
  sheet: Sheet,
  reading: Reading,
  path: string,
  open: Open,
): Promise<void> {
  const { bytes, name, read } = input;
  if (reading.survey.header.includes(MARK_COLUMN)) return;
  const copy = await markedCopy(sheet);
  const copyPath = `${path.slice(0, -name.length)}copy-of-${name}`;
  await writeFile(copyPath, copy);
  const reopened = await open(copyPath, asRead(input, reading));
  requireMarked(await readOnce(reopened), reading);
  // A workbook is written anew, and padding adds cells to short rows: there the cells are what must be kept.
  if (isWorkbook(input) || read.ragged === 'pad') return;
  // A header with a cell less than all rows, or a blank one more, is evened out, so that our names stand above our cells.
  if (isHeaderUneven(input, reading)) return;
  requireSameBytes(copy, bytes);
  if (pick(input, [false, true, false])) return;
  const unmarked = await unmarkedCopy(reopened);
  requireSameBytes(unmarked, bytes);
}

/** A delimiter that was guessed from a line or two may be guessed otherwise when our column is there. */
function asRead(input: FuzzInput, { survey }: Reading): ReadOptions {
  return isWorkbook(input) ? input.read : { ...input.read, delimiter: survey.delimiter as Delimiter };
}

const isWorkbook = ({ name }: FuzzInput): boolean => name.endsWith('.xlsx');

// ------------------------------------------------------------------------------------ beside the second reader

/** What the survey calls an encoding, by the name that it has for a decoder. */
function encodingOf(words: string): (typeof GUESSED_ENCODINGS)[number] {
  if (/UTF-16.*(big|BE)/i.test(words)) return 'utf-16be';
  if (/UTF-16/i.test(words)) return 'utf-16le';
  return /1252/.test(words) ? 'windows-1252' : 'utf-8';
}

/** Undefined where the bytes are no text of that encoding. */
function decoded(bytes: Buffer, encoding: (typeof GUESSED_ENCODINGS)[number]): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Such a first line is for the spreadsheet program, and the second reader does not know it. */
const isSepLine = (text: string): boolean => /^"?sep=/i.test(text);

/** Where all rows have one cell more than the header, the first of them or a blank one at their end has no name. */
function namesOver(header: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const areAll = (width: number): boolean => rows.length > 0 && rows.every((cells) => cells.length === width);
  if (areAll(header.length - 1) && header.at(-1) === '') return header.slice(0, -1);
  if (!areAll(header.length + 1)) return header;
  const isBlank = rows.every((cells) => cells.at(-1)?.trim() === '');
  const isCounted = rows.every(([cell], at) => cell === `${at + 1}`);
  return isBlank && !isCounted ? [...header, ''] : ['', ...header];
}

function isHeaderUneven({ bytes }: FuzzInput, { survey: { encoding, delimiter } }: Reading): boolean {
  const text = unmarked(decoded(bytes, encodingOf(encoding))) ?? '';
  const all = recordsOf(text, DELIMITERS[delimiter as Delimiter]) ?? [];
  const [header = [], ...rows] = all
    .map(({ cells }) => cells)
    .filter((cells) => cells.join('').trim() !== '');
  const names = namesOver(header, rows);
  return names.length !== header.length;
}

function requireWhatIsWritten(input: FuzzInput, { survey, rows }: Reading): void {
  const { bytes, read } = input;
  if (input.rows !== undefined)
    deepStrictEqual(
      rows.map(({ row }) => row),
      input.rows,
      'rows were lost',
    );
  if (isWorkbook(input)) return;
  const text = unmarked(decoded(bytes, encodingOf(survey.encoding)));
  ok(text !== undefined, `what was read as ${survey.encoding} is none`);
  if (isSepLine(text)) return;
  const records = recordsOf(text, DELIMITERS[survey.delimiter as Delimiter]);
  ok(records !== undefined, 'quotes that do not stand as they must were read all the same');
  const isFilled = (cells: readonly string[]): boolean => cells.some((cell) => cell.trim() !== '');
  // A line of nothing but blank cells is no header.
  const [header, ...below] = records.slice(records.findIndex(({ cells }) => isFilled(cells)));
  const trimmed = header?.cells.map((cell) => cell.trim()) ?? [];
  // A line of nothing but delimiters is blank.
  const lines = below.filter(({ cells }) => cells.length === 1 || isFilled(cells));
  const filled = lines.filter(({ cells }) => !isUnseen(cells, trimmed.length, read));
  const names = namesOver(
    trimmed,
    filled.map(({ cells }) => cells),
  );
  const isNamed = (_cell: string, index: number): boolean => names[index] !== '';
  deepStrictEqual(survey.header, names.filter(isNamed), 'the header as it is written');
  // No one is looked up by what stands in a column without a name.
  const written = filled.map(({ row, cells }) => ({
    row,
    cells: fitted(cells, names.length, read).filter(isNamed),
  }));
  deepStrictEqual(rows, written, 'the rows as they are written');
}

/** Marks, also one that was read as letters. */
const unmarked = (text: string | undefined): string | undefined => text?.replace(/^(?:\uFEFF|ï»¿)+/, '');

/** A line on which nothing is shown would be a row with too few cells, and is none. */
const isUnseen = (
  [only = '', ...others]: readonly string[],
  width: number,
  { ragged }: ReadOptions,
): boolean => others.length === 0 && width > 1 && ragged === undefined && /^[\s\p{Cc}\p{Cf}]*$/u.test(only);

function fitted(cells: readonly string[], width: number, { ragged }: ReadOptions): readonly string[] {
  if (ragged === undefined || cells.length === width) return cells;
  const blanks = Array.from({ length: Math.max(0, width - cells.length) }, () => '');
  const isSpare = cells.slice(width).every((cell) => cell.trim() === '');
  return isSpare ? [...cells.slice(0, width), ...blanks] : cells;
}

/** A file in which there is nothing wrong must be read. Only where nothing had to be guessed can that be said. */
function requireReason({ name, bytes, read }: FuzzInput, refusal: StopError): void {
  if (/\.(?:xlsx|gz)$/.test(name) || read.delimiter === undefined) return;
  const { encoding = isUtf8(bytes) ? 'utf-8' : undefined, delimiter, ragged } = read;
  if (encoding === undefined || ragged !== undefined || hasOtherMark(bytes)) return;
  const text = decoded(bytes, encoding as (typeof GUESSED_ENCODINGS)[number]);
  if (text === undefined || text.includes('\0') || isSepLine(text)) return;
  const records = recordsOf(text, DELIMITERS[delimiter]);
  const isSound = records !== undefined && isTable(records);
  ok(!isSound, `refused without a reason: ${refusal.message}`);
}

/** Marks of UTF-16 and UTF-8, gzip, zip: what begins so is something else than was said, or may be. */
const OTHER_MARKS = ['fffe', 'feff', 'efbbbf', '1f8b', '504b0304'];

const hasOtherMark = (bytes: Buffer): boolean => {
  const start = bytes.toString('hex', 0, 4);
  return OTHER_MARKS.some((mark) => start.startsWith(mark));
};

/** As wide as the header in every row, whose names are there and each its own. */
function isTable([header, ...rows]: Records): boolean {
  if (header === undefined) return false;
  const names = header.cells.map((cell) => cell.trim());
  const isNamed = !names.includes('') && new Set(names).size === names.length;
  return isNamed && rows.every(({ cells }) => cells.length === names.length);
}

/** The refusal without what differs from file to file, so that equal ones can be counted. */
function kindOf(message: string): string {
  return message
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '"…"')
    .replaceAll(/\d[\d,]*/g, 'N')
    .replaceAll(/(?:columns? )[N, and]+/g, 'columns N ')
    .slice(0, 160);
}
