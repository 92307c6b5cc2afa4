import type { CallKey } from '../core/call-key.ts';
import { invariant, StopError, unreachable } from '../core/errors.ts';
import { crashPoint } from '../core/faults.ts';
import { present } from '../core/objects.ts';
import type { Call } from '../core/operation.ts';
import type { RowNumber } from '../core/row.ts';
import { type MappedInput, OtherContent, openMappedInput } from '../files/input.ts';
import { chooseDestination } from '../files/output/output.ts';
import type { Batch, CallState, SettledRow } from '../ledger/ledger.ts';
import { erasedReason } from '../ledger/person.ts';
import { closeIfSettled, mayBuyAgain, rowsOf, settledRowCount, startBatch } from '../plan/batch.ts';
import { type BatchPlace, batchPlaceOf, requireBatch } from '../plan/batch-key.ts';
import { planRun, requireAgreedRequests, requireConsent } from '../plan/consent.ts';
import type { RunContext } from '../plan/context.ts';
import { asksErasedAgain, findCalls, isFreshFor } from '../plan/known-calls.ts';
import { requirePlanId } from '../plan/plan-id.ts';
import { replay } from '../plan/row-walk.ts';
import { chooseSample, forecast } from '../plan/sample.ts';
import type { ChangePlan } from '../plan/team/change-plan.ts';
import { asReadToday } from '../vendor/kept-answers.ts';
import { acceptOdd, buy, keepReading, type Wanted } from './attempt.ts';
import { KnownRows, type Walking } from './pipeline/known-rows.ts';
import { Lanes } from './pipeline/lanes.ts';
import { isPutOff, type Obtained, retried, withheld } from './pipeline/obtained.ts';
import {
  isOutputOfOther,
  isWrittenAfter,
  outputNameFor,
  wantedOutput,
  writeRows,
} from './pipeline/output.ts';
import { type RowSet, settledRows } from './pipeline/row-set.ts';
import { plannedProjects, tasksOf } from './pipeline/tasks.ts';
import { heldBack, settlesAnew } from './pipeline/unanswered.ts';
import { ProjectAccess } from './project-access.ts';
import { doubtReason } from './reconcile.ts';
import { type InDoubt, resolveDoubt, settleMisses } from './recover.ts';
import { RunMetrics } from './run-metrics.ts';
import type { Run } from './session.ts';
import type { Sessions } from './sessions.ts';
import { type RunSummary, summarize } from './summary.ts';

export { requireFreeColumns } from './pipeline/output.ts';

/**
 * ★ START HERE. The whole product, top to bottom: read → plan → recover → spend → write → report.
 *
 * A row is read, asks its operation for the next call until the operation says how it ended, and is checkpointed.
 * Calls, not rows, are paid for: equal calls are bought once and shared. Whatever ends the process, the same command
 * goes on from the ledger.
 *
 * @throws StopError when the run cannot begin or its output cannot be written. What stops it in between is `stopped`
 * in the summary: the rows that have an outcome by then keep it.
 */
export async function run(context: RunContext, sessions: Sessions): Promise<RunSummary> {
  const startedMs = context.clock.monotonicMs();
  const metrics = new RunMetrics();
  const clock = await sessions.time(context);
  const heard = { ...context, clock, emit: metrics.hear(context.emit, clock) };
  for (const message of clock.takeNews()) heard.emit({ kind: 'note', message });

  const input = await openMappedInput(context.inputPath, context.job, context.ledger);
  const place = await batchPlaceOf(heard, input);
  await requireBatch(heard, place);
  const outputName = await outputNameFor(heard, input.path, place);
  const isOfOther = await isOutputOfOther(heard, input, place);
  const wanted = { ...wantedOutput(context, outputName), isOfOther };
  const destination = await chooseDestination(input, context.job, wanted);
  await requireAgreedRequests(heard);
  const plan = await planOfChange(heard, input, place, sessions);
  const reread = await settlesAnew(heard, input);
  const consent = await requireConsent(heard, input, place, plan, reread);
  // The question may have been on the screen for hours, so the file may have changed since.
  await input.file.requireUnchanged();
  const batch = await startBatch(heard, input, place, {
    plan,
    outputName,
    isOfOther,
    anew: reread === true,
    consent,
  });
  const { spent: spentBefore } = await context.ledger.batchMoney(batch.id);
  const sample =
    context.sample === undefined ? undefined : await chooseSample(heard, input, batch, context.sample);
  const { stopped, files } = await endingForeign(heard, batch, async () => {
    const stopped = await spend({ context: heard, sessions, input, batch, sample });
    metrics.end(context.clock.wallMs());
    if (stopped instanceof OtherContent) throw stopped;
    const files = isWrittenAfter(stopped) ? await writeRows(heard, input, batch, destination) : undefined;
    return { stopped, files };
  });
  if (stopped === undefined) await closeIfSettled(context, batch);
  return summarize(heard, batch, {
    metrics,
    spentBefore,
    files,
    forecast: sample === undefined ? undefined : await forecast(heard, batch, sample, files && input),
    stopped,
    durationMs: context.clock.monotonicMs() - startedMs,
  });
}

/**
 * Ends a batch whose rows were settled from other content than its file has. The next run begins another batch, which finds
 * this one's answers in the ledger. No request is in flight by then, so none of its attempts is refused.
 */
async function endingForeign<T>({ ledger }: RunContext, batch: Batch, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OtherContent) await ledger.changeBatch(batch.id, { state: 'superseded' });
    throw error;
  }
}

/**
 * The plan of a job that changes the service. A job that only reads needs none, unless one was agreed to: the ledger knows what
 * was bought. What a killed run left open is settled before anybody is asked, or its price would count twice.
 */
async function planOfChange(
  context: RunContext,
  input: MappedInput,
  place: BatchPlace,
  sessions: Sessions,
): Promise<ChangePlan | undefined> {
  const isChange = context.job.operation.change !== undefined;
  if (!isChange) await requirePlanId(context, input, place);
  await sessions.settleLeftOpen(context);
  return isChange ? planRun(context, input, place) : undefined;
}

// ------------------------------------------------------------------------------------------------ spend: all rows

/** One run of a batch and all that it needs to spend. */
interface BatchRun {
  readonly context: RunContext;
  readonly sessions: Sessions;
  readonly input: MappedInput;
  readonly batch: Batch;
  /** The only rows to settle; undefined for all rows. */
  readonly sample: ReadonlySet<RowNumber> | undefined;
}

interface RunningBatch extends BatchRun {
  readonly run: Run;
  /** The calls that are being settled now, so that equal calls of other rows wait instead of being bought again. */
  readonly flying: Map<CallKey, Promise<Obtained>>;
  /** The calls of rows that were read ahead of which the ledger knew nothing, so that each is bought without another look. */
  readonly unknown: Set<CallKey>;
}

/** Settles every row that has no final outcome yet. @returns the stop, if the run was stopped. */
async function spend(batchRun: BatchRun): Promise<StopError | undefined> {
  const { context, sessions, batch } = batchRun;
  if (context.accept === 'doubts') await acceptOdd(context, batch);
  const suspect = await settleMisses(context);
  if (suspect !== undefined) return suspect;
  const isAll = (rows: number): boolean => rows >= rowsOf(batch);
  // To go through all rows takes a while, and is needed only where some are left.
  if (batch.state === 'finished' && isAll(await settledRowCount(context.ledger, batch.id))) return undefined;
  const settled = await settledRows(context.ledger, batch.id);
  if (isAll(settled.size)) return undefined;

  const stopping = new AbortController();
  const signal = AbortSignal.any([context.signal, stopping.signal]);
  const stopAll = (error: unknown): void => stopping.abort(error);
  const projects = new ProjectAccess(await plannedProjects(context.ledger, batch));
  const begunMs = batch.freshSince === undefined ? undefined : batch.createdAtMs;
  const purpose = { batch: batch.id, projects, ...present({ begunMs }) };
  const run = await sessions.open(context, purpose, signal, stopAll);
  const { clock, client } = run.session;
  const announce = (): void => context.emit({ kind: 'stopping', inFlight: client.limiter.outstanding });
  signal.addEventListener('abort', announce, { once: true });
  try {
    await sessions.recover(run);
    const running = { ...batchRun, run, flying: new Map(), unknown: new Set<CallKey>() };
    await settleRows(running, settled, signal, stopAll);
    if (run.untimed.size > 0 && clock.isConfirmed && !signal.aborted)
      await settleRows(running, await settledRows(context.ledger, batch.id), signal, stopAll);
  } catch (error) {
    stopAll(error);
  } finally {
    await run.close();
  }
  const stopped = stopReason(signal);
  return stopped && client.limiter.upToDate(stopped);
}

/** Settles the rows of a batch that have no final outcome, in the order of the file as they begin. */
async function settleRows(
  running: RunningBatch,
  settled: RowSet,
  signal: AbortSignal,
  stopAll: (error: unknown) => void,
): Promise<void> {
  const lanes = new Lanes<Walking>((row) => settleRow(running, row), signal, stopAll);
  const known = new KnownRows(running);
  try {
    for await (const tasks of tasksOf({ ...running, settled })) {
      if (signal.aborted) break;
      await lanes.add(await known.take(tasks));
    }
    await known.settle();
  } catch (error) {
    stopAll(error);
  }
  // Answers to requests in flight are recorded, whatever stopped the reading, because they may be paid for.
  await lanes.end();
}

/** The StopError that ended the run. Any other error is a bug and is thrown again. */
function stopReason(signal: AbortSignal): StopError | undefined {
  if (!signal.aborted) return undefined;
  if (signal.reason instanceof StopError) return signal.reason;
  throw signal.reason;
}

// ------------------------------------------------------------------------------------------------ spend: one row

async function settleRow(running: RunningBatch, walking: Walking): Promise<void> {
  const { context, batch } = running;
  const { row, input } = walking.task;
  const { outcome, answers } = await workOut(running, walking);
  crashPoint('before-row');
  const from = present({ input });
  await context.ledger.settleRow({ batch: batch.id, row, outcome, answers, ...from });
  crashPoint('after-row');
  context.emit({ kind: 'row', row, outcome: outcome.kind });
}

/** Works on a row until it ends. @returns its outcome and the answers that led there. */
async function workOut(
  running: RunningBatch,
  { task: { row }, walk, answers: earlier }: Walking,
): Promise<Pick<SettledRow, 'outcome' | 'answers'>> {
  const answerTo = (call: Call, key: CallKey): Promise<Obtained> => obtain(running, { key, call, row });
  const replayed = await replay(walk, running.context.account.identity, answerTo, earlier);
  if (replayed.kind === 'ended') return replayed;
  const { kind, reason, attempt } = replayed.at;
  const answers = attempt === undefined ? replayed.answers : [...replayed.answers, attempt];
  return { outcome: { kind, reason }, answers };
}

// ------------------------------------------------------------------------------------------------ spend: one call

interface WantedCall {
  readonly key: CallKey;
  readonly call: Call;
  readonly row: RowNumber;
}

/** Gets the answer to a call: from the ledger, from another row that is buying it now, or by a new purchase. */
function obtain(running: RunningBatch, wanted: WantedCall): Promise<Obtained> {
  const { flying } = running;
  const earlier = flying.get(wanted.key);
  if (earlier !== undefined) return earlier;
  const obtained = settleOnce(running, wanted);
  flying.set(wanted.key, obtained);
  return obtained;
}

/** Buys a call at once of which the ledger knew nothing when the row was read. Otherwise, or if it knows more by now, it is asked. */
async function settleOnce(running: RunningBatch, wanted: WantedCall): Promise<Obtained> {
  const { flying, unknown } = running;
  let obtained: Obtained | undefined;
  try {
    if (unknown.delete(wanted.key)) obtained = await buyUnknown(running, { ...wanted, ifUnknown: true });
    obtained ??= await settleCall(running, wanted);
    return obtained;
  } finally {
    // What is put off to the next run is put off for all rows of this one.
    if (obtained === undefined || !isPutOff(obtained)) flying.delete(wanted.key);
  }
}

/** Looks, buys, and looks again unless the answer is at hand. It ends, because every round settles something. */
async function settleCall(running: RunningBatch, wanted: WantedCall): Promise<Obtained> {
  const { context, run, batch } = running;
  const { ledger, account } = context;
  for (;;) {
    const [found] = await findCalls<CallState>([wanted], {
      accountIdentity: account.identity,
      ledger,
      find: async (keys) =>
        asReadToday(await ledger.find(keys, batch.id), context, (read) => keepReading(run.session, read)),
    });
    invariant(found !== undefined, 'the ledger answers for every key');
    const { state, key, call } = found;
    switch (state.kind) {
      case 'answered':
      case 'unanswered': {
        const left = await settleAnswered(running, wanted, state);
        if (left !== undefined) return left;
        break;
      }
      case 'unknown': {
        const left = await buyUnknown(running, wanted);
        if (left !== undefined) return left;
        break;
      }
      case 'in_doubt': {
        const left = await settleDoubt(running, { ...wanted, key, call }, state);
        if (left !== undefined) return left;
        break;
      }
      default:
        unreachable(state);
    }
  }
}

/**
 * The answer that was just bought is in memory as the ledger has it. Only operations that look into its body read it.
 * @returns undefined when the ledger has to be asked what became of the call.
 */
async function buyUnknown(
  { context: { job }, run }: RunningBatch,
  wanted: WantedCall & Pick<Wanted, 'ifUnknown'>,
): Promise<Obtained | undefined> {
  const bought = await buy(run, wanted);
  if (typeof bought !== 'object') return undefined;
  if (bought.kind !== 'answered') return withheld(bought);
  return job.operation.readsAnswers === true ? undefined : bought;
}

/**
 * Uses the answer, or buys the call anew: what is too old, and what turned out to be no answer where a person agreed to that.
 * @returns undefined when it was bought anew, so that the ledger knows more now.
 */
async function settleAnswered(
  running: RunningBatch,
  wanted: WantedCall,
  state: Extract<CallState, { readonly kind: 'answered' | 'unanswered' }>,
): Promise<Obtained | undefined> {
  const { context, run, batch } = running;
  const { erasedAtMs, attempt } = state.answer;
  if (erasedAtMs !== undefined) {
    // Nothing is bought under the key of an erased answer. The call begins anew under its own key.
    if (asksErasedAgain(batch)) return buyUnknown(running, wanted);
    return { kind: 'skipped', reason: erasedReason(erasedAtMs) };
  }
  if (await isFreshFor(batch, state.answer, context.ledger)) {
    if (state.kind === 'answered') return state;
    if (!mayBuyAgain(batch, context.dialect)) return heldBack(state.answer);
  }
  const bought = await buy(run, { ...wanted, replaces: attempt });
  return typeof bought === 'object' && bought.kind === 'put_off' ? withheld(bought) : undefined;
}

/** Handles a call in doubt. @returns its state for this batch; undefined when the ledger knows more now. */
async function settleDoubt(
  running: RunningBatch,
  wanted: WantedCall,
  state: InDoubt,
): Promise<Obtained | undefined> {
  try {
    return await endDoubt(running, wanted, state);
  } catch (error) {
    if (!(error instanceof StopError)) throw error;
    running.run.stopAll(error);
    // The stop came between the doubt and its end, so the row says what is known of it.
    const [left] = await running.context.ledger.find([wanted.key], running.batch.id);
    if (left?.kind !== 'in_doubt') throw error;
    return { kind: 'in_doubt', reason: doubtReason(left.doubt), attempt: left.doubt.attempt };
  }
}

async function endDoubt(
  { context, run }: RunningBatch,
  wanted: WantedCall,
  state: InDoubt,
): Promise<Obtained | undefined> {
  const { doubt } = state;
  const { attempt } = doubt;
  const resolution = await resolveDoubt(run, state, context.job.inDoubt.kind);
  switch (resolution.kind) {
    case 'hold':
      return { kind: 'in_doubt', reason: resolution.reason, attempt };
    case 'skip':
      return { kind: 'skipped', reason: resolution.reason, attempt };
    case 'resolved':
      return undefined;
    case 'send_again':
      return retried(await buy(run, { ...wanted, ...resolution.again }), doubt);
    default:
      return unreachable(resolution);
  }
}
