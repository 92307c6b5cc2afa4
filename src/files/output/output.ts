import type { AnswerPlace } from '../../core/answer-body.ts';
import { StopError, stop } from '../../core/errors.ts';
import type { Listener } from '../../core/events.ts';
import { present } from '../../core/objects.ts';
import { ourNamesBeside } from '../../core/our-columns.ts';
import { DO_AGAIN, phrase } from '../../core/phrase.ts';
import type { InputRow } from '../../core/row.ts';
import {
  type Batch,
  type Ledger,
  type LedgerReader,
  noteHere,
  noteWrittenHere,
  type RowRecord,
} from '../../ledger/ledger.ts';
import type { Chunks, NoteWritten } from '../../lib/atomic-file.ts';
import { crashPoint } from '../../lib/faults.ts';
import { type CellSafety, safetyIn } from '../../lib/formulas.ts';
import { rowMaker } from '../kept-rows.ts';
import {
  type Addition,
  type Additions,
  type AnswerReader,
  addedCells,
  additionFor,
  cellsFor,
  cellsOrWhy,
  ourCells,
  ourFacts,
  resultsFilesOf,
  tellFound,
} from './added-columns.ts';
import { type PriceOf, tallyOf, type WholeView, wholeView } from './batch-view.ts';
import { type AttentionWriting, attentionCopy, resultsCopy, surveyResults } from './beside-copies.ts';
import { changesDone } from './changes-done.ts';
import {
  attentionPath,
  copyFor,
  type Destination,
  isMacrosName,
  keptList,
  keptWords,
  type ListSource,
  listMark,
  reportPath,
  resultsPath,
  writeChunk,
} from './destination.ts';
import { matchingOf } from './match.ts';
import { modeLike, type Ownership, removeStale, writeOwnFile, writtenHere } from './own-files.ts';
import { readReport } from './report-facts.ts';
import type { ChangesDone } from './report-object.ts';
import { shownAnswer } from './shown-answer.ts';
import type { Tally } from './tally.ts';

/**
 * Writes every input row back with what is known about it. The output depends on the input and on the ledger,
 * and on nothing else: two exports of the same state are the same to the byte.
 */

export * from './added-columns.ts';
export {
  type BatchCounts,
  batchCounts,
  batchView,
  listCost,
  readWholeView,
  stepsIn,
  type WholeView,
} from './batch-view.ts';
export { resultCells, resultsIn, surveyResults } from './beside-copies.ts';
export * from './destination.ts';
export { type Matching, matchingOf, type RowMatch } from './match.ts';
export { readReport } from './report-facts.ts';
export { accountNameIn, answersOf, shownAnswer } from './shown-answer.ts';
export { type CopiedColumn, tableCopy } from './table-copy.ts';

/**
 * Paths of the files that were written. A path is absent where there was nothing to write, or where a stream
 * got it.
 */
export interface OutputFiles {
  readonly output?: string;
  readonly attention?: string;
  /** The found results, one line for each, where an answer holds lists. */
  readonly results?: string;
  readonly report?: string;
  readonly view: WholeView;
  /** Absent for a batch that changes nothing. */
  readonly changes?: ChangesDone;
}

export interface OutputOrder {
  readonly ledger: LedgerReader;
  readonly job: Additions;
  readonly answerPlace: AnswerPlace;
  readonly emit: Listener;
  readonly priceOf: PriceOf;
  /**
   * Notes which content was written to which path, so that we notice when the user changes the file. Left
   * out: the ledger cannot note it now.
   */
  readonly spender?: Pick<Ledger, 'noteWritten' | 'changeBatch'> | undefined;
}

interface WriteOrder extends OutputOrder, AttentionWriting {
  /** The safety of cells of the copy. Text in a workbook never becomes a formula. */
  readonly safety: CellSafety;
  /** The safety of cells in the lists beside the copy, which are CSV files. */
  readonly listSafety: CellSafety;
  readonly mark: string;
  /** Undefined for a batch that changes nothing. */
  readonly changes: ChangesDone | undefined;
}

/** Says each sentence once, even if it is true of several copies. */
function notedOnce(listener: Listener): (message: string) => void {
  const messages = new Set<string>();
  return (message) => {
    if (!messages.has(message)) listener({ kind: 'note', message });
    messages.add(message);
  };
}

/** Where the list is gone or has other content now, its rows come from the ledger. The user is told so. */
export async function writeOutput(
  order: OutputOrder,
  input: ListSource,
  batch: Batch,
  destination: Destination,
): Promise<OutputFiles> {
  order.emit({ kind: 'writing' });
  crashPoint('before-finish');
  let isBegun = false;
  try {
    if (destination.kind === 'stream') await input.file?.requireContent(batch.inputSha256);
    isBegun = destination.kind === 'stream';
    return await writeFrom(order, input, batch, destination);
  } catch (error) {
    // Text that went into a stream cannot be taken back.
    const isOfFile = !isBegun && error instanceof StopError && error.code === 'input';
    const isUnchanged = () =>
      input.file?.requireContent(batch.inputSha256).then(
        () => true,
        () => false,
      ) ?? true;
    if (!isOfFile || (await isUnchanged())) throw error;
    const keptSource = keptList(order.ledger, (await order.ledger.batch(batch.id)) ?? batch);
    if (keptSource === undefined || isMacrosName(destination)) throw error;
    order.emit({ kind: 'note', message: keptWords(batch) });
    return writeFrom(order, keptSource, batch, destination);
  }
}

async function writeFrom(
  order: OutputOrder,
  input: ListSource,
  batch: Batch,
  destination: Destination,
): Promise<OutputFiles> {
  const writing = await begin(order, input, batch, destination);
  const addition = await additionFor(writing, input.survey.header, batch);
  const tally = await tallyOf(order.ledger, batch);
  const chunks = enrichedCopy(writing, batch, addition, tally);
  if (destination.kind === 'stream') {
    for await (const chunk of chunks) await writeChunk(destination.stream, chunk);
    const view = await wholeView(order.ledger, batch, tally, order.priceOf);
    return { view, ...present({ changes: writing.changes }) };
  }
  const files = await writeFiles(writing, input, batch, destination.path, addition, chunks, tally);
  crashPoint('after-output');
  return files;
}

async function begin(
  order: OutputOrder,
  input: ListSource,
  batch: Batch,
  destination: Destination,
): Promise<WriteOrder> {
  const mode = order.job.formulas ?? 'safe';
  return {
    ...order,
    copy: await copyFor(input, destination),
    ...cellsFor(destination, mode),
    listSafety: safetyIn(mode),
    mark: await listMark(input.path, destination),
    note: notedOnce(order.emit),
    changes: await changesDone(order.ledger, batch),
    matching: await matchingOf(order.ledger, batch),
  };
}

async function writeFiles(
  order: WriteOrder,
  input: ListSource,
  batch: Batch,
  wantedPath: string,
  { ours }: Addition,
  chunks: AsyncIterable<Buffer>,
  tally: Tally,
): Promise<OutputFiles> {
  const { ledger, spender, note, changes } = order;
  const mode = await modeLike(input.path);
  const noteWritten: NoteWritten = async (path, sha256s) => {
    if (spender === undefined) return;
    noteWrittenHere(path, sha256s);
    await spender.noteWritten(path, sha256s, batch.id);
  };
  const ownership: Ownership = { ...writtenHere(note), noteWritten };
  const output = await writeOwnFile(
    {
      path: wantedPath,
      mode,
      chunks,
      async beforePlacing() {
        await input.file?.requireContent(batch.inputSha256);
        requireEveryRow(input, tally);
      },
    },
    {
      ...ownership,
      // The batch records the path of its output as well.
      async noteWritten(outputPath, sha256s) {
        const outputSha256 = sha256s.join(' ');
        if (spender !== undefined) noteHere(batch.id, [['output', outputPath]]);
        await Promise.all([
          noteWritten(outputPath, sha256s),
          spender?.changeBatch(batch.id, { outputPath, outputSha256 }),
        ]);
      },
    },
  );
  const beside: CopyContext = { order, batch, output, mode, ownership };
  const results = await writeResults(beside, ours);
  const attention = await writeBeside(
    beside,
    attentionPath(output),
    tally.reasons.length === 0
      ? undefined
      : attentionCopy(order, batch, { header: input.survey.header, ours }),
  );
  // We read the batch again, so that a later export of the same state shows the same.
  const latestBatch = (await ledger.batch(batch.id)) ?? batch;
  const view = await wholeView(ledger, latestBatch, tally, order.priceOf);
  // Its libraries are loaded where a report is written, and by no other command.
  const { reportHtml } = await import('./report.ts');
  const facts = await readReport(ledger, latestBatch, view, changes);
  const html = reportHtml(latestBatch, facts, { output, attention });
  const report = await writeBeside(beside, reportPath(output), [html]);
  return { output, view, ...present({ report, attention, results, changes }) };
}

interface CopyContext {
  readonly order: WriteOrder;
  readonly batch: Batch;
  readonly output: string;
  readonly mode: number;
  readonly ownership: Ownership;
}

/**
 * Writes a file beside the output. Removes its earlier version where the file has another name now, or is not
 * written.
 */
async function writeBeside(
  { mode, ownership }: Pick<CopyContext, 'mode' | 'ownership'>,
  path: string,
  chunks: Chunks | undefined,
): Promise<string | undefined> {
  const written = chunks && (await writeOwnFile({ path, mode, chunks }, ownership));
  await removeStale(path, ownership, written);
  return written;
}

/**
 * Writes the file of results from the lists of all answers; undefined for an operation without such a file,
 * and where nothing was found.
 */
async function writeResults(beside: CopyContext, ours: ReadonlySet<string>): Promise<string | undefined> {
  const { order, batch, output } = beside;
  const { ledger, job, answerPlace, listSafety, mark } = order;
  const [name] = resultsFilesOf(job);
  if (name === undefined) return undefined;
  const found = await surveyResults(ledger, batch, answerPlace);
  const copy =
    found.count === 0 ? undefined : resultsCopy(ledger, batch, answerPlace, found, mark, listSafety, ours);
  return writeBeside(beside, resultsPath(output, name), copy);
}

/** A copy that ended early would look like a shorter list. */
function requireEveryRow({ path, survey }: ListSource, { rows: copied }: Tally): void {
  if (copied === survey.rows) return;
  const fact = `${path} had ${survey.rows} rows when it was first read, but ${copied} when it was copied.`;
  throw stop('input', fact, phrase`${DO_AGAIN}, and do not change the file while it runs.`);
}

// ------------------------------------------------------------------------------------------------ the copies

/** By row, what was changed of a person whose other change is still to be made. */
const halfDoneIn = (changes: ChangesDone | undefined): ReadonlyMap<number, string> =>
  new Map(
    changes?.persons.flatMap(({ row, ended, beyond, reason }) =>
      ended === 'pending' && !beyond ? [[row, reason]] : [],
    ),
  );

async function* enrichedCopy(
  writing: WriteOrder,
  batch: Batch,
  { columns, dropped }: Addition,
  tally: Tally,
): AsyncIterable<Buffer> {
  const { ledger, job, answerPlace, copy, note, matching, cells: writer } = writing;
  const names = [...columns.map(({ name }) => name), ...ourNamesBeside(batch.header)];
  tally.columns = columns.filter(({ beside }) => beside === undefined);
  const paths = job.add && new Set(Object.values(job.add));
  const count = tally.addFound.bind(tally);
  const halfDone = halfDoneIn(writing.changes);
  const found: AnswerReader = (answer, fields) => tellFound(count, paths, answer, fields);
  const cellsOf = (row: InputRow, record: RowRecord | undefined): readonly string[] => {
    const match = matching.of(row, record);
    tally.add(batch, row.row, record, match);
    const shown = shownAnswer(match.answers, answerPlace);
    const onAnswer = record?.outcome?.kind === 'matched' ? found : undefined;
    const cells = () => addedCells(columns, row, shown, batch, writer, onAnswer);
    const added = cellsOrWhy(columns.length, cells, shown);
    const ours = ourCells(ourFacts(batch, row, record, match, added.why ?? halfDone.get(row.row)), writer);
    return added.cells.concat(ours);
  };
  const made = rowMaker(ledger, batch, cellsOf, (records) => matching.meet(records));
  yield* copy({ columns: names, dropped, note, isJson: writer.isJson }, made);
}
