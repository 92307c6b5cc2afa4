import type { z } from 'zod';
import type { AnswerPlace } from '../../core/answer-body.ts';
import { isoTime } from '../../core/clock.ts';
import { invariant, messageOf, stop } from '../../core/errors.ts';
import type { RunEvent } from '../../core/events.ts';
import { describeOperations } from '../../core/families.ts';
import { NO_FINDINGS } from '../../core/finding.ts';
import type { Findings } from '../../core/findings.ts';
import type { ValuedRow } from '../../core/format.ts';
import { isObject, present } from '../../core/objects.ts';
import type { JsonObject, JsonValue } from '../../core/operation.ts';
import { spoolFolder } from '../../core/paths.ts';
import { readingIn } from '../../core/reading.ts';
import { FOUND_PREFIX, type OutcomeKind, type RowNumber } from '../../core/row.ts';
import { openFile } from '../../files/input.ts';
import {
  accountNameIn,
  type Matching,
  matchingOf,
  ourFacts,
  type RowMatch,
  shownAnswer,
} from '../../files/output/output.ts';
import { isPaidBy } from '../../files/output/tally.ts';
import { spoolInput } from '../../files/spool.ts';
import type { Job } from '../../job/job.ts';
import { type Batch, type BatchId, hasEnded, type RowRecord } from '../../ledger/ledger.ts';
import { nameStoreOfCall } from '../../lib/command-line.ts';
import { checkInput } from '../../lib/yaml/schema-problem.ts';
import type { RunObject } from '../../objects/run-object.ts';
import type { FileOptions, RunOptions } from '../../plan/context.ts';
import { chooseJob } from '../../run/choose.ts';
import { openSpender, type Spender, underSignal } from '../../run/run-job.ts';
import { chooseStore, storeToName } from '../../run/store-choice.ts';
import { isPlain, saidAt, saidIn } from '../../values/answer-fields.ts';
import { answerPlaceIn, type ResolvedJob } from '../../walk/resolved-job.ts';
import run, { optionsOf, questionsOn } from '../run.ts';
import type { Own } from './command.ts';
import { silent } from './library.ts';
import { MAX_PAUSE_MS } from './spending.ts';

/**
 * The input of a run with rows that a program reads: that of `run` without the entries about a list and a
 * written file.
 */
const enrichInput = run.input.omit({
  file: true,
  output: true,
  formulas: true,
  save_job: true,
  detach: true,
});

export type EnrichInput = z.input<typeof enrichInput>;

/** The rows, to be read once with `for await`, and how the run ended. */
export interface Enrichment<Row> extends AsyncIterable<EnrichedRow<Row>> {
  /**
   * How the run ended, in the form of `run`. After the loop it is there at once, even if the loop was left
   * early. Without a loop, the run works through all rows, and no one receives them.
   */
  summary(): Promise<RunObject>;
}

/**
 * Works through rows as a run does, and gives each row with its outcome. Nothing happens until the first row
 * is asked for. All rows are read before anything is bought, so that damage is known, and so that the same
 * rows are the same batch.
 * @param rows objects, as an iterable or an async iterable, or the path of a list.
 * @throws StopError from the loop, where the run cannot begin. A later stop is `stopped` in the summary.
 */
export function enrich(
  rows: string,
  input: EnrichInput,
  ownParts?: Own,
): Enrichment<Readonly<Record<string, string>>>;
export function enrich<Row extends object>(
  rows: GivenRows<Row>,
  input: EnrichInput,
  ownParts?: Own,
): Enrichment<Row>;
export function enrich<Row>(
  rows: string | GivenRows<Row>,
  given: EnrichInput,
  ownParts: Own = {},
): Enrichment<Row> {
  const { wait, max_pause, accept, as, store, yes, ...entries } = checkInput('enrich', enrichInput, given);
  const { output: _, ...askedOptions } = ownParts;
  const ended = Promise.withResolvers<RunObject>();
  // The loop throws the error to the reader of the rows, so no one need hear it from this promise.
  ended.promise.catch(() => {});
  const options = {
    ...askedOptions,
    ...optionsOf({ ...entries, yes }, ownParts),
    ...questionsOn(silent(ownParts), yes, entries.sample !== undefined),
    store,
    accept,
    operator: as,
    waitForLockMs: wait,
    maxPauseMs: max_pause ?? MAX_PAUSE_MS,
  };
  const found = worked<Row>(rows, options, ended);
  let isRead = false;
  const read = () => {
    isRead = true;
    return found;
  };
  return {
    [Symbol.asyncIterator]: read,
    async summary() {
      if (!isRead) for await (const _ of read());
      return ended.promise;
    },
  };
}

async function* worked<Row>(
  rows: string | GivenRows<Row>,
  options: Omit<RunOptions, 'file'>,
  ended: PromiseWithResolvers<RunObject>,
): AsyncGenerator<EnrichedRow<Row>, void, undefined> {
  try {
    await describeOperations();
    // The run may begin long after the call, and after other calls, so it names its store again.
    nameStoreOfCall(storeToName(options.store));
    const chosen = await chooseJob(options);
    const { sandbox } = chosen.account;
    const { location } = chooseStore(options.store, sandbox);
    const isList = typeof rows === 'string';
    const file = isList ? rows : await spoolInput(linesOf(rows), spoolFolder(location), 'the rows');
    const spender = await openSpender(sandbox, { ...options, file });
    try {
      yield* ran(spender, chosen, { ...options, file, output: false }, ended);
    } finally {
      await spender.close([chosen.account]);
    }
  } catch (error) {
    ended.reject(error);
    throw error;
  }
}

/**
 * Gives every row that has ended, in the order of the list, while the run goes on. If the reader leaves
 * early, the run stops, and this function ends once the answers to requests in flight are recorded.
 */
async function* ran<Row>(
  { ledger, run }: Spender,
  chosen: ResolvedJob,
  options: FileOptions,
  ended: PromiseWithResolvers<RunObject>,
): AsyncGenerator<EnrichedRow<Row>, void, undefined> {
  const leaving = new AbortController();
  let nextMove = Promise.withResolvers<void>();
  let id: BatchId | undefined;
  let isOver = false;
  const move = (): void => {
    nextMove.resolve();
    nextMove = Promise.withResolvers();
  };
  const onEvent = (event: RunEvent): void => {
    if (event.kind === 'batch') id = event.batch;
    if (event.kind === 'batch' || event.kind === 'row') move();
    options.onEvent?.(event);
  };
  const until = AbortSignal.any([leaving.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  const running = underSignal(until, (signal) => run(chosen, { ...options, signal, onEvent })).finally(() => {
    isOver = true;
    move();
  });
  running.catch(() => {});
  /** The record of a row that has ended, once the ledger has it; undefined where the run ended without it. */
  const ending = async (row: RowNumber): Promise<RowRecord | undefined> => {
    for (;;) {
      const isLast = isOver;
      const next = nextMove.promise;
      const found = id === undefined ? undefined : (await ledger.recordsOf(id, [row])).get(row);
      if (found !== undefined && hasEnded(found)) return found;
      if (isLast) return undefined;
      await next;
    }
  };
  let isLeft = true;
  try {
    const { sheet } = await openFile(options.file, readingIn(chosen.job));
    const list = { job: chosen.job, answerPlace: answerPlaceIn(chosen), header: await sheet.header() };
    let batch: Batch | undefined;
    let matching: Matching | undefined;
    for await (const rows of sheet.groups())
      for (const row of rows) {
        const record = await ending(row.row);
        if (record === undefined || id === undefined) continue;
        batch ??= await ledger.batch(id);
        invariant(batch !== undefined, `batch ${id} has begun`);
        matching ??= await matchingOf(ledger, batch);
        await matching.meet([record]);
        yield enrichedRow<Row>(batch, list, row, record, matching.of(row, record));
      }
    isLeft = false;
  } finally {
    if (isLeft) leaving.abort();
    ended.resolve(await running);
  }
}

/** A call that was made for a row, from the ledger. */
export interface EnrichedCall {
  /** The logical operation, as in the dialect. */
  readonly operation: string;
  readonly parameters: Readonly<Record<string, JsonValue>>;
  /** The name of the account that was asked. */
  readonly account: string;
  readonly answer: 'found' | 'no_match' | 'refused';
  /**
   * The price of the answer. Rows with the same call share one answer, and the row with the lowest number
   * pays for it.
   */
  readonly credits: number;
  /** Whether this row pays for it. */
  readonly paid_here: boolean;
  /** When the vendor answered, as an ISO 8601 time. */
  readonly as_of: string;
}

/** A row and its outcome. */
export interface EnrichedRow<Row> {
  /**
   * The first of the given rows is row 1, like the first line of JSON lines. In a table, the first row below
   * the header is row 2.
   */
  readonly row: RowNumber;
  /** The row as JSON; for a table, the texts of its cells by their columns. */
  readonly input: Row;
  readonly status: OutcomeKind;
  readonly reason?: string;
  /** The reason as data: codes with their facts. */
  readonly findings: Findings;
  /** The identifiers by which it matched. */
  readonly matched_by?: string;
  /** What says that the answer is about another company or person: `ABN differs: 53 004 085 616`. */
  readonly match?: string;
  /** The found values: by the names of the job's `add`, else by the fields of the answer. */
  readonly cells: JsonObject;
  /** The credits that this row paid. */
  readonly credits: number;
  /**
   * The origin of the answer: `bought`, `sent`, `ledger`, `row N` or `sandbox`; blank where there is no
   * answer.
   */
  readonly source: string;
  /** When the vendor answered, as an ISO 8601 time. */
  readonly as_of?: string;
  /** The calls for this row, the first one first. */
  readonly calls: readonly EnrichedCall[];
}

function enrichedRow<Row>(
  batch: Batch,
  { job, answerPlace, header }: EnrichedList,
  given: ValuedRow,
  record: RowRecord,
  match: RowMatch,
): EnrichedRow<Row> {
  const { row } = given;
  const facts = ourFacts(batch, given, record, match);
  return {
    row,
    input: inputOf(given, header) as Row,
    status: facts._status as OutcomeKind,
    ...present({ reason: facts._reason || undefined, matched_by: facts._matched_by || undefined }),
    findings: record.outcome?.findings ?? NO_FINDINGS,
    ...present({ match: facts._match || undefined }),
    cells: cellsOf(match, job, answerPlace),
    credits: facts._credits,
    source: facts._source,
    ...present({ as_of: facts._as_of || undefined }),
    calls: record.answers.map((answer) => ({
      operation: answer.call.operation,
      parameters: answer.call.parameters,
      account: accountNameIn(batch, answer),
      answer: answer.kind,
      credits: answer.charged,
      paid_here: isPaidBy(batch, row, answer),
      as_of: isoTime(answer.answeredAtMs),
    })),
  };
}

interface EnrichedList {
  readonly job: Pick<Job, 'add'>;
  readonly answerPlace: AnswerPlace;
  readonly header: readonly string[];
}

/**
 * The input of a row. A row that cannot be read gives its cells as `_cells`, because no one knows to which
 * columns they belong.
 */
function inputOf({ cells, object, unreadable }: ValuedRow, header: readonly string[]): JsonObject {
  if (object !== undefined) return object;
  if (unreadable !== undefined) return { _cells: cells };
  return Object.fromEntries(header.map((name, at) => [name, cells[at] ?? '']));
}

function cellsOf(
  { answers }: Pick<RowMatch, 'answers'>,
  { add }: Pick<Job, 'add'>,
  place: AnswerPlace,
): JsonObject {
  const shown = shownAnswer(answers, place);
  const answerFields = shown && saidIn(shown.body, shown.place);
  if (add !== undefined)
    return Object.fromEntries(
      Object.entries(add).map(([name, path]) => [name, (answerFields && saidAt(answerFields, path)) ?? null]),
    );
  const { ours = {}, vendors = null } = answerFields ?? {};
  if (vendors === null) return ours;
  const vendorFields = isObject(vendors) ? (vendors as JsonObject) : { value: vendors };
  const beside = Object.entries(vendorFields).map(([name, value]) => {
    const isHidden = Object.hasOwn(ours, name) && !isPlain(value);
    return [isHidden ? FOUND_PREFIX + name : name, value] as const;
  });
  return { ...Object.fromEntries(beside), ...ours };
}

/** Rows that a program gives one after the other, as an iterable or an async iterable. */
export type GivenRows<Row> = Iterable<Row> | AsyncIterable<Row>;

const PIECE = 64 * 1024;

/**
 * Given rows as JSON lines, which are kept in a file of the store that is named after its content. So the
 * same rows, given again, are the same file and the same batch.
 * @throws StopError `input` when there is no row, and for a row that JSON cannot express.
 */
async function* linesOf<Row>(rows: GivenRows<Row>): AsyncGenerator<Buffer> {
  let lines = '';
  let count = 0;
  for await (const row of rows) {
    count += 1;
    lines += `${rowLine(row, count)}\n`;
    if (lines.length < PIECE) continue;
    yield Buffer.from(lines);
    lines = '';
  }
  if (count === 0) throw stop('input', 'No row was given.', 'Give at least one row.');
  if (lines !== '') yield Buffer.from(lines);
}

/** A row that is no object becomes a line that cannot be read, so that only this row fails. */
function rowLine(row: unknown, number: number): string {
  try {
    return JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value)) ?? 'null';
  } catch (error) {
    const fact = `Row ${number} cannot be written as JSON: ${messageOf(error)}.`;
    throw stop('input', fact, 'Give rows of texts, numbers, true or false, lists and objects.');
  }
}
