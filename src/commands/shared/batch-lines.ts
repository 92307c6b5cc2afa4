import { type Counted, rowsPending } from '../../core/counts.ts';
import { isCheck } from '../../core/given.ts';
import { inMoney } from '../../core/money.ts';
import { countedActions, type PlannedAction, withoutWordWords } from '../../core/operation.ts';
import { atMost, counted, grouped, linesOf, plainText } from '../../core/plain-text.ts';
import { OUTCOME_KINDS } from '../../core/row.ts';
import { changesDoneIn, keepWordsOf, stepCost } from '../../files/output/summary-words.ts';
import { betweenWords, peopleWords } from '../../files/output/team-done-words.ts';
import type { BatchStatusObject } from '../../objects/batch-object.ts';
import type { ChangesObject, FiguresObject, StepObject } from '../../objects/batch-view.ts';
import type { RunObject } from '../../objects/run-object.ts';

/** The figures of a batch as a terminal shows them, at the end of a run as in `status`. */

const endsIn = (counts: Counted['counts']) =>
  OUTCOME_KINDS.map((kind) => [kind, counts[kind] ?? 0] as const).filter(([, count]) => count > 0);

/** The rows by how they have ended, and how many are left. */
export function countLines(view: Counted): readonly string[] {
  const pending = rowsPending(view);
  const lines = [...endsIn(view.counts), ...(pending > 0 ? [['pending', pending] as const] : [])];
  const width = Math.max(...lines.map(([, count]) => grouped(count).length), 1);
  return lines.map(([kind, count]) => `  ${kind.padEnd(9)} ${grouped(count).padStart(width)}`);
}

/** `2 matched, 1 invalid`. @param none the words for no row at all. */
export function countWords(counts: Counted['counts'], none = 'none finished yet'): string {
  return (
    endsIn(counts)
      .map(([kind, count]) => `${grouped(count)} ${kind}`)
      .join(', ') || none
  );
}

export function changesLines(changes: ChangesObject): readonly string[] {
  const { done, counts, planned, people, without_a_word: withoutWord } = changes;
  const made = changesDoneIn(changes);
  const keeping = keepWordsOf(changes);
  const madeWords = linesOf(made > 0 && countedActions(done), betweenWords(changes)).join(', ') || 'none';
  const part = made < planned ? ` (${grouped(made)} of ${counted(planned, 'change')})` : '';
  const heldBack = counts.held_back === undefined ? '' : `, ${counts.held_back} held back`;
  const projects = Map.groupBy(changes.projects, ({ project }) => project ?? '');
  return linesOf(
    people.all > 0 && `People     ${grouped(people.all)}: ${peopleWords(changes)}`,
    keeping !== '' && `Access     ${keeping}`,
    `Changes    ${madeWords}${part}${heldBack}`,
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

/** The credits of a batch, as it stands. */
export function creditsLine({ credits, cost, has_costs: hasCosts }: BatchStatusObject): string | undefined {
  if (!hasCosts) return undefined;
  const { budget, spent, exact, in_doubt: inDoubt, reserved } = credits;
  const ownSpent = `${atMost(spent, !exact, `${grouped(spent)} spent`)}${inMoney(cost)}`;
  const most = budget === null ? '' : `, budget ${grouped(budget)}`;
  return `Credits    ${ownSpent}, ${grouped(inDoubt)} in doubt, ${grouped(reserved)} reserved${most}`;
}

/** The credits of a run. The cost of the whole list says what was paid before, and so saves nothing. */
export function runCreditsLine({
  credits,
  cost,
  has_costs: hasCosts,
  figures,
}: RunObject): string | undefined {
  const { spent, spent_now: spentNow, in_doubt: inDoubt, saved } = credits;
  if (!hasCosts) return undefined;
  const inAll = figures?.in_all;
  const isAtMost = credits.exact ? undefined : true;
  const doubt = inDoubt > 0 ? `, ${grouped(inDoubt)} in doubt` : '';
  const savedWords = saved === null || inAll !== undefined ? '' : `, ${grouped(saved)} saved by asking once`;
  const now = atMost(spentNow, isAtMost, `${grouped(spentNow)} spent`);
  const all = `batch total ${atMost(spent, isAtMost, grouped(spent))}`;
  const ownSpent = `${spentNow === spent ? now : `${now} in this run, ${all}`}${inMoney(cost)}`;
  return `Credits    ${ownSpent}${doubt}${savedWords}${listWords(inAll)}`;
}

function listWords(all: FiguresObject['in_all']): string {
  if (all === undefined) return '';
  const { spent, exact, in_doubt: inDoubt } = all.credits;
  const doubt = inDoubt > 0 ? ` and ${grouped(inDoubt)} in doubt` : '';
  return `, list total ${atMost(spent, !exact, grouped(spent))}${inMoney(all.cost)}${doubt}`;
}

/** What each account of each step found at which price, and in which order they are worth asking. */
export function stepLines(steps: readonly StepObject[] = []): readonly string[] {
  const lines = steps.map((step) => {
    const { operation, account, reached, found } = step;
    const rows = `${grouped(found)} of ${counted(reached, 'row')} ${isCheck(operation) ? 'checked' : 'found'}`;
    return `  ${operation} at ${account}: ${rows}, ${stepCost(step)}`;
  });
  const orders = [...Map.groupBy(steps, ({ operation }) => operation)].flatMap(([operation, all]) => {
    const rated = all.filter(({ price_by_rate: rate }) => rate !== null);
    if (rated.length < 2) return [];
    const order = rated.toSorted((one, other) => (one.price_by_rate ?? 0) - (other.price_by_rate ?? 0));
    const words = order.map(({ account, price_by_rate: rate }) => `${account} (${rate})`).join(', ');
    return [`  ${operation} by price ÷ match rate, the cheapest first: ${words}`];
  });
  return [...lines, ...orders];
}
