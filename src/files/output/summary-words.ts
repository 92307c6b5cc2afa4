import { needingAttention, percentOf, rowsPending, rowsWanted } from '../../core/counts.ts';
import { describedCall, describedOperation } from '../../core/described.ts';
import type { Names } from '../../core/finding-words.ts';
import { inputWords } from '../../core/input-words.ts';
import { inMoney } from '../../core/money.ts';
import { countedActions, type PlannedAction } from '../../core/operation.ts';
import { atMost, capital, counted, grouped, linesOf, listed, sentence } from '../../core/plain-text.ts';
import { FOUND_PREFIX } from '../../core/row.ts';
import { stepNames, suffixOf } from '../../core/steps.ts';
import type { BatchState } from '../../ledger/ledger.ts';
import type { ChangesObject, FiguresObject, SpentObject, StepObject } from '../../objects/batch-view.ts';
import type { WholeView } from './batch-view.ts';
import type { ChangeEnd, SummaryObject } from './report-object.ts';

export { inputWords };

interface Summed {
  readonly sandbox: boolean;
  readonly operation: string;
  readonly state: BatchState;
}

/**
 * How a batch ended, in words for people who never typed a command. The report and the page begin with these
 * words.
 * @param changed the changes that a batch has made, as a clause; undefined for a batch that changes nothing.
 */
export function summaryOf(of: Summed, view: WholeView, changed: string | undefined): SummaryObject {
  // What rows that are left wait for, such as a key, is not known here.
  const nothing = rowsPending(view) > 0 ? 'No finished row needs you.' : 'Nothing needs you.';
  return {
    headline: changed === undefined ? foundWords(of, view) : capital(sentence(changed)),
    ...(view.has_costs ? { cost: costWords(view, of.sandbox) } : {}),
    besides: view.has_costs ? besideWords(view) : '',
    needs: needsWords(view) || nothing,
  };
}

/** A row that was found by another cell is done, although one of its cells is damaged. */
function needsWords({ counts, figures: { attention, mismatched = 0 } }: WholeView): string {
  const open = needingAttention(counts);
  const damaged = attention - open - mismatched;
  const rows = open === 0 ? '' : `${counted(open, 'row needs', 'rows need')} you.`;
  const cells =
    damaged === 0
      ? ''
      : `${counted(damaged, 'row')} of those done ${damaged === 1 ? 'has' : 'have'} a damaged cell.`;
  const others =
    mismatched === 0
      ? ''
      : `${counted(mismatched, 'answer')} ${mismatched === 1 ? 'is' : 'are'} about another company or person.`;
  return [rows, cells, others].filter((words) => words !== '').join(' ');
}

/** A call that brings its own request has a path in the place of an identifier. */
export const askedIdentifiers = ({ identifiers }: Pick<FiguresObject, 'identifiers'>) =>
  identifiers.filter(({ name }) => !name.startsWith('/'));

/** `1 person`. */
export const countedOf = (count: number, operation: string): string =>
  counted(count, ...(describedOperation(operation)?.noun ?? ['row', 'rows']));

/** `companies and people`. */
export const whatWords = (operation: string): string =>
  stepNames(operation)
    .map((name) => describedOperation(name)?.title ?? name.replaceAll('-', ' '))
    .join(' and ');

/** `hunter (play)`, for an account with play money. */
export const accountWords = (account: string): string => account.replace(/^sandbox-(.*)/, '$1 (play)');

/** Steps and accounts, as people call them who never typed a command. */
export const CALLED: Names = {
  step: (name) => describedOperation(name)?.title ?? name,
  account: accountWords,
};

/** Names for the column of a value, such as `Employee count` for `enrich-company.employee_count`. */
export function columnWords(field: string): readonly [bare: string, withStep: string, asFound: string] {
  const words = (text: string): string => capital(text.replaceAll(/[._]/g, ' ').replace(/\babn\b/, 'ABN'));
  // A member of a list has the list's name in front, such as `emails.0`.
  const [bare = field] = /[^.]+(?:\.\d.*|\.more)?$/.exec(field) ?? [];
  return [words(bare), words(withStep(field)), words(FOUND_PREFIX + bare)];
}

/** The word of a step tells two cities apart. What finds a single value is told by the value. */
function withStep(field: string): string {
  const [step = '', ...value] = field.split('.');
  const { finds } = describedCall(step);
  if (finds === 'email' || finds === 'phone') return value.join('.');
  return finds === 'company' || finds === 'person' ? [suffixOf(step), ...value].join('.') : field;
}

function foundWords({ operation, state }: Summed, view: WholeView): string {
  const { found, filled_before: filled } = view.figures;
  const { skipped = 0 } = view.counts;
  const pending = rowsPending(view);
  const wanted = rowsWanted(view);
  const share = `${grouped(found)} of ${countedOf(wanted, operation)} found, ${percent(found, wanted)}`;
  const never = view.steps === undefined ? 'not asked' : 'not finished';
  const says = linesOf(
    wanted > 0 && (severalWords(operation, view) ?? share),
    filled > 0 && `${counted(filled, 'row')} had it already`,
    skipped > filled && `${counted(skipped - filled, 'row')} left out`,
    pending > 0 && `${counted(pending, 'row')} ${state === 'open' ? 'to go' : never}`,
  ).join('; ');
  return pending > 0 && state === 'open' ? `So far ${says}` : says;
}

/** `105 of 120 companies and 52 of 60 people found`; undefined where one thing was looked for. */
function severalWords(operation: string, { steps = [] }: WholeView): string | undefined {
  const operations = stepNames(operation);
  if (operations.length === 1 || steps.length === 0) return undefined;
  const parts = operations.map((name) => {
    const own = steps.filter((step) => step.operation === name);
    const found = own.reduce((sum, step) => sum + step.found, 0);
    const reached = Math.max(0, ...own.map((step) => step.reached));
    return `${grouped(found)} of ${countedOf(reached, name)}`;
  });
  return `${listed(parts)} found`;
}

/** `90 %`, which is not broken in two. */
export const percent = (part: number, all: number): string => `${percentOf(part, all)}\u00a0%`;

/** The whole cost of a list comes first: a start over a mended cell alone costs next to nothing. */
function costWords({ credits, cost, figures }: WholeView, sandbox: boolean): string {
  const { vendor_counted: byVendor, in_all: all } = figures;
  const says = ({ spent, exact }: SpentObject): string => atMost(spent, !exact, counted(spent, 'credit'));
  const doubt = ({ in_doubt: credits }: SpentObject): string =>
    credits > 0 ? `, and ${grouped(credits)} more in doubt, for answers that were lost` : '';
  const own = `cost ${says(credits)}${inMoney(cost)}`;
  const also = [vendorCountWords(byVendor), sandbox ? '; this is play money' : ''];
  if (all === undefined) return `It ${own}${doubt(credits)}${also.join('')}.`;
  const list = `In all, the list has cost ${says(all.credits)}${inMoney(all.cost)}${doubt(all.credits)}`;
  return `${list}; this start ${own}${also.join('')}.`;
}

/** What an account was paid in a step, for misses as well, and for each find. */
export function stepCost({ credits, cost, price, price_in_money: inTheirs }: StepObject): string {
  const says = (amount: number): string => atMost(amount, !credits.exact, counted(amount, 'credit'));
  const misses = credits.for_misses === 0 ? '' : `, ${grouped(credits.for_misses)} for misses`;
  const each = price === null || price === 0 ? '' : `; ${says(price)}${inMoney(inTheirs)} each`;
  return `${says(credits.spent)}${inMoney(cost)}${misses}${each}`;
}

function besideWords({ credits, figures }: WholeView): string {
  const { each, found, saved, in_all: all } = figures;
  const parts: string[] = [];
  if (each !== null) {
    const price = `${counted(each.credits, 'credit')}${inMoney(each.cost)}`;
    const one = each.rows === found ? 'found' : 'bought';
    parts.push(`That is ${atMost(each.credits, !credits.exact, price)} for each one ${one}.`);
  }
  // The cost of the whole list says what was paid before.
  if (saved > 0 && all === undefined) {
    const more = counted(saved, 'more credit was', 'more credits were');
    parts.push(`${more} saved: known before, or twice on the list.`);
  }
  return parts.join(' ');
}

export const vendorCountWords = (count: number | undefined): string =>
  count === undefined ? '' : `; the vendor counted ${grouped(count)}`;

// ------------------------------------------------------------------------------------------ what was changed

/** `7 invites to Platform, 6 removals from Research; 115 stay as they were, 1 held back`. */
export function changesSentence({ done, counts, projects }: ChangesObject): string {
  const made = countedActions(done, (action) => placeOf(action, projects));
  const rest = restWords(counts);
  return [made === '' ? 'nothing was changed' : made, ...(rest === '' ? [] : [rest])].join('; ');
}

const PREPOSITIONS: Readonly<Partial<Record<PlannedAction, string>>> = {
  invite: 'to',
  change_role: 'in',
  remove: 'from',
};

function placeOf(action: PlannedAction, groups: ChangesObject['projects']): string {
  const preposition = PREPOSITIONS[action];
  const places = new Set(
    groups.flatMap(({ done, project }) => (done[action] === undefined ? [] : (project ?? []))),
  );
  const [only] = places;
  if (preposition === undefined || only === undefined) return '';
  return ` ${preposition} ${places.size === 1 ? only : counted(places.size, 'project')}`;
}

/** How a change ended: its kind, in words, and their meaning. */
export const END_WORDS: readonly (readonly [ChangeEnd, string, string])[] = [
  ['applied', 'changed', 'as asked'],
  ['unchanged', 'unchanged', 'already so'],
  ['held_back', 'held back', 'not in the list, and not removed, for the reason given'],
  ['refused', 'refused', 'not done, for the reason given'],
  ['in_doubt', 'in doubt', 'an answer was lost or cannot be read; it may have been done'],
  ['skipped', 'left out', 'left out while in doubt'],
  ['invalid', 'need you', 'cannot be used, so nothing was sent'],
  ['pending', 'pending', 'not worked on yet'],
];

/** `2 need you`, `1 needs you`. */
export const endWords = (count: number, word: string): string =>
  `${grouped(count)} ${count === 1 ? word.replace('need ', 'needs ') : word}`;

function restWords({ applied: _, unchanged = 0, ...counts }: ChangesObject['counts']): string {
  const stay = unchanged === 1 ? '1 stays as it was' : `${unchanged} stay as they were`;
  const others = END_WORDS.flatMap(([end, word]) => {
    const count = counts[end];
    return count === undefined ? [] : [endWords(count, word)];
  });
  return [...(unchanged === 0 ? [] : [stay]), ...others].join(', ');
}
