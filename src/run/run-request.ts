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

/** This file has the options that callers give for a run or a plan, and the checks of these options. */

export interface JobRequest {
  /** The path of a YAML file, or the name of an operation. */
  readonly job: string;
  readonly file: string;
  /** The account's name. It takes precedence over the job's. */
  readonly account?: string | undefined;
  /** How the file is read. Each entry takes precedence over the job's. */
  readonly read?: ReadOptions | undefined;
  /** What to do with output cells that would begin a formula. It takes precedence over the job's. */
  readonly formulas?: FormulaMode | undefined;
  /** Whether the results of a row also have the row's own columns. It takes precedence over the job's. */
  readonly withInput?: boolean | undefined;
  /** Whether damaged cells are repaired before sending, where the repair is sure; left out: the job decides. */
  readonly repair?: boolean | undefined;
  /** The store's folder; left out: `$ROWONCE_STORE`, else this user's folder. */
  readonly store?: string | undefined;
}

/** The options for opening a store for spending. */
export interface SpenderRequest extends Pick<RunOptions, 'accept'>, Pick<JobRequest, 'store'> {
  /** How long to wait for another spender of the store. */
  readonly waitForLockMs?: number | undefined;
  /** Whether a store that the user did not name may be created. For sandbox accounts it always may. */
  readonly mayCreateStore?: boolean | undefined;
  /** Receives messages about the store for the user. */
  readonly tell?: Tell | undefined;
  /** The command with which the user can resume. */
  readonly command?: string | undefined;
  readonly clock?: Clock | undefined;
}

/** The options for a run of a chosen job, besides its store. */
export interface FileRequest extends RunOptions, Pick<JobRequest, 'file'> {
  /** The path of a saved plan. The run does exactly what it says, or stops before anything is sent. */
  readonly planFile?: string | undefined;
  /** Once it is aborted with a StopError, nothing new is sent; answers to requests in flight are still recorded. */
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: Listener | undefined;
}

export interface RunRequest extends JobRequest, SpenderRequest, FileRequest {
  /** The path to which the job is written as a commented file. */
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

/** The checks of the options for opening a store for spending. */
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
  /** Whether every answer that was bought before counts as too old. */
  readonly refresh?: boolean | undefined;
  /** The path to which the plan of a change is saved, for a run of exactly this plan. */
  readonly savePlanAs?: string | undefined;
  /** Whether the run would be allowed to make people admin, so that the plan shows no guard for them. */
  readonly allowAdmin?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: Listener | undefined;
  /** Receives what would stop a run from using the store. */
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
