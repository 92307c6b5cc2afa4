import { operationFor } from '../client/dialect.ts';
import { isNotYet, oddAnswerIn } from '../client/judge.ts';
import { finding, NO_FINDINGS, together } from '../core/finding.ts';
import type { Findings } from '../core/findings.ts';
import type {
  AttemptId,
  AttemptRecord,
  CallState,
  Decision,
  DecisionId,
  DecisionKind,
  DecisionSpec,
  Doubt,
  KeyedRequest,
} from '../ledger/ledger.ts';
import { crashPoint } from '../lib/faults.ts';
import { wasRetried } from '../walk/known-calls.ts';
import { endOf, verdictOn } from './buy.ts';
import { inDoubt } from './doubts.ts';
import { isStillHonoured } from './intent.ts';
import { askLater } from './later.ts';
import { askAbout, compareUsage } from './reconcile.ts';
import { type AccountRun, type JudgeContext, type Session, tellTime, type Waits } from './session.ts';

/**
 * ★ This file settles calls that a crash or a lost answer left open.
 *
 * `recover` runs before any new spending: it judges an open attempt of an earlier run if its reply was
 * recorded, and puts it in doubt if not. `resolveDoubt` decides how one call in doubt goes on. Both may be
 * interrupted and repeated at any point, because an attempt ends once and a decision is used once.
 */

type DoubtPolicy = 'hold' | 'skip' | 'retry';

/** Undefined: the ledger now holds an answer, or no trace of the call, so the caller looks into it again. */
type Resolution =
  | { readonly kind: 'send_again'; readonly again: RepeatRequest }
  | { readonly kind: 'in_doubt' | 'skipped'; readonly findings: Findings; readonly attempt: AttemptId }
  /** It is too early to send the call again, or to ask about it. */
  | Waits
  | undefined;

interface RepeatRequest {
  readonly decision: DecisionId;
  readonly request?: KeyedRequest;
  readonly withoutKey?: true;
}

/** The most repeats of a request. A vendor that loses four answers to it will lose the fifth, too. */
const MOST_REPEATS = 3;

/**
 * The waits before repeats. The first repeat is sent at once. A vendor that loses it, or is still working on
 * it, gets more time.
 */
const REPEAT_AFTER_MS = [0, 5_000, 30_000] as const;

const PROGRAM_ENDED = finding('program_ended', {});

/**
 * Settles the attempts that an earlier process left open, and the doubts that the vendor's count of credits
 * can settle.
 * @returns how many attempts were open.
 */
export async function recover(run: AccountRun): Promise<number> {
  const open = await closeLeftOpen(run);
  await compareUsage(run);
  return open;
}

/**
 * Settles the attempts that an earlier process left open, without a request.
 * @returns how many attempts were open.
 */
export async function closeLeftOpen(judging: JudgeContext): Promise<number> {
  const open = await judging.session.ledger.openAttempts();
  for (const attempt of open) await closeOpen(judging, attempt); // rule 3
  return open.length;
}

/**
 * Settles an open attempt. It belongs to a run that has ended, because only one process spends from a store.
 */
async function closeOpen(judging: JudgeContext, open: AttemptRecord): Promise<void> {
  crashPoint('recovering');
  const { account, ledger, clock, client } = judging.session;
  const ours = open.accountIdentity === account.identity;
  const isReadable = ours && Object.hasOwn(client.dialect.operations, open.call.operation);
  if (open.reply !== undefined && isReadable) {
    const isRepeat = open.decision !== undefined;
    const operation = operationFor(client.dialect, open.call, {
      isRepeated: isRepeat,
      underKey: open.request !== undefined && open.decision?.kind === 'repeat',
    });
    const reply = { kind: 'answered', raw: open.reply } as const;
    const replied = { ...open, operation, path: client.basePath, reply, isRepeat };
    const end = endOf(judging, replied, verdictOn(judging, replied));
    await ledger.end(open.attempt, end, clock.wallMs());
    crashPoint('after-end');
    return;
  }
  // Without a reply no one knows whether the request was sent. A reply of another account waits for the
  // dialect of that account. A reply to an operation that is not built in waits for the next run that has the
  // operation.
  if (open.reply !== undefined) return;
  await ledger.end(open.attempt, { kind: 'in_doubt', why: PROGRAM_ENDED }, clock.wallMs());
}

export type InDoubt = CallState & { readonly kind: 'in_doubt' };

/**
 * Rule 10: the first way that applies counts. A way that surely costs nothing comes before a person's
 * decision, and that decision before the job's policy. `recover` has compared the vendor's count of credits
 * already, because the count means nothing once the run is buying.
 */
export async function resolveDoubt(
  run: AccountRun,
  state: InDoubt,
  policy: DoubtPolicy,
  { mayWait, mayAsk }: { readonly mayWait: boolean; readonly mayAsk: boolean },
): Promise<Resolution> {
  const { doubt, decision } = state;
  // The vendor may have answered since, which costs nothing to hear.
  if (mayAsk && (await hasAnsweredLater(run, doubt))) return undefined;
  // A person who decided to leave the call out wants none of the ways, because each of them may send it
  // again.
  if (decision?.kind === 'skip') return follow(run, decision, doubt);
  // While the vendor is at work on the call, only a person may have it sent again.
  const isLater = isNotYet(doubt.why);
  const repeated = isLater ? undefined : await repeat(run, state, mayWait);
  if (repeated !== undefined) return repeated;
  const questionEnd = mayAsk ? await askAbout(run, doubt, mayWait) : 'unclear';
  if (questionEnd !== 'unclear') return questionEnd === 'too_early' ? { kind: 'waits' } : undefined;
  // A decision of a rule or a job that had no result is made anew, by the job of today.
  if (decision?.by === 'person') return follow(run, decision, doubt);
  return followPolicy(run, doubt, isLater ? 'hold' : policy);
}

/** Asks once in a run for the answer to a call that the vendor had accepted. */
async function hasAnsweredLater(run: AccountRun, doubt: Doubt): Promise<boolean> {
  if (run.polled.has(doubt.attempt)) return false;
  run.polled.add(doubt.attempt);
  return askLater(run, doubt);
}

/**
 * Sends the lost request again if it is charged once however often it arrives, or does no harm; undefined for
 * other calls.
 */
async function repeat(
  run: AccountRun,
  { doubt, decision }: InDoubt,
  mayWait: boolean,
): Promise<Resolution | undefined> {
  const { repeats } = doubt;
  if (repeats >= MOST_REPEATS || (repeats > 0 && wasAnswered(run.session, doubt))) return undefined;
  const way = (await underItsKey(run, doubt)) ?? harmlessly(doubt);
  if (way === undefined) return undefined;
  const { why, ...again } = way;
  const { clock } = run.session;
  const waitMs =
    (REPEAT_AFTER_MS[repeats] ?? REPEAT_AFTER_MS[2]) - Math.max(0, clock.wallMs() - doubt.sentAtMs);
  if (waitMs > 0 && !mayWait) return { kind: 'waits' };
  if (waitMs > 0) await clock.sleep(waitMs, run.waiter.signal);
  const id = decision?.kind === 'repeat' ? decision.id : (await decide(run, doubt, 'repeat', 'rule', why)).id;
  return { kind: 'send_again', again: { decision: id, ...again } };
}

type RepeatWay = Omit<RepeatRequest, 'decision'> & { readonly why: string };

async function underItsKey(run: AccountRun, { request }: Doubt): Promise<RepeatWay | undefined> {
  if (request === undefined) return undefined;
  await tellTime(run);
  const { client, clock } = run.session;
  if (!isStillHonoured(client.dialect, clock.latestMs() - request.firstSentAtMs)) return undefined;
  const why = `the vendor charges once for an idempotency key, for ${client.dialect.idempotency?.valid_for}`;
  return { why, request };
}

const harmlessly = ({ call: { ifLost } }: Doubt): RepeatWay | undefined =>
  typeof ifLost === 'object' ? { why: ifLost.repeat, withoutKey: true } : undefined;

/** Whether the last answer came whole and could not be read: a vendor that says so twice says it again. */
const wasAnswered = ({ client }: Session, { reply, call }: Doubt): boolean =>
  reply !== undefined && oddAnswerIn(reply, client.dialect, call) !== undefined;

async function followPolicy(run: AccountRun, doubt: Doubt, policy: DoubtPolicy): Promise<Resolution> {
  const { ledger } = run.session;
  if (policy === 'hold') return leftInDoubt(run, doubt);
  // rule 10c
  if (policy === 'retry' && (await wasRetried(ledger, doubt, run.batch)))
    return leftInDoubt(run, doubt, finding('lost_again', {}));
  return follow(run, await decide(run, doubt, policy, 'job', `the job says in_doubt: ${policy}`), doubt);
}

async function decide(
  { session: { ledger, clock }, batch }: AccountRun,
  doubt: Doubt,
  kind: DecisionKind,
  by: DecisionSpec['by'],
  why: string,
): Promise<Decision> {
  const spec: DecisionSpec = { key: doubt.key, batch, kind, by, why, atMs: clock.wallMs() };
  return { ...spec, id: await ledger.decide(spec, { about: doubt.attempt }) };
}

function follow(run: AccountRun, decision: Decision, doubt: Doubt): Resolution {
  const { kind, by, why } = decision;
  if (kind === 'retry') return { kind: 'send_again', again: { decision: decision.id } };
  if (kind !== 'skip') return leftInDoubt(run, doubt);
  const skippedFinding =
    by === 'person' ? finding('skipped_by_user', {}) : finding('skipped_by_rule', { words: why });
  return { kind: 'skipped', findings: together(skippedFinding, doubt.why), attempt: doubt.attempt };
}

const leftInDoubt = ({ batch }: AccountRun, doubt: Doubt, more = NO_FINDINGS): Resolution => ({
  kind: 'in_doubt',
  findings: together(inDoubt(doubt, batch), more),
  attempt: doubt.attempt,
});
