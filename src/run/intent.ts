import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Permit } from '../client/client.ts';
import type { Dialect } from '../client/dialect.ts';
import { type HttpRequest, requestOf } from '../client/request.ts';
import { APART_MS, isoTime, sleepUnless } from '../core/clock.ts';
import { invariant, StopError, stop } from '../core/errors.ts';
import { present } from '../core/objects.ts';
import type { Call } from '../core/operation.ts';
import {
  AGAIN,
  asCommand,
  asField,
  asFlag,
  DO_AGAIN,
  faces,
  type Phrase,
  phrase,
  typing,
} from '../core/phrase.ts';
import { counted } from '../core/plain-text.ts';
import {
  type Admission,
  type AdmittedAttempt,
  type Batch,
  type BatchId,
  type BudgetScope,
  type Doubt,
  heldCredits,
  type Intent,
  type KeyedRequest,
  type Ledger,
  type LedgerReader,
  type Money,
  type Reading,
  SENT_WITHIN_MS,
} from '../ledger/ledger.ts';
import { commandLine } from '../lib/command-line.ts';
import { formatDuration, parseDurationMs } from '../lib/duration.ts';
import { rowHere } from './doubts.ts';
import type { AccountRun, CallToBuy, Next, Purchase, Session } from './session.ts';

interface Outgoing {
  readonly request: HttpRequest;
  readonly keyed: KeyedRequest | undefined;
}

/**
 * The request to send. Each attempt has a new idempotency key, if the vendor honours such keys; a repeat
 * sends exactly the bytes of the lost request. `expired` says that the permit took so long that the vendor
 * may have forgotten the lost key, or that this host would send other bytes than the lost request in the
 * store.
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
  if (key === undefined) return { request, keyed: undefined };
  const { method, path, body } = request;
  const sent = { idempotencyKey: key, method, path, ...present({ body: body?.toString() }) };
  // rule 10b
  if (lost === undefined) return { request, keyed: { ...sent, firstSentAtMs: clock.earliestMs() } };
  const isOurs = isDeepStrictEqual({ ...sent, firstSentAtMs: lost.firstSentAtMs }, lost);
  return isOurs ? { request, keyed: lost } : 'expired';
}

/**
 * The vendor counts from the arrival of the first request, by its own clock. So this share of the key's
 * lifetime is not used.
 */
const UNUSED_SHARE = 0.1;
/** The most time that is left unused. No request takes longer than this to reach the vendor. */
const LONGEST_UNUSED_MS = 5 * 60_000;

/**
 * Whether the vendor surely still recognises a repeat, however late the repeat leaves after it was asked for.
 * Then the vendor acts on the request and charges for it once, however often it arrives.
 * @param greatestAgeMs the longest time that may have passed since the first request under the key was
 *   sent.
 */
export function isStillHonoured({ idempotency }: Dialect, greatestAgeMs: number): boolean {
  // The first request is dated by a clock that was ahead, so it is not known how old it is.
  if (greatestAgeMs < -SENT_WITHIN_MS) return false;
  const validMs = parseDurationMs(idempotency?.valid_for ?? '') ?? 0;
  const unusedMs = Math.min(validMs * UNUSED_SHARE, LONGEST_UNUSED_MS);
  return greatestAgeMs < validMs - Math.max(unusedMs, SENT_WITHIN_MS); // rule 10a
}

export function intentOf({ run, call: wanted, reserve }: Purchase, keyed: KeyedRequest | undefined): Intent {
  const { session, batch, begunMs = Number.NEGATIVE_INFINITY } = run;
  const { account, client, clock, ledger } = session;
  const { key, call, row, decision, replaces, ifUnknown } = wanted;
  const atMs = clock.wallMs();
  if (replaces !== undefined && begunMs - atMs > APART_MS) throw begunAhead(begunMs);
  // Where several processes buy, the ledger has to know when the others may count the attempt as over, and
  // whether they wait for its price.
  const isAmongMany = ledger.spenders !== undefined;
  return {
    key,
    accountIdentity: account.identity,
    call,
    batch,
    row,
    reserve,
    atMs,
    decision,
    replaces,
    ifUnknown,
    request: keyed,
    deadlineMs: isAmongMany ? client.timeoutMsOf(call) : undefined,
    isUnpriced: (isAmongMany && !isPriced(run, call)) || undefined,
  };
}

/** In the middle of the run, an answer has shown that the batch judged ages by a wrong time. */
function begunAhead(begunMs: number): StopError {
  return stop(
    'clock',
    `The clock was wrong when this batch began (it said ${isoTime(begunMs)}), ` +
      'so the batch cannot tell what is too old.',
    phrase`${DO_AGAIN}: then it takes nothing as too old.`,
  );
}

/**
 * What comes next if the ledger did not admit the intent. Waits for credits that may still be released, and
 * for other processes that ask for the same call.
 */
export async function notAdmitted(
  { run, reserve }: Purchase,
  permit: Permit,
  admission: Exclude<Admission, AdmittedAttempt>,
): Promise<Next> {
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
      if (admission.kind === 'over_budget')
        throw overBudget({ scope, money, reserve, account: run.session.account.name });
      permit.giveBack();
      await untilReleased(run, money);
      return 'again';
    }
    default:
      return admission;
  }
}

/** Credits that other processes hold may come back at any moment, and no one tells this process of it. */
const LONGEST_WAIT_MS = 5_000;

/**
 * Waits until a call has ended in the ledger, or until it is worth asking the ledger again.
 * @returns whether a call has ended.
 */
export async function untilMoved({ session: { ledger, clock }, waiter }: AccountRun): Promise<boolean> {
  let hasMoved = false;
  const ending = ledger.nextEnds().then(() => {
    hasMoved = true;
  });
  await sleepUnless([ending], clock, LONGEST_WAIT_MS, waiter.signal);
  return hasMoved;
}

/**
 * Waits for credits that calls without an answer hold. Those of an account that has ended for this run stay
 * held until the account is mended.
 */
async function untilReleased(run: AccountRun, { reserved }: Money): Promise<void> {
  const { waiter, waitsForMoney } = run;
  const { clock } = run.session;
  const { maxPauseMs = Number.POSITIVE_INFINITY } = waiter;
  waitsForMoney.sinceMs ??= clock.monotonicMs();
  if (await untilMoved(run)) waitsForMoney.sinceMs = undefined;
  else if (clock.monotonicMs() - (waitsForMoney.sinceMs ?? 0) >= maxPauseMs)
    throw stop(
      'paused',
      `Calls without an answer hold ${counted(reserved, 'credit')} of the budget, ` +
        `and none has ended in ${formatDuration(maxPauseMs)}.`,
      phrase`${DO_AGAIN} later, or raise the budget.`,
    );
}

// ------------------------------------------------------------------------------------------------ budgets

// The ledger checks budgets itself, in the transaction of the intent, and a constraint of the database
// repeats the check.

/**
 * Keeps the budget that a batch needs to go on once it has reached its own, for a person who looks at it
 * later. The next run of the batch forgets it.
 */
export async function noteReached(ledger: Ledger, id: BatchId, budgetToFinish: number): Promise<void> {
  const batch = await ledger.batch(id);
  invariant(batch !== undefined, 'a batch that has run is in the ledger');
  await ledger.changeBatch(id, { settings: { ...batch.settings, budget_to_finish: budgetToFinish } });
}

/**
 * The stop of a run whose last rows are left for one reason: calls in doubt are to be sent again, and the
 * extra credits do not cover them.
 */
export async function overExtra(
  ledger: LedgerReader,
  batch: Batch,
  remainingDoubts: readonly Doubt[],
): Promise<StopError> {
  const { id } = batch;
  const { cap = 0, ...money } = await ledger.batchMoney(id, 'extra');
  const used = heldCredits(money);
  const most = remainingDoubts.reduce((sum, { atRisk }) => sum + atRisk, 0);
  // The command decides about no other doubt of the batch, because each call that is sent again may be paid
  // for twice.
  const isAll = (await ledger.doubts(id)).length === remainingDoubts.length;
  const [first] = remainingDoubts;
  const row = isAll || first === undefined ? undefined : await rowHere(ledger, batch, first);
  const about = row === undefined ? [id] : [id, String(row)];
  const room = Math.max(0, cap - used);
  const command = commandLine(['settle', ...about, '--retry', '--extra-credits', String(used + most)]);
  return stop(
    'extra_credits',
    `${counted(remainingDoubts.length, 'call')} in doubt will be sent again, ` +
      `for at most ${counted(most, 'credit')}, ` +
      `and ${room} of ${counted(cap, 'extra credit')} ${cap === 1 ? 'is' : 'are'} left.`,
    phrase`Let the next run send all of them again${typing`: ${asCommand(command)}`}`,
  );
}

type OwnScope = Exclude<BudgetScope, 'extra'>;

interface Reached {
  readonly scope: OwnScope;
  readonly money: Money;
  readonly reserve: number;
  /** The name of the account that was to be asked. */
  readonly account: string;
}

const CODE_OF = { batch: 'budget', share: 'share', day: 'account_budget', month: 'account_budget' } as const;

function overBudget(reached: Reached): StopError {
  const { scope, money, reserve } = reached;
  const doubt = money.inDoubt > 0 ? ` and ${money.inDoubt} in doubt` : '';
  return new StopError({
    code: CODE_OF[scope],
    message: `The budget ${OF_SCOPE[scope]} is reached: ${money.spent} of ${money.cap ?? 0} credits spent${doubt}.`,
    next: nextStep(reached),
    ...(scope === 'batch' ? { leastBudget: heldCredits(money) + reserve } : {}),
  });
}

const OF_SCOPE: Readonly<Record<OwnScope, string>> = {
  batch: 'of this batch',
  share: 'of the account in this batch',
  day: "of the account's day (UTC)",
  month: "of the account's month (UTC)",
};

function nextStep({ scope, money, reserve, account }: Reached): Phrase {
  // The summary of the batch says how much is enough for all calls that wait.
  if (scope === 'batch')
    return phrase`${DO_AGAIN} with ${faces(phrase`a higher ${asFlag('--budget')}`, 'a higher limit')}.`;
  if (scope === 'share')
    return phrase`Raise ${asField(`budget.accounts.${account}`, 'what it may spend there')} in the job, then
      ${AGAIN}.`;
  const more = phrase`raise ${asField(`per_${scope}`, `what it may spend in a ${scope}`)} in the account`;
  // No other day or month has room for a call that costs more than the whole budget.
  if (reserve > (money.cap ?? 0))
    return phrase`One call may cost ${reserve}, so no other ${scope} has room for it: ${more}, then
      ${AGAIN}.`;
  const when = scope === 'day' ? 'tomorrow' : 'next month';
  return phrase`${DO_AGAIN} ${when}, or ${more}.`;
}

// ------------------------------------------------------------------------------------------------ prices

/**
 * Where answers state their price, no one knows it before the first answer. The dialect may be wrong by any
 * factor, and all parallel requests would be charged before the mistake shows. So the first request of an
 * operation is sent alone. The others wait until its answer has shown the price, which the ledger then
 * reserves for each of them. A miss shows no price, so the next request is sent alone, too. The promise
 * resolves when the call may be bought.
 * @returns a function that the caller must call after the purchase, also when the purchase failed.
 */
export async function untilPriced({ session }: AccountRun, call: Call): Promise<() => void> {
  const { client, ledger, account, priced } = session;
  const name = nameOf(call);
  const leave = await client.limiter.lane(name);
  try {
    if (!priced.has(name) && (await ledger.price(account.identity, call)) === undefined) return leave;
    priced.add(name);
  } catch (error) {
    leave();
    throw error;
  }
  leave();
  return () => {};
}

export function isPriced({ session: { client, priced } }: AccountRun, call: Call): boolean {
  return client.dialect.credits_charged === undefined || priced.has(nameOf(call));
}

function nameOf({ operation, creditsMost }: Call): string {
  return JSON.stringify([operation, creditsMost]);
}

/** Says that an answer shows the price of answers of its kind, if it states its cost and was not free. */
export function shownPrice(
  { answer, charged }: Pick<Reading, 'answer' | 'charged'>,
  { credits_charged: stated }: Dialect,
): { readonly showsPrice?: true } {
  return stated !== undefined && (answer === 'found' || charged > 0) ? { showsPrice: true } : {};
}

export function dearerStop(charged: number, most: number): StopError {
  return stop(
    'dearer',
    `An answer cost ${charged} credits, but the dialect and earlier answers say at most ${most}.`,
    phrase`Correct the credits of this operation in the dialect, then ${AGAIN}.`,
  );
}
