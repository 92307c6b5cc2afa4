/**
 * The library: everything that may be imported from outside, and nothing else. A call has the name of its
 * command.
 */

import cancelCommand from './commands/cancel.ts';
import exportCommand from './commands/export.ts';
import forgetCommand from './commands/forget.ts';
import logCommand from './commands/log.ts';
import mergeCommand from './commands/merge.ts';
import nightlyCommand from './commands/nightly.ts';
import pauseCommand from './commands/pause.ts';
import planCommand from './commands/plan.ts';
import resumeCommand from './commands/resume.ts';
import runCommand from './commands/run.ts';
import settleCommand from './commands/settle.ts';
import { callOf } from './commands/shared/library.ts';
import spendCommand from './commands/spend.ts';
import statusCommand from './commands/status.ts';
import tryCommand from './commands/try.ts';
import undoCommand from './commands/undo.ts';
import workerCommand from './commands/worker.ts';

export const cancel = callOf(cancelCommand);
export const forget = callOf(forgetCommand);
export const log = callOf(logCommand);
export const merge = callOf(mergeCommand);
export const nightly = callOf(nightlyCommand);
export const pause = callOf(pauseCommand);
export const plan = callOf(planCommand);
export const resume = callOf(resumeCommand);
export const run = callOf(runCommand);
export const settle = callOf(settleCommand);
export const spend = callOf(spendCommand);
export const status = callOf(statusCommand);
export const undo = callOf(undoCommand);
export const worker = callOf(workerCommand);

// The names of these two are words of the language, so they are imported under others.
const exportCall = callOf(exportCommand);
const tryCall = callOf(tryCommand);

export { defineDialect, type OwnDialect } from './client/dialect.ts';
export type { Own } from './commands/shared/command.ts';
export {
  type EnrichedCall,
  type EnrichedRow,
  type EnrichInput,
  type Enrichment,
  enrich,
  type GivenRows,
} from './commands/shared/enrich.ts';
export { type Clock, systemClock } from './core/clock.ts';
export { StopError } from './core/errors.ts';
export type { Listener, RunEvent } from './core/events.ts';
export type { Finding, FindingCode, Findings } from './core/findings.ts';
export type { Outcome, OutcomeKind, RowNumber } from './core/row.ts';
export { EXIT, type ExitCode, type StopCode } from './core/stops.ts';
export { defineOperation, type OwnOperation, type OwnPrepared } from './job/own-operation.ts';
export { exportCall as export, tryCall as try };
