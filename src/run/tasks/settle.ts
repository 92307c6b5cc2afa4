import { sandboxAccount } from '../../client/account/account.ts';
import { dialectOf } from '../../client/dialect.ts';
import { type CallKey, callKeyOf } from '../../core/call-key.ts';
import { systemClock } from '../../core/clock.ts';
import { stop } from '../../core/errors.ts';
import { type SubjectFacts, Team } from '../../core/membership.ts';
import { present } from '../../core/objects.ts';
import type { RowNumber } from '../../core/row.ts';
import { stepNames } from '../../core/steps.ts';
import {
  type AttemptId,
  type Batch,
  type BatchId,
  type Credits,
  type Decision,
  type DecisionKind,
  type DecisionSpec,
  type Doubt,
  heldCredits,
  type Ledger,
  type LedgerReader,
  type Look,
  standingDecision,
  type WaitingRow,
} from '../../ledger/ledger.ts';
import { AccountTime } from '../../ledger/time.ts';
import { commandLine } from '../../lib/command-line.ts';
import {
  type FoundBatch,
  lookAtLedger,
  lookInto,
  openIfFree,
  openLedger,
  requireTaken,
} from '../open-ledger.ts';
import { canBeAskedAbout, doubtReason } from '../reconcile.ts';
import { accountOfBatch, dialectFor, dialectOfBatch, unlessStopped } from './batch-account.ts';
import {
  doubtsLike,
  overOf,
  refuseOver,
  requireTellableOfAll,
  rowsToldOf,
  skippedWords,
  toldAnswer,
} from './told.ts';

export interface DoubtList {
  /** One for each row: of several steps the first that is in doubt. */
  readonly doubts: readonly ListedDoubt[];
  readonly waiting: readonly WaitingRow[];
  readonly open: number;
  readonly atRisk: number;
  /** What retries have used of the extra credits of the batch. */
  readonly extraUsed: number;
  /** Credits in doubt about which there is nothing to decide. */
  readonly undecidable: number;
}

export interface ListedDoubt {
  readonly doubt: Doubt;
  readonly reason: string;
  readonly looks: readonly Look[];
  /** What was decided about it for the batch; undefined when nothing was, or when a run has carried it out. */
  readonly decision: Decision | undefined;
  /** Whether the account's dialect of today has a question about such a call, or is not known. */
  readonly mayBeAskedAbout: boolean;
}

/** @param row only the doubts of this row. @throws StopError `usage` when that row is not in doubt. */
export async function doubtList(found: FoundBatch, row?: string): Promise<DoubtList> {
  const { batch, location } = found;
  return lookInto(location, async (ledger) => {
    const all = await examined(ledger, batch, await doubtsOf(ledger, found, row));
    // Rows whose calls a person has sent again are pending. What the job could not have sent again is in doubt still.
    const isPending = ({ decision }: ListedDoubt) => decision?.kind === 'retry' && decision.by === 'person';
    const left = row === undefined ? all.filter((each) => !isPending(each)) : all;
    const doubts = await nextOfRows(ledger, batch, left);
    return {
      doubts,
      waiting: await ledger.rowsWaiting(batch.id, MOST_WAITING),
      open: await ledger.openRequests(batch.id),
      extraUsed: heldCredits(await ledger.batchMoney(batch.id, 'extra')),
      atRisk: left.reduce((sum, { doubt }) => sum + doubt.atRisk, 0),
      undecidable: row === undefined ? await undecidable(ledger, batch, all) : 0,
    };
  });
}

/** Those on which a row rests; of a row that a killed program left without an end the first. */
async function nextOfRows(
  ledger: LedgerReader,
  batch: Batch,
  doubts: readonly ListedDoubt[],
): Promise<readonly ListedDoubt[]> {
  if (stepNames(batch.operation).length === 1) return doubts;
  const next = new Set<Doubt>();
  const own = doubts.map(({ doubt }) => doubt);
  for (const all of Map.groupBy(own, (doubt) => `${doubt.batch} ${doubt.row}`).values()) {
    const resting: Doubt[] = [];
    for (const doubt of all) if ((await rowsOn(ledger, batch, doubt)).length > 0) resting.push(doubt);
    for (const doubt of resting.length > 0 ? resting : all.slice(0, 1)) next.add(doubt);
  }
  return doubts.filter(({ doubt }) => next.has(doubt));
}

const rowsOn = async (
  ledger: LedgerReader,
  { id }: Batch,
  { attempt }: Doubt,
): Promise<readonly RowNumber[]> =>
  (await ledger.rowsRestingOn(attempt)).flatMap(({ batch, row }) => (batch === id ? [row] : []));

async function doubtsOf(
  ledger: LedgerReader,
  { batch }: FoundBatch,
  row: string | undefined,
): Promise<readonly Doubt[]> {
  // Others may wait for a row that this batch has skipped, so it can be decided about by its number.
  const doubts = await ledger.doubts(batch.id, { withSkipped: row !== undefined });
  if (row === undefined) return doubts;
  const attempts = new Set((await ledger.history(batch.id, Number(row))).map(({ attempt }) => attempt));
  const ofRow = doubts.filter(({ attempt }) => attempts.has(attempt));
  const number = Number(row);
  if (ofRow.length > 0) return firstOf(ledger, batch, number, ofRow);
  const [ended] = Number.isSafeInteger(number) ? await ledger.rows(batch.id, number, 1) : [];
  const { kind, reason = '' } = (ended?.row === number ? ended.outcome : undefined) ?? {};
  throw stop(
    'usage',
    kind === 'in_doubt'
      ? `There is nothing to decide about row ${row} of batch ${batch.id}: ${reason}.`
      : `Row ${row} of batch ${batch.id} is not in doubt.`,
    kind !== undefined ? 'See its state.' : 'See which rows are.',
    commandLine(kind !== undefined ? ['status', batch.id, row] : ['settle', batch.id]),
  );
}

/** In doubt twice, a row rests on the first of its steps: when that is settled, the second is next. */
async function firstOf(
  ledger: LedgerReader,
  batch: Batch,
  row: RowNumber,
  doubts: readonly Doubt[],
): Promise<readonly Doubt[]> {
  if (doubts.length < 2) return doubts;
  for (const doubt of doubts) if ((await rowsOn(ledger, batch, doubt)).includes(row)) return [doubt];
  return stepNames(batch.operation).length > 1 ? doubts.slice(0, 1) : doubts;
}

/** Doubts that may leave a person without access come first, then other creations, then what is repeated by itself. */
async function examined(
  ledger: LedgerReader,
  batch: Batch,
  doubts: readonly Doubt[],
): Promise<readonly ListedDoubt[]> {
  const all: ListedDoubt[] = [];
  const dialect = await dialectOfBatch(batch);
  const sorted = doubts.toSorted((one, other) => urgencyOf(one) - urgencyOf(other));
  const decisions = await decisionsAbout(ledger, batch.id, sorted);
  for (const [at, doubt] of sorted.entries()) {
    const history = await ledger.history(doubt.batch, doubt.row);
    const ofCall = history.filter(({ call }) => callKeyOf(batch.accountIdentity, call) === doubt.key);
    all.push({
      doubt,
      reason: doubtReason(doubt),
      looks: ofCall.flatMap(({ looks }) => looks),
      decision: decisions[at],
      mayBeAskedAbout: dialect === undefined || canBeAskedAbout(dialect, doubt.call),
    });
  }
  return all;
}

/** What was decided about each doubt, and is done by the next run of the batch, in their order. */
async function decisionsAbout(
  ledger: LedgerReader,
  batch: BatchId,
  doubts: readonly Doubt[],
): Promise<readonly (Decision | undefined)[]> {
  const state = doubts.length === 0 ? 'cancelled' : (await ledger.batch(batch))?.state;
  if (state === 'superseded' || state === 'cancelled') return doubts.map(() => undefined);
  const keys = doubts.map(({ key }) => key);
  return (await ledger.find(keys, { batch })).map(standingDecision);
}

function urgencyOf({ call: { change, ifLost } }: Doubt): number {
  if (change === undefined || change.atStake !== undefined) return 0;
  return ifLost === 'hold' ? 1 : 2;
}

/** Credits of lost answers that no longer need a decision, because their calls were bought anew, sent again or skipped. */
async function undecidable(
  ledger: LedgerReader,
  batch: Batch,
  doubts: readonly ListedDoubt[],
): Promise<number> {
  const { inDoubt } = await ledger.batchMoney(batch.id);
  const own = doubts.filter(({ doubt }) => doubt.batch === batch.id);
  return inDoubt - own.reduce((sum, { doubt }) => sum + doubt.atRisk, 0);
}

const MOST_WAITING = 20;

/**
 * Settles what a killed program left open in this batch, if no run goes on. Other batches are not touched.
 * @returns how many requests were open; 0 where nothing was settled.
 */
export async function closeLeftOpenIn({ batch, location }: FoundBatch): Promise<number> {
  const reader = await lookAtLedger(location);
  const open = await reader.openRequests(batch.id);
  await reader.close();
  return open > 0 && (await closedIfFree(location, batch)) ? open : 0;
}

/** @returns false where nothing may be settled now: a run goes on, the store is held back, or its account is unusable. */
async function closedIfFree(location: string, batch: Batch): Promise<boolean> {
  const ledger = await openIfFree(location, `settle ${batch.id}`, systemClock);
  if (ledger === undefined) return false;
  try {
    return (await unlessStopped(closeLeftOpen(ledger, batch).then(() => true))) ?? false;
  } finally {
    await ledger.close();
  }
}

/** Closes them as a run does before it spends, so that lists of doubts and decisions about them are complete. */
async function closeLeftOpen(ledger: Ledger, batch: Batch): Promise<void> {
  if ((await ledger.openAttempts()).length === 0) return;
  // The dialect of a removed account is not known, so the built-in one is taken.
  const account = (await accountOfBatch(batch)) ?? sandboxAccount(batch.vendor);
  // This module loads what sends requests, which a list does not need.
  const { Sessions } = await import('../sessions.ts');
  const dialect = await dialectOf(account);
  await new Sessions().closeLeftOpen({ ledger, clock: systemClock, dialect, account });
}

/** `not_done` ends the doubt for every batch; the other decisions are about this batch alone. */
export type PersonsDecision =
  | { readonly kind: 'retry'; readonly extraCredits: Credits | undefined }
  /** `answer` is what the vendor answered, as `key=value`. */
  | { readonly kind: 'told'; readonly answer: readonly string[] }
  | { readonly kind: 'skip' | 'not_done' };

export interface Decided {
  readonly doubts: readonly Doubt[];
  /** Whether no run goes on with the batch. */
  readonly isOver: boolean;
}

/** Which doubts of a batch a decision is about: one row's, those whose answers are like that of a row, or all. */
export type DoubtChoice = { readonly kind: 'row' | 'like'; readonly row: string } | { readonly kind: 'all' };

/** Notes the decision about these doubts of the batch. @param operator who decides; left out: the user of the system. */
export async function settleDoubts(
  { batch, location }: FoundBatch,
  choice: DoubtChoice,
  decision: PersonsDecision,
  operator?: string,
): Promise<Decided> {
  await requireTaken(location, batch.operation, batch.plannedRows !== undefined);
  const opening = { clock: systemClock, waitForLockMs: 0, mayCreate: false, operator };
  const ledger = await openLedger({ location, named: true }, { ...opening, command: `settle ${batch.id}` });
  try {
    await closeLeftOpen(ledger, batch);
    const doubts = await chosen(ledger, { batch, location }, choice);
    // The answer gets a date, by which a later batch may find it too old, so a wrong system clock must not set it.
    const nowMs = (await AccountTime.of(systemClock, ledger, batch.accountIdentity)).wallMs();
    refuseUnproven(batch, doubts, decision);
    if (decision.kind === 'told') {
      requireOne(doubts, choice);
      requireTellableOfAll(batch, doubts, decision.answer, await dialectFor(batch));
    }
    const over = await overOf(ledger, batch);
    if (decision.kind === 'retry' && over !== undefined) await refuseOver(ledger, batch, over, doubts);
    await decideOn(ledger, batch, doubts, decision, nowMs);
    return { doubts, isOver: over !== undefined };
  } finally {
    await ledger.close();
  }
}

/** @throws StopError `usage` where a change that counted as done would be sent again or left out. */
function refuseUnproven({ id }: Batch, doubts: readonly Doubt[], { kind }: PersonsDecision): void {
  const unproven = doubts.find(({ isUnproven }) => isUnproven);
  if (unproven === undefined || (kind !== 'retry' && kind !== 'skip')) return;
  const fact = `The change of row ${unproven.row} counted as done, so it is not sent again or left out.`;
  const settle = commandLine(['settle', id, String(unproven.row)]);
  throw stop(
    'usage',
    fact,
    `Look at the service, and say what is so: ${settle} with --answer or --not-done.`,
  );
}

async function chosen(
  ledger: LedgerReader,
  found: FoundBatch,
  choice: DoubtChoice,
): Promise<readonly Doubt[]> {
  if (choice.kind === 'like')
    return doubtsLike(ledger, found.batch, choice.row, await dialectFor(found.batch));
  return doubtsOf(ledger, found, choice.kind === 'row' ? choice.row : undefined);
}

/** @throws StopError `usage` where an answer is told for several calls that nobody has called alike. */
function requireOne({ length }: readonly Doubt[], { kind }: DoubtChoice): void {
  if (kind === 'like' || length === 1) return;
  const fact = `${length} calls are in doubt, but an answer belongs to one.`;
  throw stop('usage', fact, 'Name the row, or use --all-like ROW for those that were answered like one row.');
}

async function decideOn(
  ledger: Ledger,
  batch: Batch,
  doubts: readonly Doubt[],
  decision: PersonsDecision,
  nowMs: number,
): Promise<void> {
  const { kind } = decision;
  if (kind === 'told') return tell(ledger, batch, doubts, decision.answer, nowMs);
  if (kind === 'not_done') return releaseAll(ledger, batch, doubts, nowMs);
  if (kind === 'retry' && decision.extraCredits !== undefined)
    await ledger.changeBatch(batch.id, { extraCredits: decision.extraCredits });
  for (const doubt of doubts) {
    const spec = specOf(batch, doubt.key, kind, `${kind} asked for by the user`, nowMs);
    const said = { kind: 'skipped', why: skippedWords(doubt) } as const;
    const mayGoOn = kind === 'skip' && stepNames(batch.operation).length > 1;
    await ledger.decide(spec, mayGoOn ? { finishes: await rowsToldOf(ledger, doubt, said, batch.id) } : {});
  }
}

const TOLD_BY_PERSON = 'answered by the user';

async function tell(
  ledger: Ledger,
  batch: Batch,
  doubts: readonly Doubt[],
  pairs: readonly string[],
  nowMs: number,
): Promise<void> {
  // The vendor did not count what a person says was charged, so earlier counts of credits can no longer be compared.
  await ledger.changeAccount(batch.accountIdentity, { usage: undefined });
  const team = new Team(await ledger.subjects(batch.accountIdentity));
  for (const doubt of doubts) {
    const { reply, left, kind: toldAs } = await toldAnswer(batch, doubt, pairs, nowMs, doubt.reply);
    if (left !== undefined) requireTheirs(team, left);
    const told = { kind: toldAs, why: TOLD_BY_PERSON, body: reply.body };
    const finishes = await rowsToldOf(ledger, doubt, told);
    const spec = specOf(batch, doubt.key, 'told', TOLD_BY_PERSON, nowMs);
    await ledger.decide(spec, { told: reply, left, toldAs, finishes });
  }
}

/** Whatever a later list asks for by such an id would be done to the other person. @throws StopError `usage` that says who that is. */
function requireTheirs(team: Team, { email, inviteCode, userId }: SubjectFacts): void {
  const other = email === undefined ? undefined : team.otherThan(email, present({ inviteCode, userId }));
  if (other === undefined) return;
  const fact = `${other.what} is that of ${other.whose}, so it cannot be that of ${email}.`;
  throw stop('usage', fact, `Look up ${email} at the service, and settle the row with what it says.`);
}

/** Ends the doubts, because a person knows that nothing was done: any batch may send these calls again. */
async function releaseAll(
  ledger: Ledger,
  { id }: Batch,
  doubts: readonly Doubt[],
  atMs: number,
): Promise<void> {
  const why = 'a person checked, and said that it was not done';
  for (const { key, attempt: first } of doubts) {
    // A call that was sent again and lost again has several attempts in doubt, which are found one after the other.
    for (let attempt: AttemptId | undefined = first; attempt !== undefined; ) {
      const look = { attempt, kind: 'read_back', said: 'not_happened', why, atMs } as const;
      await ledger.look({ ...look, status: 0, body: Buffer.alloc(0) });
      await ledger.release(attempt, why, atMs, id);
      const [state] = await ledger.find([key]);
      attempt = state?.kind === 'in_doubt' ? state.doubt.attempt : undefined;
    }
  }
}

function specOf({ id }: Batch, key: CallKey, kind: DecisionKind, why: string, atMs: number): DecisionSpec {
  return { key, batch: id, kind, by: 'person', why, atMs };
}
