import type { CallKey } from '../core/call-key.ts';
import { sleepUnless } from '../core/clock.ts';
import { StopError } from '../core/errors.ts';
import { present } from '../core/objects.ts';
import { isSpooled } from '../core/paths.ts';
import { type RowNumber, rowsAsked } from '../core/row.ts';
import { STOPS } from '../core/stops.ts';
import { type MappedInput, noRows, openMappedInput, requireRows } from '../files/input.ts';
import { chooseDestination, type Destination, usualOutput } from '../files/output/output.ts';
import { type Batch, type Credits, credits, type Doubt, noteHere, orderOf } from '../ledger/ledger.ts';
import { UnnamedFile } from '../lib/unnamed-file.ts';
import type { RunObject } from '../objects/run-object.ts';
import { searchAnswers } from '../plan/answer-search.ts';
import { closeIfFinished, startBatch } from '../plan/batch.ts';
import { batchNamesOf } from '../plan/batch-key.ts';
import { mostLeft, planRun, requireAgreedRequests, requireConsent } from '../plan/consent.ts';
import type { RunContext, RunList } from '../plan/context.ts';
import { plannedBatchOf } from '../plan/plan.ts';
import { requirePlanId } from '../plan/plan-id.ts';
import { chooseSample, forecast, type Sample } from '../plan/sample.ts';
import { hostsOf, takesAside } from '../plan/shared-hosts.ts';
import type { ChangePlan } from '../plan/team/change-plan.ts';
import { askedAnewBy, askingOf } from '../walk/asked-anew.ts';
import { askedBefore } from '../walk/asked-before.ts';
import { accountsOf } from '../walk/resolved-job.ts';
import { toldApartIn } from '../walk/told-apart.ts';
import { noteReached, overExtra } from './intent.ts';
import { laterStop } from './later.ts';
import { isOutputOfOther, isWrittenAfter, outputNameFor, wantedOutput, writeRows } from './output.ts';
import { readChangesAnew, settlesAnew } from './readings.ts';
import { balanceOf } from './reconcile.ts';
import {
  ALL_ROWS,
  leftIn,
  listKept,
  plannedProjects,
  type RowRange,
  type TaskSource,
  tasksOf,
} from './row-tasks.ts';
import { type BatchWork, workRows } from './rows.ts';
import { RunAccounts } from './run-accounts.ts';
import { stopOfKnown } from './series.ts';
import { ProjectAccess } from './session.ts';
import type { Sessions } from './sessions.ts';
import { noteLearned, requireRanges, sendRanges, submitRows } from './submit.ts';
import { RunMetrics, summarize } from './summary.ts';

export { requireFreeColumns } from './output.ts';

/**
 * ★ START HERE. The whole product, top to bottom: a list is submitted, its rows are worked on, and the batch
 * is finished.
 *
 * Once submitted, a row stands in the ledger. It asks its operation for the next call until the operation
 * says how the row ended, and is finished. Calls, not rows, are paid for: equal calls are bought once and
 * shared. Whatever ends the process, the same command goes on from the ledger.
 *
 * @throws StopError when the run cannot begin or its output cannot be written. A stop in between is `stopped`
 * in the summary: the rows that have an outcome by then keep it.
 */
export async function run(
  context: RunContext,
  sessions: Sessions,
  beforeEnd: BeforeEnd = async () => {},
): Promise<RunObject> {
  const startedMs = context.clock.monotonicMs(); // rule 14d
  const metrics = new RunMetrics();
  const clock = await sessions.time(context);
  const watchedContext = { ...context, clock, emit: metrics.countingListener(context.emit, clock) };
  await using scratch = new UnnamedFile(context.sandboxFolder);
  const submitted = await submit(watchedContext, sessions, scratch);
  const { watcher, ledger } = context;
  await watcher?.begin(ledger, submitted.batch);
  const worked = await work(submitted, sessions);
  await watcher?.end(ledger, submitted.batch);
  metrics.end(context.clock.wallMs());
  return await finish(submitted, worked, metrics, startedMs, beforeEnd);
}

interface SubmittedList extends RunList {
  readonly batch: Batch;
  readonly destination: Destination | undefined;
  readonly sample: Sample | undefined;
  readonly spentBefore: Credits;
  /** False where the run was stopped before all rows were in. */
  readonly isAllIn: boolean;
}

/**
 * Reads the list, plans it, asks for agreement to the plan, begins or resumes the batch, submits its rows,
 * and sends their ranges to workers where the store has any. Nothing is bought. A crash here leaves at most a
 * batch whose rows are not all there: the same command continues it. This host notes for itself where the
 * list and the output of the batch are.
 */
async function submit(context: RunContext, sessions: Sessions, scratch: UnnamedFile): Promise<SubmittedList> {
  const { watcher, ledger } = context;
  if (context.detach === true) requireRanges(context);
  watcher?.preparing('reading the list');
  const input = await openMappedInput(context.inputPath, context.job, ledger, () => scratch.open());
  const isEmpty = isNothingToDo(context, input);
  await requireRows(input, context.only);
  const names = await batchNamesOf(context, input);
  const { aside: shared, named } = await hostsOf(context, input, names.existing);
  const before = await askedBefore(context, input, await plannedBatchOf(context, input), names.existing);
  const apart = await toldApartIn({ ...context, shared, before }, input, names.existing);
  const list: RunList = { context: { ...context, shared, named, before, apart }, input, names };
  const outputName = await outputNameFor(list);
  const isOfOther = await isOutputOfOther(context, input, names);
  const wanted = { ...wantedOutput(context, outputName), isOfOther };
  const destination =
    isEmpty || context.output === false ? undefined : await chooseDestination(input, context.job, wanted);
  watcher?.preparing('checking its rows');
  await requireAgreedRequests(context);
  // The money is read before the plan settles attempts that a killed run left open, because this run confirms
  // their answers.
  const earlier = names.existing === undefined ? undefined : await ledger.batchMoney(names.existing.id);
  const plan = await planOfChange(list, sessions);
  const reread = await settlesAnew(list.context, input);
  const takes = takesAside(context.accept, names.existing);
  const consent = await requireConsent(list, plan, takes || reread);
  // The question may have been on the screen for hours, so the file may have changed since.
  await input.file.requireUnchanged();
  const begun = { plan, outputName, isOfOther, anew: reread === true, consent };
  const batch = await startBatch(list, begun);
  noteHere(batch.id, [
    ['list', input.path],
    ['order', orderOf(batch)],
    ['output', destination?.kind === 'file' ? destination.path : undefined],
    ['output', usualOutput({ ...batch, inputPath: input.path }, outputName)],
  ]);
  watcher?.preparing('copying its rows into the store');
  const isAllIn = await submitRows({ context, input, batch });
  if (isAllIn && context.queue !== undefined) await sendRanges(context, batch, context.queue);
  const spentBefore = (batch.id === names.existing?.id ? earlier?.spent : undefined) ?? credits(0);
  const sample =
    context.sample === undefined ? undefined : await chooseSample(list.context, input, batch, context.sample);
  return { ...list, batch, destination, sample, spentBefore, isAllIn };
}

/**
 * Whether a list that came by itself has no rows. A list from a pipe or a program may have no rows: that is a
 * result like any other.
 * @throws StopError `input` where a person has named the list.
 */
function isNothingToDo({ isSweep, inputPath, output, emit }: RunContext, input: MappedInput): boolean {
  if (input.survey.rows > 0 || isSpooled(inputPath) || output === false) return false;
  const stopped = noRows(input);
  if (isSweep !== true) throw stopped;
  emit({ kind: 'note', message: stopped.message });
  return true;
}

/**
 * The plan of a job that changes the service. A job that only reads needs none, unless a person agreed to
 * one: the ledger knows what was bought. Attempts that a killed run left open are settled before any
 * question, or their price would count twice.
 */
async function planOfChange(list: RunList, sessions: Sessions): Promise<ChangePlan | undefined> {
  const { context, names } = list;
  const isChange = context.job.operation.change !== undefined;
  if (!isChange) await requirePlanId(list);
  for (const askedAccount of accountsOf(context))
    await sessions.closeLeftOpen({ ...context, ...askedAccount });
  if (isChange && names.existing !== undefined) await readChangesAnew(context, names.existing);
  return isChange ? planRun(list) : undefined;
}

interface WorkEnd {
  readonly stopped?: StopError | undefined;
  /** Workers have the rows. A later run writes the output and closes the batch. */
  readonly isLeft?: boolean;
}

/** Recovers what an earlier run left open, then works on every row that has no final outcome yet. */
async function work(submitted: SubmittedList, sessions: Sessions): Promise<WorkEnd> {
  const { context, batch, input, sample } = submitted;
  if (!submitted.isAllIn) return { stopped: stopReason(context.signal) };
  if (context.detach === true) return { isLeft: true };
  if (batch.plannedRows !== undefined) await noteLearned(context.ledger, batch, context.clock.wallMs());
  const hasEnded = async (): Promise<boolean> =>
    (await leftIn(context.ledger, batch, ALL_ROWS)) === undefined;
  if (await hasEnded()) {
    if (batch.state !== 'open') return {};
    const stopped = await stopOfKnown(context, batch);
    if (stopped !== undefined || (await hasEnded())) return { stopped };
  }
  const askedRows = rowsAsked(input.sheet.start, context);
  const beforeRow = Math.min(ALL_ROWS.beforeRow, (askedRows?.last ?? Number.POSITIVE_INFINITY) + 1);
  const remainingRows = { context, batch, range: { ...ALL_ROWS, beforeRow }, only: sample ?? askedRows };
  const others = { context, batch, range: ALL_ROWS, only: { has: (row: RowNumber) => !askedRows?.has(row) } };
  const isAnew = askedRows !== undefined && askedAnewBy(batch) !== undefined;
  const { destination } = submitted;
  const writeMeanwhile = async (): Promise<void> => {
    // What is piped is written once, at the end.
    if (destination?.kind === 'file' && context.isSweep !== true)
      await writeRows(context, input, batch, destination);
  };
  const stopped = await inSession(submitted, sessions, (state) => tasksOf(state, remainingRows), {
    writeMeanwhile,
    ...(isAnew && { known: tasksOf('pending', others) }),
  });
  // A refused change is settled. Only a new plan asks for it again.
  if (stopped?.answers?.includes('refused') === true && context.job.operation.change !== undefined)
    await context.ledger.changeBatch(batch.id, { state: 'superseded' });
  return { stopped };
}

type TasksLeft = (state: 'in_doubt' | 'pending') => TaskSource;

/**
 * Works on a range of a batch as the ledger has its rows, for a process that does not have the list. Another
 * process has submitted the list, and finishes the batch as well. A crash here leaves rows without an
 * outcome, and the next worker that takes the range continues with them.
 * @returns what stopped it.
 */
export async function workRange(
  context: RunContext,
  sessions: Sessions,
  batch: Batch,
  range: RowRange,
): Promise<StopError | undefined> {
  const before = await askedBefore(context, await listKept(batch), batch, batch);
  const tasksLeft: TasksLeft = (state) => tasksOf(state, { context: { ...context, before }, batch, range });
  return inSession({ context, batch }, sessions, tasksLeft, { handsBack: true });
}

/** What a run does while it waits for nothing but later answers. */
interface Waiting {
  /** Rows that buy nothing, and end with the answers that they have, before the others are asked. */
  readonly known?: TaskSource;
  /** The rows go back to the queue, and are not waited for, once all were asked for. */
  readonly handsBack?: boolean;
  /** Writes the output, so that what is finished can be used. */
  writeMeanwhile?(): Promise<void>;
}

/** With the projects of a team: rows wait there for what the service says to other rows. */
type WaitingRows = Waiting & { readonly projects: Pick<ProjectAccess, 'refusals'> };

/**
 * Opens the session of the account, or takes part in it. Settles attempts that an earlier process left open,
 * and works on the rows that are left.
 * @returns what stopped it.
 */
async function inSession(
  { context, batch }: Pick<SubmittedList, 'context' | 'batch'>,
  sessions: Sessions,
  tasksLeft: TasksLeft,
  waiting: Waiting,
): Promise<StopError | undefined> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const stopAll = (error: unknown): void => stopping.abort(error);
  const accounts = new RunAccounts(context, stopAll);
  // Node keeps what `AbortSignal.any` made, and the run that listens to it, for as long as the host lives.
  const stop = (): void => stopAll(context.signal.reason);
  if (context.signal.aborted) stop();
  context.signal.addEventListener('abort', stop, { once: true }); // rule 13
  const changed = await context.ledger.changedProjects(context.account.identity);
  const planned = await plannedProjects(context.ledger, batch);
  const projects = new ProjectAccess(planned, changed, context.clock.wallMs());
  const begunMs = batch.freshSince === undefined ? undefined : batch.createdAtMs;
  const purpose = { batch: batch.id, projects, ...present({ begunMs }) };
  await accounts.open(sessions, purpose, signal);
  const announce = (): void => context.emit({ kind: 'stopping', inFlight: accounts.inFlight });
  signal.addEventListener('abort', announce, { once: true });
  try {
    const keepCounts = await accounts.begin(sessions, batch);
    const uncovered = new Map<CallKey, Doubt>();
    const shared = { flying: new Map(), unknown: new Set<CallKey>(), uncovered };
    const { runs, ended, later } = accounts;
    const waits = await workLeft(
      {
        context,
        batch,
        runs,
        ended,
        later,
        ...shared,
        ...askingOf(context, batch),
        mayWait: true,
        signal,
        stopAll,
      },
      tasksLeft,
      { ...waiting, projects },
    );
    if (uncovered.size > 0 && !signal.aborted)
      stopAll(await overExtra(context.ledger, batch, [...uncovered.values()]));
    if (waits && !signal.aborted) accounts.stopForEnded();
    const stopped = stopReason(signal);
    if (stopped === undefined || !STOPS[stopped.code].is_by_a_person) await keepCounts();
    if (context.hearBalance !== undefined && !signal.aborted) {
      const balance = await balanceOf(accounts.first);
      if (balance !== undefined) context.hearBalance(balance);
    }
  } catch (error) {
    stopAll(error);
  } finally {
    context.signal.removeEventListener('abort', stop);
    await accounts.close();
  }
  for (const run of accounts.runs.values()) await run.session.series.end(run);
  return stopReason(signal);
}

/**
 * Works first on doubts that can surely be settled, because they give back the credits that they hold before
 * anything new is bought. Doubts that have to wait for a repeat come after the first pass over the rows.
 * Doubts come first each time, because a call that is given up may be answered to the next question.
 * Such an answer also makes rows pending that a pass has not read.
 * @returns whether rows still wait.
 */
async function workLeft(work: BatchWork, tasksLeft: TasksLeft, waiting: WaitingRows): Promise<boolean> {
  if (waiting.known !== undefined) await workRows(work, waiting.known);
  for (let mayWait = false; ; mayWait = true) {
    const { doubtsWait, rowsWait, goesFurther } = await pass({ ...work, mayWait }, tasksLeft, waiting);
    if (work.signal.aborted) return false;
    if (goesFurther) continue;
    const goesOn = rowsWait ? await untilAnswered(work, waiting) : await hasAny(tasksLeft('pending'));
    if (!work.signal.aborted) work.context.emit({ kind: 'waiting', calls: 0, accounts: [] });
    if (!goesOn) return doubtsWait || rowsWait;
  }
}

/** One pass over the doubts, then over the rows. */
async function pass(work: BatchWork, tasksLeft: TasksLeft, { projects }: WaitingRows) {
  const { refusals } = projects;
  const doubtsWait = await workRows(work, tasksLeft('in_doubt'));
  const rowsWait = await workRows({ ...work, mayWait: true }, tasksLeft('pending'));
  const isFirst = !work.mayWait && (doubtsWait || rowsWait);
  return { doubtsWait, rowsWait, goesFurther: isFirst || projects.refusals > refusals };
}

async function hasAny(source: TaskSource): Promise<boolean> {
  for await (const tasks of source) if (tasks.length > 0) return true;
  return false;
}

/** How long after some answers the rows are looked at again, where most are still to come. */
const LOOK_AGAIN_MS = 5_000;

/**
 * Waits until so much of what vendors have accepted is answered that it is worth another look at the rows.
 * @returns false where nothing is to come any more.
 */
async function untilAnswered(work: BatchWork, waiting: Waiting): Promise<boolean> {
  const { handsBack = false } = waiting;
  const { context, later, signal, stopAll } = work;
  const { clock } = context;
  const all = [...later.values()];
  sayWaiting(work);
  if (!handsBack && all.some(({ wanted }) => wanted.length > 0)) {
    await waiting.writeMeanwhile?.();
    sayWaiting(work);
  }
  const begunMs = clock.monotonicMs();
  while (!signal.aborted) {
    const wantedCalls = all.flatMap(({ wanted }) => wanted);
    const ended = all.reduce((sum, each) => sum + each.ended, 0);
    const nowMs = clock.monotonicMs();
    if (ended > 0 && (ended >= wantedCalls.length || nowMs - begunMs >= LOOK_AGAIN_MS)) {
      for (const each of all) each.ended = 0;
      return true;
    }
    if (wantedCalls.length === 0) return false;
    const dueMs = wantedCalls
      .map((call) => (call.isBeingAsked ? nowMs : call.dueMs))
      .reduce((first, other) => Math.min(first, other));
    if (handsBack && ended === 0 && dueMs > nowMs)
      stopAll(
        laterStop(wantedCalls.length, 'yet', { code: 'later', resumeAtMs: clock.wallMs() + dueMs - nowMs }),
      );
    const changes = all.map(({ changed }) => changed);
    await sleepUnless(changes, clock, LOOK_AGAIN_MS, signal).catch(() => {});
  }
  return false;
}

/** Says which account the run waits for, and until when. */
function sayWaiting({ context, runs, later }: BatchWork): void {
  const waiting = [...later].flatMap(([identity, { wanted, untilMs }]) =>
    wanted.length === 0
      ? []
      : [{ calls: wanted.length, untilMs, name: runs.get(identity)?.session.account.name ?? identity }],
  );
  if (waiting.length === 0) return;
  const ends = waiting.flatMap(({ untilMs }) => untilMs ?? []);
  context.emit({
    kind: 'waiting',
    calls: waiting.reduce((sum, { calls }) => sum + calls, 0),
    accounts: waiting.map(({ name }) => name),
    ...present({ untilMs: ends.length === waiting.length ? Math.max(...ends) : undefined }),
  });
}

/** The StopError that ended the run. Any other error is a bug and is thrown again. */
function stopReason(signal: AbortSignal): StopError | undefined {
  if (!signal.aborted) return undefined;
  if (signal.reason instanceof StopError) return signal.reason;
  throw signal.reason;
}

/** The paths of `add` that no match of the account has ever had: their columns are blank. */
async function missingPaths(context: RunContext): Promise<RunObject['missing_paths']> {
  const { job, ledger } = context;
  if ((job.add === undefined || job.operation.change) ?? job.operation.resultsFile) return undefined;
  const missing = (await searchAnswers(ledger, context, 1))?.missing() ?? [];
  return missing.length === 0 ? undefined : missing;
}

/**
 * Keeps the notices about a batch before it closes: a closed batch is not run again, so a crash after the
 * close would leave them unkept.
 */
export type BeforeEnd = (summary: RunObject) => Promise<void>;

/**
 * Writes the output from the ledger, closes the batch when each of its rows has an outcome, and sums up. This
 * buys nothing.
 */
async function finish(
  submitted: SubmittedList,
  { stopped, isLeft = false }: WorkEnd,
  metrics: RunMetrics,
  startedMs: number,
  beforeEnd: BeforeEnd,
): Promise<RunObject> {
  const { context, input, batch, destination, sample, spentBefore } = submitted;
  // After some stops there is nothing to see in an output.
  const hasTime = !isLeft && isWrittenAfter(stopped, context);
  const files =
    destination !== undefined && hasTime ? await writeRows(context, input, batch, destination) : undefined;
  const summary = await summarize(context, batch, {
    missingPaths: hasTime ? await missingPaths(context) : undefined,
    metrics,
    spentBefore,
    files,
    sample: sample && (await forecast(context, batch, sample, hasTime ? input : undefined)),
    stopped,
    // The list is planned again only after a reached budget, because only then a higher budget is named.
    mostLeft: stopped?.code === 'budget' ? await mostLeft(submitted) : undefined,
    durationMs: context.clock.monotonicMs() - startedMs,
  });
  const { budget_to_finish: budgetToFinish } = summary;
  if (budgetToFinish !== undefined) await noteReached(context.ledger, batch.id, budgetToFinish);
  if (stopped === undefined && !isLeft) {
    await beforeEnd(summary);
    await closeIfFinished(context, batch);
  }
  return summary;
}
