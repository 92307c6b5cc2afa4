/** The library: everything that may be imported from outside, and nothing else. */

export type { Account } from './client/account/account.ts';
export { defineDialect, type OwnDialect } from './client/dialect.ts';
export { type Clock, systemClock } from './core/clock.ts';
export { EXIT, type ExitCode, type StopCode, StopError } from './core/errors.ts';
export type { Listener, RunEvent } from './core/events.ts';
export type { Outcome, OutcomeKind, RowNumber } from './core/row.ts';
export type { ChangesDone } from './files/output/changes-done.ts';
export {
  type ExportOptions,
  exportBatch,
  type ForgetOptions,
  forget,
  type InStore,
  listBatches,
  listDoubts,
  type OfBatch,
  rowOf,
  type SettleOptions,
  type SpendOptions,
  settle,
  spend,
  statusOf,
} from './index/asked-batches.ts';
export { type TryOptions, tryCall, type UndoOptions, undo } from './index/sent-calls.ts';
export type { Job } from './job/job.ts';
export { defineOperation, type OwnOperation, type OwnPrepared } from './job/own-operation.ts';
export type { BatchId, Credits, Money } from './ledger/ledger.ts';
export { checkedCredits as credits } from './lib/checked-options.ts';
export type { JobOptions, RunOptions } from './plan/context.ts';
export type { Plan } from './plan/plan.ts';
export type { ChangeAction, ChangePlan, PlannedChange } from './plan/team/change-plan.ts';
export { runJob } from './run/run-job.ts';
export { exitCodeOf, type RunSummary } from './run/summary.ts';
export {
  type EnrichedCall,
  type EnrichedRow,
  type Enrichment,
  type EnrichOptions,
  enrich,
  type GivenRows,
} from './run/tasks/enrich.ts';
export {
  exitCodeOfSweep,
  type LeftFile,
  type SweepOptions,
  type SweepSummary,
  type SweptFile,
  sweep,
} from './run/tasks/nightly.ts';
export { type PlannedJob, planJob } from './run/tasks/plan-job.ts';
export { runWorker, type WorkerEvent, type WorkerOptions, type WorkerSummary } from './run/tasks/worker.ts';
export { type WorkerAccount, type WorkersRequest, type WorkerView, workersOf } from './run/tasks/workers.ts';
