import type { CallKey } from '../core/call-key.ts';
import { isoTime } from '../core/clock.ts';
import { StopError, stop, unreachable } from '../core/errors.ts';
import { crashPoint } from '../core/faults.ts';
import { present } from '../core/objects.ts';
import type { Call } from '../core/operation.ts';
import type { RowNumber } from '../core/row.ts';
import { APART_MS, type Moment } from '../ledger/believed-time.ts';
import {
  type Admission,
  type AttemptId,
  type Credits,
  credits,
  type DecisionId,
  type KeyedRequest,
  type KnownAnswer,
} from '../ledger/ledger.ts';
import type { Client, Sent, Turn } from '../vendor/client.ts';
import { type DialectOperation, dialectMark, operationFor } from '../vendor/dialect.ts';
import { judge, leftBy, type Reply, type Verdict } from '../vendor/judge.ts';
import { missesStop, requestAddress, suspectMisses, suspicionOf } from '../vendor/misses.ts';
import { type HttpRequest, requestOf } from '../vendor/request.ts';
import { MOST_MOVES, movedTooOften, refuseWrongAddress } from './attempt/address.ts';
import { heedAnswer } from './attempt/heed-answer.ts';
import { heedDoubt } from './attempt/heed-doubt.ts';
import { dearer, isPriced, priced, untilPriced } from './attempt/price.ts';
import { overBudget } from './budget.ts';
import { isStillHonoured, keyedRequest, newIdempotencyKey } from './idempotency.ts';
import type { Run, Session } from './session.ts';
import { type AskedCall, type PutOff, turnedAway } from './too-fast.ts';

/**
 * ★ This file makes one call: slot → permit → intent → send → record → judge → close. No other file can spend. The slot is free
 * once the reply is recorded and judged, and the row goes on once the attempt is closed.
 *
 * What a crash leaves behind, step by step:
 * - before the intent's commit: nothing, because nothing was sent.
 * - after the intent's commit, before the reply is recorded: an open attempt; the next run treats the call as in doubt.
 * - after the reply is recorded, before the close: an open attempt with a reply; the next run judges that reply.
 * - after the close: a settled call, which no run sends again.
 */

export { ODD_MATCHES, oddMatches } from './attempt/heed-answer.ts';
export { keepReading } from './attempt/kept-reading.ts';
export { acceptOdd, type OddDoubt, oddDoubts, type RuleReads, ruleReads } from './attempt/odd-answers.ts';

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

/** The reason why a change was not sent: its subject is no longer as planned. */
export type Withheld = Extract<Admission, { readonly kind: 'moved' | 'subject_in_doubt' }>;

/** The answer that an attempt brought, as the ledger holds it by now. */
export interface Answered {
  readonly kind: 'answered';
  readonly answer: KnownAnswer;
}

/**
 * How a call ended: the ledger holds an answer or a doubt. `over_extra` is a retry that the extra credits do not cover, and
 * `known` a call that was wanted `ifUnknown`.
 */
export type Bought = Answered | 'in_doubt' | 'over_extra' | 'known' | Withheld | PutOff;

/** What follows an attempt: nothing, the same request again or after others, or the same request at another path. */
type Next = Bought | 'again' | 'after_others' | { readonly movedTo: string };

/** Buys one call. @throws StopError when the run has to stop; the row then stays pending. */
export async function buy(run: Run, wanted: Wanted): Promise<Bought> {
  const { client, tooFast } = run.session;
  const operation = operationFor(client.dialect, wanted.call, {
    isRepeated: wanted.decision !== undefined,
    underKey: wanted.request !== undefined,
  });
  const asked = tooFast.begin();
  try {
    for (;;) {
      const next = await askInTurn(run, wanted, { operation, asked });
      if (next !== 'after_others') return next;
    }
  } finally {
    asked.end();
  }
}

/** Asks alone while no answer has shown the price. A call that has to be asked after others leaves its turn to them. */
async function askInTurn(
  run: Run,
  wanted: Wanted,
  manner: Omit<Manner, 'movedTo'>,
): Promise<Bought | 'after_others'> {
  const leave = isPriced(run, wanted.call) ? undefined : await untilPriced(run, wanted.call);
  try {
    return await askInSlot(run, wanted, manner);
  } finally {
    leave?.();
  }
}

/** Asks until there is a reply for this call, or until others have to be asked first. */
async function askInSlot(
  run: Run,
  wanted: Wanted,
  manner: Omit<Manner, 'movedTo'>,
): Promise<Bought | 'after_others'> {
  const { client } = run.session;
  let closed: Promise<void> | undefined;
  try {
    return await client.limiter.slot(run.waiter, async () => {
      const moves: string[] = [];
      for (;;) {
        await closed;
        const next = await client.exchange(run.waiter, (turn) =>
          attempt(run, turn, wanted, { ...manner, movedTo: moves.at(-1) }, (closing) => {
            closed = closing;
            // What it fails with is heard below, which may be later than Node expects.
            closing.catch(() => {});
          }),
        );
        if (typeof next === 'object' && 'movedTo' in next) moves.push(next.movedTo);
        else if (next !== 'again') return next;
        if (moves.length > MOST_MOVES) throw stopped(run, movedTooOften(moves));
      }
    });
  } finally {
    // The row waits for the closure, and the slot does not: what was bought is known by the reply.
    await closed;
  }
}

/** How the vendor is asked this time. */
interface Manner {
  readonly operation: DialectOperation;
  readonly movedTo: string | undefined;
  readonly asked: AskedCall;
}

/**
 * Makes one attempt to buy the call. It ends as soon as its reply is on the disk and all consequences of it are drawn.
 * @param closing is told the attempt's closure, which is being written by then.
 */
async function attempt(
  run: Run,
  turn: Turn,
  wanted: Wanted,
  { operation, movedTo, asked }: Manner,
  closing: (closed: Promise<void>) => void,
): Promise<Next> {
  try {
    const outgoing = outgoingFor(run.session, wanted, movedTo);
    if (outgoing === 'expired') return 'in_doubt';
    const admission = await admit(run, wanted, operation, outgoing.keyed);
    if (admission.kind === 'over_budget') {
      turn.giveBack();
      return await overBudget(run, admission, reserveOf(wanted, operation));
    }
    if (admission.kind === 'known') return 'known';
    if (admission.kind !== 'admitted') return admission;
    const sent = await turn.send(admission, outgoing.request, () => run.emit({ kind: 'sent' }));
    const tried = { attempt: admission.attempt, call: wanted.call };
    await record(run, tried, sent.reply);
    const { verdict, closed } = conclude(run, tried, sent.reply, operation, outgoing.request.path);
    closing(
      closed.then(
        () => emitClosed(run, sent.reply),
        (error) => Promise.reject(stopped(run, error)),
      ),
    );
    // Where no reply is on the disk, an open attempt would be in doubt after a crash.
    if (sent.reply.kind !== 'answered') await closed;
    heedClocks(run);
    const paid = { ...sent, attempt: admission.attempt, reserved: admission.reserved };
    return await follow(run, wanted, { operation, asked }, verdict, paid);
  } catch (error) {
    throw stopped(run, error);
  }
}

/** Reports what became known about the clocks. Clocks that contradict each other stop the run; its answers are kept. */
function heedClocks({ session: { clock }, emit, stopAll }: Run): void {
  for (const message of clock.takeNews()) emit({ kind: 'note', message });
  if (clock.apart !== undefined) stopAll(clock.apart);
}

/** Stops the run at once. If it waited until the row has failed, the next call would get this slot and still be sent. */
function stopped(run: Run, error: unknown): unknown {
  if (error instanceof StopError) run.stopAll(error);
  return error;
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

async function admit(
  { session, batch, begunMs = Number.NEGATIVE_INFINITY }: Run,
  wanted: Wanted,
  operation: DialectOperation,
  keyed: KeyedRequest | undefined,
) {
  crashPoint('before-intent');
  const { ledger, account, clock } = session;
  const { decision, replaces, ifUnknown } = wanted;
  const dated = clock.dated();
  if (replaces !== undefined && begunMs - dated.atMs > APART_MS) throw begunAhead(begunMs);
  const admission = await ledger.admit({
    key: wanted.key,
    accountIdentity: account.identity,
    call: wanted.call,
    batch,
    row: wanted.row,
    reserve: reserveOf(wanted, operation),
    ...dated,
    ...present({ decision, replaces, ifUnknown, request: keyed }),
  });
  crashPoint('after-intent');
  return admission;
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

async function record({ session }: Run, { attempt }: Tried, reply: Reply): Promise<void> {
  crashPoint('before-record');
  if (reply.kind === 'answered') await session.ledger.record(attempt, reply.raw);
  crashPoint('after-record');
}

function emitClosed({ emit }: Run, { kind }: Reply): void {
  if (kind !== 'not_sent') emit({ kind: 'closed' });
}

/** An attempt that has to be closed. */
interface Tried {
  readonly attempt: AttemptId;
  readonly call: Call;
}

/** What is needed to close attempts. None of it sends a request. */
export interface Closing extends Pick<Run, 'projects'> {
  readonly session: Pick<Session, 'account' | 'ledger' | 'clock'> & {
    readonly client: Pick<Client, 'dialect' | 'origin' | 'basePath'>;
  };
}

/** What a reply means, and the closure of its attempt, which rejects when it cannot be written. */
interface Concluded {
  readonly verdict: Verdict;
  readonly closed: Promise<void>;
}

/** Judges a reply and closes its attempt. `recover.ts` begins here, because an earlier run recorded the reply already. */
export function conclude(
  { session, projects }: Closing,
  { attempt, call }: Tried,
  reply: Reply,
  operation: DialectOperation,
  path: string,
): Concluded {
  const { dialect, origin } = session.client;
  const verdict = projects.hear(call, judge(reply, dialect, operation, { origin, path, call }));
  crashPoint('after-judge');
  const isSettled = reply.kind === 'answered' && verdict.kind === 'settled';
  const left = isSettled ? leftBy(call, verdict.answer, reply.raw, dialect) : undefined;
  const closure = isSettled ? { ...verdict, dialect: dialectMark(dialect) } : verdict;
  const closed = session.ledger
    .closeAttempt(attempt, priced(closure, reply, dialect, operation), session.clock.wallMs(), left)
    .then(() => crashPoint('after-close'));
  return { verdict, closed };
}

/** The request that was sent, with its attempt and the credits that were reserved for it. */
interface Paid extends Sent {
  readonly attempt: AttemptId;
  readonly reserved: Credits;
}

/** Draws the consequences of a verdict for the account and for this call. */
function follow(
  run: Run,
  wanted: Wanted,
  { operation, asked }: Omit<Manner, 'movedTo'>,
  verdict: Verdict,
  { attempt, reply, sentAtMs, reserved }: Paid,
): Next | Promise<Next> {
  const { session, emit } = run;
  const { limiter, dialect } = session.client;
  session.client.hear({ reply, sentAtMs });
  switch (verdict.kind) {
    case 'settled': {
      limiter.settled();
      session.tooFast.answered(sentAtMs);
      const { answer: kind, charged, why } = verdict;
      emit({ kind: 'answered', found: kind === 'found', credits: charged });
      // A repeat under a key reserves nothing itself: the lost request has reserved at least the dialect's price.
      const most = Math.max(operation.credits.most, reserved);
      if (charged > most) run.stopAll(dearer(charged, most));
      const bought = {
        kind: 'answered',
        answer: { attempt, batch: run.batch, kind, why, dialect: dialectMark(dialect) },
      } as const;
      if (reply.kind !== 'answered') return bought;
      heedAnswer(run, wanted.call, reply.raw, kind === 'found', operation);
      return refuseMisses(run, wanted.call, operation) ?? bought;
    }
    case 'in_doubt':
      emit({ kind: 'in_doubt', credits: reserved });
      return heedDoubt(
        run,
        { attempt, call: wanted.call, isRepeat: wanted.decision !== undefined, reply, sentAtMs },
        verdict,
      );
    case 'paused':
      return turnedAway(limiter, asked, verdict, sentAtMs);
    case 'not_sent':
      if (verdict.movedTo !== undefined) return { movedTo: verdict.movedTo };
      if (reply.kind === 'not_sent') refuseWrongAddress(session.history, reply.cause, reply.message);
      limiter.backOff(sentAtMs, verdict.why);
      return 'again';
    case 'stopped':
      throw new StopError(verdict.stop);
    default:
      return unreachable(verdict);
  }
}

/**
 * Stops the run at misses that look like a wrong address; undefined when they do not. It first stops all further requests, then the ledger keeps the
 * address that was asked. After a crash in between, the next run still finds the series of misses and asks about it.
 */
function refuseMisses(
  { session, stopAll }: Run,
  { change }: Call,
  operation: DialectOperation,
): Promise<never> | undefined {
  const { history, ledger, account, client } = session;
  const suspicion = suspicionOf(history);
  if (suspicion === undefined) return undefined;
  const stopped = missesStop(suspectMisses(history, suspicion), change !== undefined);
  stopAll(stopped);
  const place = requestAddress(client.origin, client.basePath, operation);
  return ledger.markMisses(account.identity, { place, kept: false }).then(() => {
    throw stopped;
  });
}
