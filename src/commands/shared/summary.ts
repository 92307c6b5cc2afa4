import { chargeWords } from '../../core/charge-words.ts';
import { percentOf } from '../../core/counts.ts';
import { inMoney } from '../../core/money.ts';
import { counted, foreignName, grouped, linesOf, listed, plainText } from '../../core/plain-text.ts';
import { columnFlag } from '../../files/columns/columns.ts';
import type { BatchId } from '../../ledger/ledger.ts';
import { commandLine } from '../../lib/command-line.ts';
import { formatDuration } from '../../lib/duration.ts';
import type { PlannedStepObject, PlanObject, ReasonObject, SampleObject } from '../../objects/plan-object.ts';
import type { RunObject } from '../../objects/run-object.ts';
import type { Plan } from '../../plan/plan.ts';
import { guardLines } from '../../plan/team/change-guards.ts';
import type { ChangePlan } from '../../plan/team/change-plan.ts';
import { diffLines } from '../../plan/team/diff-words.ts';
import { missingWords } from '../../values/answer-fields.ts';
import { changesLines, countLines, runCreditsLine, stepLines } from './batch-lines.ts';

export function summaryLines(ended: RunObject): readonly string[] {
  const { batch, rows, rows_beyond: beyond = 0, requests, seconds, changes, sample } = ended;
  return linesOf(
    `Batch ${batch}, ${counted(rows, 'row')}${beyond === 0 ? '' : `, and ${grouped(beyond)} for people whom the list does not name`}`,
    countLines(ended),
    changes && (requests === 0 ? 'Changes    0 changes' : changesLines(changes)),
    runCreditsLine(ended),
    stepLines(ended.steps),
    `Requests   ${grouped(requests)} in ${formatDuration(seconds * 1000)}`,
    sample && sampleLines(sample),
    fileLine('Output', ended.output),
    fileLine('Attention', ended.needs_attention),
    matchLine(ended),
    fileLine('Results', ended.results),
    fileLine('Report', ended.report),
  );
}

function fileLine(name: string, path: string | null | undefined): string | undefined {
  return path ? `${name.padEnd(11)}${plainText(path)}` : undefined;
}

function sampleLines({ rows, matched, identifiers, forecast }: SampleObject): readonly string[] {
  const width = Math.max(...identifiers.map(({ name }) => name.length));
  return linesOf(
    `Sample     ${grouped(matched)} of ${counted(rows, 'row')} matched`,
    identifiers.map(
      ({ name, asked, found }) =>
        `  ${name.padEnd(width)}  ${found} of ${asked} found, ${percentOf(found, asked)} %`,
    ),
    forecast?.rows === 0 && 'Rest       nothing is left to buy',
    forecast !== null &&
      forecast.rows > 0 && [
        `Rest       ${counted(forecast.rows, 'row')} to buy${forecast.free > 0 ? `, ${grouped(forecast.free)} free` : ''}`,
        `  credits  at most ${grouped(forecast.credits.most)}${inMoney(forecast.cost?.most)}, ` +
          `probably ${grouped(forecast.credits.expected)}${inMoney(forecast.cost?.expected)}`,
        ...likelyLines(forecast.likely),
        `  time     ${timeWords(forecast.seconds)}`,
      ],
  );
}

function likelyLines(likely: NonNullable<SampleObject['forecast']>['likely']): readonly string[] {
  if (likely === undefined) return [];
  const [found, credits] = [likely.found, likely.credits].map(
    ({ least, most }) => `${grouped(least)} to ${grouped(most)}`,
  );
  const each = likely.price === null ? '' : `, ${likely.price} for each one bought`;
  return [`  likely   ${found} found for ${credits} credits${each}`];
}

/** Nothing else says why a run with such paths ends with 3. */
export const missingLines = ({ missing_paths: paths = [] }: Pick<RunObject, 'missing_paths'>) =>
  paths.map(missingWords);

function matchLine({ batch, figures }: RunObject): string | undefined {
  const { mismatched = 0, other_abn: other } = figures ?? {};
  const parts = linesOf(
    mismatched > 0 &&
      `${counted(mismatched, 'answer')} ${mismatched === 1 ? 'is' : 'are'} about another company or person`,
    other && `${counted(other.count, 'row')} found with another ABN`,
  );
  if (parts.length === 0) return undefined;
  return `Match      ${parts.join('; ')}; to keep or blank: ${commandLine(['settle', batch])}`;
}

/**
 * The commands that complete half-done changes of a batch with which no run goes on.
 * @param halfDone a sentence for each person.
 */
export function inviteAgainLines(batch: BatchId, halfDone: readonly string[]): readonly string[] {
  return halfDone.length === 0 ? [] : [`To invite them as before: ${commandLine(['undo', batch])}`];
}

// ------------------------------------------------------------------------------------------- what is planned

export function planLines(plan: Plan): readonly string[] {
  const { rows, to_buy: toBuy, too_old: tooOld = 0, unanswered, sent_again: again } = plan;
  const { asked_otherwise: otherwise, told_apart: toldApart = 0 } = plan;
  const { credits, cost, seconds, part, steps = [], reasons = [], skipped_by: skippedBy = [] } = plan;
  const counts: readonly (readonly [string, number])[] = [
    ['rows', rows],
    ['invalid', plan.invalid],
    ['duplicates', plan.duplicates],
    ['skipped', plan.skipped ?? 0],
    ['bought before', plan.bought_before],
    ['answered later', plan.accepted],
    ['in doubt', plan.in_doubt],
    ['to buy', toBuy],
  ];
  const width = String(rows).length;
  const shown = counts.filter(
    ([name, count]) => count > 0 || name === 'to buy' || (name === 'skipped' && skippedBy.length > 0),
  );
  const line = (name: string, count: number, words = ''): string =>
    `  ${name.padEnd(14)} ${String(count).padStart(width)}${words}`;
  return linesOf(
    shown.flatMap(([name, count]) => [
      line(name, count),
      ...(name === 'skipped' ? skippedBy.map(({ by, count: of }) => line('of them', of, ` by ${by}`)) : []),
    ]),
    toldApart > 0 &&
      line('told apart', toldApart, ' asked by the ABN or profile that tells them from others'),
    tooOld > 0 && line('of them', tooOld, ' again, their answers are too old'),
    unanswered && line('of them', unanswered.rows, " again, today's dialect finds no answer in what came"),
    otherwise && line('of them', otherwise.rows, ' again, by another address or name than before'),
    again &&
      line('sent again', again.rows, ` of those in doubt, for at most ${counted(again.credits, 'credit')}`),
    `  credits        at most ${credits.most}${inMoney(cost?.most)}, ` +
      `probably ${credits.expected}${inMoney(cost?.expected)}`,
    steps.map(stepLine),
    toBuy > 0 && `  time           ${timeWords(seconds)}`,
    part &&
      `  this run       ${counted(part.rows, 'row')}, ` +
        `at most ${counted(part.most, 'credit')}${inMoney(part.cost)}`,
    reasons.slice(0, REASONS_SHOWN).map(reasonLine),
    reasons.length > REASONS_SHOWN && `  and ${counted(reasons.length - REASONS_SHOWN, 'other reason')}`,
  );
}

function stepLine({
  operation,
  account,
  reached,
  known,
  most,
  expected,
  cost,
  ...step
}: PlannedStepObject): string {
  const askedWords = `for at most ${counted(reached, 'row')}${known === 0 ? '' : `, ${known} of them known`}`;
  const probably = expected === null ? '' : `, probably ${expected}${inMoney(cost?.expected)}`;
  const misses = step.charges_misses ? '; a miss costs something as well' : '';
  const price = `at most ${counted(most, 'credit')}${inMoney(cost?.most)}${probably}`;
  return `    ${operation} at ${account}: ${askedWords}; ${price}${misses}`;
}

/** Says that a run goes on with a begun batch, and does not buy the whole list again. */
export function unfinishedLine(batch: string, { credits, cost }: Pick<Plan, 'credits' | 'cost'>): string {
  return (
    `  unfinished     batch ${batch} of this list: ` +
    `a run continues it, for at most ${counted(credits.most, 'credit')}${inMoney(cost?.most)}`
  );
}

export function changePlanLines(
  plan: ChangePlan,
  { credits, charges, cost, seconds, part }: Pick<Plan, 'credits' | 'charges' | 'cost' | 'seconds' | 'part'>,
  guards: PlanObject['guards'] = [],
  shown?: Parameters<typeof diffLines>[1],
): readonly string[] {
  const { batch } = plan;
  return linesOf(
    diffLines(plan, shown),
    plan.defaultProject && defaultProjectLine(plan.defaultProject),
    plan.skippedBy?.map(({ by, count }) => `${counted(count, 'row')} left out by ${by}.`),
    credits.most > 0 &&
      `At most ${counted(credits.most, 'credit')}${inMoney(cost?.most)}${chargeWords(charges)}.`,
    plan.calls > 0 &&
      `${counted(plan.calls, 'request')}, ${seconds === null ? 'time ' : ''}${timeWords(seconds)}.`,
    part &&
      `With --only, a run works on ${counted(part.rows, 'row')}, ` +
        `for at most ${counted(part.most, 'credit')}${inMoney(part.cost)}.`,
    batch?.state === 'open'
      ? `Batch ${batch.id} of this list is unfinished: a run continues it as it was planned when it began.`
      : guardLines(guards, 'A run'),
  );
}

/** `3 rows go to "proj-1", the account's project. Not read: "Squad".` and how one of the columns is read. */
const defaultProjectLine = ({ project, rows, columns }: NonNullable<ChangePlan['defaultProject']>): string =>
  `${counted(rows, 'row goes', 'rows go')} to ${foreignName(project)}, the account's project. ` +
  `Not read: ${listed(columns.map(foreignName))}. If one of them says where a person goes, ` +
  `onboard reads it with ${columnFlag({ input: 'project', column: columns[0] ?? '' })}.`;

/** An unknown time is not estimated, because users would take an estimate for a promise. */
function timeWords(seconds: number | null): string {
  return seconds === null
    ? 'not known yet, as the account has no limit'
    : `about ${formatDuration(seconds * 1000)}`;
}

const REASONS_SHOWN = 10;

function reasonLine({ reason, count, first_rows: rows }: ReasonObject): string {
  const more = count > rows.length ? ', …' : '';
  return `  row ${rows.join(', ')}${more}: ${reason}`;
}
