import {
  signal as abortSignal,
  amount,
  type Checks,
  called,
  flag,
  members,
  milliseconds,
  oneOfWords,
  rows,
  sampleRows,
  target,
  text,
  timepiece,
} from '../core/checked-options.ts';
import type { Clock } from '../core/clock.ts';
import type { Listener } from '../core/events.ts';
import { DELIMITER_NAMES, ENCODINGS, type ReadOptions } from '../core/format.ts';
import { FORMULA_MODES, type FormulaMode } from '../core/formulas.ts';
import type { Tell } from '../ledger/store.ts';
import { ACCEPTABLE, type RunOptions } from '../plan/order.ts';

/** What is said of a run or a plan by those who want one, and what is looked at of it before anything is done. */

export interface JobRequest {
  /** A YAML file, or the name of an operation. */
  readonly job: string;
  readonly file: string;
  /** Over the job's. */
  readonly account?: string | undefined;
  /** How the file is read; each entry over the job's. */
  readonly read?: ReadOptions | undefined;
  /** What becomes of cells of ours that would begin a formula, over the job's. */
  readonly formulas?: FormulaMode | undefined;
  /** Whether what a row found carries that row's own columns, over the job's. */
  readonly withInput?: boolean | undefined;
  /** Damaged cells are sent repaired where that is sure; left out: as the job says. */
  readonly repair?: boolean | undefined;
  /** A folder; left out: `$ROWONCE_STORE`, else this user's. */
  readonly store?: string | undefined;
}

/** What opening a store for spending needs to know. */
export interface SpenderRequest extends Pick<RunOptions, 'accept'>, Pick<JobRequest, 'store'> {
  /** How long to wait for another spender of the store. */
  readonly waitForLockMs?: number | undefined;
  /** Whether a store that nobody named may be made; sandbox accounts may always. */
  readonly mayCreateStore?: boolean | undefined;
  /** Hears what a person should know of the store. */
  readonly tell?: Tell | undefined;
  /** What a user types to go on. */
  readonly command?: string | undefined;
  readonly clock?: Clock | undefined;
}

/** What a run of a chosen job needs to know besides its store. */
export interface FileRequest extends RunOptions, Pick<JobRequest, 'file'> {
  /** A plan that was saved: the run does that, or stops before anything is sent. */
  readonly planFile?: string | undefined;
  /** Aborted with a StopError: nothing new is sent, what is in flight is still recorded. */
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: Listener | undefined;
}

export interface RunRequest extends JobRequest, SpenderRequest, FileRequest {
  /** Where the job is written as a commented file. */
  readonly saveJobAs?: string | undefined;
}

const JOB_CHECKS: Checks<JobRequest> = {
  job: text,
  file: text,
  account: text,
  read: members('read', {
    encoding: oneOfWords(ENCODINGS),
    delimiter: oneOfWords(DELIMITER_NAMES),
    skipLines: rows,
    ragged: oneOfWords(['pad']),
    sheet: text,
    strict: flag,
  }),
  formulas: oneOfWords(FORMULA_MODES),
  withInput: flag,
  repair: flag,
  store: text,
};

/** Of opening a store for spending. */
export const SPENDER_CHECKS: Checks<SpenderRequest> = {
  store: text,
  waitForLockMs: milliseconds,
  mayCreateStore: flag,
  accept: oneOfWords(ACCEPTABLE),
  tell: called,
  command: text,
  clock: timepiece,
};

export const RUN_CHECKS: Checks<RunRequest> = {
  ...JOB_CHECKS,
  ...SPENDER_CHECKS,
  output: target,
  forExcel: flag,
  budget: amount,
  limit: rows,
  sample: sampleRows,
  refresh: flag,
  maxPauseMs: milliseconds,
  askBudget: called,
  askRequests: called,
  askChanges: called,
  askMisses: called,
  askReread: called,
  allowAdmin: flag,
  saveJobAs: text,
  planFile: text,
  signal: abortSignal,
  onEvent: called,
};

export interface PlanRequest extends JobRequest {
  /** As if every answer that was bought before were too old. */
  readonly refresh?: boolean | undefined;
  /** Where the plan of a change is written, for a run of exactly that. */
  readonly savePlanAs?: string | undefined;
  /** As of a run: what it allows holds nothing back. */
  readonly allowAdmin?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: Listener | undefined;
  /** Hears what would hold a run back from the store. */
  readonly tell?: Tell | undefined;
}

export const PLAN_CHECKS: Checks<PlanRequest> = {
  ...JOB_CHECKS,
  refresh: flag,
  savePlanAs: text,
  allowAdmin: flag,
  signal: abortSignal,
  onEvent: called,
  tell: called,
};
