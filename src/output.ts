import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { AnswerPlace } from './answer-body.ts';
import { checkWritable, replaceFile } from './atomic-file.ts';
import { rowsBeyond } from './changes-done.ts';
import { isoTime } from './clock.ts';
import { stop } from './errors.ts';
import type { Listener } from './events.ts';
import { crashPoint } from './faults.ts';
import { besideFile, partsOf } from './file-name.ts';
import { type Input, requireUnchanged } from './input.ts';
import type { Job } from './job.ts';
import type { Batch, Ledger, LedgerReader, RowRecord } from './ledger.ts';
import type { Operation } from './operation.ts';
import {
  type Addition,
  addedCells,
  additionOf,
  automaticAddition,
  plainFields,
} from './output/added-columns.ts';
import { LedgerRows, PAGE_ROWS } from './output/ledger-rows.ts';
import { removedCopy } from './output/removed-copy.ts';
import { resultsCopy, surveyResults } from './output/results-copy.ts';
import { chartOf, reportHtml } from './report.ts';
import { ATTENTION_COLUMNS, ATTENTION_KINDS, type InputRow, OUR_COLUMNS } from './row.ts';
import { isPaidBy, Tally } from './tally.ts';

/**
 * Writes every input row back with what is known about it. What is written is a function of the input and of what the
 * ledger holds, and of nothing else: two exports of the same state are the same to the byte.
 */

export type Destination =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'stream'; readonly stream: NodeJS.WritableStream };

/** Paths of what was written. Absent: there was nothing to write, or it went to a stream. */
export interface OutputFiles {
  readonly output?: string;
  readonly attention?: string;
  /** What was found, one line for each, where an answer holds lists. */
  readonly results?: string;
  /** Who was removed although no row says so. */
  readonly removed?: string;
  readonly report?: string;
  readonly tally: Tally;
}

/** What may be added to the input's columns, and written beside the output. */
export interface Additions extends Pick<Job, 'add' | 'onExisting'> {
  readonly operation?: Pick<Operation, 'resultsFile'>;
}

export interface OutputOrder {
  readonly ledger: LedgerReader;
  readonly job: Additions;
  /** Where the fields of answers stand. */
  readonly answerPlace: AnswerPlace;
  readonly emit: Listener;
  /** Notes what was written where, so that a change by somebody else is noticed. Left out: it cannot be noted now. */
  readonly noteOutput?: (path: string, sha256s: string) => Promise<void>;
}

/** An order's output notes, kept with its batch. */
export function notesIn(ledger: Ledger, batch: Batch): Required<Pick<OutputOrder, 'noteOutput'>> {
  return {
    noteOutput: (outputPath, outputSha256) => ledger.changeBatch(batch.id, { outputPath, outputSha256 }),
  };
}

/**
 * Where the output goes: as named, else beside the input.
 * @throws StopError `output` before anything is paid for when it could not be written there.
 */
export async function chooseDestination(
  input: Pick<Input, 'path' | 'survey'>,
  job: Additions,
  named: string | NodeJS.WritableStream | undefined,
  sandbox: boolean,
): Promise<Destination> {
  // Read here only for its refusals: a clash of columns must be known before anything is bought.
  additionOf(input.survey.header, job.add ?? {}, job.onExisting);
  if (typeof named === 'object') return { kind: 'stream', stream: named };
  const path = resolve(named ?? besideInput(input.path, sandbox));
  for (const each of filesWith(path, resultsFilesOf(job))) {
    if (await isSameFile(each, input.path)) {
      throw stop('output', `The output ${each} is the input itself.`, 'Name another file with -o.');
    }
    await checkWritable(each);
  }
  return { kind: 'file', path };
}

/** `leads.csv` → `leads.enriched.csv`, or `leads.sandbox.csv`, so that play never looks like the real thing. */
export function besideInput(inputPath: string, sandbox: boolean): string {
  return besideFile(inputPath, `.${sandbox ? 'sandbox' : 'enriched'}${partsOf(inputPath).ending}`);
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  if (one === other) return true;
  const [first, second] = await Promise.all([one, other].map((path) => stat(path).catch(() => undefined)));
  return first !== undefined && second !== undefined && first.ino === second.ino && first.dev === second.dev;
}

export async function writeOutput(
  order: OutputOrder,
  input: Input,
  batch: Batch,
  destination: Destination,
): Promise<OutputFiles> {
  order.emit({ kind: 'writing' });
  crashPoint('before-finish');
  const { header } = input.survey;
  const { job, ledger, answerPlace } = order;
  const addition =
    job.add === undefined
      ? automaticAddition(header, await plainFields(ledger, batch, answerPlace, pageRowsOf(job)))
      : additionOf(header, job.add, job.onExisting);
  const tally = new Tally();
  const chunks = enrichedCopy(order, input, batch, addition, tally);
  if (destination.kind === 'stream') {
    for await (const chunk of chunks) await drained(destination.stream, chunk);
    return { tally };
  }
  const files = await writeFiles(order, input, batch, destination.path, addition, chunks, tally);
  crashPoint('after-output');
  return files;
}

async function writeFiles(
  order: OutputOrder,
  input: Input,
  batch: Batch,
  wantedPath: string,
  { dropped }: Addition,
  chunks: AsyncIterable<Buffer>,
  tally: Tally,
): Promise<OutputFiles> {
  const { ledger, emit, noteOutput } = order;
  const mode = (await stat(input.path)).mode & 0o777;
  const output = await freePath(ledger, wantedPath, emit);
  const hash = createHash('sha256');
  await replaceFile(output.path, mode, hashed(chunks, hash), async () => {
    await requireUnchanged(input);
    // Both hashes, because a crash before the rename leaves the old file and one after it the new.
    const hashes = [hash.copy().digest('hex'), ...output.sha256s].slice(0, 2).join(' ');
    await noteOutput?.(output.path, hashes);
  });
  const results = await writeResults(order, input, batch, output.path, mode);
  tally.results = results && { file: basename(results.path), count: results.count };
  const removed = await writeRemoved(ledger, batch, output.path, mode);
  const attention = attentionPath(output.path);
  const report = reportPath(output.path);
  if (tally.attention.length === 0) await rm(attention, { force: true });
  else await replaceFile(attention, mode, attentionCopy(order, input, batch, dropped));
  const html = reportHtml(batch, await ledger.batchMoney(batch.id), tally, await chartOf(ledger, batch));
  await replaceFile(report, mode, [html]);
  return {
    output: output.path,
    report,
    tally,
    ...(tally.attention.length === 0 ? {} : { attention }),
    ...(results === undefined ? {} : { results: results.path }),
    ...(removed === undefined ? {} : { removed }),
  };
}

/** Writes whom the batch removes although no row of the input says so; undefined when that is nobody. */
async function writeRemoved(
  ledger: LedgerReader,
  batch: Batch,
  output: string,
  mode: number,
): Promise<string | undefined> {
  const path = removedPath(output);
  const beyond = await rowsBeyond(ledger, batch);
  if (beyond.length === 0) {
    await rm(path, { force: true });
    return undefined;
  }
  await replaceFile(path, mode, removedCopy(ledger, batch, beyond));
  return path;
}

/** Writes what the lists of all answers hold; undefined for an operation that has no such file, or found nothing. */
async function writeResults(
  { ledger, job, answerPlace }: OutputOrder,
  { path: inputPath }: Input,
  batch: Batch,
  output: string,
  mode: number,
): Promise<{ readonly path: string; readonly count: number } | undefined> {
  const [name] = resultsFilesOf(job);
  if (name === undefined) return undefined;
  const path = resultsPath(output, name);
  const found = await surveyResults(ledger, batch, answerPlace);
  if (found.count === 0) {
    await rm(path, { force: true });
    return undefined;
  }
  await replaceFile(path, mode, resultsCopy(ledger, batch, answerPlace, found, inputPath));
  return { path, count: found.count };
}

function resultsFilesOf({ operation }: Additions): readonly string[] {
  return operation?.resultsFile === undefined ? [] : [operation.resultsFile];
}

/** Every file that may be written for an output of that path by any operation, itself included. */
export function filesOf(output: string): readonly string[] {
  return filesWith(output, RESULTS_FILES);
}

/** Of all operations; a test holds it against theirs. */
const RESULTS_FILES = ['people'] as const;

function filesWith(output: string, resultsFiles: readonly string[]): readonly string[] {
  const results = resultsFiles.map((name) => resultsPath(output, name));
  return [output, attentionPath(output), ...results, removedPath(output), reportPath(output)];
}

function attentionPath(output: string): string {
  return besideFile(output, `.needs-attention${partsOf(output).ending}`);
}

/** `leads.enriched.csv` → `leads.enriched.people.csv`. */
function resultsPath(output: string, name: string): string {
  return besideFile(output, `.${name}.csv`);
}

function removedPath(output: string): string {
  return besideFile(output, '.removed.csv');
}

function reportPath(output: string): string {
  return besideFile(output, '.report.html');
}

// ------------------------------------------------------------------------------------------------ the copies

/** Answers with lists are large, so fewer of them are held at a time. */
function pageRowsOf(job: Additions): number {
  return resultsFilesOf(job).length > 0 ? PAGE_ROWS.lists : PAGE_ROWS.single;
}

async function* enrichedCopy(
  { ledger, job, answerPlace }: OutputOrder,
  input: Input,
  batch: Batch,
  { columns, dropped }: Addition,
  tally: Tally,
): AsyncIterable<Buffer> {
  const rows = new LedgerRows(ledger, batch.id, pageRowsOf(job));
  const names = [...columns.map(({ name }) => name), ...OUR_COLUMNS];
  yield* input.sheet.copy({ columns: names, dropped }, async (row) => {
    const record = await rows.at(row.row);
    tally.add(batch, row.row, record);
    const found = record?.answers.findLast(({ kind }) => kind === 'found');
    return [...addedCells(columns, row, found?.body, answerPlace), ...ourCells(batch, row, record)];
  });
}

/** The rows that a person has to look at, as they came, with the number and the reason; valid as an input again. */
function attentionCopy(
  { ledger, job }: OutputOrder,
  input: Input,
  batch: Batch,
  dropped: ReadonlySet<string>,
): AsyncIterable<Buffer> {
  const rows = new LedgerRows(ledger, batch.id, pageRowsOf(job));
  return input.sheet.copy({ columns: ATTENTION_COLUMNS, dropped }, async ({ row }) => {
    const outcome = (await rows.at(row))?.outcome;
    if (outcome === undefined || !ATTENTION_KINDS.has(outcome.kind)) return undefined;
    return [String(row), outcome.reason ?? ''];
  });
}

/** Cells of OUR_COLUMNS, in their order. */
function ourCells(batch: Batch, { row }: InputRow, record: RowRecord | undefined): readonly string[] {
  if (record === undefined) return ['pending', '', '', '0', '', ''];
  const { outcome, answers } = record;
  const matchedBy = outcome.kind === 'matched' ? outcome.matchedBy : '';
  const paid = answers.filter((answer) => isPaidBy(batch, row, answer));
  const credits = paid.reduce((sum, answer) => sum + answer.charged, 0);
  const last = outcome.kind === 'in_doubt' || outcome.kind === 'skipped' ? undefined : answers.at(-1);
  const asOf = last === undefined ? '' : isoTime(last.answeredAtMs);
  return [outcome.kind, outcome.reason ?? '', matchedBy, String(credits), sourceOf(batch, row, last), asOf];
}

/** Where the answer that decided came from. */
function sourceOf(batch: Batch, row: number, answer: RowRecord['answers'][number] | undefined): string {
  if (answer === undefined) return '';
  if (answer.batch !== batch.id) return 'ledger';
  if (answer.paidRow !== row) return `row ${answer.paidRow}`;
  return batch.sandbox ? 'sandbox' : 'bought';
}

async function* hashed(
  chunks: AsyncIterable<Buffer>,
  hash: ReturnType<typeof createHash>,
): AsyncIterable<Buffer> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}

async function drained(stream: NodeJS.WritableStream, chunk: Buffer): Promise<void> {
  if (!stream.write(chunk)) await new Promise((resolve) => stream.once('drain', resolve));
}

// ------------------------------------------------------------------------------------------------ whose file it is

interface FreePath {
  readonly path: string;
  /** Of the file that stands there now and is ours. */
  readonly sha256s: readonly string[];
}

/** The wanted path, unless a file stands there that is not as we wrote it: then `NAME (2)`, `NAME (3)`, … */
async function freePath(ledger: LedgerReader, wanted: string, emit: Listener): Promise<FreePath> {
  const written = new Map<string, Set<string>>();
  for (const { outputPath, outputSha256 } of await ledger.batches()) {
    if (outputPath === undefined || outputSha256 === undefined) continue;
    const hashes = written.get(outputPath) ?? new Set();
    for (const sha256 of outputSha256.split(' ')) hashes.add(sha256);
    written.set(outputPath, hashes);
  }
  for (let number = 1; ; number += 1) {
    const path = number === 1 ? wanted : besideFile(wanted, ` (${number})${partsOf(wanted).ending}`);
    const standing = await sha256OfFile(path);
    if (standing === undefined) return { path, sha256s: [] };
    if (written.get(path)?.has(standing) === true) return { path, sha256s: [standing] };
    emit({ kind: 'note', message: `${path} is not as we wrote it, so it is kept.` });
  }
}

/** Undefined when there is no such file. */
async function sha256OfFile(path: string): Promise<string | undefined> {
  if (!(await stat(path).catch(() => undefined))?.isFile()) return undefined;
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}
