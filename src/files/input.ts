import { fstatSync } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { canonicalJson } from '../core/call-key.ts';
import { type Advice, messageOf, StopError, stop } from '../core/errors.ts';
import { FORMATS, loadFamily, loadMember } from '../core/families.ts';
import {
  type FileBytes,
  type Format,
  type ReadOptions,
  readableEndings,
  type Sheet,
  type Survey,
} from '../core/format.ts';
import { present } from '../core/objects.ts';
import type { Operation } from '../core/operation.ts';
import { whatToSave } from '../core/other-files.ts';
import { isOutput } from '../core/our-columns.ts';
import { AGAIN, byFlag, DO_AGAIN, phrase } from '../core/phrase.ts';
import { counted, foreignName, foreignWords, listed } from '../core/plain-text.ts';
import { readingEntries, readingIn } from '../core/reading.ts';
import { RowCount, readRowRanges } from '../core/row.ts';
import type { Job } from '../job/job.ts';
import { readSettings, settingsKept } from '../job/job-settings.ts';
import type { Batch, LedgerReader } from '../ledger/ledger.ts';
import { sha256Of } from '../lib/atomic-file.ts';
import { nearPath } from '../lib/command-line.ts';
import { endingOf } from '../lib/file-name.ts';
import { firstListIn, meantPath } from '../lib/near-path.ts';
import { codeOf, shortageOf } from '../lib/system-errors.ts';
import { calledPath, endingHeld, knownPath } from './called.ts';
import { type ColumnMap, type EarlierGuess, findColumns, requireConditioned } from './columns/columns.ts';
import { type InputColumns, issuesAsRead } from './quality/job-issues.ts';
import { nullNamesIn } from './quality/null-names.ts';
import { unclearStart } from './shape/list-start.ts';

/** A file that was read once from end to end, so that damage is known before anything is paid for. */
export interface Input {
  readonly path: string;
  /** The file: its bytes are the same whenever they are read. */
  readonly file: InputFile;
  readonly sheet: Sheet;
  /** The options of this run, completed by those that were given or found for a batch over the same bytes. */
  readonly read: ReadOptions;
  readonly survey: Pick<Survey, 'sha256' | 'header' | 'rows'>;
}

type Batches = Pick<LedgerReader, 'batches'>;

/** A file with only its header read. */
export type OpenedInput = OpenedFile & Pick<MappedInput, 'columns'>;

export interface MappedInput extends Input {
  readonly columns: InputColumns;
}

/**
 * Opens a file, and reads it from end to end. If the ledger knows its content, an earlier run has read it,
 * and a resumed batch of a million rows need not read it again.
 * @throws StopError `input` with what is wrong and where.
 */
export async function openInput(path: string, read: ReadOptions, ledger?: Batches): Promise<Input> {
  const { opened, earlier } = await openKnown(path, read, ledger);
  const { sheet } = opened;
  // A strict reading refuses what an earlier one may have borne.
  if (earlier === undefined || read.strict === true) return { ...opened, survey: await sheet.survey() };
  const survey = { sha256: earlier.inputSha256, header: await sheet.header(), rows: earlier.inputRows };
  return { ...opened, survey };
}

/**
 * The file as a batch over the same bytes has read it, if there is one: its rows are numbered and counted by
 * that.
 */
async function openKnown(
  path: string,
  read: ReadOptions,
  ledger: Batches | undefined,
): Promise<{ readonly opened: OpenedFile; readonly earlier: Batch | undefined }> {
  const file = namedFile(path);
  const earlier = await earlierBatch(file, read, ledger);
  const asBefore = earlier && readSettings(earlier.settings);
  return { opened: await openNamed(file, { ...asBefore, ...present(read) }), earlier };
}

/** A batch over the same bytes, with the same cells read. */
async function earlierBatch(
  file: InputFile,
  read: ReadOptions,
  ledger: Batches | undefined,
): Promise<Batch | undefined> {
  const batches = (await ledger?.batches()) ?? [];
  const isAlike = ({ inputPath, settings }: Batch): boolean =>
    endingOf(inputPath) === endingOf(file.path) && cellsRead(readSettings(settings)) === cellsRead(read);
  const alike = batches.filter(isAlike);
  if (alike.length === 0) return undefined;
  const digest = await file.sha256();
  return alike.find(({ inputSha256 }) => inputSha256 === digest);
}

const cellsRead = (read: ReadOptions): string => canonicalJson(readingEntries(read).read ?? {});

/** SHA-256 of the file's bytes, hex. @throws StopError `input` when it cannot be read. */
export function contentHash(path: string): Promise<string> {
  return new InputFile(path).sha256();
}

/** The ending that a file should have, where it has another. @throws StopError `input` if unreadable. */
export const contentEnding = (path: string) => endingHeld(new InputFile(path));

type ReadingJob = Pick<Job, 'operation' | 'columns' | 'guesses' | 'add' | 'read' | 'country' | 'strict'> &
  Pick<Job, 'large' | 'only_if' | 'unless' | 'problem'>;

export async function openMappedInput(
  path: string,
  job: ReadingJob,
  ledger?: Batches,
  scratch?: ReadOptions['scratch'],
): Promise<MappedInput> {
  const read = { ...readAs(job), ...present({ scratch }) };
  return withColumns(await openInput(path, read, ledger), job, ledger);
}

/** Like `openMappedInput`, but only the header is read: the caller's one pass over the rows finds damage. */
export async function openHeader(path: string, job: ReadingJob, ledger?: Batches): Promise<OpenedInput> {
  const { opened } = await openKnown(path, readAs(job), ledger);
  return withColumns(opened, job, ledger);
}

/** The header of a list is the row that has the columns which a job names. */
function readAs({ columns, strict, large, add = {}, ...job }: ReadingJob): ReadOptions {
  const named = columns && Object.values(columns).filter((column) => column !== '');
  // A column that a step adds need not be there.
  const wanted = job.operation.steps === undefined ? named : named?.filter((column) => !(column in add));
  return { ...readingIn(job), ...present({ strict, large, wanted }) };
}

/**
 * Every list that comes in for a job passes here, so that each of them is refused in the same words, whatever
 * is asked for.
 */
async function withColumns<File extends OpenedFile>(
  opened: File,
  job: ReadingJob,
  ledger: Batches | undefined,
): Promise<File & Pick<MappedInput, 'columns'>> {
  const { operation, columns, guesses, add = {}, problem: problemAt } = job;
  const header = await opened.sheet.header();
  const place = (name: string) => (operation.steps === undefined ? ['operation'] : ['operations', name]);
  const refused = (problem: StopError, { name }: Operation): StopError =>
    problemAt?.(place(name), 'name', problem.detail.message, problem.detail.next) ?? problem;
  const chosen = columns && { columns, guesses, added: Object.keys(add), refused };
  const earlier = await earlierGuess(opened, header, operation, ledger);
  const find = async (): Promise<ColumnMap> => {
    requireConditioned(job, header);
    return findColumns(operation, opened.sheet, header, chosen, earlier);
  };
  const found = await find().catch((error: unknown) => {
    throw withOtherSheets(error, opened);
  });
  const issueOf = await issuesAsRead(opened.read);
  const nullNames = await nullNamesIn(opened.sheet, header, found.columns);
  return { ...opened, columns: { ...found, header, issueOf, nullNames } };
}

/** A column that this sheet lacks may be on another sheet. */
function withOtherSheets(error: unknown, { sheet: { tabs = [] }, read }: OpenedFile): unknown {
  const others = tabs.filter(({ isRead }) => !isRead).map(({ name }) => foreignName(name));
  if (!(error instanceof StopError) || others.length === 0 || read.sheet !== undefined) return error;
  const byName = byFlag('--sheet');
  const next = phrase`${error.detail.next} Or name another sheet of the workbook ${byName}:
    ${listed(others)}.`;
  return new StopError({ ...error.detail, next });
}

/**
 * The columns by which the list at that path was worked on last, if they were guessed; or those of the list
 * that has the file as its output, under any name. A cancelled batch does not count.
 */
async function earlierGuess(
  { path, file }: OpenedFile,
  header: readonly string[],
  { name, inputs }: Pick<Operation, 'name' | 'inputs'>,
  ledger: Batches | undefined,
): Promise<EarlierGuess | undefined> {
  const all = (await ledger?.batches()) ?? [];
  const batches = all.filter(({ operation, state }) => operation === name && state !== 'cancelled');
  // A file without a column of ours is no output, and need not be read for it.
  const digest = batches.length > 0 && isOutput(header) ? await file.sha256() : undefined;
  for (const { id, inputPath, outputPath, outputSha256, settings } of batches) {
    const isSame = digest !== undefined && outputSha256?.split(' ').includes(digest) === true;
    const isItsOutput = isSame || outputPath === path;
    if (!(isItsOutput || inputPath === path)) continue;
    const { columns, columns_guessed: isGuessed } = settingsKept(settings);
    if (!(isItsOutput || isGuessed)) continue;
    // The inputs of an `api-call` and of a search are the columns that its job names: another job has others.
    if (Object.keys(columns).some((input) => inputs.every((each) => each.name !== input))) continue;
    return { batch: id, columns, isOutput: isItsOutput };
  }
  return undefined;
}

/** Where rows were named, none of these is there: such a batch would do nothing. */
export function noRows({ path, read: { rows } }: Pick<Input, 'path' | 'read'>): StopError {
  const where = rows === undefined ? 'below the header' : `from ${rows.replace('-', ' to ')}`;
  return stop('input', `${path} has no rows ${where}.`, 'Fill it, or name another list or other rows.');
}

/**
 * @param only the rows that a person names, such as `5,9,12-20`: what lies within a range may be blank.
 * @throws StopError `input` for a row that the list does not have.
 */
export async function requireRows({ path, sheet }: OpenedFile, only = ''): Promise<void> {
  const ranges = readRowRanges(only) ?? [];
  const named = new Set(ranges.flatMap(({ first, last }) => [first, last]));
  if (named.size === 0) return;
  const rows = new RowCount();
  let last = 0;
  for await (const group of sheet.groups())
    for (const { row } of group) {
      named.delete(row);
      rows.add(row);
      last = row;
    }
  const [missing] = named;
  if (missing === undefined) return;
  const all = `${counted(rows.count, 'row')}, from ${rows.first_rows[0]} to ${last}`;
  const fact = `${path} has no row ${missing}: it has ${all}.`;
  throw stop('input', fact, 'Name rows by the numbers that the report shows.');
}

export type OpenedFile = Omit<Input, 'survey'>;

/**
 * @throws StopError `input` when no format reads such files, and where only a person can say where the list
 * begins.
 */
export async function openFile(path: string, read: ReadOptions = {}): Promise<OpenedFile> {
  return openNamed(namedFile(path), read);
}

/** @throws StopError `input` for standard input. */
function namedFile(path: string): InputFile {
  if (path === '-') {
    throw stop('input', 'Only run reads standard input.', 'Save it to a file and name that file.');
  }
  return new InputFile(resolve(path));
}

async function openNamed(file: InputFile, read: ReadOptions): Promise<OpenedFile> {
  const path = knownPath(file.path);
  const ending = await endingHeld(file);
  const format = await formatOf(calledPath(path, { ending }));
  const opened = await format.open(file, read);
  if (opened.start.readings !== undefined) throw unclearStart(path, opened.start.readings);
  if (ending === undefined) return { path, file, sheet: opened, read };
  const notes = [`${path} is read as what it holds, which is called ${ending}.`, ...opened.notes];
  return { path, file, sheet: { ...opened, notes, layout: { ...opened.layout, ending } }, read };
}

/**
 * The format that claims the file's ending. One that is called like it is tried first: the others need not be
 * loaded.
 * @throws StopError `input` for a file that no format claims.
 */
export async function formatOf(path: string): Promise<Format> {
  const ending = endingOf(path);
  const namesake = await loadMember<Format>(FORMATS, ending.split('.')[1] ?? '');
  if (namesake?.extensions.includes(ending)) return namesake;
  const formats = await loadFamily<Format>(FORMATS);
  for (const format of formats.values()) {
    if (format.extensions.includes(ending)) return format;
  }
  const fact =
    ending === ''
      ? `${path} has no ending that says what kind of file it is.`
      : `${path} ends in ${foreignName(ending)}, which cannot be read as a list.`;
  throw stop('input', fact, whatToSave(ending, await readableEndings()));
}

// --------------------------------------------------------------------------------- a file that is read again

/**
 * Groups of rows are handed on as their bytes are read, so that larger pieces would hold more rows in memory.
 */
const BYTES_PER_CHUNK = 64 * 1024;

/** The read that finds the end of a file asks for so many. */
const BYTES_BEHIND = 1024;

/**
 * A file that is read more than once and is the same each time. Its stamp is taken before the first byte is
 * read, and compared after each read, before the bytes are handed over. So rows belong to the bytes that were
 * hashed for their batch, and not to bytes that stood in their place for a while. A file that was replaced by
 * another of its name goes on being read where it is open, and is missed when it is opened again.
 */
export class InputFile implements FileBytes {
  readonly path: string;
  /** Where it stands, how long it is, and when it was last written to. */
  #stamp: string | undefined;
  #sha256: string | undefined;

  constructor(path: string) {
    this.path = path;
  }

  async *chunks(startByte = 0): AsyncGenerator<Buffer> {
    let position = startByte;
    try {
      await using file = await this.#open();
      const { size } = fstatSync(file.fd);
      for (;;) {
        const remainingBytes = Math.max(size - position, BYTES_BEHIND);
        const buffer = Buffer.allocUnsafe(Math.min(BYTES_PER_CHUNK, remainingBytes));
        const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
        this.#requireSame(file);
        if (bytesRead === 0) return;
        position += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    } catch (error) {
      throw await describe(this.path, error);
    }
  }

  async bytesAt(position: number, most: number): Promise<Buffer> {
    let bytes = Buffer.alloc(0);
    for await (const chunk of this.chunks(position)) {
      bytes = Buffer.concat([bytes, chunk]);
      if (bytes.length >= most) break;
    }
    return bytes.subarray(0, most);
  }

  async sha256(): Promise<string> {
    this.#sha256 ??= await sha256Of(this.chunks());
    return this.#sha256;
  }

  /** @throws StopError `input` when what stands at the path is not the file any more that was read. */
  async requireUnchanged(): Promise<void> {
    const isThere = await stat(this.path).then(
      (found) => found.isFile(),
      () => false,
    );
    if (!isThere) throw changedFile(this.path);
    await this.bytesAt(0, 1);
  }

  /** The same, also where the file system tells nothing of a change. @param sha256 of all bytes. */
  async requireContent(sha256: string): Promise<void> {
    await this.requireUnchanged();
    if ((await sha256Of(this.chunks())) !== sha256) throw changedFile(this.path); // rule 17
  }

  async #open(): Promise<FileHandle> {
    await requireFile(this.path);
    const file = await open(this.path);
    try {
      this.#requireSame(file);
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /**
   * The system knows this of an open file at once. A wait for it after each read would take longer than the
   * look itself.
   */
  #requireSame(file: FileHandle): void {
    const { dev, ino, size, mtimeNs } = fstatSync(file.fd, { bigint: true });
    const stamp = `${dev} ${ino} ${size} ${mtimeNs}`;
    this.#stamp ??= stamp;
    if (stamp !== this.#stamp) throw changedFile(this.path);
  }
}

/** The stop of a run whose file has changed since it was first read. */
function changedFile(path: string): StopError {
  const fact = `${path} changed during the run, so its rows and their answers may not belong together.`;
  const next = phrase`${DO_AGAIN}: everything bought is kept, and only the difference is bought.`;
  return stop('input', fact, next);
}

/**
 * Opening a pipe would wait for a writer, and an input is read more than once, so only regular files will do.
 */
async function requireFile(path: string): Promise<void> {
  const found = await stat(path);
  if (found.isDirectory()) throw stop('input', `${path} is a folder, not a file.`, await listIn(path));
  if (!found.isFile()) {
    const fact = `${path} is not a regular file, but an input must be read more than once.`;
    throw stop('input', fact, 'Save its content to a file and name that file.');
  }
}

async function listIn(folder: string): Promise<Advice> {
  const list = await firstListIn(folder);
  if (list === undefined) return 'Name one file in it.';
  const meant = nearPath(join(folder, list));
  return { next: `Name one file in it, such as ${foreignWords(meant)}.`, again: { typed: folder, meant } };
}

async function describe(path: string, error: unknown): Promise<unknown> {
  if (error instanceof StopError || !(error instanceof Error) || !('code' in error)) return error;
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') {
    const advice = await meantPath(path, 'Check the name of the input file.', await readableEndings());
    return stop('input', `${path} does not exist.`, advice);
  }
  if (error.code === 'EACCES' || error.code === 'EPERM') {
    const fact = `${path} cannot be read by this user.`;
    return stop('input', fact, 'Ask for the right to read the file.');
  }
  const short = shortageOf(codeOf(error));
  const next = short?.next ?? phrase`Check the disk with the file, then ${AGAIN}.`;
  return stop('input', `${path} cannot be read: ${short?.why ?? messageOf(error)}.`, next);
}
