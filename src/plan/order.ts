import type { Clock } from '../core/clock.ts';
import type { Listener } from '../core/events.ts';
import type { Credits, Ledger } from '../ledger/ledger.ts';
import type { SuspectMisses } from '../vendor/misses.ts';
import type { Plan } from './plan.ts';
import type { Reread } from './reread.ts';
import type { PlanContext } from './row-classification.ts';
import type { SavedPlan } from './saved-plan.ts';
import type { UnseenRequests } from './sent-requests.ts';
import type { ChangePlan } from './team/change-plan.ts';

/** What `--accept` takes. */
export const ACCEPTABLE = ['no-match', 'take-back', 'store'] as const;

export type Acceptable = (typeof ACCEPTABLE)[number];

/** What a user may say about a run, besides what is run and where its book is kept. */
export interface RunOptions {
  /** A path or a stream; left out: beside the input. */
  readonly output?: string | NodeJS.WritableStream | undefined;
  /** The output is an Excel workbook, whatever the input is. */
  readonly forExcel?: boolean | undefined;
  /** The most that this batch may ever spend, over the job's. */
  readonly budget?: Credits | undefined;
  /** Only the rows up to this many below the header. */
  readonly limit?: number | undefined;
  /** Only so many random rows, and a forecast for the rest. */
  readonly sample?: number | undefined;
  /** Every answer that was bought before counts as too old. */
  readonly refresh?: boolean | undefined;
  /** How long nothing may move; left out: for ever. */
  readonly maxPauseMs?: number | undefined;
  /** Shown the plan when nothing limits the run, says how much may be spent; undefined is "no". Left out: nobody can be asked. */
  readonly askBudget?: ((plan: Plan) => Promise<Credits | undefined>) | undefined;
  /**
   * Told what a job or a dialect may do beyond its operation, the first time that it is run, says whether it may. Left out:
   * "no", but for play money.
   */
  readonly askRequests?: ((unseen: UnseenRequests) => Promise<boolean>) | undefined;
  /** Shown what the run would change in the service, says whether it may. Left out: "no", but for play money. */
  readonly askChanges?: ((plan: ChangePlan) => Promise<boolean>) | undefined;
  /**
   * Told of rows of a finished batch that the dialect of today would settle otherwise, says whether a new batch settles
   * them anew. Left out: "no".
   */
  readonly askReread?: ((reread: Reread) => Promise<boolean>) | undefined;
  /**
   * What a stop named, for which somebody answers now: misses are kept (`no-match`) or asked for again (`take-back`), a
   * store that is behind is taken as it is (`store`).
   */
  readonly accept?: Acceptable | undefined;
  /** Told of misses that look like a wrong address, says whether they are kept. Left out: nobody can be asked. */
  readonly askMisses?: ((misses: SuspectMisses) => Promise<boolean>) | undefined;
  /** Somebody may be made admin, whatever the job's guards say. */
  readonly allowAdmin?: boolean | undefined;
}

/** What a run resolved to: one job over one file, and how far it may go. The same from the command line and a page. */
export interface RunContext extends RunOptions, PlanContext {
  readonly ledger: Ledger;
  readonly inputPath: string;
  /** What the run must do, and nothing else. */
  readonly savedPlan?: SavedPlan | undefined;
  /** Where the embedded vendors keep their book, for sandbox accounts. */
  readonly sandboxFolder: string;
  /** The words that were typed, so that they can be shown again. */
  readonly command: string;
  readonly clock: Clock;
  /** Fires, with a StopError as its reason, when nothing new may be sent; what is in flight is still recorded. */
  readonly signal: AbortSignal;
  readonly emit: Listener;
}
