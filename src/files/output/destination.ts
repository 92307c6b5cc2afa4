import { lstatSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import type { AnswerPlace } from '../../core/answer-body.ts';
import { isReaderGone, messageOf, stop } from '../../core/errors.ts';
import type { CellsFor, CopyOptions, Sheet } from '../../core/format.ts';
import { ourNamesBeside } from '../../core/our-columns.ts';
import { byFlag, phrase } from '../../core/phrase.ts';
import { wordsIn } from '../../core/plain-text.ts';
import { DELIMITERS } from '../../core/reading.ts';
import { erasedRow, type InputRow, OUR_COLUMNS } from '../../core/row.ts';
import { readSettings, settingsKept } from '../../job/job-settings.ts';
import { type Batch, isKnownHere, type LedgerReader } from '../../ledger/ledger.ts';
import { checkWritable } from '../../lib/atomic-file.ts';
import {
  besideFile,
  endingOf,
  isJsonLinesName,
  isJsonName,
  JSON_ENDING,
  JSON_LINES_ENDINGS,
  nameParts,
} from '../../lib/file-name.ts';
import { calledPath } from '../called.ts';
import { firstPlaces, requireOnce, valueRows } from '../header.ts';
import type { Input } from '../input.ts';
import { PART_ROWS, rowParts } from '../kept-rows.ts';
import { saidHeader } from '../shape/list-start.ts';
import { jsonCopy, workbookCopy } from '../value-copy.ts';
import { requireRoom } from '../workbook.ts';
import { type Addition, type Additions, additionOf, resultsFilesOf } from './added-columns.ts';

/** Where an output goes, and its format there: a workbook, JSON lines, or the format of the input. */

export type Destination = { readonly isWorkbook: boolean; readonly isJson: boolean } & (
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'stream'; readonly stream: NodeJS.WritableStream }
);

export interface WantedOutput {
  /** Left out: beside the input. */
  readonly named?: string | NodeJS.WritableStream | undefined;
  readonly sandbox: boolean;
  /** What the batch has fixed for its output's name; left out: the usual. */
  readonly name?: string | undefined;
  /** Whether the input is known as the output of another job. */
  readonly isOfOther?: boolean;
  /** The place of the fields in its answers; left out: one account answers. */
  readonly answerPlace?: AnswerPlace;
}

type FoundInput = Pick<ListSource, 'path' | 'file' | 'survey' | 'sheet'>;

/**
 * Chooses where the output goes: to the named place, else beside the input. The output is a workbook if the
 * input is one, or if the named file has the ending of one.
 * @throws StopError `output` before anything is paid for when the place cannot be written.
 */
export async function chooseDestination(
  input: FoundInput,
  job: Additions,
  { named, sandbox, name, isOfOther, answerPlace }: WantedOutput,
): Promise<Destination> {
  // A clash of columns must be known before anything is bought.
  const { header, rows } = input.survey;
  const addition = additionOf(header, job.add ?? {}, job.on_existing, isOfOther, answerPlace);
  const called = calledPath(input.path, input.sheet.layout);
  const isStream = typeof named === 'object';
  const path = isStream ? called : resolve(named ?? besideInput(called, sandbox, name));
  const [isWorkbook, isJson] = [isWorkbookName(path), isJsonName(path)];
  if (!isStream) {
    requireNameOf(called, path);
    requireMacros({ ...input, path: called }, path);
  }
  if (isWorkbook) {
    // A CSV file that is too long for a workbook is refused before anything is paid for.
    requireRoom(rows + 1, header.length + addition.columns.length + OUR_COLUMNS.length);
  }
  if (isJson) requireMembers(input);
  const destination = isStream
    ? ({ kind: 'stream', stream: named, isWorkbook, isJson } as const)
    : ({ kind: 'file', path, isWorkbook, isJson } as const);
  if (isWorkbook && isWorkbookName(called)) await proveWritable(input, addition, destination);
  if (isStream) return destination;
  for (const each of filesWith(path, resultsFilesOf(job))) {
    if (await isSameFile(each, input.path)) {
      throw stop(
        'output',
        `The output ${each} is the input itself.`,
        phrase`Name another file ${byFlag('-o')}.`,
      );
    }
    await checkWritable(each);
  }
  return destination;
}

/**
 * Copies the user's workbook once with blank cells of ours, into nothing: its parts are another program's, so
 * only the copy itself shows that there can be one.
 * @throws StopError `input` or `output` as the copy.
 */
async function proveWritable(
  input: ListSource,
  { columns, dropped }: Addition,
  destination: Destination,
): Promise<void> {
  const copy = await copyFor(input, destination);
  const names = [...columns.map(({ name }) => name), ...ourNamesBeside(input.survey.header)];
  const blank = names.map(() => '');
  for await (const _ of copy({ columns: names, dropped }, async (rows) => rows.map(() => blank)));
}

/** @throws StopError `output` for a name that would make a program open the output as another format. */
function requireNameOf(input: string, output: string): void {
  if (isWorkbookName(output) || isJsonName(output)) return;
  const isText = !(isWorkbookName(input) || isJsonName(input));
  if (isText && !OTHER_FORMATS.has(endingOf(output))) return;
  const what = isText ? 'text in columns' : isWorkbookName(input) ? 'an Excel workbook' : 'JSON';
  const ownEnding = isText ? `, ${nameParts(input).ending}` : '';
  const fact = `The output is ${what}, but the name ${output} says otherwise.`;
  throw stop(
    'output',
    fact,
    `Give it the ending ${WORKBOOK_ENDING}${ownEnding} or ${JSON_LINES_ENDINGS[0]}.`,
  );
}

/** @throws StopError `output` for a name that promises macros, where the workbook would have none. */
function requireMacros({ path, file }: FoundInput, output: string): void {
  if (!mayHaveMacros(output)) return;
  if (!mayHaveMacros(path)) {
    const fact = `${output} is named like a workbook with macros, but the output has none.`;
    throw stop('output', fact, `Give it the ending ${WORKBOOK_ENDING}.`);
  }
  if (file !== undefined) return;
  const fact = `${path} cannot come back with its macros: it is gone, or was changed since.`;
  throw stop('output', fact, `Name an output that ends in ${WORKBOOK_ENDING}, or put the original back.`);
}

/**
 * `leads.csv` → `leads.enriched.csv`, or `leads.sandbox.csv`, so that no one takes sandbox results for real
 * ones.
 */
export function besideInput(inputPath: string, sandbox: boolean, name: string = usualName(sandbox)): string {
  return besideFile(inputPath, `.${name}${nameParts(inputPath).ending}`);
}

/** The text behind the input's name, where no output of another operation has that place. */
export function usualName(sandbox: boolean): string {
  return sandbox ? 'sandbox' : 'enriched';
}

/** The usual output of a batch, from the list that its store records. */
export function usualOutput({ inputPath, sandbox, settings }: Batch, name?: string): string {
  const path = besideInput(calledPath(inputPath, settingsKept(settings).layout), sandbox, name);
  return OUTPUT_ENDINGS.has(endingOf(path)) ? path : `${path}.csv`;
}

/**
 * The place of a batch's output for which no command names one. Another person who can write the store may
 * have chosen the place that the store records. So a place counts only if this host has noted it for the
 * batch: it wrote the output there, or a person named it here.
 * @param say is told of a place that does not count.
 * @returns undefined where this host knows none.
 */
export function notedOutput(batch: Batch, say: (sentence: string) => void = () => {}): string | undefined {
  const { output_path, output_name } = settingsKept(batch.settings);
  const noted = batch.outputPath ?? output_path;
  const path = [noted, usualOutput(batch, output_name)].find(
    (each) => each !== undefined && isKnownHere(batch.id, 'output', each),
  );
  if (noted !== undefined && path !== noted)
    say(
      `${noted} is what the store has for the output, but this host has not written the output there. ` +
        'To write it there, name it with -o.',
    );
  return path;
}

/**
 * The same, or a name of ours in a folder that is known.
 * @param folderOf is asked for that folder where it is needed.
 */
export function outputPlace(batch: Batch, folderOf: () => string, say: (sentence: string) => void): string {
  const noted = notedOutput(batch, say);
  if (noted !== undefined) return noted;
  const free = freeOutput(batch, folderOf());
  say(`This host knows no place for the output of batch ${batch.id}, so it is written to ${free}.`);
  return free;
}

/** A name of ours for a batch's output in that folder, where nothing lies yet. */
function freeOutput(batch: Batch, folder: string): string {
  const { stem, ending } = nameParts(calledPath(batch.inputPath, settingsKept(batch.settings).layout));
  const name = stem.replace(/^[.-]+|\p{Cc}/gu, '') || 'list';
  const ownEnding = OUTPUT_ENDINGS.has(ending.toLowerCase()) ? ending : '.csv';
  const usual = join(folder, `${name}.${usualName(batch.sandbox)}${ownEnding}`);
  const isFree = (output: string): boolean =>
    filesOf(output).every((each) => lstatSync(each, { throwIfNoEntry: false }) === undefined);
  let path = usual;
  for (let number = 1; !isFree(path); number += 1)
    path = besideFile(usual, `.${batch.id}${number === 1 ? '' : ` (${number})`}${ownEnding}`);
  return path;
}

export async function copyFor(source: ListSource, destination: Destination): Promise<Sheet['copy']> {
  const { sheet } = source;
  const path = calledPath(source.path, sheet.layout);
  const ownEnding = destination.kind === 'file' ? endingOf(destination.path) : endingOf(path);
  const isOtherJson = isJsonLinesName(path) ? ownEnding === JSON_ENDING : ownEnding !== endingOf(path);
  if (destination.isJson && isOtherJson) {
    const isList = ownEnding === JSON_ENDING;
    return (options, cellsFor) => jsonCopy(sheet, options, cellsFor, isList);
  }
  if (!destination.isWorkbook || isWorkbookName(path)) {
    // No program opens a workbook without macros that declares some, so such a copy is made by value.
    const byValue = mayHaveMacros(path) && destination.kind === 'file' && !mayHaveMacros(destination.path);
    return (options, cellsFor) => sheet.copy({ ...options, byValue }, cellsFor);
  }
  return (options, cellsFor) => workbookCopy(sheet, options, cellsFor);
}

const WORKBOOK_ENDING = '.xlsx';

/** Whether a path has the ending of a workbook with macros. Its output is such a workbook, too. */
const MACROS_ENDING = '.xlsm';

const TEXT_ENDINGS = ['.csv', '.tsv', '.txt'];
const OUTPUT_ENDINGS = new Set([
  ...TEXT_ENDINGS,
  WORKBOOK_ENDING,
  MACROS_ENDING,
  ...JSON_LINES_ENDINGS,
  JSON_ENDING,
]);

/** Endings by which a program would expect another format. */
const OTHER_FORMATS: ReadonlySet<string> = new Set(
  wordsIn('.xls .xlsb .ods .numbers .gz .yaml .yml .xml .html .htm .pdf .docx .doc .parquet .avro .feather'),
);

export function isWorkbookName(path: string): boolean {
  return endingOf(path) === WORKBOOK_ENDING || mayHaveMacros(path);
}

export const isMacrosName = (destination: Destination): boolean =>
  destination.kind === 'file' && mayHaveMacros(destination.path);

function mayHaveMacros(path: string): boolean {
  return endingOf(path) === MACROS_ENDING;
}

/** Refuses a header with one name twice, because an object has each member once. */
function requireMembers({ survey: { header } }: FoundInput): void {
  const placeOf = firstPlaces(header);
  const again = header.find((name, at) => placeOf.get(name) !== at);
  if (again !== undefined) requireOnce(header, again, 'In JSON: ');
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  if (one === other) return true;
  const [first, second] = await Promise.all([one, other].map((path) => stat(path).catch(() => undefined)));
  return first !== undefined && second !== undefined && first.ino === second.ino && first.dev === second.dev;
}

/**
 * The beginning of the lists beside an output. They are UTF-8. A spreadsheet program recognises that only by
 * a byte-order mark; a program that does not know such marks takes it for a part of the first name. So the
 * lists get a mark beside a workbook, and where the input has one.
 */
export async function listMark(inputPath: string, { isWorkbook }: { isWorkbook: boolean }): Promise<string> {
  return isWorkbook || (await beginsWithMark(inputPath)) ? '\uFEFF' : '';
}

/** The byte-order marks of UTF-8 and of UTF-16 in either order. */
const MARKS = ['efbbbf', 'fffe', 'feff'];
const LONGEST_MARK = 3;

async function beginsWithMark(path: string): Promise<boolean> {
  await using file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return false;
  const { buffer } = await file.read(Buffer.alloc(LONGEST_MARK), 0, LONGEST_MARK, 0);
  return MARKS.some((mark) => buffer.toString('hex').startsWith(mark));
}

/** Every file that any operation may write for an output of that path, including the output. */
export function filesOf(output: string): readonly string[] {
  return filesWith(output, RESULTS_FILES);
}

/** The results files of all operations; a test compares the list with theirs. */
const RESULTS_FILES = ['people', 'results'] as const;

function filesWith(output: string, resultsFiles: readonly string[]): readonly string[] {
  const results = resultsFiles.map((name) => resultsPath(output, name));
  return [output, attentionPath(output), ...results, reportPath(output)];
}

/**
 * The path of the rows that need attention. A new workbook of some rows has no macros, so it is no `.xlsm`.
 */
export function attentionPath(output: string): string {
  const { ending } = nameParts(output);
  return besideFile(output, `.needs-attention${mayHaveMacros(output) ? WORKBOOK_ENDING : ending}`);
}

/** `leads.enriched.csv` → `leads.enriched.people.csv`. */
export function resultsPath(output: string, name: string): string {
  return besideFile(output, `.${name}.csv`);
}

export function reportPath(output: string): string {
  return besideFile(output, '.report.html');
}

/** Waits until a chunk is written. It does not wait for `drain`, because a stream that fails never drains. */
export async function writeChunk(stream: NodeJS.WritableStream, chunk: Buffer): Promise<void> {
  const failed = await new Promise<Error | null | undefined>((resolve) => {
    if (stream.write(chunk, resolve)) resolve(null);
  });
  if (failed == null) return;
  if (isReaderGone(failed, stream as Partial<NodeJS.WriteStream>)) throw failed;
  const fact = `Standard output cannot be written: ${messageOf(failed)}.`;
  throw stop(
    'output',
    fact,
    phrase`Make room for it, or name a file ${byFlag('-o')}; nothing is bought twice.`,
  );
}

// ----------------------------------------------------------------------------------- the list that is copied

/** The list from which an output is made: as its file has it, or as the ledger keeps it. */
export interface ListSource extends Pick<Input, 'path'> {
  /** Absent where the rows come from the ledger. */
  readonly file?: Pick<Input['file'], 'requireContent'>;
  readonly sheet: Pick<Sheet, 'header' | 'layout' | 'start' | 'groups' | 'copy'>;
  readonly survey: Input['survey'];
}

/**
 * The list of a batch from the cells that the ledger keeps, for a file that is gone or has other content now.
 * It is a new table of values; formats, formulas and other parts of the file are not kept.
 * @returns undefined where not all rows were submitted: then nothing was bought for the list either.
 */
export function keptList(ledger: LedgerReader, batch: Batch): ListSource | undefined {
  const { inputPath: path, inputSha256: sha256, inputRows: rows, header, isSubmitted, settings } = batch;
  if (isSubmitted !== true) return undefined;
  const read = readSettings(settings);
  const layout = read.asBefore ?? {};
  const called = calledPath(path, layout);
  const { delimiter = endingOf(path) === '.tsv' ? 'tab' : 'comma' } = read;
  const table = {
    header: async () => header,
    layout,
    start: { header: saidHeader(read) ?? { first: 1, last: 1 }, isFound: false },
    groups: () => keptRows(ledger, batch),
  };
  const isWorkbook = ['.xlsx', '.xlsm'].includes(endingOf(called));
  const copy: Sheet['copy'] = (options, cellsFor) => {
    if (isJsonName(called)) return jsonCopy(table, options, cellsFor, endingOf(called) === JSON_ENDING);
    return isWorkbook
      ? workbookCopy(table, options, cellsFor)
      : csvCopy(table, DELIMITERS[delimiter], options, cellsFor);
  };
  return { path, survey: { sha256, header, rows }, sheet: { ...table, copy } };
}

/** The list, as it was submitted. Rows that a plan has behind the list do not belong to it. */
async function* keptRows(ledger: LedgerReader, { id, inputRows: remainingRows }: Batch) {
  const { single } = PART_ROWS;
  for await (const part of rowParts(single, (from) => ledger.rowsAt(id, { from }, single))) {
    const rows = part.slice(0, remainingRows).map(({ row }) => row);
    const cells = await ledger.cellsOf(id, rows);
    yield rows.map((row): InputRow => cells.get(row) ?? erasedRow(row));
    remainingRows -= rows.length;
    if (remainingRows === 0) return;
  }
}

async function* csvCopy(
  sheet: Pick<Sheet, 'header' | 'groups'>,
  delimiter: string,
  options: CopyOptions,
  cellsFor: CellsFor,
): AsyncIterable<Buffer> {
  const textOf = (lines: string[][]): Buffer => Buffer.from(stringify(lines, { delimiter }));
  const keptNames = (await sheet.header()).filter((name) => !options.dropped.has(name));
  yield textOf([[...keptNames, ...options.columns]]);
  for await (const rows of valueRows(sheet, options, cellsFor))
    yield textOf(rows.map(({ ownNames, ours, surplus }) => [...ownNames, ...ours, ...surplus]));
}

export const keptWords = ({ id, inputPath }: Batch): string =>
  `${inputPath} is gone, or has changed since batch ${id} worked on it, ` +
  'so the output is made of the cells that the store keeps of it.';
