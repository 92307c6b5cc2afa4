import { type Client, type FreeAnswer, KEPT_BY_CACHE, wasKept } from '../client/client.ts';
import {
  asksByKey,
  asReceived,
  type Dialect,
  dialectOperationOf,
  type ReadBack,
  vendorReply,
} from '../client/dialect.ts';
import { isNotYet, judge, leftBy, saidOfLost, type WireReply, whyUnanswered } from '../client/judge.ts';
import { readBackRequestOf } from '../client/request.ts';
import { bytesOf, readBody, valueAt } from '../core/answer-body.ts';
import { isoTime } from '../core/clock.ts';
import { sayAll } from '../core/finding-words.ts';
import { present } from '../core/objects.ts';
import type { Call } from '../core/operation.ts';
import { counted } from '../core/plain-text.ts';
import type { Doubt, Look, Money, Reply, UsageMark } from '../ledger/ledger.ts';
import { formatDuration, parseDurationMs } from '../lib/duration.ts';
import { crashPoint, vendorIsQuick } from '../lib/faults.ts';
import { type AccountRun, type Session, tellTime } from './session.ts';

/**
 * This file asks the vendor, without cost, what became of calls with lost answers. A read-back asks about one
 * call, the vendor's count of credits about all of them. The ledger has the reply before anything follows
 * from it, so a crash leaves at most a question to ask again. A question that fails is `unclear`; it never
 * stops a run.
 */

/**
 * After this time without an answer, the vendor surely no longer works on the request, whatever a dialect
 * says. It counts from when we gave up.
 */
const WORKS_ON_MS = 60_000;

/** What the vendor said when it was asked, and with which reply. */
interface Finding extends Pick<Look, 'said' | 'why'> {
  readonly vendorsReply?: Pick<Reply, 'status' | 'body'>;
  /** The lost answer itself. */
  readonly lostReply?: Reply;
  /** Left out: `found`. */
  readonly toldAs?: 'found' | 'no_match';
}

const unhelpful = (why: string): Finding => ({
  said: 'unclear',
  why: `the vendor's reply does not help: ${why}`,
});

const heardIn = (reply: WireReply): Pick<Finding, 'vendorsReply'> =>
  reply.kind === 'answered' ? { vendorsReply: reply.raw } : {};

// -------------------------------------------------------------------------------------------- by a read-back

/**
 * @returns `ended` where the doubt has ended; `unclear` also where the question needs an idempotency key
 *   that the call lacks.
 */
export async function askAbout(
  run: AccountRun,
  doubt: Doubt,
  mayWait: boolean,
): Promise<'ended' | 'unclear' | 'too_early'> {
  const { client } = run.session;
  const { call, attempt, request: lost } = doubt;
  const shape = dialectOperationOf(client.dialect, call).read_back;
  if (shape === undefined || run.looked.has(attempt)) return 'unclear';
  if (asksByKey(shape) && lost === undefined) return 'unclear';
  const waitMs = await msUntilSure(run, doubt, sureMsOf(client.timeoutMsOf(call), shape.sure_after));
  if (waitMs > 0 && !mayWait) return 'too_early';
  run.looked.add(attempt);
  await untilSure(run, waitMs);
  const values = { ...client.values, ...present({ idempotency_key: lost?.idempotencyKey }) };
  const request = readBackRequestOf(client.dialect, client.basePath, call, shape, values);
  const freeAnswer = await client.ask(run.waiter, request);
  const found = { ...readBackFinding(client, call, shape, freeAnswer), ...heardIn(freeAnswer.reply) };
  // The vendor itself said "not yet": it may still be at work on a request that it does not find.
  if (found.said === 'not_happened' && isNotYet(doubt.why)) return 'unclear';
  return (await conclude(run, doubt, 'read_back', found)) ? 'ended' : 'unclear';
}

function readBackFinding(
  { dialect }: Client,
  call: Call,
  shape: ReadBack,
  { reply, verdict: ofQuestion }: Pick<FreeAnswer, 'reply' | 'verdict'>,
): Finding {
  if (reply.kind !== 'answered') return unhelpful(sayAll(whyUnanswered(reply), 'terminal'));
  if (wasKept(reply.raw)) return unhelpful(KEPT_BY_CACHE);
  const vendorsReply = vendorReply(reply.raw, dialect);
  // A vendor that asks us to wait has not looked the call up.
  const lostVerdict =
    vendorsReply === undefined || ofQuestion.kind === 'paused' ? 'unclear' : saidOfLost(vendorsReply, shape);
  if (vendorsReply === undefined || lostVerdict === 'unclear')
    return unhelpful(`status ${(vendorsReply ?? reply.raw).status}`);
  if (lostVerdict === 'not_happened')
    return { said: lostVerdict, why: `the vendor did nothing for it (status ${vendorsReply.status})` };
  const lostReply = asReceived(lostAnswer(vendorsReply, shape), dialect);
  const verdict = judge(
    { kind: 'answered', raw: lostReply },
    dialect,
    dialectOperationOf(dialect, call),
    call,
  );
  if (verdict.kind !== 'answered')
    return {
      said: 'unclear',
      why: `it happened, but its answer cannot be used: ${sayAll(verdict.why, 'terminal')}`,
    };
  const { answer, charged } = verdict;
  const why = sayAll(verdict.why, 'terminal');
  if (answer === 'found')
    return { said: lostVerdict, why: `the vendor did it, and sent its answer again (${why})`, lostReply };
  // The vendor charged nothing, whatever it answered. So a repeat costs nothing and gets the same answer.
  if (charged === 0) return { said: 'not_happened', why: `the vendor had nothing to charge for (${why})` };
  if (answer === 'no_match' && call.change === undefined)
    return { said: lostVerdict, why: `the vendor charged for a miss (${why})`, lostReply, toldAs: answer };
  return { said: 'unclear', why: `the vendor charged for an answer without a result: ${why}` };
}

function lostAnswer(vendorsReply: Reply, { answer, answer_status: statusAt }: ReadBack): Reply {
  const read = readBody(vendorsReply.body);
  const value = read.kind === 'json' ? read.value : undefined;
  const status = statusAt === undefined ? vendorsReply.status : Number(valueAt(value, statusAt));
  return {
    ...vendorsReply,
    status,
    body: answer === undefined ? vendorsReply.body : bytesOf(valueAt(value, answer)),
  };
}

// ----------------------------------------------------------------------------------- by the count of credits

/**
 * Compares the vendor's count of credits with ours. When the count grew by exactly the price of the answers,
 * none of the calls in doubt was charged, and their money is given back. A call with several lost attempts
 * gets the money of one back. A run calls this before it sends anything, because a count means nothing while
 * a run is buying. When no call is in doubt, both counts are kept for the next comparison.
 */
export async function compareUsage(run: AccountRun): Promise<void> {
  const { session } = run;
  const { ledger, account, client, clock } = session;
  const { usage } = client.dialect;
  // Where many processes spend, another one may be buying now, and the count says nothing.
  if (usage === undefined || account.exclusiveKey !== true || ledger.spenders !== undefined) return;
  const { usage: mark } = await ledger.account(account.identity);
  if (mark === undefined && (await moneyOf(session)).inDoubt > 0) return;
  const doubts = await doubtsAtRisk(session);
  for (const doubt of doubts)
    await untilSure(
      run,
      await msUntilSure(run, doubt, sureMsOf(client.timeoutMsOf(doubt.call), usage.sure_after)),
    );
  const before = await moneyOf(session);
  const freeAnswer = await client.ask(run.waiter, client.freeRequest(usage));
  const money = await moneyOf(session);
  // Another run of the account is buying, so no comparison is possible.
  if (money.reserved > 0 || before.spent !== money.spent || before.inDoubt !== money.inDoubt) return;
  const count = countIn(freeAnswer, client.dialect, usage);
  if (mark !== undefined) {
    const countVerdict =
      typeof count === 'number' ? countFinding(client.dialect, mark, count, money) : unhelpful(count);
    for (const doubt of doubts)
      await conclude(run, doubt, 'usage', { ...countVerdict, ...heardIn(freeAnswer.reply) });
  }
  // A count is kept only of a moment without open or doubtful calls: from then on, only lost calls can make
  // the counts differ.
  if (typeof count !== 'number' || (await moneyOf(session)).inDoubt > 0) return;
  await ledger.changeAccount(account.identity, {
    usage: { counted: count, spent: money.spent, atMs: clock.wallMs() },
  });
}

/** The vendor's count, or the reason why there is none. */
function countIn(
  freeAnswer: FreeAnswer,
  dialect: Dialect,
  { credits }: NonNullable<Dialect['usage']>,
): number | string {
  const { reply, verdict } = freeAnswer;
  if (reply.kind !== 'answered') return sayAll(whyUnanswered(reply), 'terminal');
  return wasKept(reply.raw)
    ? KEPT_BY_CACHE
    : (amountIn(freeAnswer, dialect, credits) ?? sayAll(verdict.why, 'terminal'));
}

function countFinding(dialect: Dialect, mark: UsageMark, credits: number, money: Money): Finding {
  const { credits_charged: stated, operations } = dialect;
  const grown = credits - mark.counted;
  const settled = money.spent - mark.spent;
  const facts =
    `since ${isoTime(mark.atMs)} the vendor counted ${counted(grown, 'credit')}, ` +
    `and answers cost ${settled}`;
  if (grown !== settled) return { said: 'unclear', why: facts };
  // An operation of more than one credit may have been cheaper than its entry says, and an unnoticed charge
  // would fit into the difference.
  const isExact = stated !== undefined || Object.values(operations).every((each) => each.credits.most <= 1);
  if (settled > 0 && !isExact) return { said: 'unclear', why: `${facts} by the estimates of the dialect` };
  return { said: 'not_happened', why: facts };
}

/**
 * The doubts of all the account's batches that reserve money. Calls without a price are left out, because the
 * vendor may have acted on them without charging.
 */
async function doubtsAtRisk({ ledger, account }: Session): Promise<readonly Doubt[]> {
  const byAttempt = new Map<Doubt['attempt'], Doubt>();
  for (const batch of await ledger.batches()) {
    if (batch.accounts.every(({ identity }) => identity !== account.identity)) continue;
    for (const doubt of await ledger.doubts(batch.id))
      if (doubt.accountIdentity === account.identity && doubt.atRisk > 0) byAttempt.set(doubt.attempt, doubt);
  }
  return [...byAttempt.values()];
}

const moneyOf = ({ ledger, account, clock }: Session): Promise<Money> =>
  ledger.accountMoney(account.identity, 'ever', clock.wallMs());

/**
 * Stores the vendor's count of a run beside ours, from the credits left before and after. There is no count
 * where others may spend with the key, another run bought as well, or credits were added.
 * @returns a function that keeps the count with the batch.
 */
export async function countByVendor(run: AccountRun): Promise<() => Promise<void>> {
  const { session, batch } = run;
  const { ledger, account } = session;
  const isOurs = account.exclusiveKey === true && ledger.spenders === undefined;
  const read = async () => ({
    // A reached budget does not stop a free question, and no one waits long for a count.
    balance: await balanceOf({ session, waiter: soon() }).catch(() => undefined),
    spent: (await ledger.batchMoney(batch)).spent,
    ever: (await moneyOf(session)).spent,
  });
  const before = isOurs ? await read() : undefined;
  return async () => {
    if (before?.balance === undefined) return;
    const { balance = Number.POSITIVE_INFINITY, spent, ever } = await read();
    if (balance > before.balance || spent - before.spent !== ever - before.ever) return;
    const { vendorCount = { credits: 0, spent: 0 } } = (await ledger.batch(batch)) ?? {};
    const credits = vendorCount.credits + before.balance - balance;
    await ledger.changeBatch(batch, {
      vendorCount: { credits, spent: vendorCount.spent + spent - before.spent },
    });
  };
}

const soon = () => ({ signal: AbortSignal.timeout(LOOK_FOR_MS), maxPauseMs: LOOK_FOR_MS });
const LOOK_FOR_MS = 5_000;

/**
 * The credits that the vendor says are left, by its dialect's free question; undefined where the dialect has
 * none, or the answer has no number.
 */
export async function balanceOf({
  session: { client },
  waiter,
}: Pick<AccountRun, 'session' | 'waiter'>): Promise<number | undefined> {
  const { balance } = client.dialect;
  if (balance === undefined) return undefined;
  return amountIn(await client.ask(waiter, client.freeRequest(balance)), client.dialect, balance.credits);
}

/**
 * The amount at a place of the answer to a free question, also where it is written as text. It is undefined
 * where the answer is an error: an amount beside an error may be of any day.
 */
export function amountIn(
  { reply, verdict }: Pick<FreeAnswer, 'reply' | 'verdict'>,
  dialect: Dialect,
  path: string,
): number | undefined {
  if (reply.kind !== 'answered' || verdict.kind !== 'answered' || verdict.answer !== 'found')
    return undefined;
  const vendorsReply = vendorReply(reply.raw, dialect);
  if (vendorsReply === undefined || Math.floor(vendorsReply.status / 100) !== 2) return undefined;
  const body = readBody(vendorsReply.body);
  const value = body.kind === 'json' ? valueAt(body.value, path) : undefined;
  const amount = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof amount === 'number' && Number.isFinite(amount) && amount >= 0 ? amount : undefined;
}

// ------------------------------------------------------------------------------------------------ asking

/** The time that the dialect states, but never less than the time after which the vendor is surely done. */
function sureMsOf(timeoutMs: number, sureAfter: string | undefined): number {
  const statedMs = sureAfter === undefined ? 0 : (parseDurationMs(sureAfter) ?? 0);
  return vendorIsQuick() ? statedMs : Math.max(statedMs, timeoutMs + WORKS_ON_MS);
}

async function msUntilSure(run: AccountRun, { sentAtMs }: Doubt, sureMs: number): Promise<number> {
  await tellTime(run);
  return sureMs - Math.max(0, run.session.clock.wallMs() - sentAtMs);
}

async function untilSure({ session, waiter, emit, looked }: AccountRun, waitMs: number): Promise<void> {
  if (waitMs <= 0) return;
  // The note is emitted once, because all other questions wait at the same time.
  if (looked.size <= 1)
    emit({ kind: 'note', message: `The vendor is asked about calls in doubt in ${formatDuration(waitMs)}.` });
  await session.clock.sleep(waitMs, waiter.signal);
}

const NOTHING = { status: 0, body: Buffer.alloc(0) };

/**
 * Keeps the vendor's statement, and ends the doubt where the statement is certain.
 * @returns whether the doubt ended.
 */
async function conclude(
  { session: { ledger, clock, account, client }, batch }: AccountRun,
  { key, attempt, call }: Doubt,
  kind: Look['kind'],
  { said, why, vendorsReply = NOTHING, lostReply, toldAs }: Finding,
): Promise<boolean> {
  const atMs = clock.wallMs();
  const { status, body } = vendorsReply;
  await ledger.look({ attempt, kind, said, why, status, body, atMs });
  crashPoint('after-look');
  if (said === 'not_happened') await ledger.release(attempt, why, atMs);
  if (said === 'happened') {
    // The exact cost is not known, so the earlier counts cannot be compared any more.
    await ledger.changeAccount(account.identity, { usage: undefined });
    const leftFacts = lostReply === undefined ? undefined : leftBy(call, 'found', lostReply, client.dialect);
    const decision = { key, batch, kind: 'told', by: 'rule', why, atMs } as const;
    await ledger.decide(decision, { reply: lostReply, toldAs, leftFacts });
  }
  return said !== 'unclear';
}
