import type { Turn } from '../../client/client.ts';
import type { DialectOperation } from '../../client/dialect.ts';
import { type HttpRequest, requestOf } from '../../client/request.ts';
import { isoTime } from '../../core/clock.ts';
import { type StopError, stop } from '../../core/errors.ts';
import type { OfCall } from '../../core/events.ts';
import { present } from '../../core/objects.ts';
import type { Call } from '../../core/operation.ts';
import {
  type Admission,
  type Admitted,
  type Credits,
  credits,
  type Intent,
  type KeyedRequest,
  SENT_WITHIN_MS,
} from '../../ledger/ledger.ts';
import { APART_MS, type Moment } from '../../time/believed-time.ts';
import { overBudget } from '../budget.ts';
import { isStillHonoured, keyedRequest, newIdempotencyKey } from '../idempotency.ts';
import type { Run, Session } from '../session.ts';
import type { AskedCall } from '../too-fast.ts';
import { isPriced } from './price.ts';
import type { Next } from './replied.ts';

/** `ifUnknown`: the ledger was last asked about the call some time ago, so it may know more by now: then nothing is bought. */
export interface Wanted extends Pick<Intent, 'key' | 'call' | 'row' | 'decision' | 'replaces' | 'ifUnknown'> {
  /** The lost request, when exactly its bytes are sent again under its idempotency key. */
  readonly request?: KeyedRequest;
  readonly firstSent?: Moment;
  /** A repeat without a key that is harmless by itself. Under a key, the database accepts only the lost request's bytes. */
  readonly withoutKey?: true;
}

export interface Asking {
  readonly wanted: Wanted;
  readonly operation: DialectOperation;
  readonly asked: AskedCall;
  readonly moves: string[];
}

export function ofCall({ wanted: { row, key } }: Pick<Asking, 'wanted'>): OfCall {
  return { row, call: key };
}

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

export function intentOf(
  run: Run,
  { wanted, operation }: Asking,
  keyed: KeyedRequest | undefined,
  turn: Turn,
): Intent {
  const { session, batch, begunMs = Number.NEGATIVE_INFINITY } = run;
  const { account, clock } = session;
  const { key, call, row, decision, replaces, ifUnknown } = wanted;
  const dated = clock.dated();
  if (replaces !== undefined && begunMs - dated.atMs > APART_MS) throw begunAhead(begunMs);
  return {
    key,
    accountIdentity: account.identity,
    call,
    batch,
    row,
    reserve: reserveOf(wanted, operation),
    ...dated,
    ...amongMany(run, call, turn),
    ...present({ decision, replaces, ifUnknown, request: keyed }),
  };
}

/** What a ledger has to know of an attempt that others share: until when it may be written, when it is over, and that they wait for its price. */
function amongMany(
  run: Run,
  call: Call,
  { intentAt }: Turn,
): Pick<Intent, 'tooOldMs' | 'deadlineMs' | 'isUnpriced' | 'mayBeOvertaken'> {
  const { ledger, client } = run.session;
  if (ledger.spenders === undefined) return {};
  const tooOldMs = intentAt.monotonicMs + SENT_WITHIN_MS;
  const isUnpriced = isPriced(run, call) ? {} : { isUnpriced: true as const };
  return { tooOldMs, deadlineMs: client.timeoutMs, mayBeOvertaken: true, ...isUnpriced };
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
export function reserveOf(wanted: Wanted, { credits: { most } }: DialectOperation): Credits {
  return credits(wanted.request === undefined ? most : 0);
}

/** What comes next where the ledger admitted nothing. It waits for what may still be released, and for who else asks. */
export async function notAdmitted(
  run: Run,
  { wanted, operation }: Asking,
  turn: Turn,
  admission: Exclude<Admission, Admitted>,
): Promise<Next> {
  switch (admission.kind) {
    case 'known':
    case 'answered':
      return 'known';
    case 'late':
      return 'again';
    case 'in_flight':
      turn.end();
      await untilMoved(run);
      return 'known';
    case 'wait':
    case 'over_budget': {
      const { scope, money } = admission;
      if (scope === 'extra') return 'over_extra';
      if (admission.kind === 'over_budget')
        throw overBudget(run.session, scope, money, reserveOf(wanted, operation));
      turn.end();
      await untilMoved(run, admission.untilMs);
      return 'again';
    }
    default:
      return admission;
  }
}

/** What others hold may come back at any moment, and nobody tells this process of it. */
const LONGEST_WAIT_MS = 5_000;

/** Waits until a call of this account has ended in the ledger, or until it is worth asking that again. */
export async function untilMoved(
  { session: { groups, clock }, waiter }: Run,
  untilMs = Infinity,
): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([waiter.signal, over.signal]);
  const waitMs = Math.min(LONGEST_WAIT_MS, Math.max(0, untilMs - clock.wallMs()));
  try {
    await Promise.race([groups.ended, clock.sleep(waitMs, signal)]);
  } finally {
    over.abort();
  }
}
