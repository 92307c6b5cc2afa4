import type { Turn } from '../client/client.ts';
import { type DialectOperation, dialectMark, operationFor } from '../client/dialect.ts';
import { judge, leftBy, type Verdict } from '../client/judge.ts';
import { type HttpRequest, requestOf } from '../client/request.ts';
import type { CallKey } from '../core/call-key.ts';
import { isoTime } from '../core/clock.ts';
import { type StopCode, StopError, stop } from '../core/errors.ts';
import { present } from '../core/objects.ts';
import type { Call } from '../core/operation.ts';
import type { RowNumber } from '../core/row.ts';
import {
  type Admission,
  type Admitted,
  type AttemptId,
  admit,
  type Credits,
  closeAttempt,
  credits,
  type DecisionId,
  type KeyedRequest,
  recordReply,
} from '../ledger/ledger.ts';
import { crashPoint } from '../lib/faults.ts';
import { APART_MS, type Moment } from '../time/believed-time.ts';
import { MOST_MOVES, movedTooOften } from './attempt/address.ts';
import { apply, stopNow } from './attempt/apply.ts';
import { isPriced, priced, untilPriced } from './attempt/price.ts';
import type { Bought, Closing, Next, Replied, RunReply } from './attempt/replied.ts';
import { overBudget } from './budget.ts';
import { isStillHonoured, keyedRequest, newIdempotencyKey } from './idempotency.ts';
import type { Run, Session } from './session.ts';
import type { AskedCall } from './too-fast.ts';

/**
 * ★ This file makes one call: slot → permit → intent → send → record → judge → consequences for the account → close. No other
 * file can spend. The slot is handed over as soon as an answer is there, so that the next intent shares the commit that keeps it,
 * and the row goes on once the attempt is closed.
 *
 * What a crash leaves behind, step by step:
 * - before the intent's commit: nothing, because nothing was sent.
 * - after the intent's commit, before the reply is recorded: an open attempt; the next run treats the call as in doubt. One commit
 *   records the reply of a slot and the next intent of it, so no more calls are in doubt than there are slots.
 * - after the reply is recorded, before the close: an open attempt with a reply; the next run judges that reply.
 * - after the close: an answered call, which no run sends again.
 *
 * The steps after `record` look at one reply and wait for no other. So the replies that one commit has recorded are all judged and
 * applied before a request leaves whose intent stands in the same commit, and where they forbid that, it is closed as not sent.
 */

export { keepReading } from './attempt/kept-reading.ts';
export { acceptOdd, type OddDoubt, oddDoubts, type RuleReads, ruleReads } from './attempt/odd-answers.ts';
export { MOST_ODD_MATCHES, oddMatches } from './attempt/odd-matches.ts';
export type { Bought, Closing, Withheld } from './attempt/replied.ts';

export interface Wanted {
  readonly key: CallKey;
  readonly call: Call;
  readonly row: RowNumber;
  /** The decision that allows a call in doubt to be sent again. */
  readonly decision?: DecisionId;
  /** The lost request, when exactly its bytes are sent again under its idempotency key. */
  readonly request?: KeyedRequest;
  /** When the first request under that key was sent. */
  readonly firstSent?: Moment;
  /** A repeat without a key that is harmless by itself. Under a key, the database accepts only the lost request's bytes. */
  readonly withoutKey?: true;
  /** The answer that is bought anew because it is too old. */
  readonly replaces?: AttemptId;
  /** The ledger was last asked about the call some time ago, so it may know more by now: then nothing is bought. */
  readonly ifUnknown?: true;
}

/** A call that is being asked, until it is bought or left. */
interface Asking {
  readonly wanted: Wanted;
  readonly operation: DialectOperation;
  readonly asked: AskedCall;
  /** The paths to which the vendor has moved it, in their order. */
  readonly moves: string[];
}

/** How an attempt ended. */
interface Attempted {
  readonly next: Next;
  /**
   * Its closure, which is being written by then; absent where nothing was sent. It resolves to what kept it from the disk,
   * because a rejection would be heard later than Node expects.
   */
  readonly closed?: Promise<unknown> | undefined;
}

/**
 * Buys one call: alone while no answer has shown the price, and each attempt in a slot. A call that has to be asked again waits
 * behind the others.
 * @throws StopError when the run has to stop; the row then stays pending.
 */
export async function buy(run: Run, wanted: Wanted): Promise<Bought> {
  const { client, tooFast } = run.session;
  const operation = operationFor(client.dialect, wanted.call, {
    isRepeated: wanted.decision !== undefined,
    underKey: wanted.request !== undefined,
  });
  const asking: Asking = { wanted, operation, asked: tooFast.begin(), moves: [] };
  try {
    for (;;) {
      const release = isPriced(run, wanted.call) ? undefined : await untilPriced(run, wanted.call);
      try {
        const { next, closed } = await client.limiter.slot(run.waiter, (leave) =>
          attempt(run, asking, leave),
        );
        // The row waits for the closure, and the slot does not: what was bought is known by the reply.
        const failure = await closed;
        if (failure !== undefined) throw failure;
        if (next instanceof StopError) throw next;
        if (typeof next === 'object' && 'movedTo' in next) followMove(run, asking, next.movedTo);
        else if (next !== 'again') return next;
      } finally {
        release?.();
      }
    }
  } finally {
    asking.asked.end();
  }
}

function followMove(run: Run, { moves }: Asking, movedTo: string): void {
  moves.push(movedTo);
  if (moves.length > MOST_MOVES) throw stopNow(run, movedTooOften(moves));
}

/**
 * One attempt to buy the call, from its permit to the consequences of its reply.
 * @param leave hands its slot over before that.
 */
async function attempt(run: Run, asking: Asking, leave: () => void): Promise<Attempted> {
  const { wanted, operation, asked, moves } = asking;
  const { client } = run.session;
  const turn = await client.turn(run.waiter);
  try {
    const outgoing = outgoingFor(run.session, wanted, moves.at(-1));
    if (outgoing === 'expired') return { next: 'in_doubt' };
    const { request, keyed } = outgoing;
    const admitted = await admission(run, asking, keyed);
    if (admitted.kind !== 'admitted') return { next: await notAdmitted(run, asking, turn, admitted) };
    await client.limiter.applied();
    if (isForbidden(run) || !turn.holds) return await takeBack(run, admitted);
    const sent = await turn.send(admitted, request, () => run.emit({ kind: 'sent' }));
    const replied: RunReply = {
      attempt: admitted.attempt,
      call: wanted.call,
      operation,
      path: request.path,
      reply: sent.reply,
      sentAtMs: sent.sentAtMs,
      asked,
      reserved: admitted.reserved,
      isRepeat: wanted.decision !== undefined,
    };
    if (handsOver(replied)) leave();
    return await concluded(run, replied);
  } catch (error) {
    throw stopNow(run, error);
  } finally {
    turn.end();
  }
}

/** Takes what came of an attempt to its end: record → judge → close → consequences for the account. */
async function concluded(run: Run, replied: RunReply): Promise<Attempted> {
  // Who took the attempt for lost has told its call so. The reply is read when the call is looked at again.
  if ((await record(run, replied)) === 'late') return { next: 'known' };
  const verdict = judged(run, replied);
  const closed = close(run, replied, verdict);
  return { next: await apply(run, replied, verdict), closed };
}

/**
 * Whether the next call may use the slot although the reply is not on the disk yet: its intent gets into the commit that keeps the
 * reply, or into a later one. A repeat and a change are judged first, because more hangs on them than their own money. Calls that wait
 * for a first price, and those after which one request at a time is asked, wait for that and not for a slot.
 */
function handsOver({ reply, call, isRepeat }: RunReply): boolean {
  return reply.kind === 'answered' && call.change === undefined && !isRepeat;
}

/** The stops for what ran out: they say nothing about a request that has its permit and its credits. */
const RAN_OUT: ReadonlySet<StopCode> = new Set(['paused', 'budget', 'account_budget']);

/** Whether the run was stopped for a reason that concerns what is admitted already. */
function isForbidden({ waiter: { signal } }: Run): boolean {
  return signal.aborted && !(signal.reason instanceof StopError && RAN_OUT.has(signal.reason.code));
}

/** Closes the attempt as not sent: since its permit was given, another answer of the account, or a stop, has forbidden to send. */
async function takeBack({ session, waiter }: Run, { attempt }: Admitted): Promise<Attempted> {
  const why = 'before it left, the run was stopped or the account had to wait';
  await closeAttempt(session.ledger, attempt, { kind: 'not_sent', why }, session.clock.wallMs());
  waiter.signal.throwIfAborted();
  return { next: 'again' };
}

interface Outgoing {
  readonly request: HttpRequest;
  /** The request as the intent keeps it, when it is sent under an idempotency key. */
  readonly keyed: KeyedRequest | undefined;
}

/**
 * The request to send. Each attempt has a new idempotency key, if the vendor honours such keys; a repeat sends exactly the
 * bytes of the lost request. `expired` says that the permit took so long that the vendor may have forgotten the lost key.
 */
function outgoingFor(
  { client: { dialect, basePath, values: accountValues }, clock }: Session,
  { call, request: lost, firstSent, withoutKey }: Wanted,
  movedTo: string | undefined,
): Outgoing | 'expired' {
  if (firstSent !== undefined && !isStillHonoured(dialect, clock.since(firstSent).greatestMs))
    return 'expired';
  const key = lost?.idempotencyKey ?? (withoutKey ? undefined : newIdempotencyKey(dialect));
  const values = key === undefined ? accountValues : { ...accountValues, idempotency_key: key };
  const request = requestOf(dialect, basePath, call, values, movedTo);
  if (lost !== undefined) {
    const { method, path, body } = lost;
    return { request: { ...request, method, path, body }, keyed: lost };
  }
  return { request, keyed: key === undefined ? undefined : keyedRequest(key, request, clock.wallMs()) };
}

async function admission(
  { session, batch, begunMs = Number.NEGATIVE_INFINITY }: Run,
  { wanted, operation }: Asking,
  keyed: KeyedRequest | undefined,
): Promise<Admission> {
  crashPoint('before-intent');
  const { ledger, account, clock } = session;
  const { key, call, row, decision, replaces, ifUnknown } = wanted;
  const dated = clock.dated();
  if (replaces !== undefined && begunMs - dated.atMs > APART_MS) throw begunAhead(begunMs);
  const admission = await admit(ledger, {
    key,
    accountIdentity: account.identity,
    call,
    batch,
    row,
    reserve: reserveOf(wanted, operation),
    ...dated,
    ...present({ decision, replaces, ifUnknown, request: keyed }),
  });
  crashPoint('after-intent');
  return admission;
}

/** What comes next where the ledger admitted nothing. It waits for what may still be released, and for who else asks. */
async function notAdmitted(
  run: Run,
  { wanted, operation }: Asking,
  turn: Turn,
  admission: Exclude<Admission, Admitted>,
): Promise<Next> {
  switch (admission.kind) {
    case 'known':
    case 'answered':
      return 'known';
    case 'in_flight':
      turn.giveBack();
      await untilMoved(run);
      return 'known';
    case 'wait':
    case 'over_budget': {
      const { scope, money } = admission;
      if (scope === 'extra') return 'over_extra';
      if (admission.kind === 'over_budget')
        throw overBudget(run.session, scope, money, reserveOf(wanted, operation));
      turn.giveBack();
      await untilMoved(run, admission.untilMs);
      return 'again';
    }
    default:
      return admission;
  }
}

/** What others hold may come back at any moment, and nobody tells this process of it. */
const LONGEST_WAIT_MS = 5_000;

/** Waits until a request of this account is over, or until it is worth asking the ledger again. */
export async function untilMoved(
  { session: { client, clock }, waiter }: Run,
  untilMs = Infinity,
): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([waiter.signal, over.signal]);
  const waitMs = Math.min(LONGEST_WAIT_MS, Math.max(0, untilMs - clock.wallMs()));
  const waits = [clock.sleep(waitMs, signal)];
  if (client.limiter.outstanding > 0) waits.push(client.limiter.oneDone({ ...waiter, signal }));
  try {
    await Promise.race(waits);
  } finally {
    over.abort();
  }
}

/** An answer has shown in the middle of the run that the time was wrong by which the batch tells what is too old. */
function begunAhead(begunMs: number): StopError {
  return stop(
    'clock',
    `This batch began at ${isoTime(begunMs)} by a clock that was wrong, so what is too old for it is not known.`,
    'Run the same command again: then nothing is too old for it.',
  );
}

/** The credits to reserve. A repeated lost request is charged once at most, and the lost attempt still reserves for that. */
function reserveOf(wanted: Wanted, { credits: { most } }: DialectOperation): Credits {
  return credits(wanted.request === undefined ? most : 0);
}

async function record(
  { session }: Run,
  { attempt, reply }: RunReply,
): Promise<'late' | 'written' | undefined> {
  crashPoint('before-record');
  const kept = reply.kind === 'answered' ? await recordReply(session.ledger, attempt, reply.raw) : undefined;
  crashPoint('after-record');
  return kept?.kind;
}

/** What a reply means for its attempt. It writes nothing: after a crash here the next run judges the recorded reply alike. */
export function judged(
  { session: { client }, projects }: Closing,
  { call, operation, path, reply }: Replied,
): Verdict {
  const { dialect, origin } = client;
  const verdict = projects.hear(call, judge(reply, dialect, operation, { origin, path, call }));
  crashPoint('after-judge');
  return verdict;
}

/** Closes the attempt as its verdict says. The closure takes its place in the ledger at once, before whatever is written next. */
export async function writeClosure(
  { session: { client, ledger, clock } }: Closing,
  { attempt, call, operation, reply }: Replied,
  verdict: Verdict,
): Promise<void> {
  const { dialect } = client;
  const isAnswered = reply.kind === 'answered' && verdict.kind === 'answered';
  const left = isAnswered ? leftBy(call, verdict.answer, reply.raw, dialect) : undefined;
  const closure = isAnswered ? { ...verdict, dialect: dialectMark(dialect) } : verdict;
  await closeAttempt(ledger, attempt, priced(closure, reply, dialect, operation), clock.wallMs(), left);
  crashPoint('after-close');
}

/** Begins to close the attempt. @returns see `Attempted`. */
async function close(run: Run, replied: RunReply, verdict: Verdict): Promise<unknown> {
  try {
    await writeClosure(run, replied, verdict);
    if (replied.reply.kind !== 'not_sent') run.emit({ kind: 'closed' });
    return undefined;
  } catch (error) {
    return stopNow(run, error);
  }
}
