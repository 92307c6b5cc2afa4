import { answerPlaceOf } from '../../client/dialect.ts';
import { type AnswerPlace, fieldsOf, valueAt } from '../../core/answer-body.ts';
import { isoTime } from '../../core/clock.ts';
import { invariant, messageOf, stop } from '../../core/errors.ts';
import type { RunEvent } from '../../core/events.ts';
import type { ValuedRow } from '../../core/format.ts';
import { isObject, present } from '../../core/objects.ts';
import type { JsonObject, JsonValue } from '../../core/operation.ts';
import { spoolFolder } from '../../core/paths.ts';
import type { OutcomeKind, RowNumber } from '../../core/row.ts';
import { openFile } from '../../files/input.ts';
import { ourCells, shownBody, textCells } from '../../files/output/output.ts';
import { spoolInput } from '../../files/spool.ts';
import type { Job } from '../../job/job.ts';
import type { Batch, BatchId, Ledger, RowRecord } from '../../ledger/ledger.ts';
import { isPaidBy } from '../../ledger/tally.ts';
import { amount } from '../../lib/checked-options.ts';
import { nameStoreOfCall } from '../../lib/command-line.ts';
import { CellSafety } from '../../lib/formulas.ts';
import type { Pace, RunOptions } from '../../plan/context.ts';
import type { ResolvedJob } from '../../plan/row-walk.ts';
import { checkCall } from '../checked-call.ts';
import { choose } from '../choose.ts';
import { openSpender, RUN_CHECKS, type Spender } from '../run-job.ts';
import { stoppable } from '../stoppable.ts';
import { chooseStore, storeToName } from '../store-choice.ts';
import type { RunSummary } from '../summary.ts';

/**
 * A run whose rows are read by a program, one after the other in the order of the list, each once the ledger has how it ended.
 * The run is the one that `runJob` makes: what it has bought is kept row by row, and the same call again buys nothing twice.
 */

/** The options of `enrich`: those of a run, but for what concerns a file that is written. With a `sample`, only its rows are given. */
export interface EnrichOptions
  extends Omit<RunOptions, 'file' | 'output' | 'formulas' | 'saveJobAs' | 'detach'> {
  /** How many rows may be begun beyond the one that was read last; left out: 100. */
  readonly ahead?: number | undefined;
}

const AHEAD = 100;

const { file: _f, output: _o, formulas: _s, ...OTHERS } = RUN_CHECKS;
const { saveJobAs: _j, detach: _d, ...CHECKS } = OTHERS;

/** Rows to be read once, with `for await`, and how the run ended. */
export interface Enrichment<Row> extends AsyncIterable<EnrichedRow<Row>> {
  /**
   * How the run ended. After the loop it is there at once, also where the loop was left. Without a loop the rows are worked
   * through and nobody is told of them.
   */
  summary(): Promise<RunSummary>;
}

/**
 * Works through rows as a run does, and gives each with what came of it. Nothing happens until the first is asked for. The rows
 * are read to their end before anything is bought, so that damage is known and the same rows are the same batch.
 * @param rows objects, at once or as they come, or the path of a list.
 * @throws StopError while it is read, where the run cannot begin; what stops it later is `stopped` in the summary.
 * @example
 * const people = [{ email: 'amelia.hart@acme.example.com' }];
 * const run = enrich(people, { job: 'enrich-person', account: 'sandbox-provider' });
 * for await (const { input, status, cells } of run) console.log(input.email, status, cells.full_name);
 */
export function enrich(rows: string, options: EnrichOptions): Enrichment<Readonly<Record<string, string>>>;
export function enrich<Row extends object>(rows: GivenRows<Row>, options: EnrichOptions): Enrichment<Row>;
export function enrich<Row>(rows: string | GivenRows<Row>, options: EnrichOptions): Enrichment<Row> {
  checkCall('enrich', options, { ...CHECKS, ahead: amount });
  const reading = new Reading<Row>(rows, options);
  return { [Symbol.asyncIterator]: () => reading.rows(), summary: () => reading.summary() };
}

class Reading<Row> {
  readonly #rows: string | GivenRows<Row>;
  readonly #options: EnrichOptions;
  readonly #leaving = new AbortController();
  #begun: AsyncGenerator<EnrichedRow<Row>, void, undefined> | undefined;
  readonly #ended = Promise.withResolvers<RunSummary>();

  constructor(rows: string | GivenRows<Row>, options: EnrichOptions) {
    this.#rows = rows;
    this.#options = options;
    // Who reads the rows gets what went wrong there.
    this.#ended.promise.catch(() => {});
  }

  /** The rows are given once: asked for again, the same reading goes on. */
  rows(): AsyncGenerator<EnrichedRow<Row>, void, undefined> {
    this.#begun ??= this.#read();
    return this.#begun;
  }

  async summary(): Promise<RunSummary> {
    if (this.#begun === undefined) for await (const _ of this.rows());
    return this.#ended.promise;
  }

  async *#read(): AsyncGenerator<EnrichedRow<Row>, void, undefined> {
    try {
      // A reader may begin long after the call, and behind others.
      nameStoreOfCall(storeToName(this.#options.store));
      const chosen = await choose(this.#options);
      const { sandbox } = chosen.account;
      const file = await listOf(this.#rows, chooseStore(this.#options.store, sandbox).location);
      const spender = await openSpender(sandbox, this.#options);
      try {
        yield* this.#run(spender, chosen, file);
      } finally {
        await spender.close([chosen.account]);
      }
    } catch (error) {
      this.#ended.reject(error);
      throw error;
    }
  }

  /** Left early, it stops the run, and ends once the answers to what is in flight are kept. */
  async *#run(
    spender: Spender,
    chosen: ResolvedJob,
    file: string,
  ): AsyncGenerator<EnrichedRow<Row>, void, undefined> {
    const window = new Window(this.#options.ahead ?? AHEAD);
    const begun = Promise.withResolvers<BatchId | undefined>();
    const { onEvent, sample } = this.#options;
    // The rows of a sample are few and anywhere in the list, so none of them waits for the reader to come near.
    if (sample !== undefined) window.open();
    const hear = (event: RunEvent): void => {
      if (event.kind === 'batch') begun.resolve(event.batch);
      if (event.kind === 'row') window.tell();
      onEvent?.(event);
    };
    const running = stoppable(this.#signal(), (signal) => {
      signal.addEventListener('abort', () => window.open(), { once: true });
      return spender.run(chosen, {
        ...this.#options,
        file,
        output: false,
        pace: window,
        signal,
        onEvent: hear,
      });
    }).finally(() => {
      window.end();
      begun.resolve(undefined);
    });
    running.catch(() => {});
    let isLeft = true;
    try {
      const batch = await begun.promise;
      if (batch !== undefined) yield* this.#rowsOf(spender.ledger, batch, chosen, file, window);
      isLeft = false;
      // What a plan has added behind the rows of the list is nobody's to read.
      window.open();
    } finally {
      if (isLeft) this.#leaving.abort();
      this.#ended.resolve(await running);
    }
  }

  #signal(): AbortSignal {
    const { signal } = this.#options;
    return signal === undefined ? this.#leaving.signal : AbortSignal.any([signal, this.#leaving.signal]);
  }

  /** Every row that has ended, in the order of the list. Those that a stopped run has left are passed over. */
  async *#rowsOf(
    ledger: Ledger,
    id: BatchId,
    { job, dialect }: ResolvedJob,
    file: string,
    window: Window,
  ): AsyncGenerator<EnrichedRow<Row>, void, undefined> {
    const batch = await ledger.batch(id);
    invariant(batch !== undefined, `batch ${id} has begun`);
    const { sheet } = await openFile(file, job.read);
    const list: EnrichedList = {
      batch,
      job,
      answerPlace: answerPlaceOf(dialect, job.operation.name),
      header: await sheet.header(),
    };
    for await (const rows of sheet.groups()) {
      for (const row of rows) {
        const record = await window.until(row.row, async () => {
          const [found] = await ledger.rows(id, row.row, 1);
          return found?.row === row.row ? found : undefined;
        });
        if (record !== undefined) yield enrichedRow<Row>(list, row, record);
        window.take(row.row);
      }
    }
  }
}

/**
 * What stands between a run and who reads its rows in their order: the run begins no row that is too far ahead of the reader, and
 * the reader waits for the row that comes next.
 */
class Window implements Pace {
  readonly #ahead: number;
  #taken: RowNumber = 0;
  #isOpen = false;
  #isOver = false;
  #waiting: (() => void)[] = [];

  constructor(ahead: number) {
    this.#ahead = ahead;
  }

  async upTo(row: RowNumber): Promise<RowNumber> {
    while (!this.#isOpen && row > this.#taken + this.#ahead) await this.#change();
    return this.#isOpen ? Number.POSITIVE_INFINITY : this.#taken + this.#ahead;
  }

  /** How the row ended, once the ledger has that; undefined where the run is over without it. */
  async until(row: RowNumber, found: () => Promise<RowRecord | undefined>): Promise<RowRecord | undefined> {
    // A row between two that are read is none of the list, so what comes before this one is out of the way.
    this.take(row - 1);
    for (;;) {
      const isLast = this.#isOver;
      const change = this.#change();
      const record = await found();
      if (record !== undefined || isLast) return record;
      await change;
    }
  }

  take(row: RowNumber): void {
    if (row <= this.#taken) return;
    this.#taken = row;
    this.tell();
  }

  /** The run stops, so it need not wait for the reader any more. */
  open(): void {
    this.#isOpen = true;
    this.tell();
  }

  end(): void {
    this.#isOver = true;
    this.tell();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  tell(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

/** What was asked for a row, as the ledger has it. */
export interface EnrichedCall {
  /** The logical operation, as the dialect has it. */
  readonly operation: string;
  readonly parameters: Readonly<Record<string, JsonValue>>;
  readonly answer: 'found' | 'no_match' | 'refused';
  /** What the answer cost. Rows that ask the same share one, and the lowest of them pays for it. */
  readonly credits: number;
  /** Whether this row pays for it. */
  readonly isPaidHere: boolean;
  /** When the vendor answered, as an ISO 8601 time. */
  readonly asOf: string;
}

/** A row and what came of it. */
export interface EnrichedRow<Row> {
  /** The first of given rows is 1, as the first line of JSON lines is; in a table the first below the header is 2. */
  readonly row: RowNumber;
  /** The row as JSON has it; of a table the texts of its cells by their columns. */
  readonly input: Row;
  readonly status: OutcomeKind;
  readonly reason?: string;
  /** The identifiers by which it matched. */
  readonly matchedBy?: string;
  /** What was found: the values by the names of the job's `add`, else the fields of the answer. */
  readonly cells: JsonObject;
  /** The credits that this row paid. */
  readonly credits: number;
  /** Where the answer came from: `bought`, `sent`, `ledger`, `row N` or `sandbox`; blank where there is none. */
  readonly source: string;
  /** When the vendor answered, as an ISO 8601 time. */
  readonly asOf?: string;
  /** The calls that led there, the first one first. */
  readonly calls: readonly EnrichedCall[];
}

const AS_IT_IS = textCells(new CellSafety('raw'));

function enrichedRow<Row>(
  { batch, job, answerPlace, header }: EnrichedList,
  given: ValuedRow,
  record: RowRecord,
): EnrichedRow<Row> {
  const { row } = given;
  const [status, reason, matchedBy, credits, source = '', asOf] = ourCells(
    batch,
    given,
    record,
    undefined,
    AS_IT_IS,
  );
  return {
    row,
    input: inputOf(given, header) as Row,
    status: status as OutcomeKind,
    ...present({ reason: reason || undefined, matchedBy: matchedBy || undefined }),
    cells: cellsOf(record, job, answerPlace),
    credits: Number(credits),
    source,
    ...present({ asOf: asOf || undefined }),
    calls: record.answers.map((answer) => ({
      operation: answer.call.operation,
      parameters: answer.call.parameters,
      answer: answer.kind,
      credits: answer.charged,
      isPaidHere: isPaidBy(batch, row, answer),
      asOf: isoTime(answer.answeredAtMs),
    })),
  };
}

interface EnrichedList {
  readonly batch: Batch;
  readonly job: Pick<Job, 'add'>;
  readonly answerPlace: AnswerPlace;
  readonly header: readonly string[];
}

/** Nobody knows below which names the cells of a row belong that cannot be read. */
function inputOf({ cells, object, unreadable }: ValuedRow, header: readonly string[]): JsonObject {
  if (object !== undefined) return object;
  if (unreadable !== undefined) return { _cells: cells };
  return Object.fromEntries(header.map((name, at) => [name, cells[at] ?? '']));
}

function cellsOf({ answers }: RowRecord, { add }: Pick<Job, 'add'>, place: AnswerPlace): JsonObject {
  const body = shownBody(answers, place);
  const fields = body === undefined ? undefined : fieldsOf(body, place);
  if (add !== undefined)
    return Object.fromEntries(
      Object.entries(add).map(([name, path]) => [name, valueAt(fields, path) ?? null]),
    );
  if (fields === undefined || fields === null) return {};
  return isObject(fields) ? (fields as JsonObject) : { value: fields };
}

/** Rows that a program gives: one after the other, at once or as they come. */
export type GivenRows<Row> = Iterable<Row> | AsyncIterable<Row>;

/**
 * The list that a run reads: a file as it is, or given rows as JSON lines in a file of the store that has the name of its content.
 * The same rows, given again, are the same file, and so the same batch.
 * @throws StopError `input` for no row, and for one that is nothing in JSON.
 */
async function listOf<Row>(rows: string | GivenRows<Row>, store: string): Promise<string> {
  return typeof rows === 'string' ? rows : spoolInput(linesOf(rows), spoolFolder(store), 'the rows');
}

const PIECE = 64 * 1024;

async function* linesOf<Row>(rows: GivenRows<Row>): AsyncGenerator<Buffer> {
  let lines = '';
  let count = 0;
  for await (const row of rows) {
    count += 1;
    lines += `${lineOf(row, count)}\n`;
    if (lines.length < PIECE) continue;
    yield Buffer.from(lines);
    lines = '';
  }
  if (count === 0) throw stop('input', 'No row was given.', 'Give at least one row.');
  if (lines !== '') yield Buffer.from(lines);
}

/** What is no object becomes a line that cannot be read, which is one row's own problem. */
function lineOf(row: unknown, number: number): string {
  try {
    return JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value)) ?? 'null';
  } catch (error) {
    const fact = `Row ${number} cannot be written as JSON: ${messageOf(error)}.`;
    throw stop('input', fact, 'Give rows of texts, numbers, true or false, lists and objects.');
  }
}
