import { z } from 'zod';
import { sandboxAccount } from '../client/account/account.ts';
import { dialectOf } from '../client/dialect.ts';
import { AccountTime } from '../client/time.ts';
import { systemClock } from '../core/clock.ts';
import { stop } from '../core/errors.ts';
import { finding } from '../core/finding.ts';
import { type SubjectFacts, Team } from '../core/membership.ts';
import { present } from '../core/objects.ts';
import { asCommand, asFlag, byFlag, phrase, typing } from '../core/phrase.ts';
import { counted, linesOf } from '../core/plain-text.ts';
import { asksSeveral } from '../core/steps.ts';
import { countedElsewhere } from '../files/output/counted-elsewhere.ts';
import {
  type AttemptId,
  type Batch,
  credits,
  type Doubt,
  heldCredits,
  type Ledger,
  type LedgerReader,
  type MatchDecision,
} from '../ledger/ledger.ts';
import { commandLine } from '../lib/command-line.ts';
import { DoubtListObject, type DoubtObject, type MatchObject } from '../objects/row-object.ts';
import { batchObjects, nextCommandOf } from '../run/batches.ts';
import { callObject, doubtList, doubtsOf, doubtWords, isOfBeside } from '../run/doubts.ts';
import { accountOfBatch, unlessStopped } from '../run/known-account.ts';
import { matchObject, otherAnswers } from '../run/matches.ts';
import {
  closedAfter,
  type FoundBatch,
  findBatch,
  lookInto,
  openIfFree,
  openLedger,
  requireTaken,
} from '../run/open-ledger.ts';
import {
  doubtsLike,
  overOf,
  refuseOver,
  requireTellableOfAll,
  rowsToldOf,
  skippedByUser,
  toldAnswer,
} from './settle/answer.ts';
import { decideMatches } from './settle/matches.ts';
import { argument, command, flag, onOff, type Report, text } from './shared/command.ts';
import {
  besideFact,
  callWords,
  decisionWords,
  lookWords,
  notDoneCommand,
  openWords,
} from './shared/doubts.ts';
import { BATCH, COMMON } from './shared/input.ts';

const DECIDED = { retry: 'retry', skip: 'skip', told: 'your answer', not_done: 'not done' } as const;

const settleInput = z.strictObject({
  ...COMMON,
  batch: argument(z.string(), BATCH),
  row: argument(
    z.union([z.string(), z.int().transform(String)]).optional(),
    "only this row, by the spreadsheet's number",
  ),
  retry: onOff('send it again, though it may be paid for, or done, twice'),
  extra_credits: flag(
    z.int().min(0).optional(),
    'the most that all retries of the batch may cost',
    '<credits>',
  ),
  skip: onOff(
    'leave these rows out of this batch; their credits stay in doubt, and those of what was accepted are booked',
  ),
  answer: flag(
    z.array(z.string()).min(1).optional(),
    'say what the vendor answered; no_match: it found nothing',
    '<key=value...>',
  ),
  not_done: onOff(
    'say that the vendor did nothing, and charged nothing: the money is free again, also what an answered call holds of its earlier requests',
  ),
  keep: onOff('keep what an answer about another company or person has found'),
  blank: onOff('leave the cells of an answer about another company or person blank'),
  all_like: text('decide about every row that was answered like this one', '<row>'),
});

const settleOutput = z.union([
  DoubtListObject,
  z.object({
    batch: z.string(),
    decided: z.enum(['retry', 'skip', 'told', 'not_done']),
    calls: z.number(),
  }),
  z.object({ batch: z.string(), decided: z.enum(['keep', 'blank']), rows: z.number() }),
]);

type SettleInput = z.output<typeof settleInput>;
type List = z.output<typeof DoubtListObject>;
type Output = z.output<typeof settleOutput>;

export default command({
  name: 'settle',
  summary: 'Lists calls in doubt or accepted, and answers about another one, and takes your decision.',
  details:
    'Give one decision at a time. Rows move at once, and the next run does what is left of them. ' +
    'For an invite say invite_code=…, accepted=true or user_id=…, for a project project_id=…, ' +
    'for an api-call any word, such as done=yes. A row that was skipped can be decided anew. ' +
    'Name the row of an accepted call, unless nothing is in doubt.',
  example: 'settle last --retry --extra-credits 20',
  input: settleInput,
  output: settleOutput,
  async run(given, { console }) {
    const kind = decisionIn(given);
    const found = await findBatch(given.batch, given.store, console.warn);
    if (kind === 'keep' || kind === 'blank') return decidedMatches(found, given, kind);
    if (kind !== undefined) return decided(found, given, kind);
    const open = await closeLeftOpenIn(found);
    if (open > 0) {
      const were = `${counted(open, 'request')} ${open === 1 ? 'was' : 'were'} open`;
      console.say(`${were} when the program ended; those without an answer are in doubt now.`);
    }
    const list = await listOf(found, given.row);
    const report = listReport(list, found.batch.accounts.length > 1);
    if (list.in_doubt.length > 0) return report;
    return { ...report, advice: [...(report.advice ?? []), ...(await doubtsElsewhere(given.store, found))] };
  },
});

const DECISIONS = ['retry', 'skip', 'told', 'not_done', 'keep', 'blank'] as const;
/** What is decided about doubts, but the last of it. */
const ONE_OF_THEM = '--retry, --skip, --answer';

/** `not_done` ends the doubt for every batch; the other decisions are about this batch alone. */
type Kind = keyof typeof DECIDED;

function decisionIn({
  row,
  all_like: like,
  extra_credits: extra,
  ...given
}: SettleInput): Kind | MatchDecision['kind'] | undefined {
  const kinds = { ...given, told: given.answer !== undefined };
  const [kind, ...others] = DECISIONS.filter((each) => kinds[each]);
  if (others.length > 0)
    throw stop('usage', 'More than one decision is given.', `Give ${ONE_OF_THEM}, --keep or --blank.`);
  if (extra !== undefined && kind !== 'retry')
    throw stop('usage', '--extra-credits belongs to --retry.', 'Add --retry.');
  if (like !== undefined && row !== undefined)
    throw stop('usage', '--all-like names a row itself.', `Leave out ${row}.`);
  if (like !== undefined && (kind === undefined || kind === 'keep' || kind === 'blank'))
    throw stop(
      'usage',
      '--all-like belongs to a decision about doubts.',
      `Add ${ONE_OF_THEM} or --not-done.`,
    );
  return kind;
}

// ---------------------------------------------------------------------------------------------- the list

function listReport(list: List, hasSeveralAccounts: boolean): Report<Output> {
  const { batch, open, in_doubt: doubts, waiting = [], matches = [] } = list;
  const { accepted = [], beside = [], skipped = [] } = list;
  const nothing = `Nothing in batch ${batch} is ${waiting.length > 0 ? 'for you to decide' : 'in doubt'}`;
  const nameOf = (doubt: DoubtObject): string =>
    `row ${doubt.row}, ${hasSeveralAccounts ? `${doubt.account}, ` : ''}${callWords(doubt)}`;
  return {
    lines: linesOf(
      waiting.map(({ row, reason }) => `row ${row} waits: ${reason}`),
      doubts.flatMap((doubt) => [
        `${nameOf(doubt)}: ${doubtWords(doubt)}`,
        ...doubt.looks.map((look) => `    ${lookWords(look)}`),
        ...(doubt.decision === null ? [] : [`    ${decisionWords(doubt.decision)}`]),
      ]),
      doubts.length > 0 && totalWords(list),
      accepted.map((each) => `${nameOf(each)}: ${doubtWords(each, 'accepted')}`),
      accepted.length > 0 && totalOf(accepted, 'accepted'),
      beside.map((each) => `${nameOf(each)}: ${doubtWords(each, 'in doubt beside its answer')}`),
      beside.length > 0 && totalOf(beside, 'in doubt beside an answer'),
      skipped.map((each) => `${nameOf(each)}: ${doubtWords(each, 'left out, in doubt')}`),
      skipped.length > 0 && totalOf(skipped, 'left out'),
      matches.map(({ row, match }) => `row ${row}: ${match}`),
      doubts.length + accepted.length + beside.length + skipped.length + open + matches.length === 0 &&
        `${nothing}.`,
      // Where several processes spend, a request for which no one waits any more is settled because of its
      // age.
      open > 0 && `${doubts.length > 0 ? '' : `${nothing}: `}${openWords(open, 'a later')}`,
    ),
    object: list,
    advice: [
      ...choiceLines(doubts),
      ...acceptedLines(accepted, doubts),
      ...linesOf(beside.length > 0 && BESIDE_WORDS, skipped.length > 0 && SKIPPED_WORDS),
      ...matchLines(matches),
    ],
  };
}

const matchLines = (matches: readonly MatchObject[]): readonly string[] =>
  linesOf(
    matches.some(({ decision }) => decision === null) &&
      'What was found for another company or person is kept with --keep, and left blank with --blank.',
  );

/** Other batches with rows in doubt: "last" is the newest batch, not the one with a doubt. */
async function doubtsElsewhere(store: string | undefined, { batch }: FoundBatch): Promise<readonly string[]> {
  const batches = await batchObjects(store);
  return batches.flatMap(({ batch: id, counts, input }) =>
    id === batch.id || !counts.in_doubt
      ? []
      : [`${counted(counts.in_doubt, 'row')} of ${input} in doubt: ${commandLine(['settle', id])}`],
  );
}

/** @throws StopError `usage` for a row about which there is nothing to decide. */
async function listOf(found: FoundBatch, row: string | undefined): Promise<List> {
  const { batch, location } = found;
  const others = await lookInto(location, (ledger) => otherAnswers(ledger, batch, row));
  const matches = others.length > 0 ? { matches: others.map(matchObject) } : {};
  if (row === undefined || others.length === 0) return { ...(await doubtList(found, row)), ...matches };
  if (others.some(({ record }) => record.outcome?.kind === 'in_doubt'))
    return { ...(await doubtList(found, row)), ...matches };
  return { batch: batch.id, at_risk: 0, open: 0, extra_used: 0, in_doubt: [], rows: 0, ...matches };
}

/**
 * `3 in doubt, 2 credits at risk.`; for changes, which cost nothing, the second effect that each may have
 * had.
 */
function totalWords({ in_doubt: doubts, rows, at_risk: atRisk }: List): string {
  const costs = atRisk > 0 || doubts.some(({ subject }) => subject === null);
  const stakes = Map.groupBy(doubts, ({ at_stake: stake }) => stake);
  const parts = [
    `${doubts.length} in doubt${rows > doubts.length ? ` for ${counted(rows, 'row')}` : ''}`,
    ...(costs ? [`${counted(atRisk, 'credit')} at risk${countedElsewhere(doubts)}`] : []),
    ...[...stakes].flatMap(([stake, those]) => (stake === null ? [] : [`${those.length} ${stake}`])),
  ];
  return `${parts.join(', ')}.`;
}

function totalOf(calls: readonly DoubtObject[], are: string): string {
  const atRisk = calls.reduce((sum, { credits: each }) => sum + each, 0);
  return `${calls.length} ${are}, ${counted(atRisk, 'credit')} at risk.`;
}

const BESIDE_WORDS =
  'A request in doubt beside an answer holds its credits, and its row is finished. ' +
  'If you know that it was not charged, --not-done with its row frees them.';

const SKIPPED_WORDS =
  'A skipped call holds its credits. If you know that it was not charged, --not-done with its row frees them.';

function acceptedLines(accepted: readonly DoubtObject[], doubts: readonly DoubtObject[]): readonly string[] {
  if (accepted.length === 0) return [];
  return linesOf(
    'The next run asks for the answers to accepted calls. To wait no longer, decide with --skip (books the most), ' +
      '--answer key=value, or --not-done if you know that nothing was charged.',
    doubts.length > 0 && 'Without a row, a decision is only about calls in doubt.',
  );
}

function choiceLines(doubts: readonly DoubtObject[]): readonly string[] {
  const isBought = doubts.some(({ subject }) => subject === null);
  return linesOf(
    doubts.length > 0 &&
      (isBought
        ? 'Decide with --retry (may be paid for twice), --skip (its credits stay in doubt), ' +
          '--answer key=value, or --not-done if you know that nothing was charged.'
        : 'Check at the service whether it was done. ' +
          'If it was done, use --answer with what it gave, such as invite_code=… or project_id=…; ' +
          'if not, --not-done; to leave it out of this batch, --skip.'),
    doubts.length > 1 && 'With --all-like ROW, a decision is about every row with the same kind of answer.',
  );
}

/**
 * Settles requests that a killed program left open in this batch, if no run goes on. Other batches are not
 * touched.
 * @returns how many requests were open and are no longer open. The number is 0 where a run goes on or may go
 * on, where the store is held back, and where its account is unusable.
 */
async function closeLeftOpenIn({ batch, location }: FoundBatch): Promise<number> {
  const open = await lookInto(location, (ledger) => ledger.openRequests(batch.id));
  if (open === 0) return 0;
  return closedAfter(openIfFree(location, `settle ${batch.id}`, systemClock), async (ledger) => {
    if (ledger === undefined) return 0;
    await unlessStopped(closeLeftOpen(ledger, batch));
    return open - (await ledger.openRequests(batch.id));
  });
}

/**
 * Closes open requests as a run does before it spends, so that lists of doubts and decisions about them are
 * complete.
 */
async function closeLeftOpen(ledger: Ledger, batch: Batch): Promise<void> {
  if ((await ledger.openAttempts()).length === 0) return;
  // This module loads everything that sends requests, which a mere list does not need.
  const { Sessions } = await import('../run/sessions.ts');
  const sessions = new Sessions();
  for (const { identity } of batch.accounts) {
    // The dialect of a removed account is not known, so the built-in one is taken.
    const account = (await accountOfBatch(batch, ledger, identity)) ?? sandboxAccount(batch.vendor);
    await sessions.closeLeftOpen({ ledger, clock: systemClock, dialect: await dialectOf(account), account });
  }
}

// ---------------------------------------------------------------------------------------------- a decision

async function decidedMatches(
  found: FoundBatch,
  { row, as }: SettleInput,
  kind: MatchDecision['kind'],
): Promise<Report<Output>> {
  const { batch } = found;
  const rows = await decideMatches(found, row, kind, as);
  const noted = `Noted for ${counted(rows, 'row')}: ${kind === 'keep' ? 'kept' : 'left blank'}.`;
  return {
    lines: [rows > 0 ? noted : `No answer of batch ${batch.id} waits for such a decision.`],
    object: { batch: batch.id, decided: kind, rows },
    advice: rows > 0 ? ['The output is written again by:', commandLine(['export', batch.id])] : [],
  };
}

async function decided(found: FoundBatch, given: SettleInput, kind: Kind): Promise<Report<Output>> {
  const { batch } = found;
  const { doubts, isOver, leastBudget } = await settleDoubts(found, given, kind);
  const noted = `Noted for ${counted(doubts.length, 'call')}: ${DECIDED[kind]}.`;
  const next = isOver ? undefined : nextCommandOf(found, leastBudget);
  return {
    lines: [doubts.length > 0 ? noted : `Nothing in batch ${batch.id} is in doubt.`],
    object: { batch: batch.id, decided: kind, calls: doubts.length },
    warnings: kind === 'retry' ? warningsOfSeconds(doubts) : [],
    // A call that has its answer leaves nothing to do.
    advice: next && !doubts.every(isOfBeside) ? ['The next run does that:', next] : [],
  };
}

/** Warns that a change may be made twice: only the service knows whether the first request did it. */
function warningsOfSeconds(doubts: readonly Doubt[]): readonly string[] {
  return doubts.flatMap(({ call }) => {
    const { change, ifLost } = call;
    if (change === undefined || ifLost !== 'hold') return [];
    const second =
      change.leaves.state === 'invited' ? 'a second mail may be sent' : 'it may be done a second time';
    return [`${callWords(callObject(call))}: ${second}, because the first request may have arrived.`];
  });
}

interface Settled {
  readonly doubts: readonly Doubt[];
  readonly isOver: boolean;
  readonly leastBudget: number | undefined;
}

/** The budget that covers what is to be sent again; undefined where the batch's own does. */
async function budgetForRetries(
  ledger: LedgerReader,
  { id }: Batch,
  doubts: readonly Doubt[],
): Promise<number | undefined> {
  const money = await ledger.batchMoney(id);
  const least = heldCredits(money) + doubts.reduce((sum, { atRisk }) => sum + atRisk, 0);
  return money.cap === undefined || least <= money.cap ? undefined : least;
}

/**
 * Notes the decision.
 * @returns the doubts that it is about, whether no run goes on with the batch, and the budget that a run
 *   needs where the batch's own is too small.
 */
async function settleDoubts(
  { batch, location }: FoundBatch,
  given: SettleInput,
  kind: Kind,
): Promise<Settled> {
  await requireTaken(location, batch.operation, batch.plannedRows !== undefined);
  const opening = { clock: systemClock, waitForLockMs: 0, operator: given.as };
  const command = `settle ${batch.id}`;
  return closedAfter(openLedger(location, { ...opening, command }), async (ledger) => {
    await closeLeftOpen(ledger, batch);
    const { row, all_like: like } = given;
    const all = await (like === undefined
      ? doubtsOf(ledger, batch, row, kind === 'skip')
      : doubtsLike(ledger, batch, like));
    const doubts = row === undefined ? all.filter((doubt) => isForAll(kind, doubt)) : all;
    if (kind !== 'not_done') refuseBeside(batch, doubts, given.row);
    // The answer gets a date, by which a later batch may find it too old, so a wrong system clock must not
    // set it.
    const nowMs = (await AccountTime.of(systemClock, ledger, batch.accountIdentity)).wallMs();
    refuseUnproven(batch, doubts, kind);
    if (kind === 'told') requireTellableOfAll(batch, doubts, given);
    const over = await overOf(ledger, batch);
    if (kind === 'retry' && over !== undefined) refuseOver(batch, over);
    await decideOn(ledger, batch, doubts, given, kind, nowMs);
    const leastBudget = kind === 'retry' ? await budgetForRetries(ledger, batch, doubts) : undefined;
    return { doubts, isOver: over !== undefined, leastBudget };
  });
}

/** Whether a decision without a row may be about such a call. */
const isForAll = (kind: Kind, { isAccepted, isBeside }: Doubt): boolean =>
  kind === 'not_done' || !(isBeside || (isAccepted && kind === 'retry'));

/** @throws StopError `usage` for what has its answer: it is neither sent again, left out nor told. */
function refuseBeside({ id }: Batch, doubts: readonly Doubt[], row: string | undefined): void {
  const beside = doubts.filter(isOfBeside);
  if (row === undefined || beside.length === 0) return;
  const fact = `Row ${row} of batch ${id} is not in doubt. ${besideFact(beside)}`;
  const next = 'If you know that it was not charged, say so.';
  throw stop('usage', fact, next, notDoneCommand(id, row));
}

/**
 * @throws StopError `usage` where the decision would send a change again, or leave it out, although the
 * change counted as done.
 */
function refuseUnproven({ id }: Batch, doubts: readonly Doubt[], kind: Kind): void {
  const unproven = doubts.find(({ isUnproven }) => isUnproven);
  if (unproven === undefined || (kind !== 'retry' && kind !== 'skip')) return;
  const fact = `The change of row ${unproven.row} counted as done, so it is not sent again or left out.`;
  const settle = commandLine(['settle', id, String(unproven.row)]);
  const ways = typing`: ${asCommand(settle)} ${byFlag('--answer')} or ${asFlag('--not-done')}`;
  const next = phrase`Check at the service, and say what happened${ways}.`;
  throw stop('usage', fact, next);
}

async function decideOn(
  ledger: Ledger,
  batch: Batch,
  doubts: readonly Doubt[],
  { answer = [], extra_credits: extra }: SettleInput,
  kind: Kind,
  nowMs: number,
): Promise<void> {
  if (kind === 'told') return tell(ledger, batch, doubts, answer, nowMs);
  if (kind === 'not_done') return releaseAll(ledger, batch, doubts, nowMs);
  if (extra !== undefined)
    await ledger.changeBatch(batch.id, { extraCredits: credits(extra), extraByPerson: credits(extra) });
  for (const doubt of doubts) {
    const why = `${kind} asked for by the user`;
    const spec = { key: doubt.key, batch: batch.id, kind, by: 'person', why, atMs: nowMs } as const;
    const skippedAnswer = { kind: 'skipped', why: skippedByUser(doubt) } as const;
    const mayGoOn = kind === 'skip' && asksSeveral(batch);
    await ledger.decide(
      spec,
      mayGoOn ? { finishes: await rowsToldOf(ledger, doubt, skippedAnswer, batch.id) } : {},
    );
  }
}

async function tell(
  ledger: Ledger,
  batch: Batch,
  doubts: readonly Doubt[],
  pairs: readonly string[],
  nowMs: number,
): Promise<void> {
  // The vendor did not count the credits that a person says were charged, so earlier counts of credits can no
  // longer be compared.
  for (const identity of new Set(doubts.map(({ accountIdentity }) => accountIdentity)))
    await ledger.changeAccount(identity, { usage: undefined });
  const team = new Team(await ledger.subjects(batch.accountIdentity));
  for (const doubt of doubts) {
    const answer = await toldAnswer({ batch, ledger }, doubt, pairs, nowMs);
    const { reply, leftFacts, kind: toldAs } = answer;
    if (leftFacts !== undefined) requireTheirs(team, leftFacts);
    const why = 'answered by the user';
    const finishes = await rowsToldOf(ledger, doubt, {
      kind: toldAs,
      why: finding('told', { words: why }),
      body: reply.body,
    });
    const spec = { key: doubt.key, batch: batch.id, kind: 'told', by: 'person', why, atMs: nowMs } as const;
    await ledger.decide(spec, { reply, leftFacts, toldAs, finishes });
  }
}

/**
 * Refuses an id of another person. Any request of a later list with such an id would change that person.
 * @throws StopError `usage` that names the other person.
 */
function requireTheirs(team: Team, { email, inviteCode, userId }: SubjectFacts): void {
  const other = email === undefined ? undefined : team.otherThan(email, present({ inviteCode, userId }));
  if (other === undefined) return;
  const fact = `${other.input} "${other.id}" belongs to ${other.whose}, so it cannot belong to ${email}.`;
  throw stop('usage', fact, `Look up ${email} at the service, and settle the row with what it says.`);
}

/**
 * Ends the doubts, because a person knows that the calls had no effect. Any batch may send these calls again.
 */
async function releaseAll(
  ledger: Ledger,
  { id }: Batch,
  doubts: readonly Doubt[],
  atMs: number,
): Promise<void> {
  const why = 'a person checked, and said that it was not done';
  for (const { key, attempt: first } of doubts.filter((doubt) => !isOfBeside(doubt))) {
    // A call that was sent again and lost again has several attempts in doubt. Each search finds one of them.
    for (let attempt: AttemptId | undefined = first; attempt !== undefined; ) {
      const look = { attempt, kind: 'person', said: 'not_happened', why, atMs } as const;
      await ledger.look({ ...look, status: 0, body: Buffer.alloc(0) });
      await ledger.release(attempt, why, atMs, id);
      const [state] = await ledger.find([key]);
      attempt = state?.kind === 'in_doubt' ? state.doubt.attempt : undefined;
    }
  }
  const all = doubts.map(({ attempt }) => attempt);
  await ledger.releaseBeside(all, why, atMs);
}
