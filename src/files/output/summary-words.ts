import { needingAttention, percentOf, rowsPending, rowsWanted } from '../../core/counts.ts';
import { describedCall, describedOperation } from '../../core/described.ts';
import type { Names } from '../../core/finding-words.ts';
import { inputWords } from '../../core/input-words.ts';
import { inMoney } from '../../core/money.ts';
import { present } from '../../core/objects.ts';
import { atMost, capital, counted, grouped, linesOf, listed } from '../../core/plain-text.ts';
import { FOUND_PREFIX } from '../../core/row.ts';
import { stepNames, suffixOf } from '../../core/steps.ts';
import { vendorTitle } from '../../core/vendor-titles.ts';
import type { BatchState } from '../../ledger/ledger.ts';
import type {
  ChangesObject,
  FiguresObject,
  ListCost,
  SpentObject,
  StepObject,
} from '../../objects/batch-view.ts';
import type { WholeView } from './batch-view.ts';

export { inputWords };

/** `1 row needs attention`. */
export const needWords = (rows: number): string =>
  counted(rows, 'row needs attention', 'rows need attention');

/** A row that was found by another cell is done, although one of its cells is damaged. */
export function needsWords({ counts, figures: { attention, mismatched = 0 } }: WholeView): string {
  const open = needingAttention(counts);
  const damaged = attention - open - mismatched;
  const rows = open === 0 ? '' : `${needWords(open)}.`;
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

/**
 * An account as people call it who never typed a command. An account with the word of a vendor has the name
 * of that vendor: `Hunter (play)` for play money, `Hunter 2` for `hunter-2`. Others are called as their owner
 * does.
 */
export function accountWords(account: string): string {
  const { play, word = '', more = '' } = ACCOUNT_NAME.exec(account)?.groups ?? {};
  const title = vendorTitle(word);
  const called = title === undefined ? word + more : title + more.replace('-', ' ');
  return play === undefined ? called : `${called} (play)`;
}

const ACCOUNT_NAME = /^(?<play>sandbox-)?(?<word>.*?)(?<more>-\d+)?$/;

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

export function foundWords({ operation, state }: Summed, view: WholeView): string {
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

export interface Summed {
  readonly sandbox: boolean;
  readonly operation: string;
  readonly state: BatchState;
}

/** `105 of 120 companies and 52 of 60 people found`; undefined where one thing was looked for. */
function severalWords(operation: string, { steps = [] }: WholeView): string | undefined {
  const operations = stepNames(operation);
  if (operations.length === 1 || steps.length === 0) return undefined;
  const parts = operations.map((name) => {
    const stepsOfName = steps.filter((step) => step.operation === name);
    const found = stepsOfName.reduce((sum, step) => sum + step.found, 0);
    const reached = Math.max(0, ...stepsOfName.map((step) => step.reached));
    return `${grouped(found)} of ${countedOf(reached, name)}`;
  });
  return `${listed(parts)} found`;
}

/** `90 %`, which is not broken in two. */
export const percent = (part: number, all: number): string => `${percentOf(part, all)}\u00a0%`;

/**
 * `259 credits (A$103.60)`. Credits of several accounts are never added: they are told by account, behind
 * their sum in money where each account has a price.
 */
export function paidWords({ credits, accounts, cost }: Paid): string {
  if (accounts === undefined)
    return atMost(credits.spent, !credits.exact, ownCredits(credits.spent)) + inMoney(cost);
  const each = listed(
    accounts.map(({ account, spent }) => `${ownCredits(spent)} of ${accountWords(account)}`),
  );
  const sum = moneyWords(cost);
  return atMost(credits.spent, !credits.exact, sum === '' ? each : `${sum} (${each})`);
}

interface Paid {
  readonly credits: Pick<SpentObject, 'spent' | 'exact'>;
  readonly accounts?: ListCost['accounts'] | undefined;
  readonly cost?: ListCost['cost'] | undefined;
}

const ownCredits = (count: number): string => counted(count, 'credit');

/** `A$1.60`, or blank where it is not known. */
export const moneyWords = (cost: Parameters<typeof inMoney>[0]): string =>
  inMoney(cost).replace(/^ \((.*)\)$/, '$1');

/** The whole cost of a list comes first: a start over a mended cell alone costs next to nothing. */
export function costWords({ credits, accounts, cost, figures }: WholeView, sandbox: boolean): string {
  const { vendor_counted: byVendor, in_all: all } = figures;
  const doubt = ({ in_doubt: credits }: SpentObject): string =>
    credits > 0 ? `, and ${grouped(credits)} more in doubt, for answers that were lost` : '';
  const ownCost = `cost ${paidWords({ credits, accounts, cost })}`;
  const also = [accounts ? '' : vendorCountWords(byVendor), sandbox ? '; this is play money' : ''];
  if (all === undefined) return `It ${ownCost}${doubt(credits)}${also.join('')}.`;
  const list = `In all, the list has cost ${paidWords(all)}${doubt(all.credits)}`;
  return `${list}; this start ${ownCost}${also.join('')}.`;
}

/** What an account was paid in a step, for misses as well, and for each find. */
export function stepCost({ credits, cost, price, price_in_money: inTheirs }: StepObject): string {
  const says = (amount: number): string => atMost(amount, !credits.exact, counted(amount, 'credit'));
  const misses = credits.for_misses === 0 ? '' : `, ${grouped(credits.for_misses)} for misses`;
  const each = price === null || price === 0 ? '' : `; ${says(price)}${inMoney(inTheirs)} each`;
  return `${says(credits.spent)}${inMoney(cost)}${misses}${each}`;
}

/** The figures of the list by all its starts, where an earlier one has paid for some of it. */
export function ofList({ figures, credits, accounts, cost }: WholeView) {
  const { asked, known, twice, found_free, each } = figures;
  const ownFigures = { credits, asked, known, twice, found_free, each, ...present({ accounts, cost }) };
  return figures.in_all ?? ownFigures;
}

export function besideWords(view: WholeView): string {
  const { found } = view.figures;
  const { each, known, twice, credits, accounts } = ofList(view);
  const parts: string[] = [];
  const money = moneyWords(each?.cost);
  if (each !== null && (accounts === undefined || money !== '')) {
    const price = accounts === undefined ? `${ownCredits(each.credits)}${inMoney(each.cost)}` : money;
    const one = each.rows === found ? 'found' : 'bought';
    parts.push(`That is ${atMost(each.credits, !credits.exact, price)} for each one ${one}.`);
  }
  const free = freeWords({ known, twice });
  if (free !== '') parts.push(`${free}: free of charge.`);
  return parts.join(' ');
}

/**
 * `6 rows were known before, 4 share an answer with another row`; blank where none was free. These are no
 * duplicates of a plan, which ask the same in every way: rows that differ may be answered by one request.
 */
function freeWords({ known, twice }: Pick<FiguresObject, 'known' | 'twice'>): string {
  const before = known > 0 && counted(known, 'row was known before', 'rows were known before');
  const many = before === false ? counted(twice, 'row') : grouped(twice);
  const shared = twice > 0 && `${many} ${twice === 1 ? 'shares' : 'share'} an answer with another row`;
  return linesOf(before, shared).join(', ');
}

export const vendorCountWords = (count: number | undefined): string =>
  count === undefined ? '' : `; the vendor counted ${grouped(count)}`;

// ------------------------------------------------------------------------------------------ what was changed

type Team = Pick<ChangesObject, 'people' | 'planned'>;

/** `40 people, 50 changes`: a person may have several changes, and a new project is a change of no one. */
export function teamWords({ people, planned }: Team): string {
  const who = people.all === 0 ? [] : [counted(people.all, 'person', 'people')];
  return [...who, planned === 0 ? 'nothing to change' : counted(planned, 'change')].join(', ');
}

/** How many changes were made. */
export const changesDoneIn = ({ done }: Pick<ChangesObject, 'done'>): number =>
  Object.values(done).reduce((sum, count) => sum + count, 0);

/** `2 of the 3 who are left out have access now, and keep it`; blank where nobody has. */
export function keepWords({ left_out: all, keep_access: keeping = 0 }: LeftOut): string {
  if (keeping === 0) return '';
  const has = keeping === 1 ? 'has access now, and keeps it' : 'have access now, and keep it';
  return all === 1
    ? `The one who is left out ${has}`
    : `${grouped(keeping)} of the ${grouped(all)} who are left out ${has}`;
}

/** The same of what was done. */
export const keepWordsOf = ({ people, keep_access }: ChangesObject): string =>
  keepWords({ ...people, ...present({ keep_access }) });

interface LeftOut {
  readonly left_out: number;
  readonly keep_access?: number;
}
