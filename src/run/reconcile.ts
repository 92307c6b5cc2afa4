import { type Asked, type Client, KEPT_BY_CACHE, wasKept } from '../client/client.ts';
import {
  asReceived,
  type Dialect,
  dialectOperationOf,
  type ReadBack,
  vendorReply,
} from '../client/dialect.ts';
import { judge, leftBy, type Reply, saidOfLost } from '../client/judge.ts';
import type { FreeRequest } from '../client/request.ts';
import { bytesOf, readBody, valueAt } from '../core/answer-body.ts';
import { isoTime } from '../core/clock.ts';
import { unreachable } from '../core/errors.ts';
import type { Call } from '../core/operation.ts';
import { counted } from '../core/plain-text.ts';
import {
  type Doubt,
  decide,
  type Look,
  type Money,
  type RawReply,
  recordLook,
  release,
  type UsageMark,
} from '../ledger/ledger.ts';
import { formatDuration, parseDurationMs } from '../lib/duration.ts';
import { crashPoint, vendorIsQuick } from '../lib/faults.ts';
import { amountIn } from './balance.ts';
import {
  failed,
  findInvite,
  type Heard,
  heardIn,
  heardOf,
  inviteFinding,
  inviteLookOf,
  type LookResult,
} from './reconcile/by-lists.ts';
import { type Run, type Session, tellTime } from './session.ts';

/**
 * This file asks the vendor, without cost, what became of calls whose answers were lost: about one call by a read-back, or
 * about all of them by the vendor's count of credits. The ledger has the reply before anything follows from it, so a crash
 * leaves at most a question to ask again. A question that fails is `unclear`; it never stops a run.
 */

/** This long after we gave up on an answer, the vendor surely no longer works on its request, whatever a dialect says. */
const WORKS_ON_MS = 60_000;

// ------------------------------------------------------------------------------------------------ one call

interface Question {
  readonly sureMs: number;
  ask(): Promise<{ readonly finding: LookResult; readonly heard: Heard }>;
}

export async function askAbout(run: Run, doubt: Doubt): Promise<boolean> {
  const question = readBackQuestion(run, doubt) ?? inviteQuestion(run, doubt);
  if (question === undefined || run.looked.has(doubt.attempt)) return false;
  run.looked.add(doubt.attempt);
  await untilSure(run, doubt, question.sureMs);
  const { finding, heard } = await question.ask();
  await note(run, doubt, 'read_back', finding, heard);
  return conclude(run, doubt, finding);
}

export function canBeAskedAbout(dialect: Dialect, call: Call): boolean {
  const shape = dialect.operations[call.operation]?.read_back;
  return shape !== undefined || dialect.usage !== undefined || inviteLookOf(dialect, call) !== undefined;
}

function readBackQuestion(run: Run, doubt: Doubt): Question | undefined {
  const { client } = run.session;
  const operation = dialectOperationOf(client.dialect, doubt.call);
  const { read_back: shape } = operation;
  const request = readBackRequest(client, shape, doubt);
  if (shape === undefined || request === undefined) return undefined;
  return {
    sureMs: sureMsOf(client, shape.sure_after),
    ask: async () => {
      const asked = await client.ask(run.waiter, request);
      const finding = readBackFinding(client, doubt.call, shape, request, asked);
      return { finding, heard: heardIn(asked.reply) };
    },
  };
}

/** The read-back request; undefined when it needs an idempotency key that the lost attempt did not have. */
function readBackRequest(
  client: Client,
  shape: ReadBack | undefined,
  { call, request }: Doubt,
): FreeRequest | undefined {
  if (shape === undefined) return undefined;
  const needsKey = JSON.stringify([shape.path, shape.headers]).includes('{idempotency_key}');
  if (needsKey && request === undefined) return undefined;
  return client.readBackRequest(call, shape, request?.idempotencyKey);
}

function readBackFinding(
  { dialect, origin }: Client,
  call: Call,
  shape: ReadBack,
  request: FreeRequest,
  { reply, verdict: ofQuestion }: Pick<Asked, 'reply' | 'verdict'>,
): LookResult {
  if (reply.kind !== 'answered') return failed(reply.message);
  if (wasKept(reply.raw)) return failed(KEPT_BY_CACHE);
  const own = vendorReply(reply.raw, dialect);
  // A vendor that asks us to wait has not looked.
  const said = own === undefined || ofQuestion.kind === 'paused' ? 'unclear' : saidOfLost(own, shape);
  if (own === undefined || said === 'unclear') return failed(`status ${(own ?? reply.raw).status}`);
  if (said === 'not_happened') return { said, why: `the vendor did nothing for it (status ${own.status})` };
  const told = asReceived(lostAnswer(own, shape), dialect);
  const operation = dialectOperationOf(dialect, call);
  const verdict = judge({ kind: 'answered', raw: told }, dialect, operation, {
    origin,
    path: request.path,
    call,
  });
  if (verdict.kind !== 'answered') {
    return { said: 'unclear', why: `it happened, but its answer cannot be used: ${verdict.why}` };
  }
  const { answer, charged, why } = verdict;
  if (answer === 'found') return { said, why: `the vendor did it, and sent its answer again (${why})`, told };
  // Whatever the vendor answered, it charged nothing. So a repeat costs nothing and gets the same answer.
  if (charged === 0) return { said: 'not_happened', why: `the vendor had nothing to charge for (${why})` };
  return { said: 'unclear', why: `the vendor charged for an answer without a result: ${why}` };
}

function lostAnswer(own: RawReply, { answer, answer_status: statusAt }: ReadBack): RawReply {
  const read = readBody(own.body);
  const value = read.kind === 'json' ? read.value : undefined;
  const status = statusAt === undefined ? own.status : Number(valueAt(value, statusAt));
  return { ...own, status, body: answer === undefined ? own.body : bytesOf(valueAt(value, answer)) };
}

// ------------------------------------------------------------------------------------------------ one invite

function inviteQuestion(run: Run, doubt: Doubt): Question | undefined {
  const { client, clock } = run.session;
  const { dialect } = client;
  const look = inviteLookOf(dialect, doubt.call);
  if (look === undefined) return undefined;
  return {
    sureMs: Math.max(...look.lists.map(({ listing }) => sureMsOf(client, listing.sure_after))),
    ask: async () => {
      const found = await findInvite(
        (listing) => client.members(run.waiter, look.project, listing, 'once'),
        look,
      );
      return {
        finding: inviteFinding(dialect, doubt.call, found, clock.wallMs()),
        heard: heardOf(found),
      };
    },
  };
}

// ------------------------------------------------------------------------------------------------ all calls

/**
 * Compares the vendor's count of credits with ours. When it grew by exactly the price of the answers, none of the calls in
 * doubt was charged, and their money is given back. A run calls this before it sends anything, because a count means
 * nothing while a run is buying. When no call is in doubt, both counts are kept for the next comparison.
 */
export async function compareUsage(run: Run): Promise<void> {
  const { session } = run;
  const { ledger, account, client } = session;
  const { usage } = client.dialect;
  // Where many spend, another process may be buying now, and the count says nothing.
  if (usage === undefined || account.exclusiveKey !== true || ledger.spenders !== undefined) return;
  const { usage: mark } = await ledger.account(account.identity);
  const { inDoubt } = await moneyOf(session);
  if (inDoubt > 0 && mark === undefined) return;
  const doubts = await doubtsAtRisk(session);
  const sureMs = sureMsOf(client, usage.sure_after);
  for (const doubt of doubts) await untilSure(run, doubt, sureMs);
  const count = await countUsage(run);
  if (count === undefined) return;
  if (mark !== undefined) await resolveByCount(run, doubts, mark, count);
  await keepCount(session, count);
}

interface UsageCount {
  readonly credits: number | undefined;
  readonly why: string;
  readonly money: Money;
  readonly reply: Reply;
}

/** Asks for the count; undefined while another run of the account is buying, because no comparison is possible then. */
async function countUsage(run: Run): Promise<UsageCount | undefined> {
  const { session, waiter } = run;
  const { client } = session;
  const { dialect } = client;
  const before = await moneyOf(session);
  if (dialect.usage === undefined || before.reserved > 0) return undefined;
  const asked = await client.ask(waiter, client.freeRequest(dialect.usage));
  const { reply } = asked;
  const money = await moneyOf(session);
  const wasQuiet = money.reserved === 0 && before.spent === money.spent && before.inDoubt === money.inDoubt;
  if (!wasQuiet) return undefined;
  if (reply.kind !== 'answered') return { credits: undefined, why: reply.message, money, reply };
  if (wasKept(reply.raw)) return { credits: undefined, why: KEPT_BY_CACHE, money, reply };
  const credits = amountIn(asked, dialect, dialect.usage.credits);
  return { credits, why: asked.verdict.why, money, reply };
}

/**
 * Settles the calls in rounds, because a call with several lost attempts is in doubt about one of them at a time. Attempts
 * that were lost after the vendor's count are left out.
 */
async function resolveByCount(
  run: Run,
  doubts: readonly Doubt[],
  mark: UsageMark,
  count: UsageCount,
): Promise<void> {
  const finding = countFinding(run.session.client.dialect, mark, count);
  const newest = Math.max(...doubts.map(({ attempt }) => attempt));
  for (let left = doubts; left.length > 0; ) {
    for (const doubt of left) {
      await note(run, doubt, 'usage', finding, heardIn(count.reply));
      await conclude(run, doubt, finding);
    }
    if (finding.said !== 'not_happened') return;
    left = (await doubtsAtRisk(run.session)).filter(({ attempt }) => attempt <= newest);
  }
}

function countFinding(dialect: Dialect, mark: UsageMark, { credits, why, money }: UsageCount): LookResult {
  if (credits === undefined) return failed(why);
  const grown = credits - mark.counted;
  const settled = money.spent - mark.spent;
  const facts = `since ${isoTime(mark.atMs)} the vendor counted ${counted(grown, 'credit')}, and answers cost ${settled}`;
  if (grown !== settled) return { said: 'unclear', why: facts };
  if (settled > 0 && !pricesAreExact(dialect))
    return { said: 'unclear', why: `${facts} by the estimates of the dialect` };
  return { said: 'not_happened', why: facts };
}

/**
 * Whether we book exactly what the vendor charges for an answer. An operation of more than one credit may have been cheaper
 * than its entry says, and then an unnoticed charge would fit into the difference.
 */
function pricesAreExact({ credits_charged: stated, operations }: Dialect): boolean {
  return stated !== undefined || Object.values(operations).every(({ credits }) => credits.most <= 1);
}

/**
 * The doubts of all the account's batches that reserve money. Calls without a price are left out, because the vendor may
 * have acted on them without charging.
 */
async function doubtsAtRisk({ ledger, account }: Session): Promise<readonly Doubt[]> {
  const byAttempt = new Map<Doubt['attempt'], Doubt>();
  for (const batch of await ledger.batches()) {
    if (batch.accountIdentity !== account.identity) continue;
    for (const doubt of await ledger.doubts(batch.id))
      if (doubt.atRisk > 0) byAttempt.set(doubt.attempt, doubt);
  }
  return [...byAttempt.values()];
}

/** Keeps the counts of a moment without open or doubtful calls. From then on, only lost calls can make them differ. */
async function keepCount(session: Session, { credits, money }: UsageCount): Promise<void> {
  const { ledger, account, clock } = session;
  const { spent, inDoubt } = await moneyOf(session);
  if (credits === undefined || inDoubt > 0 || spent !== money.spent) return;
  await ledger.setUsage(account.identity, { counted: credits, spent, atMs: clock.wallMs() });
}

function moneyOf({ ledger, account, clock }: Session): Promise<Money> {
  return ledger.accountMoney(account.identity, 'ever', clock.wallMs());
}

// ------------------------------------------------------------------------------------------------ asking

/** The time that the dialect states, but never less than the time after which the vendor is surely done. */
function sureMsOf({ timeoutMs }: Client, sureAfter: string | undefined): number {
  const statedMs = sureAfter === undefined ? 0 : (parseDurationMs(sureAfter) ?? 0);
  return vendorIsQuick() ? statedMs : Math.max(statedMs, timeoutMs + WORKS_ON_MS);
}

async function untilSure(run: Run, { sentAtMs }: Doubt, sureMs: number): Promise<void> {
  const { session, waiter, emit, looked } = run;
  const { clock } = session;
  await tellTime(run);
  const waitMs = sureMs - Math.max(0, clock.wallMs() - sentAtMs);
  if (waitMs <= 0) return;
  // The note is emitted once, because all other questions wait at the same time.
  if (looked.size <= 1)
    emit({ kind: 'note', message: `The vendor is asked about calls in doubt in ${formatDuration(waitMs)}.` });
  await clock.sleep(waitMs, waiter.signal);
}

async function note(
  { session: { ledger, clock }, emit }: Run,
  { attempt }: Doubt,
  kind: Look['kind'],
  { said, why }: LookResult,
  { status, body }: Heard,
): Promise<void> {
  await recordLook(ledger, { attempt, kind, said, why, status, body, atMs: clock.wallMs() });
  crashPoint('after-look');
  emit({ kind: 'looked', said });
}

async function conclude(
  { session: { ledger, clock, account, client }, batch }: Run,
  { key, attempt, call }: Doubt,
  { said, why, told, left }: LookResult,
): Promise<boolean> {
  switch (said) {
    case 'not_happened':
      await release(ledger, attempt, why, clock.wallMs());
      return true;
    case 'happened': {
      // The exact cost is not known, so the earlier counts cannot be compared any more.
      await ledger.setUsage(account.identity, undefined);
      const leaves = left ?? (told === undefined ? undefined : leftBy(call, 'found', told, client.dialect));
      await decide(ledger, { key, batch, kind: 'told', by: 'rule', why, atMs: clock.wallMs() }, told, {
        left: leaves,
      });
      return true;
    }
    case 'unclear':
      return false;
    default:
      return unreachable(said);
  }
}

/** `in doubt since 2026-11-20T02:13:00.000Z, 1 credit at risk: no answer came (…)`; for a change, what is at stake. */
export function doubtReason({ call, atRisk, sentAtMs, why }: Doubt): string {
  const money = call.change === undefined || atRisk > 0 ? `${counted(atRisk, 'credit')} at risk` : undefined;
  const facts = [`in doubt since ${isoTime(sentAtMs)}`, call.change?.atStake, money];
  return `${facts.filter((fact) => fact !== undefined).join(', ')}: ${why}`;
}
