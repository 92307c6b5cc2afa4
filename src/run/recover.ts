import { callKeyOf } from '../core/call-key.ts';
import { isoTime } from '../core/clock.ts';
import { type StopError, unreachable } from '../core/errors.ts';
import { crashPoint } from '../core/faults.ts';
import { present } from '../core/objects.ts';
import { counted } from '../core/plain-text.ts';
import type { Moment } from '../ledger/believed-time.ts';
import type {
  CallState,
  Decision,
  DecisionId,
  DecisionKind,
  DecisionSpec,
  Doubt,
  KeyedRequest,
  Ledger,
  OpenAttempt,
} from '../ledger/ledger.ts';
import type { RunContext } from '../plan/order.ts';
import { historyOf, leadsTo, missesStop, suspectMisses, suspicionOf } from '../vendor/misses.ts';
import { basePathOf, operationFor, type Repetition } from '../vendor/request.ts';
import { type Closing, close } from './attempt.ts';
import { isStillHonoured } from './idempotency.ts';
import { compareUsage, readBack } from './reconcile.ts';
import type { Run, Session } from './session.ts';

/**
 * ★ Settles what a crash, or a lost answer, left open.
 *
 * `recover` runs before any new spending: attempts that an earlier run left open are judged when their reply was
 * recorded, and taken for in doubt when it was not. `resolveDoubt` says, for one call in doubt, how it goes on. Both may be interrupted and repeated at any point: an attempt is closed once, a decision used once.
 */

/** What to do about a call in doubt when nobody has decided: the kind of the job's `in_doubt`. */
export type DoubtPolicy = 'hold' | 'skip' | 'retry';

/** How a call in doubt goes on for this batch. */
export type Resolution =
  | { readonly kind: 'send_again'; readonly again: Again }
  /** The ledger holds an answer now, or nothing any more: look again. */
  | { readonly kind: 'resolved' }
  | { readonly kind: 'hold'; readonly reason: string }
  | { readonly kind: 'skip'; readonly reason: string };

/** What allows a call in doubt to be sent again, and as what. */
export interface Again {
  readonly decision: DecisionId;
  /** The lost request, to be sent to the byte under its idempotency key. */
  readonly request?: KeyedRequest;
  /** When the first request under that key was sent. */
  readonly firstSent?: Moment;
  readonly withoutKey?: true;
}

/** A harmless request is repeated this often; a vendor that loses four answers to it is not going to keep the fifth. */
const MOST_REPEATS = 3;

/** The first repeat leaves at once; a vendor that loses that as well, or is still at work on it, gets time. */
const REPEAT_AFTER_MS = [0, 5_000, 30_000] as const;

/** Of an attempt that a run which ended has left open. */
const PROGRAM_ENDED = 'the program ended between sending the request and keeping the answer';

/** What settling the misses of earlier runs needs to know. */
export type MissesOrder = Pick<
  RunContext,
  'ledger' | 'account' | 'dialect' | 'accept' | 'askMisses' | 'emit'
>;

/**
 * Goes on after a run that was stopped at misses: takes them back when the address was corrected or a person says so,
 * lets them stand when a person says that. Rows whose answers are taken back are pending again, so this comes before
 * anybody counts the rows that are settled.
 * @returns the stop when nobody has said anything.
 */
export async function settleMisses(order: MissesOrder): Promise<StopError | undefined> {
  const { ledger, account, dialect, accept, emit } = order;
  // A sandbox has another port at every start, and play money asks nobody.
  if (account.baseUrl === undefined || account.sandbox) return undefined;
  const state = await ledger.account(account.identity);
  const { place, count } = state.misses;
  const at = [account.baseUrl.origin, basePathOf(account.baseUrl)] as const;
  const history = historyOf(state, false);
  const suspicion = suspicionOf(history);
  const isCorrected = place !== undefined && !leadsTo(place, ...at, dialect);
  const isAskedBack = accept === 'take-back' && (place !== undefined || suspicion !== undefined);
  if (isCorrected || isAskedBack) {
    const taken = await ledger.retractMisses(account.identity);
    emit({
      kind: 'note',
      message: `${counted(taken, 'answer')} of status 404 ${taken === 1 ? 'is' : 'are'} taken back and asked for again.`,
    });
    return undefined;
  }
  if (suspicion === undefined) return undefined;
  const suspect = suspectMisses(history, suspicion);
  if (accept !== 'no-match' && (await order.askMisses?.(suspect)) !== true)
    return missesStop(suspect, account.vendor === 'service');
  await ledger.markMisses(account.identity, { kept: true, ...present({ place }) });
  emit({
    kind: 'note',
    message: `${counted(count, 'answer')} of status 404 ${count === 1 ? 'is' : 'are'} kept as no match.`,
  });
  return undefined;
}

/**
 * Settles what an earlier process left open, and what the vendor's count of credits settles.
 * @returns how many attempts were open.
 */
export async function recover(run: Run): Promise<number> {
  const open = await settleLeftOpen(run);
  await compareUsage(run);
  return open;
}

/** Settles what an earlier process left open, without asking anybody. @returns how many attempts were open. */
export async function settleLeftOpen(closing: Closing): Promise<number> {
  const open = await closing.session.ledger.openAttempts();
  for (const attempt of open) await settleOpen(closing, attempt);
  return open.length;
}

/** An open attempt belongs to a run that has ended, because only one process spends from a store. */
async function settleOpen(closing: Closing, open: OpenAttempt): Promise<void> {
  crashPoint('recovering');
  const { account, ledger, clock, client } = closing.session;
  const ours = open.accountIdentity === account.identity;
  if (open.reply !== undefined && ours) {
    const operation = operationFor(client.dialect, open.call, await repetitionOf(ledger, open));
    await close(closing, open, { kind: 'answered', raw: open.reply }, operation, client.basePath);
    return;
  }
  // Without a reply nobody knows whether it left. A reply of another account is left to its own dialect.
  if (open.reply !== undefined) return;
  await ledger.closeAttempt(open.attempt, { kind: 'in_doubt', why: PROGRAM_ENDED }, clock.wallMs());
}

/** Whether the attempt was the repeat of a lost one: its reply is then judged as such. */
async function repetitionOf(ledger: Ledger, { batch, row, attempt }: OpenAttempt): Promise<Repetition> {
  const record = (await ledger.history(batch, row)).find((each) => each.attempt === attempt);
  return {
    isRepeated: record?.decision !== undefined,
    underKey: record?.request !== undefined && record.decision?.kind === 'repeat',
  };
}

export type InDoubt = CallState & { readonly kind: 'in_doubt' };

/**
 * Rule by rule: what costs nothing for certain comes first, then what a person decided, then the job's policy. The count
 * of credits is asked for by `recover` already, because it means nothing once the run is buying.
 */
export async function resolveDoubt(run: Run, state: InDoubt, policy: DoubtPolicy): Promise<Resolution> {
  const { doubt, decision } = state;
  const repeated = await repeat(run, state);
  if (repeated !== undefined) return repeated;
  if (await readBack(run, doubt)) return { kind: 'resolved' };
  // One to repeat, which a kill has left unused, held only for as long as the rule that made it.
  if (decision !== undefined && decision.kind !== 'repeat') return follow(decision, doubt);
  return followPolicy(run, doubt, policy);
}

/** Sends again what is charged once however often it arrives, or does no harm. Undefined when neither is so. */
async function repeat(run: Run, { doubt, decision }: InDoubt): Promise<Resolution | undefined> {
  const { client, clock } = run.session;
  const { attempt, call, request, repeats } = doubt;
  const unused = decision?.kind === 'repeat' ? decision.id : undefined;
  const keyed = request && { request, firstSent: { atMs: request.firstSentAtMs, boot: doubt.firstBoot } };
  const ageMs = keyed === undefined ? 0 : clock.since(keyed.firstSent).greatestMs;
  if (ageMs === Number.POSITIVE_INFINITY) run.untimed.add(attempt);
  if (
    keyed !== undefined &&
    isStillHonoured(client.dialect, ageMs) &&
    (await vendorKeepsAnswers(run.session, doubt))
  ) {
    const why = `the vendor charges once for an idempotency key, for ${client.dialect.idempotency?.valid_for}`;
    await untilRepeat(run, doubt);
    const id = unused ?? (await decide(run, doubt, 'repeat', 'rule', why)).id;
    return { kind: 'send_again', again: { decision: id, ...keyed } };
  }
  if (typeof call.ifLost !== 'object' || repeats >= MOST_REPEATS) return undefined;
  await untilRepeat(run, doubt);
  const id = unused ?? (await decide(run, doubt, 'repeat', 'rule', call.ifLost.repeat)).id;
  return { kind: 'send_again', again: { decision: id, withoutKey: true } };
}

/**
 * False when the vendor has lost as many repeats as it is sent. Those that ended with the program do not count, because
 * they say nothing about the vendor, and another one under the key is free: how long that goes on, its time limits.
 */
async function vendorKeepsAnswers(
  { ledger, account }: Session,
  { repeats, batch, row, key }: Doubt,
): Promise<boolean> {
  if (repeats < MOST_REPEATS) return true;
  const lost = (await ledger.history(batch, row)).filter(
    ({ call, decision, closure }) =>
      decision?.kind === 'repeat' &&
      closure?.kind === 'in_doubt' &&
      closure.why !== PROGRAM_ENDED &&
      callKeyOf(account.identity, call) === key,
  );
  return lost.length < MOST_REPEATS;
}

async function untilRepeat({ session: { clock }, waiter }: Run, { repeats, ...sent }: Doubt): Promise<void> {
  const spacingMs = REPEAT_AFTER_MS[repeats] ?? REPEAT_AFTER_MS[2];
  const waitMs = spacingMs - clock.since({ atMs: sent.sentAtMs, boot: sent.sentBoot }).leastMs;
  if (waitMs > 0) await clock.sleep(waitMs, waiter.signal);
}

async function followPolicy(run: Run, doubt: Doubt, policy: DoubtPolicy): Promise<Resolution> {
  switch (policy) {
    case 'hold':
      return { kind: 'hold', reason: doubtReason(doubt) };
    case 'skip':
      return follow(await decide(run, doubt, 'skip', 'job', 'the job says in_doubt: skip'), doubt);
    case 'retry':
      if (await wasRetried(run, doubt))
        return { kind: 'hold', reason: `${doubtReason(doubt)}; asked again once by the job, and lost again` };
      return follow(await decide(run, doubt, 'retry', 'job', 'the job says in_doubt: retry'), doubt);
    default:
      return unreachable(policy);
  }
}

/**
 * A job pays again for a call once in a batch: the extra credits are for many calls that were lost by chance, and not for
 * one that the vendor always loses. From then on only a person says "again".
 */
async function wasRetried({ session: { ledger, account }, batch }: Run, doubt: Doubt): Promise<boolean> {
  const history = await ledger.history(doubt.batch, doubt.row);
  return history.some(
    ({ call, decision }) =>
      decision?.kind === 'retry' &&
      decision.by === 'job' &&
      decision.batch === batch &&
      callKeyOf(account.identity, call) === doubt.key,
  );
}

async function decide(
  { session: { ledger, clock }, batch }: Run,
  doubt: Doubt,
  kind: DecisionKind,
  by: DecisionSpec['by'],
  why: string,
): Promise<Decision> {
  const spec: DecisionSpec = { key: doubt.key, batch, kind, by, why, atMs: clock.wallMs() };
  return { ...spec, id: await ledger.decide(spec) };
}

function follow(decision: Decision, doubt: Doubt): Resolution {
  switch (decision.kind) {
    case 'retry':
      return { kind: 'send_again', again: { decision: decision.id } };
    case 'skip':
      return { kind: 'skip', reason: `skipped, ${decision.why}: ${doubt.why}` };
    case 'repeat':
    case 'hold':
    case 'told':
      return { kind: 'hold', reason: doubtReason(doubt) };
    default:
      return unreachable(decision.kind);
  }
}

/** `in doubt since 2026-11-20T02:13:00.000Z, 1 credit at risk: no answer came (…)`; of a change, what is at stake. */
export function doubtReason({ call, atRisk, sentAtMs, why }: Doubt): string {
  const money = call.change === undefined || atRisk > 0 ? `${counted(atRisk, 'credit')} at risk` : undefined;
  const facts = [`in doubt since ${isoTime(sentAtMs)}`, call.change?.atStake, money];
  return `${facts.filter((fact) => fact !== undefined).join(', ')}: ${why}`;
}
