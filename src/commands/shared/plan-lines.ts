import type { PathSearch } from '../../core/answer-fields.ts';
import { counted, foreignWords, linesOf } from '../../core/plain-text.ts';
import type { BatchId } from '../../ledger/ledger.ts';
import { formatDuration } from '../../lib/duration.ts';
import type { Plan } from '../../plan/plan.ts';
import type { GuardProblem } from '../../plan/team/change-guards.ts';
import type { ChangePlan } from '../../plan/team/change-plan.ts';
import { diffLines } from '../../plan/team/diff-words.ts';

export function planLines(plan: Plan): readonly string[] {
  const { rows, invalid, duplicates, boughtBefore, inDoubt, toBuy, credits, seconds, reasons } = plan;
  const { tooOld = 0, unanswered, part, row, again } = plan;
  const counts: readonly (readonly [string, number])[] = [
    ['rows', rows],
    ['invalid', invalid],
    ['duplicates', duplicates],
    ['bought before', boughtBefore],
    ['in doubt', inDoubt],
    ['to buy', toBuy],
  ];
  const width = String(rows).length;
  const shown = counts.filter(([name, count]) => count > 0 || name === 'to buy');
  const line = (name: string, count: number, words = ''): string =>
    `  ${name.padEnd(14)} ${String(count).padStart(width)}${words}`;
  return linesOf(
    shown.map(([name, count]) => line(name, count)),
    tooOld > 0 && line('of them', tooOld, ' again, their answers are too old'),
    unanswered && line('of them', unanswered.rows, " again, today's dialect finds no answer in what came"),
    again &&
      line('sent again', again.rows, ` of those in doubt, for at most ${counted(again.most, 'credit')}`),
    `  credits        at most ${credits.most}, probably ${credits.expected}`,
    row && `  a row          at most ${counted(row.calls, 'page')} of ${counted(row.most, 'credit')}`,
    toBuy > 0 && `  time           ${timeWords(seconds)}`,
    part && `  this run       ${counted(part.rows, 'row')}, at most ${counted(part.most, 'credit')}`,
    reasons.slice(0, REASONS_SHOWN).map(reasonLine),
    reasons.length > REASONS_SHOWN && `  and ${reasons.length - REASONS_SHOWN} other reasons`,
  );
}

/** A run is no new purchase of the whole list, but goes on with what was begun. */
export function unfinishedLine(batch: BatchId, { credits }: Pick<Plan, 'credits'>): string {
  return `  unfinished     batch ${batch} of this list: a run continues it, for at most ${counted(credits.most, 'credit')}`;
}

export function changePlanLines(
  plan: ChangePlan,
  { credits, seconds }: Pick<Plan, 'credits' | 'seconds'>,
  guards: readonly GuardProblem[] = [],
  shown?: Parameters<typeof diffLines>[1],
): readonly string[] {
  const { batch } = plan;
  return linesOf(
    diffLines(plan, shown),
    credits.most > 0 && `At most ${counted(credits.most, 'credit')}.`,
    plan.calls > 0 &&
      `${counted(plan.calls, 'request')}, ${seconds === undefined ? 'time ' : ''}${timeWords(seconds)}.`,
    batch?.state === 'open'
      ? `Batch ${batch.id} of this list is unfinished: a run continues it as it was planned when it began.`
      : guards.map(({ fact, allow }) => `A run would stop: it would ${fact}. If that is right, ${allow}.`),
  );
}

/** An unknown time is not guessed, because users would take a guess for a promise. */
export function timeWords(seconds: number | undefined): string {
  return seconds === undefined
    ? 'not known yet, as the account has no limit'
    : `about ${formatDuration(seconds * 1000)}`;
}

const REASONS_SHOWN = 10;

function reasonLine({ reason, count, firstRows }: Plan['reasons'][number]): string {
  const more = count > firstRows.length ? ', …' : '';
  return `  row ${firstRows.join(', ')}${more}: ${reason}`;
}

export function knownFieldLine({ answers, paths }: Pick<PathSearch, 'answers' | 'paths'>): string {
  const shown = paths
    .slice(0, FIELDS_SHOWN)
    .map((path) => foreignWords(path, LONGEST_FIELD))
    .join(', ');
  const more = paths.length > FIELDS_SHOWN ? ` and ${paths.length - FIELDS_SHOWN} others` : '';
  return `  fields         ${shown}${more}, in ${counted(answers, 'answer')} so far`;
}

/** With \`--json\` all of them are told. */
const FIELDS_SHOWN = 30;
/** Each as far as somebody would type it. */
const LONGEST_FIELD = 80;
