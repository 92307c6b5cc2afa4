import { countedActions, withoutWordWords } from '../../core/action-words.ts';
import { inMoney } from '../../core/money.ts';
import type { PlannedAction } from '../../core/operation.ts';
import { atMost, counted, grouped, linesOf, plainText } from '../../core/plain-text.ts';
import { OUTCOME_KINDS, type OutcomeKind } from '../../core/row.ts';
import type { BatchId } from '../../ledger/ledger.ts';
import { commandLine } from '../../lib/command-line.ts';
import { formatDuration } from '../../lib/duration.ts';
import type { ChangesObject } from '../../objects/batch-object.ts';
import type { SampleObject } from '../../objects/plan-object.ts';
import type { RunObject, StepObject } from '../../objects/run-object.ts';
import { timeWords } from './plan-lines.ts';

export function summaryLines(ended: RunObject): readonly string[] {
  const { batch, rows, counts, requests, seconds, changes, sample, removed = 0, not_removed = 0 } = ended;
  const settled = OUTCOME_KINDS.map((kind) => [kind, counts[kind] ?? 0] as const).filter(
    ([, count]) => count > 0,
  );
  const beyond = removed + not_removed;
  const pending = rows + beyond - settled.reduce((sum, [, count]) => sum + count, 0);
  return linesOf(
    `Batch ${batch}, ${counted(rows, 'row')}${beyond === 0 ? '' : `, and ${counted(beyond, 'person', 'people')} whom they do not name`}`,
    table([...settled, ...(pending > 0 ? [['pending', pending] as const] : [])]),
    changes && (requests === 0 ? 'Changes    0 changes' : changesLines(changes)),
    creditsLine(ended),
    stepLines(ended.steps),
    `Requests   ${grouped(requests)} in ${formatDuration(seconds * 1000)}`,
    sample && sampleLines(sample),
    fileLine('Output', ended.output),
    fileLine('Attention', ended.needs_attention),
    fileLine('Results', ended.results),
    fileLine('Report', ended.report),
  );
}

/** The line about credits. Changes usually cost nothing, and then there is no such line. */
function creditsLine({ credits, cost, changes }: RunObject): string | undefined {
  const { spent, spent_now: spentNow, in_doubt: inDoubt, saved } = credits;
  if (changes !== undefined && spent + inDoubt === 0) return undefined;
  const isAtMost = credits.exact ? undefined : true;
  const doubt = inDoubt > 0 ? `, ${grouped(inDoubt)} in doubt` : '';
  const asked = saved === null ? '' : `, ${grouped(saved)} saved by asking once`;
  const now = atMost(spentNow, isAtMost, `${grouped(spentNow)} spent`);
  const all = atMost(spent, isAtMost, `${grouped(spent)} in all`);
  return `Credits    ${spentNow === spent ? now : `${now} in this run, ${all}`}${inMoney(cost)}${doubt}${asked}`;
}

/** What each account of each step found at which price, and in which order they are worth asking. */
function stepLines(steps: readonly StepObject[] = []): readonly string[] {
  const lines = steps.map(({ operation, account, reached, found, credits, price }) => {
    const misses = credits.for_misses === 0 ? '' : `, ${grouped(credits.for_misses)} of them for misses`;
    const each = price === null || price === 0 ? '' : `, ${price.toFixed(1)} for each`;
    const rows = `${grouped(found)} of ${counted(reached, 'row')} ${operation === 'check-email' ? 'checked' : 'found'}`;
    return `  ${operation} at ${account}: ${rows}, ${counted(credits.spent, 'credit')}${each}${misses}`;
  });
  const orders = [...Map.groupBy(steps, ({ operation }) => operation)].flatMap(([operation, all]) => {
    const rated = all.filter(({ price_by_rate: rate }) => rate !== null);
    if (rated.length < 2) return [];
    const order = rated.toSorted((one, other) => (one.price_by_rate ?? 0) - (other.price_by_rate ?? 0));
    const words = order.map(({ account, price_by_rate: rate }) => `${account} (${rate})`).join(', ');
    return [`  ${operation} by price ÷ hit rate, the best first: ${words}`];
  });
  return [...lines, ...orders];
}

function table(counts: readonly (readonly [string, number])[]): readonly string[] {
  const width = Math.max(...counts.map(([, count]) => grouped(count).length), 1);
  return counts.map(([kind, count]) => `  ${kind.padEnd(9)} ${grouped(count).padStart(width)}`);
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
        `  ${name.padEnd(width)}  ${found} of ${asked} found, ${((found / asked) * 100).toFixed(0)} %`,
    ),
    forecast?.rows === 0 && 'Rest       nothing is left to buy',
    forecast !== null &&
      forecast.rows > 0 && [
        `Rest       ${counted(forecast.rows, 'row')} to buy`,
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
  const each = likely.price === null ? '' : `, ${likely.price} for each one found`;
  return [`  likely   ${found} found for ${credits} credits${each}`];
}

type Counts = Readonly<Partial<Record<OutcomeKind, number>>>;

/** `2 matched, 1 invalid`. @param none the words for no row at all. */
export function countWords(counts: Counts, none = 'none finished yet'): string {
  const parts = OUTCOME_KINDS.flatMap((kind) =>
    (counts[kind] ?? 0) > 0 ? [`${grouped(counts[kind] ?? 0)} ${kind}`] : [],
  );
  return parts.length === 0 ? none : parts.join(', ');
}

export function changesLines(changes: ChangesObject): readonly string[] {
  const { done, counts, without_a_word: withoutWord } = changes;
  const heldBack = counts.held_back === undefined ? '' : `, ${counts.held_back} held back`;
  const projects = Map.groupBy(changes.projects, ({ project }) => project ?? '');
  return linesOf(
    `Changes    ${countedActions(done) || 'none'}${heldBack}`,
    projects.size > 1 && [...projects].flatMap(([name, of]) => projectLine(name, of)),
    withoutWord > 0 && `No word    ${withoutWordWords(withoutWord)}`,
  );
}

function projectLine(name: string, groups: ChangesObject['projects']): readonly string[] {
  const done: Partial<Record<PlannedAction, number>> = {};
  for (const group of groups) {
    for (const [action, count] of Object.entries(group.done) as [PlannedAction, number][])
      done[action] = (done[action] ?? 0) + count;
  }
  const words = countedActions(done);
  return words === '' ? [] : [`  ${name === '' ? 'no project' : plainText(name)}: ${words}`];
}

/**
 * The commands that complete half-done changes of a batch with which no run goes on.
 * @param halfDone a sentence for each person.
 */
export function inviteAgainLines(batch: BatchId, halfDone: readonly string[]): readonly string[] {
  return halfDone.length === 0 ? [] : [`To invite them as before: ${commandLine(['undo', batch])}`];
}
