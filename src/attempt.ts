import { budgetReached, mayStillBeReleased } from './budget.ts';
import type { CallKey } from './call-key.ts';
import type { Clock } from './clock.ts';
import type { Dialect, DialectOperation } from './dialect.ts';
import { StopError, stop, unreachable } from './errors.ts';
import type { Listener } from './events.ts';
import { crashPoint } from './faults.ts';
import { judge, type NotSentCause, type Reply, type Verdict } from './judge.ts';
import {
  type AttemptId,
  type BatchId,
  type BudgetScope,
  credits,
  type DecisionId,
  type Ledger,
  type Money,
} from './ledger.ts';
import type { Limiter, Permit } from './limiter.ts';
import type { Call } from './operation.ts';
import { dialectOperationOf, type HttpRequest, type RequestValues, requestOf } from './request.ts';
import type { RowNumber } from './row.ts';
import type { Sending, Transport } from './transport.ts';

/**
 * ★ One call: slot → permit → intent → send → record → judge → close. This is the only file that can spend.
 *
 * What a crash leaves behind, step by step:
 * - before the intent's commit: nothing; nothing was sent.
 * - after it, before the reply is recorded: an open attempt; the next run takes the call for in doubt.
 * - after the reply is recorded, before the close: an open attempt with a reply; the next run judges that reply.
 * - after the close: a settled call, which no run sends again.
 */

/** Everything that spending on one account needs. One per run. */
export interface Spending {
  readonly accountIdentity: string;
  readonly dialect: Dialect;
  /** Path of the account's base address, without a slash at its end. */
  readonly basePath: string;
  readonly requestValues: RequestValues;
  readonly ledger: Ledger;
  readonly limiter: Limiter;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly batch: BatchId;
  readonly emit: Listener;
  readonly history: AccountHistory;
  /** Stops the admission of everything else; what is in flight is still recorded. */
  stopAll(error: StopError): void;
}

/** What the account ever answered, kept up to date during the run. */
export interface AccountHistory {
  answers: number;
  answersNot404: number;
}

export interface Wanted {
  readonly key: CallKey;
  readonly call: Call;
  readonly row: RowNumber;
  /** Allows a call in doubt to be sent again. */
  readonly decision?: DecisionId;
}

/** How it ended: the ledger holds an answer, or a doubt. `over_extra`: a retry that the extra credits do not cover. */
export type Bought = 'answered' | 'in_doubt' | 'over_extra';

/** This many first answers that are all 404 mean a wrong address rather than that many unknown companies. */
const FIRST_ANSWERS = 20;

/** Buys one call. @throws StopError when the run has to stop; the row then stays pending. */
export function buy(spending: Spending, wanted: Wanted): Promise<Bought> {
  const operation = dialectOperationOf(spending.dialect, wanted.call);
  const request = requestOf(spending.dialect, spending.basePath, wanted.call, spending.requestValues);
  return spending.limiter.slot(async () => {
    for (;;) {
      const ended = await attempt(spending, wanted, operation, request);
      if (ended !== 'again') return ended;
    }
  });
}

/** One try. A slot is held by the caller, so a permit never waits for one and then bursts. */
async function attempt(
  spending: Spending,
  wanted: Wanted,
  operation: DialectOperation,
  request: HttpRequest,
): Promise<Bought | 'again'> {
  const permit = await spending.limiter.permit();
  // Taken before the commit, so that a process that is stopped in the middle of it is late as well.
  const intentAt = { monotonicMs: spending.clock.monotonicMs(), wallMs: spending.clock.wallMs() };
  try {
    const admission = await admit(spending, wanted, operation);
    if (admission.kind === 'over_budget') {
      permit.done();
      return await overBudget(spending, admission.scope, admission.money);
    }
    const sent = await send(spending, request, permit, intentAt);
    const verdict = await conclude(spending, admission.attempt, sent.reply, operation);
    if (sent.reply.kind !== 'not_sent') spending.emit({ kind: 'closed' });
    return follow(spending, operation, verdict, sent);
  } catch (error) {
    // At once, and not when the row has failed: until then the next call would get this slot and still be sent.
    if (error instanceof StopError) spending.stopAll(error);
    throw error;
  } finally {
    permit.done();
  }
}

async function admit(spending: Spending, wanted: Wanted, operation: DialectOperation) {
  crashPoint('before-intent');
  const { ledger, accountIdentity, batch, clock } = spending;
  const admission = await ledger.admit({
    key: wanted.key,
    accountIdentity,
    call: wanted.call,
    batch,
    row: wanted.row,
    reserve: credits(operation.credits.most),
    atMs: clock.wallMs(),
    ...(wanted.decision === undefined ? {} : { decision: wanted.decision }),
  });
  crashPoint('after-intent');
  return admission;
}

interface Sent {
  readonly reply: Reply;
  /** Monotonic; when the request left, or when it was given up. */
  readonly sentAtMs: number;
}

async function send(
  { clock, transport, emit }: Spending,
  request: HttpRequest,
  permit: Permit,
  intentAt: Sending['intentAt'],
): Promise<Sent> {
  let sentAtMs = intentAt.monotonicMs;
  const onSent = (): void => {
    sentAtMs = clock.monotonicMs();
    permit.sent();
    emit({ kind: 'sent' });
  };
  const reply = await transport.send(request, { intentAt, onSent });
  return { reply, sentAtMs };
}

/** Record → judge → close. */
async function conclude(
  spending: Spending,
  attemptId: AttemptId,
  reply: Reply,
  operation: DialectOperation,
): Promise<Verdict> {
  crashPoint('before-record');
  if (reply.kind === 'answered') await spending.ledger.record(attemptId, reply.raw);
  crashPoint('after-record');
  return close(spending, attemptId, reply, operation);
}

/** Judge → close. `recover.ts` begins here with a reply that an earlier run recorded: it is recorded once. */
export async function close(
  { ledger, dialect, clock }: Pick<Spending, 'ledger' | 'dialect' | 'clock'>,
  attemptId: AttemptId,
  reply: Reply,
  operation: DialectOperation,
): Promise<Verdict> {
  const verdict = judge(reply, dialect, operation);
  crashPoint('after-judge');
  await ledger.closeAttempt(attemptId, verdict.closure, clock.wallMs());
  crashPoint('after-close');
  return verdict;
}

/** What a verdict means for the account and for this call. */
function follow(
  spending: Spending,
  operation: DialectOperation,
  verdict: Verdict,
  { reply, sentAtMs }: Sent,
): Bought | 'again' {
  const { limiter, emit } = spending;
  switch (verdict.kind) {
    case 'settle': {
      limiter.settled();
      const { answer, charged } = verdict.closure;
      emit({ kind: 'answered', found: answer === 'found', credits: charged });
      refuseOnlyMisses(spending.history, reply);
      if (charged > operation.credits.most) spending.stopAll(dearer(charged, operation.credits.most));
      return 'answered';
    }
    case 'doubt':
      emit({ kind: 'in_doubt', credits: operation.credits.most });
      if (limiter.doubted(sentAtMs, doubtWords(verdict.closure.why)) === ODD_ANSWERS)
        noteOddAnswers(spending, verdict.closure.why);
      return 'in_doubt';
    case 'pause':
      limiter.pause(verdict.pauseMs, sentAtMs, `the vendor asked to wait (${verdict.closure.why})`);
      return 'again';
    case 'again':
      if (reply.kind === 'not_sent') refuseWrongAddress(spending, reply.cause, reply.message);
      limiter.backOff(sentAtMs, verdict.closure.why);
      return 'again';
    case 'stop':
      throw new StopError(verdict.stop);
    default:
      return unreachable(verdict);
  }
}

/** Waits for an open attempt to release what it reserved; when there is none, the budget is reached. */
async function overBudget(
  spending: Spending,
  scope: BudgetScope,
  money: Money,
): Promise<'again' | 'over_extra'> {
  if (scope === 'extra') return 'over_extra';
  if (!mayStillBeReleased(money)) throw budgetReached(scope, money);
  await spending.limiter.oneDone();
  return 'again';
}

/** A name that does not exist will not exist in a minute either, unless the account has worked before. */
function refuseWrongAddress(spending: Spending, cause: NotSentCause, message: string): void {
  if (spending.history.answers > 0) return;
  if (cause === 'unresolved') {
    throw stop(
      'address',
      `The account's address does not resolve: ${message}.`,
      "Correct the account's base_url.",
    );
  }
  if (cause === 'certificate') {
    throw stop(
      'address',
      `The vendor's certificate is not accepted: ${message}.`,
      "Correct the account's base_url, or install the certificate's authority on this machine.",
    );
  }
}

/**
 * A wrong path answers 404 to everything, which reads like "no match". When the first answers of an account are 404
 * without exception the run stops, and the next one begins by taking those answers back (`recover.ts`).
 */
function refuseOnlyMisses(history: AccountHistory, reply: Reply): void {
  if (reply.kind !== 'answered') return;
  history.answers += 1;
  if (reply.raw.status !== 404) history.answersNot404 += 1;
  if (!onlyMisses(history)) return;
  throw stop(
    'address',
    `The first ${history.answers} answers of this account were all status 404.`,
    "Check the account's base_url; what was asked so far will be asked again.",
  );
}

/** No answer but 404, and too many of them for chance. */
export function onlyMisses(history: AccountHistory): boolean {
  return history.answers >= FIRST_ANSWERS && history.answersNot404 === 0;
}

function dearer(charged: number, most: number): StopError {
  return stop(
    'dearer',
    `An answer cost ${charged} credits, and the dialect says ${most} at most.`,
    'Correct the credits of this operation in the dialect, then type the same command again.',
  );
}

/** So many lost answers of a kind are quoted, with what would make them an answer. */
const ODD_ANSWERS = 5;

function doubtWords(why: string): string {
  return `answers get lost (${why}), so one request at a time is tried`;
}

function noteOddAnswers(spending: Spending, why: string): void {
  spending.emit({
    kind: 'note',
    message: `${ODD_ANSWERS} answers in a row could not be used; the last: ${why}. If the vendor means "no match" by it, the dialect's \`answers\` needs a rule with \`means: no_match\` for it.`,
  });
}
