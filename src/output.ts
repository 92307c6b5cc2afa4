import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { AnswerPlace } from './answer-body.ts';
import { replaceFile } from './atomic-file.ts';
import { rowsBeyond } from './changes-done.ts';
import { isoTime } from './clock.ts';
import { isReaderGone, messageOf, stop } from './errors.ts';
import type { Listener } from './events.ts';
import { crashPoint } from './faults.ts';
import { besideFile, isPackedName, partsOf } from './file-name.ts';
import type { Sheet } from './format.ts';
import { CellSafety } from './formulas.ts';
import type { Input } from './input.ts';
import { columnsOf } from './job-settings.ts';
import type { Batch, Ledger, LedgerReader, RowRecord } from './ledger.ts';
import {
  type Addition,
  addedCells,
  additionOf,
  automaticAddition,
  plainFields,
} from './output/added-columns.ts';
import { copyFor, type Destination } from './output/destination.ts';
import {
  type Additions,
  attentionPath,
  removedPath,
  reportPath,
  resultsFilesOf,
  resultsPath,
} from './output/files.ts';
import { LedgerRows, PAGE_ROWS } from './output/ledger-rows.ts';
import { listMark } from './output/list-mark.ts';
import { removedCopy } from './output/removed-copy.ts';
import { resultsCopy, surveyResults } from './output/results-copy.ts';
import { chartOf, reportHtml } from './report.ts';
import { ATTENTION_COLUMNS, ATTENTION_KINDS, type InputRow, OUR_COLUMNS } from './row.ts';
import { requireSameInput, rowInputOf } from './row-input.ts';
import { isPaidBy, Tally } from './tally.ts';

/**
 * Writes every input row back with what is known about it. What is written is a function of the input and of what the
 * ledger holds, and of nothing else: two exports of the same state are the same to the byte.
 */

export {
  asWorkbook,
  besideInput,
  chooseDestination,
  type Destination,
  type WantedOutput,
} from './output/destination.ts';
export { type Additions, filesOf } from './output/files.ts';

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

export interface OutputOrder {
  readonly ledger: LedgerReader;
  readonly job: Additions;
  /** Where the fields of answers stand. */
  readonly answerPlace: AnswerPlace;
  readonly emit: Listener;
  /** Notes what was written where, so that a change by somebody else is noticed. Left out: it cannot be noted now. */
  readonly noteOutput?: (path: string, sha256s: string) => Promise<void>;
  /** Whether a row was sent repaired, for the tally. Left out: nothing is repaired. */
  readonly isRepaired?: (row: InputRow) => boolean;
}

/** An order that is being carried out. */
interface Writing extends OutputOrder {
  /** The input with cells appended, as what the destination wants. */
  readonly copy: Sheet['copy'];
  /** By the name of the output; undefined for a stream, which gets what the input is. */
  readonly isPacked: boolean | undefined;
  /** Of the copy. What stands in a workbook as text never becomes a formula. */
  readonly safety: CellSafety;
  /** Of the lists beside it, which are CSV files. */
  readonly listSafety: CellSafety;
  /** What these lists begin with. */
  readonly mark: string;
  /** Says a sentence once, however many copies it is true of. */
  readonly note: (sentence: string) => void;
  /** @throws StopError when the row was settled from other cells than it has. */
  readonly requireOwn: (row: InputRow, record: RowRecord | undefined) => void;
}

/** An order's output notes, kept with its batch. */
export function notesIn(ledger: Ledger, batch: Batch): Required<Pick<OutputOrder, 'noteOutput'>> {
  return {
    noteOutput: (outputPath, outputSha256) => ledger.changeBatch(batch.id, { outputPath, outputSha256 }),
  };
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
  const writing = await begin(order, input, batch, destination);
  const addition =
    job.add === undefined
      ? automaticAddition(
          header,
          await plainFields(ledger, batch, answerPlace, pageRowsOf(job)),
          writing.safety,
        )
      : additionOf(header, job.add, job.onExisting);
  const tally = new Tally();
  const chunks = enrichedCopy(writing, batch, addition, tally);
  if (destination.kind === 'stream') {
    for await (const chunk of chunks) await drained(destination.stream, chunk);
    tally.formulas = writing.safety.marked;
    return { tally };
  }
  const files = await writeFiles(writing, input, batch, destination.path, addition, chunks, tally);
  crashPoint('after-output');
  return files;
}

async function begin(
  order: OutputOrder,
  input: Input,
  batch: Batch,
  destination: Destination,
): Promise<Writing> {
  const inputOf = rowInputOf(columnsOf(batch.settings)?.columns ?? {}, input.survey.header);
  const mode = order.job.formulas ?? 'safe';
  const said = new Set<string>();
  return {
    ...order,
    copy: await copyFor(input, destination),
    isPacked: destination.kind === 'file' ? isPackedName(destination.path) : undefined,
    safety: new CellSafety(destination.isWorkbook ? 'raw' : mode),
    listSafety: new CellSafety(mode),
    mark: await listMark(input.path, destination),
    note(message) {
      if (!said.has(message)) order.emit({ kind: 'note', message });
      said.add(message);
    },
    requireOwn: (row, record) => requireSameInput(input, batch, row.row, record?.input, () => inputOf(row)),
  };
}

async function writeFiles(
  order: Writing,
  input: Input,
  batch: Batch,
  wantedPath: string,
  { dropped }: Addition,
  chunks: AsyncIterable<Buffer>,
  tally: Tally,
): Promise<OutputFiles> {
  const { ledger, emit, noteOutput, safety, listSafety } = order;
  const mode = (await stat(input.path)).mode & 0o777;
  const output = await freePath(ledger, wantedPath, emit);
  const hash = createHash('sha256');
  await replaceFile(output.path, mode, hashed(chunks, hash), async () => {
    await input.file.requireUnchanged();
    // Both hashes, because a crash before the rename leaves the old file and one after it the new.
    const hashes = [hash.copy().digest('hex'), ...output.sha256s].slice(0, 2).join(' ');
    await noteOutput?.(output.path, hashes);
  });
  const results = await writeResults(order, batch, output.path, mode);
  tally.results = results && { file: basename(results.path), count: results.count };
  const removed = await writeRemoved(order, batch, output.path, mode);
  tally.formulas = safety.marked + listSafety.marked;
  const attention = attentionPath(output.path);
  const report = reportPath(output.path);
  if (tally.attention.length === 0) await rm(attention, { force: true });
  else await replaceFile(attention, mode, attentionCopy(order, batch, dropped));
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
  { ledger, listSafety, mark }: Writing,
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
  await replaceFile(path, mode, removedCopy(ledger, batch, beyond, mark, listSafety));
  return path;
}

/** Writes what the lists of all answers hold; undefined for an operation that has no such file, or found nothing. */
async function writeResults(
  { ledger, job, answerPlace, listSafety, mark }: Writing,
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
  await replaceFile(path, mode, resultsCopy(ledger, batch, answerPlace, found, mark, listSafety));
  return { path, count: found.count };
}

// ------------------------------------------------------------------------------------------------ the copies

/** Answers with lists are large, so fewer of them are held at a time. */
function pageRowsOf(job: Additions): number {
  return resultsFilesOf(job).length > 0 ? PAGE_ROWS.lists : PAGE_ROWS.single;
}

async function* enrichedCopy(
  { ledger, job, answerPlace, copy, isPacked, note, safety, isRepaired, requireOwn }: Writing,
  batch: Batch,
  { columns, dropped }: Addition,
  tally: Tally,
): AsyncIterable<Buffer> {
  const rows = new LedgerRows(ledger, batch.id, pageRowsOf(job));
  const names = [...columns.map(({ name }) => name), ...OUR_COLUMNS];
  yield* copy({ columns: names, dropped, note, isPacked }, async (row) => {
    const record = await rows.at(row.row);
    requireOwn(row, record);
    tally.add(batch, row.row, record);
    if (isRepaired?.(row) === true) tally.addRepaired(record);
    const found = record?.answers.findLast(({ kind }) => kind === 'found');
    const ours = ourCells(batch, row, record).map((cell) => safety.cell(cell));
    return [...addedCells(columns, row, found?.body, answerPlace, safety), ...ours];
  });
}

/** The rows that a person has to look at, as they came, with the number and the reason; valid as an input again. */
function attentionCopy(
  { ledger, job, copy, isPacked, note, safety: { mode }, requireOwn }: Writing,
  batch: Batch,
  dropped: ReadonlySet<string>,
): AsyncIterable<Buffer> {
  const rows = new LedgerRows(ledger, batch.id, pageRowsOf(job));
  // These reasons stand in the output as well, where they are counted.
  const safety = new CellSafety(mode);
  return copy({ columns: ATTENTION_COLUMNS, dropped, note, isPacked }, async (row) => {
    const record = await rows.at(row.row);
    requireOwn(row, record);
    const outcome = record?.outcome;
    if (outcome === undefined || !ATTENTION_KINDS.has(outcome.kind)) return undefined;
    return [String(row.row), safety.cell(outcome.reason ?? '')];
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

/** A stream that fails never drains, so what is waited for is the chunk. */
async function drained(stream: NodeJS.WritableStream, chunk: Buffer): Promise<void> {
  const failed = await new Promise<Error | null | undefined>((resolve) => {
    if (stream.write(chunk, resolve)) resolve(null);
  });
  if (failed == null) return;
  if (isReaderGone(failed, stream as Partial<NodeJS.WriteStream>)) throw failed;
  const fact = `Standard output cannot be written: ${messageOf(failed)}.`;
  throw stop('output', fact, 'Give it room, or name a file with -o; nothing is bought twice.');
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
