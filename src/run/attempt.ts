import type { CallKey } from '../core/call-key.ts';
import { StopError, unreachable } from '../core/errors.ts';
import type { Listener } from '../core/events.ts';
import { crashPoint } from '../core/faults.ts';
import type { Call } from '../core/operation.ts';
import type { RowNumber } from '../core/row.ts';
import type { BelievedTime, Moment } from '../ledger/believed-time.ts';
import {
  type Admission,
  type AttemptId,
  type BatchId,
  type BudgetScope,
  type Credits,
  credits,
  type DecisionId,
  type KeyedRequest,
  type Ledger,
  type Money,
  type RawReply,
} from '../ledger/ledger.ts';
import { leftBy } from '../vendor/changes.ts';
import type { Dialect, DialectOperation } from '../vendor/dialect.ts';
import { vendorReply } from '../vendor/envelope.ts';
import { isStillHonoured, keyedRequest, newIdempotencyKey } from '../vendor/idempotency.ts';
import { judge, type Reply, type Verdict } from '../vendor/judge.ts';
import type { Limiter, Permit, Waiter } from '../vendor/limits/limiter.ts';
import { type AccountHistory, missesStop, placeOf, suspectMisses, suspicionOf } from '../vendor/misses.ts';
import { rateHintsIn } from '../vendor/rate-hints.ts';
import { dialectMark } from '../vendor/readings.ts';
import { operationFor } from '../vendor/repetition.ts';
import { type HttpRequest, type RequestValues, requestOf } from '../vendor/request.ts';
import type { Sending, Transport } from '../vendor/transport.ts';
import { MOST_MOVES, movedTooOften, refuseWrongAddress } from './attempt/address.ts';
import { heedAnswer } from './attempt/heed-answer.ts';
import { ODD_ANSWERS, oddAnswers } from './attempt/odd-answers.ts';
import { dearer, priced, untilPriced } from './attempt/price.ts';
import { ProjectAccess } from './attempt/project-access.ts';
import { budgetReached, mayStillBeReleased } from './budget.ts';

/**
 * ★ One call: slot → permit → intent → send → record → judge → close. This is the only file that can spend.
 *
 * What a crash leaves behind, step by step:
 * - before the intent's commit: nothing; nothing was sent.
 * - after it, before the reply is recorded: an open attempt; the next run takes the call for in doubt.
 * - after the reply is recorded, before the close: an open attempt with a reply; the next run judges that reply.
 * - after the close: a settled call, which no run sends again.
 */

export { operationFor, type Repetition } from '../vendor/repetition.ts';
export { ODD_MATCHES, oddMatches } from './attempt/heed-answer.ts';
export { keepReading } from './attempt/kept-reading.ts';
export { ProjectAccess };

/** Everything that spending on one account needs. One per run. */
export interface Spending {
  readonly accountIdentity: string;
  readonly dialect: Dialect;
  readonly origin: string;
  /** Path of the account's base address, without a slash at its end. */
  readonly basePath: string;
  readonly requestValues: RequestValues;
  readonly ledger: Ledger;
  readonly limiter: Limiter;
  /** How long this batch waits for a permit, and what ends the wait. */
  readonly waiter: Waiter;
  readonly transport: Transport;
  /** How long a whole exchange may take. */
  readonly timeoutMs: number;
  readonly clock: BelievedTime;
  readonly batch: BatchId;
  readonly emit: Listener;
  readonly history: AccountHistory;
  /** What the account is known to charge for; shared by its runs. */
  readonly priced: Set<string>;
  readonly projects: ProjectAccess;
  /** Whether the account's key is used by nobody else, so that the vendor's count of credits is a count of ours. */
  readonly exclusiveKey: boolean;
  /** Doubts that this run has asked the vendor about: once is enough. */
  readonly looked: Set<AttemptId>;
  /** Doubts that are held because no answer has told the time yet: they are looked at again once one has. */
  readonly untimed: Set<AttemptId>;
  /** Stops the admission of everything else; what is in flight is still recorded. */
  stopAll(error: StopError): void;
}

export interface Wanted {
  readonly key: CallKey;
  readonly call: Call;
  readonly row: RowNumber;
  /** Allows a call in doubt to be sent again. */
  readonly decision?: DecisionId;
  /** The lost request, when it is sent again to the byte under its idempotency key. */
  readonly request?: KeyedRequest;
  /** When the first request under that key was sent. */
  readonly firstSent?: Moment;
  /** A repeat that is harmless by itself. The database knows one under a key only as the lost request to the byte. */
  readonly withoutKey?: true;
  /** The answer that is too old and is bought anew. */
  readonly replaces?: AttemptId;
}

/** A change that was not sent, because its subject is not as it was planned. */
export type Withheld = Extract<Admission, { readonly kind: 'moved' | 'subject_in_doubt' }>;

/** How it ended: the ledger holds an answer, or a doubt. `over_extra`: a retry that the extra credits do not cover. */
export type Bought = 'answered' | 'in_doubt' | 'over_extra' | Withheld;

/** What comes after an attempt: nothing more, the same again, or the same at another path. */
type Next = Bought | 'again' | { readonly movedTo: string };

/** Buys one call. @throws StopError when the run has to stop; the row then stays pending. */
export async function buy(spending: Spending, wanted: Wanted): Promise<Bought> {
  const leave = await untilPriced(spending, wanted.call);
  try {
    return await buyInTurn(spending, wanted);
  } finally {
    leave();
  }
}

function buyInTurn(spending: Spending, wanted: Wanted): Promise<Bought> {
  const operation = operationFor(spending.dialect, wanted.call, {
    isRepeated: wanted.decision !== undefined,
    underKey: wanted.request !== undefined,
  });
  return spending.limiter.slot(spending.waiter, async () => {
    const moves: string[] = [];
    for (;;) {
      const next = await attempt(spending, wanted, operation, moves.at(-1));
      if (typeof next === 'object' && 'movedTo' in next) moves.push(next.movedTo);
      else if (next !== 'again') return next;
      if (moves.length > MOST_MOVES) throw stopped(spending, movedTooOften(moves));
    }
  });
}

/** One try. A slot is held by the caller, so a permit never waits for one and then bursts. */
async function attempt(
  spending: Spending,
  wanted: Wanted,
  operation: DialectOperation,
  movedTo: string | undefined,
): Promise<Next> {
  await spending.transport.untilQuiet();
  const permit = await spending.limiter.permit(spending.waiter);
  // Taken before the commit, so that a process that is stopped in the middle of it is late as well.
  const intentAt = spending.clock.sendingAt();
  try {
    const outgoing = outgoingFor(spending, wanted, movedTo);
    if (outgoing === 'expired') return 'in_doubt';
    const admission = await admit(spending, wanted, operation, outgoing.keyed);
    if (admission.kind === 'over_budget') {
      permit.done();
      return await overBudget(spending, admission.scope, admission.money);
    }
    if (admission.kind !== 'admitted') return admission;
    const sent = await send(spending, outgoing.request, permit, intentAt);
    const tried = { attempt: admission.attempt, call: wanted.call };
    const verdict = await conclude(spending, tried, sent.reply, operation, outgoing.request.path);
    if (sent.reply.kind !== 'not_sent') spending.emit({ kind: 'closed' });
    heedClocks(spending);
    const paid = { ...sent, reserved: admission.reserved };
    return await follow(spending, wanted, operation, verdict, paid);
  } catch (error) {
    throw stopped(spending, error);
  } finally {
    permit.done();
  }
}

/** Says what became known about the clocks. Two that contradict each other stop the run; what is answered is kept. */
function heedClocks({ clock, emit, stopAll }: Spending): void {
  for (const message of clock.takeNews()) emit({ kind: 'note', message });
  if (clock.apart !== undefined) stopAll(clock.apart);
}

/** At once, and not when the row has failed: until then the next call would get this slot and still be sent. */
function stopped(spending: Spending, error: unknown): unknown {
  if (error instanceof StopError) spending.stopAll(error);
  return error;
}

interface Outgoing {
  readonly request: HttpRequest;
  /** What the intent keeps of it, when it leaves under an idempotency key. */
  readonly keyed: KeyedRequest | undefined;
}

/**
 * The request, under a key of its own for each attempt where the vendor honours such keys; or the lost one to the byte.
 * `expired`: the permit took so long that the vendor may have forgotten the lost one's key by now.
 */
function outgoingFor(
  { dialect, basePath, requestValues, clock }: Spending,
  { call, request: lost, firstSent, withoutKey }: Wanted,
  movedTo: string | undefined,
): Outgoing | 'expired' {
  if (firstSent !== undefined && !isStillHonoured(dialect, clock.since(firstSent).greatestMs))
    return 'expired';
  const key = lost?.idempotencyKey ?? (withoutKey ? undefined : newIdempotencyKey(dialect));
  const values = key === undefined ? requestValues : { ...requestValues, idempotency_key: key };
  const request = requestOf(dialect, basePath, call, values, movedTo);
  if (lost !== undefined) {
    const { method, path, body } = lost;
    return { request: { ...request, method, path, body }, keyed: lost };
  }
  return { request, keyed: key === undefined ? undefined : keyedRequest(key, request, clock.wallMs()) };
}

async function admit(
  spending: Spending,
  wanted: Wanted,
  operation: DialectOperation,
  keyed: KeyedRequest | undefined,
) {
  crashPoint('before-intent');
  const { ledger, accountIdentity, batch, clock } = spending;
  const admission = await ledger.admit({
    key: wanted.key,
    accountIdentity,
    call: wanted.call,
    batch,
    row: wanted.row,
    reserve: reserveOf(wanted, operation),
    ...clock.dated(),
    ...(wanted.decision === undefined ? {} : { decision: wanted.decision }),
    ...(wanted.replaces === undefined ? {} : { replaces: wanted.replaces }),
    ...(keyed === undefined ? {} : { request: keyed }),
  });
  crashPoint('after-intent');
  return admission;
}

/** A lost request that is sent again is charged once at most, and the lost attempt still holds the money for that. */
function reserveOf(wanted: Wanted, { credits: { most } }: DialectOperation): Credits {
  return credits(wanted.request === undefined ? most : 0);
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
  const reply = clock.heard(await transport.send(request, { intentAt, onSent }));
  if (reply.kind === 'answered') permit.answered();
  return { reply, sentAtMs };
}

/** Record → judge → close. */
async function conclude(
  spending: Spending,
  tried: Tried,
  reply: Reply,
  operation: DialectOperation,
  path: string,
): Promise<Verdict> {
  crashPoint('before-record');
  if (reply.kind === 'answered') await spending.ledger.record(tried.attempt, reply.raw);
  crashPoint('after-record');
  return close(spending, tried, reply, operation, path);
}

/** An attempt that is to be closed. */
interface Tried {
  readonly attempt: AttemptId;
  readonly call: Call;
}

type Closing = Pick<Spending, 'ledger' | 'dialect' | 'origin' | 'clock' | 'projects'>;

/** Judge → close. `recover.ts` begins here with a reply that an earlier run recorded: it is recorded once. */
export async function close(
  { ledger, dialect, origin, clock, projects }: Closing,
  { attempt, call }: Tried,
  reply: Reply,
  operation: DialectOperation,
  path: string,
): Promise<Verdict> {
  const verdict = projects.hear(call, judge(reply, dialect, operation, { origin, path }));
  crashPoint('after-judge');
  const isSettled = reply.kind === 'answered' && verdict.kind === 'settle';
  const left = isSettled ? leftBy(call, verdict.closure.answer, reply.raw, dialect) : undefined;
  const closure = isSettled ? { ...verdict.closure, dialect: dialectMark(dialect) } : verdict.closure;
  await ledger.closeAttempt(attempt, priced(closure, dialect), clock.wallMs(), left);
  crashPoint('after-close');
  return verdict;
}

/** What was sent, with the money that was put by for it. */
interface Paid extends Sent {
  readonly reserved: Credits;
}

/** What a verdict means for the account and for this call. */
function follow(
  spending: Spending,
  wanted: Wanted,
  operation: DialectOperation,
  verdict: Verdict,
  { reply, sentAtMs, reserved }: Paid,
): Next | Promise<Next> {
  const { limiter, emit } = spending;
  if (reply.kind === 'answered') hear(spending, reply.raw, sentAtMs);
  switch (verdict.kind) {
    case 'settle': {
      limiter.settled();
      const { answer, charged } = verdict.closure;
      emit({ kind: 'answered', found: answer === 'found', credits: charged });
      // A repeat under a key reserves nothing: what the lost request holds is at least the price of the dialect.
      const most = Math.max(operation.credits.most, reserved);
      if (charged > most) spending.stopAll(dearer(charged, most));
      if (reply.kind !== 'answered') return 'answered';
      heedAnswer(spending, wanted.call, reply.raw, answer === 'found', operation);
      return refuseMisses(spending, wanted.call, operation);
    }
    case 'doubt':
      emit({ kind: 'in_doubt', credits: reserved });
      if (limiter.doubted(sentAtMs, doubtWords(verdict.closure.why)) === ODD_ANSWERS)
        emit({ kind: 'note', message: oddAnswers(spending.dialect, reply, verdict.closure.why) });
      return 'in_doubt';
    case 'pause':
      limiter.pause(verdict.pauseMs, sentAtMs, `the vendor asked to wait (${verdict.closure.why})`);
      return 'again';
    case 'again':
      if (reply.kind === 'not_sent') refuseWrongAddress(spending.history, reply.cause, reply.message);
      limiter.backOff(sentAtMs, verdict.closure.why);
      return 'again';
    case 'moved':
      return { movedTo: verdict.path };
    case 'stop':
      throw new StopError(verdict.stop);
    default:
      return unreachable(verdict);
  }
}

/**
 * Stops the run at misses that look like a wrong address. What else would leave is stopped first, and then the ledger
 * keeps where they were asked; a crash in between leaves a series that the next run asks about all the same.
 */
async function refuseMisses(
  spending: Spending,
  { change }: Call,
  operation: DialectOperation,
): Promise<Bought> {
  const { history, ledger, accountIdentity, origin, basePath } = spending;
  const suspicion = suspicionOf(history);
  if (suspicion === undefined) return 'answered';
  const stopped = missesStop(suspectMisses(history, suspicion), change !== undefined);
  spending.stopAll(stopped);
  await ledger.markMisses(accountIdentity, { place: placeOf(origin, basePath, operation), kept: false });
  throw stopped;
}

/** What an answer says about how fast its account may be asked. A service that the vendor is behind has limits of its own. */
export function hear({ limiter, dialect }: Spending, raw: RawReply, sentAtMs: number): void {
  const own = vendorReply(raw, dialect);
  const hints = own === undefined ? rateHintsIn(raw, undefined) : rateHintsIn(own, dialect.rate_hints);
  limiter.hear(hints, sentAtMs);
}

/** Waits for an open attempt to release what it reserved; when there is none, the budget is reached. */
async function overBudget(
  spending: Spending,
  scope: BudgetScope,
  money: Money,
): Promise<'again' | 'over_extra'> {
  if (scope === 'extra') return 'over_extra';
  if (!mayStillBeReleased(money)) throw budgetReached(scope, money);
  await spending.limiter.oneDone(spending.waiter);
  return 'again';
}

function doubtWords(why: string): string {
  return `answers get lost (${why}), so one request at a time is tried`;
}
