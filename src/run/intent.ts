import { randomUUID } from 'node:crypto';
import type { Permit } from '../client/client.ts';
import type { Dialect } from '../client/dialect.ts';
import { type HttpRequest, requestOf } from '../client/request.ts';
import { isoTime } from '../core/clock.ts';
import { type StopError, stop } from '../core/errors.ts';
import { present } from '../core/objects.ts';
import {
  type Admission,
  type Admitted,
  type Credits,
  credits,
  type Intent,
  type KeyedRequest,
  SENT_WITHIN_MS,
} from '../ledger/ledger.ts';
import { APART_MS } from '../ledger/time.ts';
import { parseDurationMs } from '../lib/duration.ts';
import { overBudget } from './budget.ts';
import type { Buying, CallToBuy, Next } from './call.ts';
import { isPriced } from './price.ts';
import type { Run, Session } from './session.ts';

interface Outgoing {
  readonly request: HttpRequest;
  readonly keyed: KeyedRequest | undefined;
}

/**
 * The request to send. Each attempt has a new idempotency key, if the vendor honours such keys; a repeat sends exactly the
 * bytes of the lost request. `expired` says that the permit took so long that the vendor may have forgotten the lost key.
 */
export function outgoingFor(
  { client: { dialect, basePath, values: accountValues }, clock }: Session,
  { call, request: lost, withoutKey }: CallToBuy,
): Outgoing | 'expired' {
  if (lost !== undefined && !isStillHonoured(dialect, clock.latestMs() - lost.firstSentAtMs))
    return 'expired';
  const hasKey = dialect.idempotency !== undefined && !withoutKey;
  const key = lost?.idempotencyKey ?? (hasKey ? randomUUID() : undefined);
  const values = key === undefined ? accountValues : { ...accountValues, idempotency_key: key };
  const request = requestOf(dialect, basePath, call, values);
  if (lost !== undefined) {
    const { method, path, body } = lost;
    return {
      request: { ...request, method, path, body: body === undefined ? body : Buffer.from(body) },
      keyed: lost,
    };
  }
  if (key === undefined) return { request, keyed: undefined };
  const { method, path, body } = request;
  const keyed = {
    idempotencyKey: key,
    method,
    path,
    ...present({ body: body?.toString() }),
    firstSentAtMs: clock.wallMs(),
  };
  return { request, keyed };
}

/** The vendor counts from the arrival of the first request, by its own clock. So this part of the key's time is not used. */
const UNUSED_SHARE = 0.1;
/** The most time that is left unused. No request takes longer to reach the vendor. */
const LONGEST_UNUSED_MS = 5 * 60_000;

/**
 * Whether the vendor surely still recognises a repeat, as late as it may leave after it was asked for: then it acts on it and charges
 * for it once, however often it arrives.
 * @param greatestAgeMs the longest time that may have passed since the first request under the key was sent.
 */
export function isStillHonoured({ idempotency }: Dialect, greatestAgeMs: number): boolean {
  // It is dated by a clock that was ahead, so nobody knows how old it is.
  if (greatestAgeMs < -SENT_WITHIN_MS) return false;
  const validMs = parseDurationMs(idempotency?.valid_for ?? '') ?? 0;
  const unusedMs = Math.min(validMs * UNUSED_SHARE, LONGEST_UNUSED_MS);
  return greatestAgeMs < validMs - Math.max(unusedMs, SENT_WITHIN_MS);
}

export function intentOf(buying: Buying, keyed: KeyedRequest | undefined): Intent {
  const { session, batch, begunMs = Number.NEGATIVE_INFINITY } = buying.run;
  const { account, clock } = session;
  const { key, call, row, decision, replaces, ifUnknown } = buying.call;
  const atMs = clock.wallMs();
  if (replaces !== undefined && begunMs - atMs > APART_MS) throw begunAhead(begunMs);
  return {
    key,
    accountIdentity: account.identity,
    call,
    batch,
    row,
    reserve: reserveOf(buying),
    atMs,
    ...amongMany(buying),
    ...present({ decision, replaces, ifUnknown, request: keyed }),
  };
}

/** What a ledger has to know of an attempt beside which others buy: when it is over for them, and that they wait for its price. */
function amongMany({ run, call: { call } }: Buying): Pick<Intent, 'deadlineMs' | 'isUnpriced'> {
  const { ledger, client } = run.session;
  if (ledger.spenders === undefined) return {};
  const isUnpriced = isPriced(run, call) ? {} : { isUnpriced: true as const };
  return { deadlineMs: client.timeoutMs, ...isUnpriced };
}

/** An answer has shown, in the middle of the run, that the batch judged ages by a wrong time. */
function begunAhead(begunMs: number): StopError {
  return stop(
    'clock',
    `The clock was wrong when this batch began (it said ${isoTime(begunMs)}), so the batch cannot tell what is too old.`,
    'Run the same command again: then it takes nothing as too old.',
  );
}

/** The credits to reserve. A repeated lost request is charged once at most, and the lost attempt still reserves for that. */
function reserveOf({ call, operation: { credits: price } }: Buying): Credits {
  return credits(call.request === undefined ? price.most : 0);
}

/** What comes next where the ledger admitted nothing. It waits for what may still be released, and for who else asks. */
export async function notAdmitted(
  buying: Buying,
  permit: Permit,
  admission: Exclude<Admission, Admitted>,
): Promise<Next> {
  const { run } = buying;
  switch (admission.kind) {
    case 'known':
    case 'answered':
      return 'known';
    case 'in_flight':
      permit.giveBack();
      await untilMoved(run);
      return 'in_flight';
    case 'wait':
    case 'over_budget': {
      const { scope, money } = admission;
      if (scope === 'extra') return 'over_extra';
      if (admission.kind === 'over_budget') throw overBudget(scope, money, reserveOf(buying));
      permit.giveBack();
      await untilMoved(run);
      return 'again';
    }
    default:
      return admission;
  }
}

/** What others hold may come back at any moment, and nobody tells this process of it. */
const LONGEST_WAIT_MS = 5_000;

/** Waits until a call of this account has ended in the ledger, or until it is worth asking that again. */
export async function untilMoved({ session: { ledger, clock }, waiter }: Run): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([waiter.signal, over.signal]);
  try {
    await Promise.race([ledger.nextEnds(), clock.sleep(LONGEST_WAIT_MS, signal)]);
  } finally {
    over.abort();
  }
}
