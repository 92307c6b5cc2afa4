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

/** The values of `--accept`. */
export const ACCEPTABLE = ['no-match', 'take-back', 'store'] as const;

export type Acceptable = (typeof ACCEPTABLE)[number];

/** What a user may say about a run, besides its job, its file and its store. */
export interface RunOptions {
  /** A path or a stream for the output; left out: a file beside the input. */
  readonly output?: string | NodeJS.WritableStream | undefined;
  /** Whether the output is an Excel workbook, whatever the input is. */
  readonly forExcel?: boolean | undefined;
  /** The most that this batch may ever spend. It takes precedence over the job's budget. */
  readonly budget?: Credits | undefined;
  /** The run works on this many rows below the header and no others. */
  readonly limit?: number | undefined;
  /** The run buys this many random rows and gives a forecast for the rest. */
  readonly sample?: number | undefined;
  /** Whether every answer that was bought before counts as too old. */
  readonly refresh?: boolean | undefined;
  /** How long the run may make no progress before it stops; left out: for ever. */
  readonly maxPauseMs?: number | undefined;
  /**
   * Called with the plan when nothing limits the run; it returns how much may be spent, or undefined for "no". Left out:
   * nobody can be asked.
   */
  readonly askBudget?: ((plan: Plan) => Promise<Credits | undefined>) | undefined;
  /**
   * Called the first time that a job or a dialect may do more than its operation says; it returns whether it may. Left
   * out: "no", except for a sandbox account.
   */
  readonly askRequests?: ((unseen: UnseenRequests) => Promise<boolean>) | undefined;
  /**
   * Called with what the run would change in the service; it returns whether it may. Left out: "no", except for a sandbox
   * account.
   */
  readonly askChanges?: ((plan: ChangePlan) => Promise<boolean>) | undefined;
  /**
   * Called when today's dialect would settle rows of a finished batch differently; it returns whether a new batch settles
   * them anew. Left out: "no".
   */
  readonly askReread?: ((reread: Reread) => Promise<boolean>) | undefined;
  /**
   * The user's answer to a stop of an earlier run: suspect misses are kept (`no-match`) or asked for again (`take-back`),
   * or a store that is behind is used as it is (`store`).
   */
  readonly accept?: Acceptable | undefined;
  /** Called with misses that look like a wrong address; it returns whether they are kept. Left out: nobody can be asked. */
  readonly askMisses?: ((misses: SuspectMisses) => Promise<boolean>) | undefined;
  /** Whether the run may make people admin, whatever the job's guards say. */
  readonly allowAdmin?: boolean | undefined;
}

/** What a run resolved to: one job over one file, and how far it may go. The command line and the web page build the same. */
export interface RunContext extends RunOptions, PlanContext {
  readonly ledger: Ledger;
  readonly inputPath: string;
  /** The saved plan. The run does exactly what it says, or stops. */
  readonly savedPlan?: SavedPlan | undefined;
  /** The folder in which the embedded vendors of sandbox accounts keep their book. */
  readonly sandboxFolder: string;
  /** The command line as the user typed it, to be shown again. */
  readonly command: string;
  readonly clock: Clock;
  /** Fires, with a StopError as its reason, when nothing new may be sent; what is in flight is still recorded. */
  readonly signal: AbortSignal;
  readonly emit: Listener;
}
