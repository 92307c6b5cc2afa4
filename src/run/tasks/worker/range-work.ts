import type { Account } from '../../../client/account/account.ts';
import { dialectOfContent, withRequestOf } from '../../../client/dialect.ts';
import type { Clock } from '../../../core/clock.ts';
import { messageOf, type StopCode, StopError } from '../../../core/errors.ts';
import { besideFolder } from '../../../core/paths.ts';
import { jobCarried } from '../../../job/carried-job.ts';
import type { Batch, BatchRange, Ledger, TakenRange, WorkQueue } from '../../../ledger/ledger.ts';
import { requireAgreedRequests } from '../../../plan/consent.ts';
import type { RunContext, RunOptions } from '../../../plan/context.ts';
import { workRange } from '../../pipeline.ts';
import { settleSeries } from '../../series.ts';
import { Sessions } from '../../sessions.ts';

export class RangeWork {
  readonly #serving: Serving;
  readonly #until: AbortSignal;
  readonly #sessions = new Sessions();
  readonly #under = new Set<UnderWork>();
  /** Until when nothing is taken of an account, or nothing of a batch is tried, and why. */
  readonly #resting = new Map<string, { readonly untilMs: number; readonly stopped: StopError }>();
  readonly #onLost: (stopped: StopError) => void;

  constructor(serving: Serving, until: AbortSignal, onLost: (stopped: StopError) => void) {
    this.#serving = serving;
    this.#until = until;
    this.#onLost = onLost;
  }

  /** The next range is begun while the last rows of one wait for their answers, and no earlier: another worker may have nothing to do. */
  mayTake({ identity, limits }: Account): boolean {
    if (this.#restOf(identity) > 0) return false;
    const rows = [...this.#under].filter((each) => each.identity === identity);
    return rows.every(({ left }) => left <= limits.concurrency * ROWS_A_SLOT) && rows.length < RANGES_AT_ONCE;
  }

  /** Ends with the range, and never badly. */
  async workOn(account: Account, taken: TakenRange): Promise<void> {
    const { onEvent } = this.#serving;
    const { batch, fromRow, beforeRow } = taken;
    const range = { batch, fromRow, beforeRow };
    const under: UnderWork = { identity: account.identity, left: beforeRow - fromRow, rows: 0 };
    this.#under.add(under);
    onEvent({ kind: 'taken', ...range });
    try {
      const stopped = await this.#stopOf(account, taken, under);
      if (stopped === undefined) {
        onEvent({ kind: 'done', ...range, rows: under.rows });
        await told(taken.done());
        return;
      }
      onEvent({ kind: 'handed_back', ...range, stopped });
      // Who lets the batch go on finds its ranges again.
      if (OVER.has(stopped.code) && !this.#until.aborted) await told(taken.done());
      else await told(taken.handBack(this.#rest(account, taken, stopped)));
    } catch (error) {
      // A bug of ours concerns this range: the others go on.
      onEvent({ kind: 'failed', ...range, why: messageOf(error) });
      await told(taken.failed(messageOf(error)));
    } finally {
      this.#under.delete(under);
    }
  }

  async #stopOf(account: Account, taken: TakenRange, under: UnderWork): Promise<StopError | undefined> {
    const { ledger } = this.#serving;
    if (this.#restOf(taken.batch) > 0) return this.#resting.get(taken.batch)?.stopped;
    try {
      const batch = await ledger.batch(taken.batch);
      if (batch?.state !== 'open' || batch.accountIdentity !== account.identity) return undefined;
      if (batch.heldSinceMs !== undefined) return undefined;
      const context = await this.#contextOf(account, batch, under);
      if (context === undefined) return undefined;
      const suspect = await settleSeries(context, batch);
      if (suspect !== undefined) return suspect;
      return await workRange(context, this.#sessions, batch, taken);
    } catch (error) {
      if (error instanceof StopError) return error;
      throw error;
    }
  }

  /** @throws StopError when the batch is not understood, or nobody on this host has agreed to what its dialect sends. */
  async #contextOf(
    account: Account,
    { id, inputPath }: Batch,
    under: UnderWork,
  ): Promise<RunContext | undefined> {
    const { ledger, clock, command, location, onEvent, ...own } = this.#serving;
    const { accept, askAgreement, operations } = own;
    const order = await ledger.workOrder(id);
    if (order === undefined) return undefined;
    const job = await jobCarried(order.job, { operations });
    const context: RunContext = {
      ...{ account, ledger, inputPath, command, accept, askAgreement, job },
      dialect: withRequestOf(await dialectOfContent(order.dialect, account), job.operation),
      sandboxFolder: besideFolder(location),
      clock: await this.#sessions.time({ clock, ledger, account }),
      signal: this.#until,
      maxPauseMs: MOST_PAUSE_MS,
      emit(event) {
        if (event.kind === 'row') {
          under.rows += 1;
          under.left -= 1;
        }
        if (event.kind === 'note') onEvent(event);
      },
    };
    await requireAgreedRequests(context);
    return context;
  }

  /** Notes what a stop means for the next ranges. @returns after how long somebody may try this one. */
  #rest(account: Account, { batch }: TakenRange, stopped: StopError): number {
    if (this.#until.aborted) return 0;
    if (LOST.has(stopped.code)) {
      this.#onLost(stopped);
      return 0;
    }
    const left = this.#restOf(batch);
    if (left > 0) return left;
    const { clock } = this.#serving;
    const { code, resumeAtMs = clock.wallMs() } = stopped;
    if (OF_ACCOUNT.has(code)) {
      const restMs = Math.max(ACCOUNT_RESTS_MS, resumeAtMs - clock.wallMs());
      this.#resting.set(account.identity, { untilMs: clock.monotonicMs() + restMs, stopped });
      // Another host may have another key, or have agreed to the dialect. A pause is everybody's.
      return code === 'paused' ? restMs : 0;
    }
    this.#resting.set(batch, { untilMs: clock.monotonicMs() + BATCH_RESTS_MS, stopped });
    return BATCH_RESTS_MS;
  }

  #restOf(what: string): number {
    return (this.#resting.get(what)?.untilMs ?? 0) - this.#serving.clock.monotonicMs();
  }
}

/** A range that is worked on, with the rows of it that have ended here, and at most so many left. */
interface UnderWork {
  readonly identity: string;
  left: number;
  rows: number;
}

const RANGES_AT_ONCE = 2;

/** With so many rows left for each slot there is time to take another range before a slot is idle. */
const ROWS_A_SLOT = 4;

const MOST_PAUSE_MS = 30_000;

/** As long as an account that was refused, or paused, is left alone at least. */
const ACCOUNT_RESTS_MS = 30_000;

/** As long as a batch is left alone that can buy nothing, such as one whose budget is reached. */
const BATCH_RESTS_MS = 5 * 60_000;

/** Stops that are about all batches of an account, as this host has it. Others are about one batch. */
const OF_ACCOUNT: ReadonlySet<StopCode> = new Set<StopCode>([
  ...(['key', 'vendor_credits', 'address', 'clock', 'doubts', 'paused'] as const),
  ...(['account', 'account_budget', 'consent', 'store_version'] as const),
]);

/** A person has paused the batch, or another one has taken its place. */
const OVER: ReadonlySet<StopCode> = new Set<StopCode>(['terminated', 'input']);

/** What ends the work on this ledger: it is opened again. */
const LOST: ReadonlySet<StopCode> = new Set<StopCode>(['store', 'store_lost', 'disk_full', 'busy']);

/** What is not heard is found: its worker says nothing of it any more, and who looks for what is left sends it. */
async function told(telling: Promise<void>): Promise<void> {
  await telling.catch(() => {});
}

/** What the parts of a worker share while its store is open. */
export interface Serving extends Pick<RunOptions, 'accept' | 'askAgreement' | 'operations'> {
  readonly ledger: Ledger;
  readonly queue: WorkQueue;
  readonly accounts: readonly Account[];
  readonly clock: Clock;
  readonly command: string;
  readonly location: string;
  readonly onEvent: (event: WorkerEvent) => void;
}

/** What a worker tells. */
export type WorkerEvent =
  /** The store is open, and these accounts are served. */
  | { readonly kind: 'ready'; readonly accounts: readonly string[] }
  /** The store cannot be spent from for now: it is tried again. */
  | { readonly kind: 'waiting'; readonly why: string }
  /** The queue has answered. */
  | { readonly kind: 'beat' }
  | ({ readonly kind: 'taken' } & BatchRange)
  | ({ readonly kind: 'done'; readonly rows: number } & BatchRange)
  /** A later run goes on with it. */
  | ({ readonly kind: 'handed_back'; readonly stopped: StopError } & BatchRange)
  | ({ readonly kind: 'failed'; readonly why: string } & BatchRange)
  | { readonly kind: 'note'; readonly message: string };
