import { z } from 'zod';
import { stop } from '../core/errors.ts';
import { counted, linesOf } from '../core/plain-text.ts';
import { credits, type Doubt } from '../ledger/ledger.ts';
import { commandToGoOn } from '../lib/command-line.ts';
import { DoubtListObject } from '../objects/row-object.ts';
import { type FoundBatch, findBatch } from '../run/open-ledger.ts';
import {
  closeLeftOpenIn,
  type Decided,
  type DoubtChoice,
  type DoubtList,
  doubtList,
  type ListedDoubt,
  type PersonsDecision,
  settleDoubts,
} from '../run/tasks/settle.ts';
import { argument, command, flag, type Report } from './shared/command.ts';
import { callWords, decisionWords, lookWords, openWords } from './shared/doubts.ts';
import { BATCH, COMMON } from './shared/input.ts';

const DECIDED = { retry: 'retry', skip: 'skip', told: 'your answer', not_done: 'not done' } as const;

const input = z.strictObject({
  ...COMMON,
  batch: argument(z.string(), BATCH),
  row: argument(
    z.union([z.string(), z.int().transform(String)]).optional(),
    "only this row, by the spreadsheet's number",
  ),
  retry: flag(z.boolean().optional(), 'send it again, though it may be paid for, or done, twice'),
  extra_credits: flag(
    z.int().min(0).optional(),
    'the most that all retries of the batch may cost',
    '<credits>',
  ),
  skip: flag(z.boolean().optional(), 'leave these rows out of this batch; their credits stay in doubt'),
  answer: flag(
    z.array(z.string()).min(1).optional(),
    'say what the vendor answered; no_match: it found nothing',
    '<key=value...>',
  ),
  not_done: flag(
    z.boolean().optional(),
    'say that the vendor did nothing, and charged nothing: the money is free again',
  ),
  all_like: flag(z.string().optional(), 'decide about every row that was answered like this one', '<row>'),
});

const output = z.union([
  DoubtListObject,
  z.object({
    batch: z.string(),
    decided: z.enum(['retry', 'skip', 'told', 'not_done']),
    calls: z.number(),
  }),
]);

type Input = z.output<typeof input>;
type Output = z.output<typeof output>;

export default command({
  name: 'settle',
  summary: 'Lists what is in doubt and what is at risk, and takes your decision about it.',
  details:
    'Give one decision at a time. Rows move at once, and the next run does what is left of them. For an invite say invite_code=…, accepted=true or user_id=…, for a project project_id=…, for an api-call any word, such as done=yes. A row that was skipped can be decided anew.',
  example: 'settle last --retry --extra-credits 20',
  input,
  output,
  async run(given, { console }) {
    const decision = decisionOf(given);
    const choice = choiceOf(given, decision !== undefined);
    const found = await findBatch(given.batch, given.store, console.warn);
    if (decision !== undefined)
      return decidedReport(found, await settleDoubts(found, choice, decision, given.as), decision);
    const open = await closeLeftOpenIn(found);
    if (open > 0) {
      const were = `${counted(open, 'request')} ${open === 1 ? 'was' : 'were'} open`;
      console.say(`${were} when the program ended; those without an answer are in doubt now.`);
    }
    return listReport(found, await doubtList(found, given.row));
  },
});

function choiceOf({ row, all_like: allLike }: Input, isDecision: boolean): DoubtChoice {
  if (allLike === undefined) return row === undefined ? { kind: 'all' } : { kind: 'row', row };
  if (row !== undefined) throw stop('usage', '--all-like names a row itself.', `Leave out ${row}.`);
  if (!isDecision)
    throw stop('usage', '--all-like belongs to a decision.', 'Add --retry, --skip, --answer or --not-done.');
  return { kind: 'like', row: allLike };
}

function decisionOf({
  retry,
  skip,
  answer,
  not_done: notDone,
  extra_credits: most,
}: Input): PersonsDecision | undefined {
  const kinds = { retry, skip, told: answer !== undefined, not_done: notDone };
  const given = (['retry', 'skip', 'told', 'not_done'] as const).filter((kind) => kinds[kind] === true);
  if (given.length > 1)
    throw stop('usage', 'More than one decision is given.', 'Give --retry, --skip, --answer or --not-done.');
  if (most !== undefined && retry !== true) {
    throw stop('usage', '--extra-credits belongs to --retry.', 'Add --retry.');
  }
  const [kind] = given;
  if (kind === 'told') return { kind, answer: answer ?? [] };
  if (kind !== 'retry') return kind && { kind };
  return { kind, extraCredits: most === undefined ? undefined : credits(most) };
}

function decidedReport(
  found: FoundBatch,
  { doubts, isOver }: Decided,
  { kind }: PersonsDecision,
): Report<Output> {
  const { batch } = found;
  const noted = `Noted for ${counted(doubts.length, 'call')}: ${DECIDED[kind]}.`;
  const command = isOver ? undefined : commandToGoOn(batch);
  return {
    lines: [doubts.length > 0 ? noted : `Nothing in batch ${batch.id} is in doubt.`],
    object: { batch: batch.id, decided: kind, calls: doubts.length },
    warnings: kind === 'retry' ? warningsOfSeconds(doubts) : [],
    advice: doubts.length > 0 && command !== undefined ? ['The next run does that:', command] : [],
  };
}

/** Warns that a change may be made twice: only the service knows whether the first request did it. */
function warningsOfSeconds(doubts: readonly Doubt[]): readonly string[] {
  return doubts.flatMap(({ call }) => {
    const { change, ifLost } = call;
    if (change === undefined || ifLost !== 'hold') return [];
    const second =
      change.leaves.state === 'invited' ? 'a second mail may be sent' : 'it may be done a second time';
    return [`${callWords(call)}: ${second}, because the first request may have arrived.`];
  });
}

function listReport({ batch }: FoundBatch, list: DoubtList): Report<Output> {
  const { doubts, waiting, open, atRisk, undecidable } = list;
  return {
    lines: linesOf(
      waiting.map(({ row, reason }) => `row ${row} waits: ${reason}`),
      doubts.flatMap((listed) => [
        `row ${listed.doubt.row}, ${callWords(listed.doubt.call)}: ${listed.reason}`,
        ...whyStillOpen(listed).map((line) => `    ${line}`),
      ]),
      doubts.length > 0
        ? totalWords(doubts, atRisk)
        : `Nothing in batch ${batch.id} is ${waiting.length > 0 ? 'for you to decide' : 'in doubt'}.`,
      open > 0 && openWords(open),
      undecidable > 0 && `${counted(undecidable, 'credit')} ${NOTHING_TO_DECIDE}`,
    ),
    object: DoubtListObject.of({ ...list, batch }),
    advice: choiceLines(doubts),
  };
}

const NOTHING_TO_DECIDE =
  'of lost answers may have been charged, with nothing to decide: their calls have another answer, or were skipped.';

/** `3 in doubt, 2 credits at risk.`; for changes, which cost nothing, what else may have happened. */
function totalWords(doubts: readonly ListedDoubt[], atRisk: number): string {
  const costs = atRisk > 0 || doubts.some(({ doubt }) => doubt.call.change === undefined);
  const stakes = Map.groupBy(doubts, ({ doubt }) => doubt.call.change?.atStake);
  const parts = [
    `${doubts.length} in doubt`,
    ...(costs ? [`${counted(atRisk, 'credit')} at risk`] : []),
    ...[...stakes].flatMap(([stake, those]) => (stake === undefined ? [] : [`${those.length} ${stake}`])),
  ];
  return `${parts.join(', ')}.`;
}

function choiceLines(doubts: readonly ListedDoubt[]): readonly string[] {
  const isBought = doubts.some(({ doubt }) => doubt.call.change === undefined);
  return linesOf(
    doubts.length > 0 &&
      (isBought
        ? 'Decide with --retry (may be paid for twice), --skip (its credits stay in doubt), --answer key=value, or --not-done if you know that nothing was charged.'
        : 'Check at the service what became of it. If it was done, use --answer with what it gave, such as invite_code=… or project_id=…; if not, --not-done; to leave it out of this batch, --skip.'),
    doubts.filter(({ doubt }) => doubt.reply !== undefined).length > 1 &&
      'With --all-like ROW the decision is about every row that was answered like that one.',
  );
}

function whyStillOpen({ doubt, looks, decision, mayBeAskedAbout }: ListedDoubt): readonly string[] {
  const { repeats, request } = doubt;
  const key = request === undefined ? '' : ` under idempotency key ${request.idempotencyKey}`;
  return linesOf(
    repeats > 0 && `sent again ${repeats} times${key}, without an answer`,
    repeats === 0 && key !== '' && `sent once${key}`,
    looks.length === 0 && notAskedWords(doubt, mayBeAskedAbout),
    looks.map((look) => `the vendor was ${lookWords(look)}`),
    decision && decisionWords(decision),
  );
}

/** Says that the vendor was not asked about the request, so that it may have been charged or done. */
function notAskedWords({ call }: Doubt, mayBeAskedAbout: boolean): string {
  const why = mayBeAskedAbout ? 'the vendor has not been asked about it' : 'no read-back is possible here';
  return `${why}, so it may have been ${call.change === undefined ? 'charged' : 'done'}`;
}
