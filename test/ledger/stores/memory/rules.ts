import { isDeepStrictEqual } from 'node:util';
import { invariant } from '../../../../src/core/errors.ts';
import type {
  Admission,
  AnswerRecord,
  Batch,
  BatchId,
  BudgetScope,
  Credits,
  Decision,
  Intent,
  Money,
  ReadAs,
  TimeMark,
} from '../../../../src/ledger/ledger.ts';
import {
  answerOf,
  holds,
  isUnanswered,
  type KeptAttempt,
  type KeptBatch,
  type KeptBoot,
  type KeptCall,
  type KeptDecision,
  lostRefreshes,
  type MemoryBook,
  usesDecision,
} from './book.ts';

/** Which attempts are never admitted, and which do not fit into a budget. */

interface Asked {
  readonly batch: Batch;
  readonly call: KeptCall;
  readonly intent: Intent;
  /** In which it is made; undefined: unknown. */
  readonly boot: KeptBoot | undefined;
  /** What the intent names as its permission. */
  readonly decided: KeptDecision | undefined;
}

/** What has become of the call that the intent does not know. */
export function movedOn(
  { attempts }: MemoryBook,
  call: KeptCall,
  { replaces }: Intent,
): Admission | undefined {
  const open = attempts.find((attempt) => attempt.call === call && attempt.closure === undefined);
  if (open !== undefined) return { kind: 'in_flight', attempt: open.id };
  const { answer } = call;
  return answer && answer.id !== replaces ? { kind: 'answered', attempt: answer.id } : undefined;
}

/** @throws Error, because whoever asks for one of them has a bug. */
export function refuseAttempt(book: MemoryBook, asked: Asked): void {
  const { batch, call } = asked;
  const admits = batch.state === 'open' || batch.state === 'finished';
  invariant(admits, `batch ${batch.id} is ${batch.state} and admits nothing`);
  invariant(
    batch.accountIdentity === call.accountIdentity,
    'the call and the batch are of different accounts',
  );
  const { change } = asked.intent.call;
  const same = isDeepStrictEqual(change?.subject, call.subject?.subject);
  invariant(same, 'the call is a change of another subject');
  refuseTime(book, asked);
  refuseReplacing(book, asked);
  refuseUndecided(book, asked);
  refuseRequest(book, asked);
}

/** What two clocks may differ, and what a confirmed time may move before it is written. */
const APART_MS = 302_000;

/** An intent is dated by what answers confirmed of the time: the day that it is dated to pays for it. */
function refuseTime(book: MemoryBook, { batch, boot, call, intent }: Asked): void {
  const { atMs, uptimeMs = 0, replaces } = intent;
  const confirmedMs = book.confirmedTime() ?? atMs;
  invariant(atMs >= confirmedMs, 'an intent is not dated before what was confirmed');
  if (boot?.confirmed !== undefined) {
    const laterMs = atMs - (boot.confirmed.atMs + uptimeMs - boot.confirmed.uptimeMs);
    invariant(laterMs >= 0 && laterMs <= APART_MS, 'an intent is dated by the confirmed time');
  }
  const dated = boot && boot.confirmed === undefined ? book.newestDate(boot) : undefined;
  const earlierMs = dated === undefined ? 0 : dated.atMs + uptimeMs - dated.uptimeMs - atMs;
  invariant(earlierMs <= APART_MS, 'a day that was spent is not left for an earlier one');
  const goesByAge = replaces !== undefined && !isUnanswered(book, call);
  const isAhead = goesByAge && batch.createdAtMs - atMs > APART_MS;
  invariant(!isAhead, 'a batch that began in the future buys nothing anew');
}

/** @throws Error for a confirmed time that would go back. */
export function refuseTurnedBack(before: TimeMark | undefined, mark: TimeMark): void {
  if (before === undefined) return;
  const forward = mark.atMs - mark.uptimeMs >= before.atMs - before.uptimeMs && mark.atMs >= before.atMs;
  invariant(forward, 'a confirmed time never goes back');
}

/** @throws Error for a sandbox that would tell the time where money is spent. */
export function refuseSandbox({ batches }: MemoryBook, accountIdentity: string): void {
  const real = batches.filter(({ batch }) => !batch.sandbox);
  const isOne = real.some(({ batch }) => batch.accountIdentity === accountIdentity);
  invariant(real.length === 0 || isOne, 'a sandbox tells no time where money is spent');
}

/** @throws Error for a first batch that costs money while a time holds that a sandbox told. */
export function refuseTimeOfSandbox(book: MemoryBook, { sandbox }: Pick<Batch, 'sandbox'>): void {
  const holds = !sandbox && book.isPlay() && book.confirmedTime() !== undefined;
  invariant(!holds, 'a time that a sandbox told is refuted before money is spent');
}

function refuseReplacing(book: MemoryBook, { batch, call, intent }: Asked): void {
  const named = call.answer?.id === intent.replaces;
  invariant(named, 'the call is already answered, or there is nothing to replace');
  const answer = call.answer && answerOf(book, call.answer);
  if (answer === undefined || isUnanswered(book, call)) return;
  invariant(mayReplace(book, batch, answer), 'an answer that is fresh enough is not bought anew');
}

/** Bought by another batch, too old for this one, and not tried since. */
function mayReplace(book: MemoryBook, { freshSince, id }: Batch, answer: AnswerRecord<ReadAs>): boolean {
  const cutOffMs = answer.kind === 'found' ? freshSince?.foundMs : freshSince?.noMatchMs;
  if (cutOffMs === undefined || answer.batch === id || answer.answeredAtMs >= cutOffMs) return false;
  return !lostRefreshes(book, answer.attempt).some(({ intent }) => intent.atMs >= cutOffMs);
}

function refuseUndecided(book: MemoryBook, { call, intent, decided }: Asked): void {
  invariant(
    (call.doubt === undefined) === (intent.decision === undefined),
    'a call in doubt needs a decision, and no other call has one',
  );
  if (call.doubt === undefined) return;
  const decision = decided?.doubt === call.doubt ? decided.decision : undefined;
  const allows = decision?.batch === intent.batch && ['repeat', 'retry'].includes(decision.kind);
  invariant(allows, 'nobody decided to send it again');
  const used = book.attempts.some((attempt) => attempt.decision === decision && usesDecision(attempt));
  invariant(!used, 'the decision is used up');
}

/** To a vendor that honours an idempotency key, all requests under it are one. So they must be one. */
function refuseRequest(book: MemoryBook, { call, intent, decided }: Asked): void {
  const { request, reserve } = intent;
  if (request === undefined) return;
  for (const earlier of book.attempts) {
    const kept = earlier.intent.request;
    if (kept?.idempotencyKey !== request.idempotencyKey) continue;
    const same = earlier.call === call && isDeepStrictEqual(kept, request);
    invariant(same, 'an idempotency key stands for one request of one call');
    invariant(!holds(earlier) || reserve === 0, 'a lost request that is repeated reserves nothing');
  }
  if (decided?.decision.kind !== 'repeat') return;
  const lost = call.doubt?.intent.request?.idempotencyKey;
  invariant(lost === request.idempotencyKey, 'a repeat under a key is the lost request itself');
}

/** Finds the attempts of a batch that sent a call in doubt again. */
export function isRetryOf(batch: BatchId): (attempt: KeptAttempt) => boolean {
  return ({ intent, decision }) => intent.batch === batch && decision?.kind === 'retry';
}

/** The first budget that the intent does not fit into. */
export function overBudget(
  book: MemoryBook,
  kept: KeptBatch,
  intent: Intent,
  decision: Decision | undefined,
): Admission | undefined {
  const { batch, accountIdentity, atMs, leastMs } = intent;
  const caps = book.accounts.get(accountIdentity)?.caps;
  // What no cap is held against is not added up: that would go through all attempts for each new one.
  const scopes: [BudgetScope, Credits | undefined, () => Money][] = [
    ['batch', kept.budget, () => book.money(kept.budget, (other) => other.intent.batch === batch)],
    ['day', caps?.perDay, () => book.periodMoney(accountIdentity, 'day', atMs, leastMs)],
    ['month', caps?.perMonth, () => book.periodMoney(accountIdentity, 'month', atMs, leastMs)],
  ];
  if (decision?.kind === 'retry') {
    scopes.push(['extra', kept.extraCredits, () => book.money(kept.extraCredits, isRetryOf(batch))]);
  }
  for (const [scope, cap, sum] of scopes) {
    if (cap === undefined) continue;
    const money = sum();
    const { spent, reserved, inDoubt } = money;
    if (spent + reserved + inDoubt + intent.reserve > cap)
      return { kind: reserved > 0 ? 'wait' : 'over_budget', scope, money };
  }
  return undefined;
}
