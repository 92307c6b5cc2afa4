import PQueue from 'p-queue';
import { type Dialect, dialectMark } from '../client/dialect.ts';
import { asReadToday } from '../client/kept-answers.ts';
import type { CallKey } from '../core/call-key.ts';
import { invariant, StopError } from '../core/errors.ts';
import { finding, together } from '../core/finding.ts';
import type { Findings } from '../core/findings.ts';
import type { Outcome } from '../core/row.ts';
import { policyOfStep } from '../job/job.ts';
import { erasedOn } from '../ledger/erase.ts';
import type {
  AttemptId,
  Batch,
  CallState,
  Detail,
  Doubt,
  FinishedRow,
  KnownAnswer,
  RowFills,
} from '../ledger/ledger.ts';
import { crashPoint } from '../lib/faults.ts';
import { mayBuyAgain } from '../plan/batch.ts';
import type { RunContext } from '../plan/context.ts';
import type { Asking } from '../walk/asked-anew.ts';
import { askedOtherwise, type EarlierCall } from '../walk/asked-before.ts';
import {
  type AskedCall,
  asksErasedAgain,
  type FoundCall,
  findCalls,
  forgottenAmong,
} from '../walk/known-calls.ts';
import type { MetCall } from '../walk/met-call.ts';
import { accountsOf } from '../walk/resolved-job.ts';
import { RowWalk } from '../walk/row-walk.ts';
import { walkTogether } from '../walk/walk-together.ts';
import { buy } from './buy.ts';
import { inDoubt } from './doubts.ts';
import { untilMoved } from './intent.ts';
import { knownOfLeftOut } from './known-walk.ts';
import type { LaterAnswers } from './later.ts';
import { keepReading, noAnswerToday } from './readings.ts';
import { type InDoubt, resolveDoubt } from './recover.ts';
import type { Task, TaskSource } from './row-tasks.ts';
import type { AccountRun, AnsweredCall, CallToBuy, Waits } from './session.ts';

/**
 * Rows are read, walked to their end and finished. Rows that end with answers of the ledger are walked side
 * by side. Any other row asks for its next call by itself, in a queue that holds as many rows as the slots of
 * the account can use.
 */

/** The work on the rows of a batch in one run, with the calls of one row that concern the others. */
export interface BatchWork extends Asking {
  readonly context: RunContext;
  readonly batch: Batch;
  /** The runs of the job's accounts, by the identities of the accounts. */
  readonly runs: ReadonlyMap<string, AccountRun>;
  /** The accounts that take no more calls in this run, and why. The run goes on with the others. */
  readonly ended: ReadonlyMap<string, StopError>;
  /**
   * The calls that are being answered now, so that equal calls of other rows wait instead of being bought
   * again.
   */
  readonly flying: Map<CallKey, Promise<CallResult>>;
  /**
   * The calls that the ledger did not know when their rows were read ahead. Each is bought without another
   * look.
   */
  readonly unknown: Set<CallKey>;
  /**
   * Calls that a person wants sent again and that the extra credits do not cover. Their rows stay pending.
   */
  readonly uncovered: Map<CallKey, Doubt>;
  /** What asks for the answers to the calls that a vendor has accepted, by the identity of the account. */
  readonly later: ReadonlyMap<string, LaterAnswers>;
  /**
   * Whether to wait for a doubt about which the vendor can be asked, or which can be repeated, only later.
   */
  readonly mayWait: boolean;
  /** Aborted when no further row may begin. */
  readonly signal: AbortSignal;
  stopAll(error: unknown): void;
}

/**
 * How many rows are worked on for each slot: one row has the slot, one has its answer and waits until its end
 * is on the disk, and one waits for the slot.
 */
const ROWS_PER_SLOT = 3;

/**
 * How many more rows may wait for something other than a slot, such as the time to ask again, before they
 * hold up the others.
 */
const SPARE_ROWS = 16;

/** So many rows wait in the queue at most: what waits long reaches the old space of the heap. */
const MOST_AHEAD = 64;

/** Then reading goes on once hardly any row waits, because each wait of the queue costs time. */
const FEW_AHEAD = 8;

/** @returns whether rows wait for other rows, or for a later time. */
export async function workRows(work: BatchWork, source: TaskSource): Promise<boolean> {
  const { context, signal, stopAll } = work;
  const ends = new RowEnds(work);
  const slots = accountsOf(context).reduce((sum, { account }) => sum + account.limits.concurrency, 0);
  let waits = false;
  const queue = new PQueue({ concurrency: slots * ROWS_PER_SLOT + SPARE_ROWS });
  try {
    for await (const tasks of source) {
      if (signal.aborted) break;
      const remainingRows = await withoutForgotten(
        work,
        await leftOf(work, tasks, ends.add.bind(ends)),
        ends,
      );
      // Reading waits here, so that memory does not grow with the file.
      if (ends.isFull) await ends.write();
      // The rows that are left may take hours, and a person who looks at the batch in the meantime wants to
      // see the finished ones.
      else if (remainingRows.length > 0) ends.writeSoon();
      for (const row of remainingRows) {
        if (queue.size >= MOST_AHEAD) await queue.onSizeLessThan(FEW_AHEAD);
        queue
          .add(async () => {
            if (!signal.aborted && (await workRow(work, row, ends)) === 'waits') waits = true;
          })
          .catch(stopAll);
      }
    }
  } catch (error) {
    stopAll(error);
  }
  // Answers to requests in flight are recorded whatever stopped the reading, because they may be paid for.
  await queue.onIdle();
  await ends.write().catch(stopAll);
  return waits;
}

interface WalkingRow {
  readonly task: Task;
  readonly walk: RowWalk;
  readonly answers: AttemptId[];
  /** The ends of the steps with calls that no one knows an answer to, in the order of the steps. */
  readonly unanswered: UnansweredCall[];
}

/**
 * Walks a row to its end, and gets an answer for each of its calls on the way. After a crash the same walk
 * arrives at the same place.
 */
async function workRow(work: BatchWork, row: WalkingRow, ends: RowEnds): Promise<'waits' | undefined> {
  const { task, walk, answers, unanswered } = row;
  ends.show(row);
  for (;;) {
    const next = walk.next();
    if (next.kind === 'waits') return 'waits';
    if (next.kind === 'end') {
      const { calls, waitsFor } = restsOn(next.outcome, answers, unanswered);
      ends.add(task, next.outcome, { answers: calls, fills: fillsOf(next, unanswered), waitsFor });
      ends.writeSoon();
      return undefined;
    }
    const { met } = next;
    const wanted = wantedOf(work, row, met);
    const obtained = await (next.kind === 'look' ? lookedFor(work, wanted) : askedFor(work, wanted));
    if (obtained === 'waits') return 'waits';
    // The other steps of the row go on.
    if (obtained === 'accepted' || obtained === 'not_bought') walk.leaveStep(met);
    else if (typeof obtained === 'string') walk.pass(met, obtained);
    else {
      tellRow(row, met, obtained);
      ends.show(row);
    }
  }
}

function wantedOf(work: BatchWork, { task, walk }: WalkingRow, met: MetCall): WantedCall {
  const { key, call, by, readsBody } = met;
  const step = walk.stepOf(met);
  const keepsOld = !work.isAnew(task.row, step);
  const mayBuy = work.mayBuy(task.row, step);
  return { key, call, by, readsBody, keepsOld, mayBuy, row: task.row, before: task.before };
}

/** What an earlier build has found by another value is not shown as that of the row. */
const fillsOf = (
  { fills }: { readonly fills: readonly AttemptId[] | undefined },
  unanswered: readonly UnansweredCall[],
): readonly AttemptId[] | undefined => fills ?? (unanswered.some((each) => each.isHeld) ? [] : undefined);

/** Tells a row what is known of one of its calls. */
export function tellRow(row: Omit<WalkingRow, 'task'>, met: MetCall, obtained: KnownCall): void {
  const { walk, answers, unanswered } = row;
  if (obtained.kind === 'answered') {
    walk.tell(met, obtained.answer);
    answers.push(obtained.answer.attempt);
  } else {
    const { kind, findings, leavesOut = false, isForgotten = false } = obtained;
    if (isForgotten) walk.endRow({ kind, findings });
    else walk.endStep(met, { kind, findings }, leavesOut);
    unanswered.push(obtained);
  }
}

/** Looks for the answer of one account of several: another one may have what this one does not. */
async function lookedFor(work: BatchWork, wanted: WantedCall): Promise<KnownCall | 'looked' | 'held'> {
  return knownIn(work, (await lookNow(work, wanted)).state);
}

function knownIn(work: BatchWork, state: CallState): KnownCall | 'looked' | 'held' {
  if (state.kind === 'unknown') return 'looked';
  if (state.kind !== 'answered') return 'held';
  const { answer } = state;
  const forgottenEnd = forgotten(work, answer);
  if (forgottenEnd !== undefined) return forgottenEnd;
  return answer.isTooOld === true ? 'looked' : { kind: 'answered', answer };
}

/**
 * Asks an account, unless it has ended for this run. The row then goes on to the other accounts of the step;
 * where the account is only paused, the row waits, because the order of the accounts is money.
 */
async function askedFor(
  work: BatchWork,
  wanted: WantedCall,
): Promise<KnownCall | 'left' | 'waits' | 'accepted' | 'not_bought'> {
  const { identity } = wanted.by.account;
  const before = work.ended.get(identity);
  if (before !== undefined) return afterAccountEnded(work, wanted, before);
  const held = wanted.before && (await heldBefore(work, wanted, wanted.before));
  if (held !== undefined) return held;
  try {
    const obtained = await answerTo(work, wanted);
    return isKnown(obtained) ? obtained : obtained.kind;
  } catch (error) {
    const end = work.ended.get(identity);
    if (end === undefined || !(error instanceof StopError)) throw error;
    return afterAccountEnded(work, wanted, end);
  }
}

/**
 * How a row ends that was asked by another call before, and would buy this one: no one has agreed to it, or
 * the other one is in doubt and may have been charged.
 */
async function heldBefore(
  work: BatchWork,
  wanted: WantedCall,
  before: EarlierCall,
): Promise<UnansweredCall | undefined> {
  const { call, by } = wanted;
  if (before.kind === 'answered' && mayBuyAgain(work.batch, by)) return undefined;
  const { state } = await lookNow(work, wanted);
  if (state.kind !== 'unknown') return undefined;
  const held = { kind: 'in_doubt', findings: askedOtherwise(before, call), attempt: before.attempt } as const;
  return before.kind === 'answered' ? { ...held, isHeld: true } : held;
}

/**
 * The call may have been asked for since its row looked for an answer, and may be accepted, in doubt or
 * answered by now. A doubt holds its row, also where its account has ended. What was accepted is waited for.
 */
async function afterAccountEnded(
  work: BatchWork,
  wanted: WantedCall,
  end: StopError,
): Promise<KnownCall | 'left' | 'waits' | 'accepted'> {
  if (end.code === 'paused') return 'waits'; // rule fill-pause
  const { state } = await lookNow(work, wanted);
  if (state.kind === 'accepted') return accepted(work, wanted, state).kind;
  const found = knownIn(work, state);
  if (typeof found === 'object') return found;
  return found === 'held' ? 'waits' : 'left'; // rule fill-doubt
}

/**
 * A doubt belongs to the row of its call, like an answer. The row rests on the last call of the list: the
 * call of its first step with the outcome of the row.
 */
export function restsOn(
  { kind }: Outcome,
  answers: readonly AttemptId[],
  unanswered: readonly UnansweredCall[],
): { readonly calls: readonly AttemptId[]; readonly waitsFor?: AttemptId | undefined } {
  if (unanswered.length === 0) return { calls: answers };
  const first = unanswered.find((each) => each.kind === kind);
  const others = unanswered.flatMap((each) => (each === first ? [] : (each.attempt ?? [])));
  // A row that ends otherwise than the calls that were left out rests on its answer.
  if (first === undefined) return { calls: [...others, ...answers] };
  const last = first.attempt;
  return { calls: [...answers, ...others, ...(last === undefined ? [] : [last])], waitsFor: first.waitsFor };
}

// --------------------------------------------------------------------------------------------- what is known

/**
 * Finishes the rows that end without a person and without a request. They are walked side by side, so that
 * the ledger is asked once for the next calls of all of them: asked one by one, each costs ten times as much.
 * A row is left where its next call has to be bought, or where the answer cannot be used at once, such as one
 * that is too old.
 * @returns the rows that are left, as far as they got.
 */
export async function leftOf(
  { context, batch, unknown, isAnew }: Pick<BatchWork, 'context' | 'batch' | 'unknown' | 'isAnew'>,
  tasks: readonly Task[],
  end: (task: Task, outcome: Outcome, rest: RowRest) => void,
): Promise<readonly WalkingRow[]> {
  const { job, ledger } = context;
  const { operation } = job;
  const accounts = accountsOf(context);
  const walking: WalkingRow[] = [];
  const leftOut = await knownOfLeftOut(ledger, context, tasks.flatMap(otherwiseIn));
  for (const task of tasks)
    if (task.kind === 'end') end(task, task.outcome, leftOut.get(task.row) ?? { answers: [] });
    else {
      const walk = new RowWalk(operation, accounts, task.work);
      walking.push({ task, walk, answers: [], unanswered: [] });
    }
  // A change is never answered from an older one, and an operation that looks into answers needs the bodies
  // of answers.
  if (operation.change !== undefined || operation.readsAnswers === true) return walking;
  const forgetting = await ledger.forgettingAccounts();
  const remainingRows: WalkingRow[] = [];
  await walkTogether(walking, {
    ended: ({ task, answers }, step) => {
      invariant(step.kind === 'end', 'no account has ended before it is asked');
      end(task, step.outcome, { answers, fills: step.fills });
    },
    statesOf: (calls) => {
      const detail: Detail = calls.some(({ readsBody }) => readsBody) ? 'whole' : 'kind';
      const keys = calls.map(({ key }) => key);
      return ledger.find(keys, { detail, freshFor: batch });
    },
    tell(row, met, state, isLook) {
      const { dialect, account } = met.by;
      const isOld = state?.kind === 'answered' && state.answer.isTooOld === true;
      const isStale = isOld && isAnew(row.task.row, row.walk.stepOf(met));
      if (state?.kind === 'answered' && isUsableAtOnce(dialect, state.answer) && !isStale) {
        row.walk.tell(met, state.answer);
        row.answers.push(state.answer.attempt);
        return true;
      }
      // Another account may know a call about a forgotten person.
      const isUnknown = state?.kind === 'unknown' && forgetting.every((each) => each === account.identity);
      if (isUnknown && isLook) {
        row.walk.pass(met, 'looked');
        return true;
      }
      if (isUnknown) unknown.add(met.key);
      remainingRows.push(row);
      return false;
    },
  });
  return remainingRows;
}

const otherwiseIn = (task: Task) => {
  if (task.kind !== 'end' || task.otherwise === undefined) return [];
  return [{ row: task.row, otherwise: task.otherwise }];
};

/** Ends the rows whose person was forgotten before anything is asked for them. @returns the others. */
async function withoutForgotten(
  { context: { ledger }, batch }: BatchWork,
  rows: readonly WalkingRow[],
  ends: RowEnds,
): Promise<readonly WalkingRow[]> {
  if (asksErasedAgain(batch)) return rows;
  const erased = await forgottenAmong(rows, ({ walk }) => walk.callsAtWorst(), ledger);
  for (const [{ task, answers }, atMs] of erased)
    ends.add(task, { kind: 'skipped', findings: erasedOn(atMs) }, { answers, fills: [] });
  return rows.filter((row) => !erased.has(row));
}

const isUsableAtOnce = (dialect: Dialect, { erasedAtMs, dialect: by }: KnownAnswer): boolean =>
  erasedAtMs === undefined && by === dialectMark(dialect);

// -------------------------------------------------------------------------------------------- how rows ended

/** The attempts by which a row ends. */
type RowRest = Pick<FinishedRow, 'answers' | 'fills' | 'waitsFor'>;

const ROWS_IN_A_COMMIT = 1_000;

/** Where many processes spend, a commit is several statements to a server on another machine. */
const WAIT_FOR_OTHERS_MS = 250;

/**
 * Keeps how rows ended, and the attempts that led there, many rows by one statement. Rows that a crash loses
 * here are finished again from their answers, and what is shown of others is shown again.
 */
class RowEnds {
  readonly #work: BatchWork;
  #ended: FinishedRow[] = [];
  #filled: RowFills[] = [];
  #isScheduled = false;
  #written: Promise<void> = Promise.resolve();

  constructor(work: BatchWork) {
    this.#work = work;
  }

  add({ row }: Task, outcome: Outcome, { answers, fills, waitsFor }: RowRest): void {
    this.#ended.push({ batch: this.#work.batch.id, row, outcome, answers, fills, waitsFor });
  }

  /** Keeps what has filled steps of a row that goes on, so that it is seen meanwhile. */
  show({ task: { row }, walk, answers }: WalkingRow): void {
    const step = walk.next();
    const fills = step.kind === 'end' ? [] : (step.filled ?? []);
    if (fills.length === 0) return;
    this.#filled.push({ batch: this.#work.batch.id, row, answers, fills });
    this.writeSoon();
  }

  writeSoon(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const write = (): void => {
      this.#isScheduled = false;
      this.write().catch(this.#work.stopAll);
    };
    if (this.#work.context.ledger.spenders === undefined) setImmediate(write);
    else setTimeout(write, WAIT_FOR_OTHERS_MS);
  }

  get isFull(): boolean {
    return this.#ended.length >= ROWS_IN_A_COMMIT;
  }

  write(): Promise<void> {
    const rows = this.#ended;
    const filled = this.#filled;
    this.#ended = [];
    this.#filled = [];
    if (rows.length + filled.length > 0) this.#written = this.#write(rows, filled);
    return this.#written;
  }

  async #write(rows: readonly FinishedRow[], filled: readonly RowFills[]): Promise<void> {
    const { ledger, emit } = this.#work.context;
    for (const _ of rows) crashPoint('before-row');
    await ledger.finishRows(rows, filled);
    for (const { row, outcome } of rows) {
      crashPoint('after-row');
      emit({ kind: 'row', row, outcome: outcome.kind });
    }
  }
}

// -------------------------------------------------------------------------------------- the answer to a call

/**
 * `refused` means that the subject of a change is no longer as planned. A call that has no doubt of its own
 * leaves no attempt here.
 */
export interface UnansweredCall {
  readonly kind: 'in_doubt' | 'skipped' | 'refused';
  readonly findings: Findings;
  readonly attempt?: AttemptId;
  /** The attempt of another call about the same person. */
  readonly waitsFor?: AttemptId | undefined;
  /** The step leaves out the call alone, and asks its other accounts. */
  readonly leavesOut?: true;
  /** `attempt` is another call, which was answered; no one has agreed to this one yet. */
  readonly isHeld?: true;
  /** The person was forgotten, and the row asks nothing more. */
  readonly isForgotten?: true;
}

/**
 * A call of a row. `readsBody`: the body of its answer is looked into. `before`: what an earlier build asked
 * for the row. `keepsOld`: an old answer is as good as a new one.
 */
export type WantedCall = CallToBuy &
  AskedCall & {
    readonly readsBody: boolean;
    readonly before: EarlierCall | undefined;
    readonly keepsOld: boolean;
    readonly mayBuy: boolean;
  };

type Found = FoundCall<Exclude<CallState, { readonly kind: 'in_flight' }>>;

/** What is known of a call, by which its row goes on. */
export type KnownCall = AnsweredCall | UnansweredCall;

/** The vendor has accepted the call, and its answer is asked for beside the rows. */
type Accepted = { readonly kind: 'accepted' };

/** A person has asked for other rows, or for another step. */
type NotBought = { readonly kind: 'not_bought' };

type CallResult = KnownCall | Waits | Accepted | NotBought;

const isKnown = (result: CallResult): result is KnownCall =>
  result.kind !== 'waits' && result.kind !== 'accepted' && result.kind !== 'not_bought';

/** Undefined where the ledger has to be asked what became of the call. */
type Obtained = CallResult | undefined;

/**
 * Looking ends after this number, whatever the ledger says. A row may look many times while other processes
 * ask for the same call.
 */
const MOST_LOOKS = 1_000;

/**
 * A call that the vendor says it never made, and that is lost again each time, is not asked about after three
 * times.
 */
const MOST_STEPS = 4;

function answerTo(work: BatchWork, wanted: WantedCall): Promise<CallResult> {
  const { flying } = work;
  const earlier = flying.get(wanted.key);
  if (earlier !== undefined) return earlier;
  const obtained = answerOnce(work, wanted);
  flying.set(wanted.key, obtained);
  return obtained;
}

/**
 * Buys a call at once if the ledger did not know it when the row was read. Otherwise, or if the ledger knows
 * more by now, looks the call up in the ledger, and again after each step until the row can go on. Every step
 * gets an answer, ends a doubt or leaves the call.
 */
async function answerOnce(work: BatchWork, wanted: WantedCall): Promise<CallResult> {
  const { flying, unknown } = work;
  let obtained: Obtained;
  try {
    if (unknown.delete(wanted.key)) obtained = await bought(work, { ...wanted, ifUnknown: true });
    for (let looks = 0; obtained === undefined; looks += 1) {
      invariant(looks < MOST_LOOKS, `the ledger knows more of call ${wanted.key} than it shows`);
      obtained = await answerFrom(work, wanted, await look(work, wanted), looks < MOST_STEPS);
    }
    return obtained;
  } finally {
    flying.delete(wanted.key);
  }
}

const isSentAgain = (state: CallState): boolean =>
  state.kind === 'in_doubt' && state.sentAgainAs !== undefined;

/** Looks a call up in the ledger. Waits first while another process asks for the call or sends it again. */
async function look(work: BatchWork, wanted: WantedCall): Promise<Found> {
  const found = await lookNow(work, wanted);
  const { state } = found;
  if (state.kind !== 'in_flight' && !isSentAgain(state)) return { ...found, state };
  await untilMoved(runOf(work, wanted));
  return look(work, wanted);
}

/** Looks a call up in the ledger, and waits for no one. */
async function lookNow(work: BatchWork, wanted: WantedCall): Promise<FoundCall<CallState>> {
  const { context, batch } = work;
  const { ledger } = context;
  const { clock, client } = runOf(work, wanted).session;
  const keep = keepReading.bind(undefined, { ledger, clock, dialect: client.dialect });
  const [found] = await findCalls<CallState>([wanted], ledger, (keys) =>
    ledger.find(keys, { batch: batch.id, freshFor: wanted.keepsOld ? { id: batch.id } : batch }),
  );
  invariant(found !== undefined, 'the ledger answers for every key');
  // What another account has answered is not read here, because its vendor speaks in a dialect of its own.
  const [state = found.state] = await asReadToday([found.state], ledger, () => client.dialect, keep);
  return { ...found, state };
}

/** The run of the account that is asked. */
function runOf({ runs }: Pick<BatchWork, 'runs'>, { by }: Pick<WantedCall, 'by'>): AccountRun {
  const run = runs.get(by.account.identity);
  invariant(run !== undefined, `the run has the account ${by.account.name}`);
  return run;
}

/**
 * Uses the answer, settles the doubt, or buys the call. An answer that is too old is bought anew, and so is a
 * reply that turned out to be no answer where a person agreed to that.
 */
async function answerFrom(
  work: BatchWork,
  wanted: WantedCall,
  found: Found,
  mayAsk: boolean,
): Promise<Obtained> {
  const { state, key, call, isElsewhere = false } = found;
  const { batch } = work;
  if (state.kind === 'in_doubt') {
    // The call that had its id first is in doubt since then, and its row waits for no answer any more.
    if (state.doubt.sharesId === true) await work.later.get(wanted.by.account.identity)?.lookAgain();
    return settle(work, { ...wanted, key, call }, state, mayAsk);
  }
  if (state.kind === 'accepted') return accepted(work, wanted, state);
  // A request of this account cannot replace an answer that was erased in another account.
  if (state.kind === 'unknown' || (isElsewhere && asksErasedAgain(batch)))
    return bought(work, { ...wanted, ifUnknown: true });
  const { kind, answer } = state;
  const { attempt } = answer;
  const isFresh = answer.isTooOld !== true;
  const forgottenEnd = forgotten(work, answer);
  if (forgottenEnd !== undefined) return forgottenEnd;
  if (isFresh && kind === 'answered') return { kind, answer };
  if (state.kind === 'unanswered' && state.isSkipped === true)
    return {
      kind: 'skipped',
      findings: together(finding('skipped_by_user', {}), answer.why),
      attempt,
      leavesOut: true,
    };
  if (isFresh && kind === 'unanswered' && !mayBuyAgain(batch, wanted.by))
    return { kind: 'in_doubt', findings: noAnswerToday(answer), attempt };
  return bought(work, { ...wanted, replaces: attempt });
}

function accepted(
  { later }: BatchWork,
  { by }: WantedCall,
  state: Extract<CallState, { readonly kind: 'accepted' }>,
): Accepted {
  later.get(by.account.identity)?.wait(state.accepted);
  return { kind: 'accepted' };
}

/** How a row ends after its call was erased with a person; undefined where the call is bought again. */
function forgotten(
  { batch }: Pick<BatchWork, 'batch'>,
  { erasedAtMs, isTooOld }: Pick<KnownAnswer, 'erasedAtMs' | 'isTooOld'>,
): UnansweredCall | undefined {
  const isAskedAgain = isTooOld === true && asksErasedAgain(batch);
  if (erasedAtMs === undefined || isAskedAgain) return undefined;
  return { kind: 'skipped', findings: erasedOn(erasedAtMs), isForgotten: true };
}

/**
 * Settles a call in doubt by rule 10, or leaves its row in doubt. A stop in between leaves the row where the
 * lost call left it. Another run may decide about the same loss: then the ledger refuses the result of this
 * one.
 */
async function settle(
  work: BatchWork,
  wanted: WantedCall,
  state: InDoubt,
  mayAsk: boolean,
): Promise<Obtained> {
  const { context, batch, mayWait } = work;
  const { attempt } = state.doubt;
  try {
    const policy = policyOfStep(context.job, wanted.call.operation);
    const resolved = await resolveDoubt(runOf(work, wanted), state, policy, { mayWait, mayAsk });
    if (resolved?.kind === 'skipped') return { ...resolved, leavesOut: true };
    if (resolved?.kind !== 'send_again') return resolved;
    return await bought(work, { ...wanted, ...resolved.again }, state);
  } catch (error) {
    if (error instanceof StopError) throw error;
    const [now] = await context.ledger.find([wanted.key], { batch: batch.id });
    if (now?.kind === 'in_doubt' && now.doubt.attempt === attempt && !isSentAgain(now)) throw error;
    return undefined;
  }
}

/**
 * Buys the call. Its answer is in memory as the ledger has it; only operations that look into the body read
 * it there.
 * @param lost the call that is sent again.
 */
async function bought(work: BatchWork, wanted: WantedCall, lost?: InDoubt): Promise<Obtained> {
  if (!wanted.mayBuy) return { kind: 'not_bought' }; // rule ask-again
  const run = runOf(work, wanted);
  const mayWaitForProject = lost === undefined && wanted.call.project !== undefined;
  const refusal = mayWaitForProject ? run.projects.refusalOf(wanted.call) : undefined;
  if (refusal !== undefined) return { kind: 'refused', findings: refusal };
  const end = await buy(run, wanted);
  if (end === 'over_extra' && lost !== undefined) return uncovered(work, lost);
  if (typeof end !== 'object') return undefined;
  switch (end.kind) {
    case 'answered':
      return wanted.readsBody ? undefined : end;
    case 'waits':
      return end;
    case 'moved':
      return { kind: 'refused', findings: finding('changed_since_planned', { batch: end.by }) };
    case 'subject_in_doubt': {
      const findings = finding('waits_for_change', { row: end.row, batch: end.by });
      return { kind: 'in_doubt', findings, waitsFor: end.attempt };
    }
  }
}

/**
 * A call that a person wants sent again waits for more extra credits. A call that only the job wants sent
 * again stays in doubt.
 */
function uncovered(work: BatchWork, { doubt, decision }: InDoubt): UnansweredCall | Waits {
  if (decision?.kind !== 'retry' || decision.by !== 'person') {
    const findings = together(inDoubt(doubt, work.batch.id), finding('extra_credits_short', {}));
    return { kind: 'in_doubt', findings, attempt: doubt.attempt };
  }
  work.uncovered.set(doubt.key, doubt);
  return { kind: 'waits' };
}
