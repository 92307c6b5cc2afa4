import { open, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isReaderGone, messageOf, stop } from '../../../core/errors.ts';
import type { Sheet } from '../../../core/format.ts';
import { besideFolder, wayBelow } from '../../../core/paths.ts';
import { wordsIn } from '../../../core/plain-text.ts';
import { OUR_COLUMNS } from '../../../core/row.ts';
import { settingsKept } from '../../../job/job-settings.ts';
import type { Batch } from '../../../ledger/ledger.ts';
import { checkWritable } from '../../../lib/atomic-file.ts';
import {
  besideFile,
  endingOf,
  isJsonLinesName,
  JSON_LINES_ENDINGS,
  nameParts,
} from '../../../lib/file-name.ts';
import { calledPath } from '../../called.ts';
import { requireOnce } from '../../header.ts';
import { jsonCopy } from '../../json-copy.ts';
import { requireRoom } from '../../workbook.ts';
import { workbookCopy } from '../../workbook-copy.ts';
import type { ListSource } from '../kept-list.ts';
import { type Additions, additionOf, resultsFilesOf } from './added-columns.ts';

/** Where an output goes, and whether it is a workbook or JSON lines there, or of the input's own format. */

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
}

type FoundInput = Pick<ListSource, 'path' | 'file' | 'survey' | 'sheet'>;

/**
 * Where the output goes: as named, else beside the input. A workbook becomes a workbook; so does what is
 * named like one.
 * @throws StopError `output` before anything is paid for when it could not be written there.
 */
export async function chooseDestination(
  input: FoundInput,
  job: Additions,
  { named, sandbox, name, isOfOther }: WantedOutput,
): Promise<Destination> {
  // Read here only for its refusals: a clash of columns must be known before anything is bought.
  additionOf(input.survey.header, job.add ?? {}, job.on_existing, isOfOther);
  const called = calledPath(input.path, input.sheet.layout);
  const becomesWorkbook = isWorkbookName(called);
  if (typeof named === 'object') {
    if (becomesWorkbook) requireRoomFor(input, job);
    const isJson = !becomesWorkbook && isJsonLinesName(called);
    if (isJson) requireMembers(input);
    return { kind: 'stream', stream: named, isWorkbook: becomesWorkbook, isJson };
  }
  const path = resolve(named ?? besideInput(called, sandbox, name));
  requireNameOf(called, path);
  requireMacros({ ...input, path: called }, path);
  if (isWorkbookName(path)) requireRoomFor(input, job);
  if (isJsonLinesName(path)) requireMembers(input);
  for (const each of filesWith(path, resultsFilesOf(job))) {
    if (await isSameFile(each, input.path)) {
      throw stop('output', `The output ${each} is the input itself.`, 'Name another file with -o.');
    }
    await checkWritable(each);
  }
  return { kind: 'file', path, isWorkbook: isWorkbookName(path), isJson: isJsonLinesName(path) };
}

/** @throws StopError `output` for a name by which a program would open the output as what it is not. */
function requireNameOf(input: string, output: string): void {
  if (isWorkbookName(output) || isJsonLinesName(output)) return;
  const isText = !(isWorkbookName(input) || isJsonLinesName(input));
  if (isText && !OTHER_FORMATS.has(endingOf(output))) return;
  const what = isText ? 'text in columns' : isWorkbookName(input) ? 'an Excel workbook' : 'JSON lines';
  const own = isText ? `, ${nameParts(input).ending}` : '';
  const fact = `The output is ${what}, but the name ${output} says otherwise.`;
  throw stop('output', fact, `Give it the ending ${WORKBOOK_ENDING}${own} or ${JSON_LINES_ENDINGS[0]}.`);
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
 * `leads.csv` → `leads.enriched.csv`, or `leads.sandbox.csv`, so that play never looks like the real thing.
 */
export function besideInput(inputPath: string, sandbox: boolean, name: string = usualName(sandbox)): string {
  return besideFile(inputPath, `.${name}${nameParts(inputPath).ending}`);
}

/** What stands behind the input's name, where no other operation's output has that place. */
export function usualName(sandbox: boolean): string {
  return sandbox ? 'sandbox' : 'enriched';
}

/** The same of a batch, as its store has list and name. */
export function usualOutput({ inputPath, sandbox, settings }: Batch): string {
  const { layout, output_name } = settingsKept(settings);
  const path = besideInput(calledPath(inputPath, layout), sandbox, output_name);
  return OUTPUT_ENDINGS.has(endingOf(path)) ? path : `${path}.csv`;
}

/**
 * Where a store has the output of a batch. Who wrote the store may have chosen that too, so the place counts
 * below the folder of the list or of the store alone, and with an ending that outputs have.
 * @param say is told of another place.
 * @returns undefined for that, and where there is none: the output then goes to the usual place.
 */
export function notedOutput(
  { inputPath, outputPath, settings }: Batch,
  location: string,
  say: (sentence: string) => void = () => {},
): string | undefined {
  const path = outputPath ?? settingsKept(settings).output_path;
  if (path === undefined) return undefined;
  const isBelow = (folder: string): boolean => wayBelow(folder, dirname(path)) !== undefined;
  const isPlace = isBelow(dirname(inputPath)) || isBelow(besideFolder(location));
  if (isPlace && OUTPUT_ENDINGS.has(endingOf(path))) return path;
  const why = "not below the folder of the list or of the store, or has no output's ending";
  say(
    `${path} is what the store has for the output, but ${why}. To write it elsewhere than usual, name it with -o.`,
  );
  return undefined;
}

export async function copyFor(source: ListSource, destination: Destination): Promise<Sheet['copy']> {
  const { sheet } = source;
  const path = calledPath(source.path, sheet.layout);
  if (destination.isJson && !isJsonLinesName(path)) {
    return (options, cellsFor) => jsonCopy(sheet, options, cellsFor);
  }
  if (!destination.isWorkbook || isWorkbookName(path)) {
    // A workbook without macros that says that it has some is opened by no program.
    const byValue = mayHaveMacros(path) && destination.kind === 'file' && !mayHaveMacros(destination.path);
    return (options, cellsFor) => sheet.copy({ ...options, byValue }, cellsFor);
  }
  return (options, cellsFor) => workbookCopy(sheet, options, cellsFor);
}

const WORKBOOK_ENDING = '.xlsx';

/** The ending of a workbook with macros, which comes back as one. */
const MACROS_ENDING = '.xlsm';

const TEXT_ENDINGS = ['.csv', '.tsv', '.txt'];
const OUTPUT_ENDINGS = new Set([...TEXT_ENDINGS, WORKBOOK_ENDING, MACROS_ENDING, ...JSON_LINES_ENDINGS]);

/** What a program opens by these names would not be what it expects there. */
const OTHER_FORMATS: ReadonlySet<string> = new Set(
  wordsIn(
    '.xls .xlsb .ods .numbers .json .gz .yaml .yml .xml .html .htm .pdf .docx .doc .parquet .avro .feather',
  ),
);

export function isWorkbookName(path: string): boolean {
  return endingOf(path) === WORKBOOK_ENDING || mayHaveMacros(path);
}

export const isMacrosName = (destination: Destination): boolean =>
  destination.kind === 'file' && mayHaveMacros(destination.path);

function mayHaveMacros(path: string): boolean {
  return endingOf(path) === MACROS_ENDING;
}

/**
 * A long CSV file is refused before anything is paid for, and not when it turns out that its output does not
 * fit.
 */
function requireRoomFor({ survey: { header, rows } }: FoundInput, { add = {} }: Additions): void {
  requireRoom(rows + 1, header.length + Object.keys(add).length + OUR_COLUMNS.length);
}

/** An object has one member of a name. */
function requireMembers({ survey: { header } }: FoundInput): void {
  const again =
    new Set(header).size < header.length ? header.find((name, at) => header.indexOf(name) < at) : undefined;
  if (again !== undefined) requireOnce(header, again, 'In JSON lines: ');
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  if (one === other) return true;
  const [first, second] = await Promise.all([one, other].map((path) => stat(path).catch(() => undefined)));
  return first !== undefined && second !== undefined && first.ino === second.ino && first.dev === second.dev;
}

/**
 * What the lists beside an output begin with. They are UTF-8, which a spreadsheet program takes for something
 * else unless a byte-order mark says so; a program that knows nothing of such marks takes it for a part of
 * the first name. So there is one beside a workbook, and where the input has one.
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

/** Every file that may be written for an output of that path by any operation, itself included. */
export function filesOf(output: string): readonly string[] {
  return filesWith(output, RESULTS_FILES);
}

/** The results files of all operations; a test compares the list with theirs. */
const RESULTS_FILES = ['people', 'results'] as const;

function filesWith(output: string, resultsFiles: readonly string[]): readonly string[] {
  const results = resultsFiles.map((name) => resultsPath(output, name));
  return [output, attentionPath(output), ...results, reportPath(output)];
}

/** It is a new workbook of some rows, which has no macros. */
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

/** A stream that fails never drains, so what is waited for is the chunk. */
export async function drained(stream: NodeJS.WritableStream, chunk: Buffer): Promise<void> {
  const failed = await new Promise<Error | null | undefined>((resolve) => {
    if (stream.write(chunk, resolve)) resolve(null);
  });
  if (failed == null) return;
  if (isReaderGone(failed, stream as Partial<NodeJS.WriteStream>)) throw failed;
  const fact = `Standard output cannot be written: ${messageOf(failed)}.`;
  throw stop('output', fact, 'Make room for it, or name a file with -o; nothing is bought twice.');
}
