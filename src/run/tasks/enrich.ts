import { answerPlaceOf } from '../../client/dialect.ts';
import { invariant } from '../../core/errors.ts';
import type { RunEvent } from '../../core/events.ts';
import { openFile } from '../../files/input.ts';
import type { BatchId, Ledger } from '../../ledger/ledger.ts';
import { amount } from '../../lib/checked-options.ts';
import { nameStoreOfCall } from '../../lib/command-line.ts';
import type { RunOptions } from '../../plan/context.ts';
import type { ResolvedJob } from '../../plan/row-walk.ts';
import { checkCall } from '../checked-call.ts';
import { finishedRows } from '../row-set.ts';
import { choose, openSpender, RUN_CHECKS, type Spender } from '../run-job.ts';
import { stoppable } from '../stoppable.ts';
import { chooseStore, storeToName } from '../store-choice.ts';
import type { RunSummary } from '../summary.ts';
import { type EnrichedList, type EnrichedRow, enrichedRow } from './enrich/enriched-row.ts';
import { type GivenRows, listOf } from './enrich/given-rows.ts';
import { Window } from './enrich/window.ts';

export type { EnrichedCall, EnrichedRow } from './enrich/enriched-row.ts';
export type { GivenRows } from './enrich/given-rows.ts';

/**
 * A run whose rows are read by a program, one after the other in the order of the list, each once the ledger has how it ended.
 * The run is the one that `runJob` makes: what it has bought is kept row by row, and the same call again buys nothing twice.
 */

/** The options of `enrich`: those of a run, but for what concerns a file that is written. With a `sample`, only its rows are given. */
export interface EnrichOptions
  extends Omit<
    RunOptions,
    'file' | 'output' | 'forExcel' | 'formulas' | 'withInput' | 'saveJobAs' | 'detach'
  > {
  /** How many rows may be begun beyond the one that was read last; left out: 100. */
  readonly ahead?: number | undefined;
}

const AHEAD = 100;

const { file: _f, output: _o, forExcel: _e, formulas: _s, withInput: _w, ...OTHERS } = RUN_CHECKS;
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
      if (event.kind === 'row') window.finished(event.row);
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
    for await (const row of eachFinished(ledger, id)) window.finished(row);
    const { sheet } = await openFile(file, job.read);
    const list: EnrichedList = {
      batch,
      job,
      answerPlace: answerPlaceOf(dialect, job.operation.name),
      header: await sheet.header(),
    };
    for await (const rows of sheet.groups()) {
      for (const row of rows) {
        await window.until(row.row);
        // Read only now: the run may have settled a doubt that the row had before.
        const [record] = await ledger.rows(id, row.row, 1);
        if (record?.row === row.row) yield enrichedRow<Row>(list, row, record);
        window.take(row.row);
      }
    }
  }
}

async function* eachFinished(ledger: Ledger, batch: BatchId): AsyncGenerator<number> {
  const finished = await finishedRows(ledger, batch);
  for (let row = 1, left = finished.size; left > 0; row += 1) {
    if (!finished.has(row)) continue;
    left -= 1;
    yield row;
  }
}
