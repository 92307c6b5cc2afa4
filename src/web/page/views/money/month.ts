import { moneySum, moneyWords, SIGNS } from '../../../../core/money.ts';
import { counted, listed } from '../../../../core/plain-text.ts';
import { whatWords } from '../../../../files/output/summary-words.ts';
import type { SpendGroupObject, SpentAtObject } from '../../../api.ts';
import { fileName, grouped } from '../../parts/figures.ts';

/** The figures of a month, without what draws them. Budgets count in UTC, so its days are those of UTC. */

/** In what amounts are added up: the money of one currency, or the credits of one account without a price. */
export type Unit = { readonly currency: string } | { readonly account: string };

const unitOf = ({ account, cost: [paid] = [] }: SpentAtObject): Unit =>
  paid === undefined ? { account } : { currency: paid.currency };

/** Those in which something was spent, the one of most accounts first. */
export function unitsOf(accounts: readonly SpentAtObject[]): readonly Unit[] {
  const byKey = Map.groupBy(
    accounts.filter(({ spent }) => spent > 0),
    (at) => JSON.stringify(unitOf(at)),
  );
  const all = [...byKey.values()].toSorted((one, other) => other.length - one.length);
  return all.flatMap(([first]) => (first === undefined ? [] : [unitOf(first)]));
}

export const keyOf = (unit: Unit): string => ('currency' in unit ? unit.currency : `@${unit.account}`);

/** `A$`, `credits of data`. */
export const unitWords = (unit: Unit): string =>
  'currency' in unit ? (SIGNS[unit.currency] ?? unit.currency) : `credits of ${unit.account}`;

/** What was spent of that kind, and whether exactly that. */
export function amountIn(unit: Unit, accounts: readonly SpentAtObject[]) {
  const ofUnit = accounts.filter((at) => keyOf(unitOf(at)) === keyOf(unit));
  const amount = ofUnit.reduce((sum, { spent, cost: [paid] = [] }) => sum + (paid?.amount ?? spent), 0);
  return { amount: Math.round(amount * 1e6) / 1e6, exact: ofUnit.every(({ exact }) => exact) };
}

export const amountWords = (unit: Unit, amount: number, exact = true): string =>
  (exact ? '' : 'at most ') +
  ('currency' in unit ? moneyWords({ ...unit, amount }) : grouped(Math.round(amount)));

/** `A$1.60 and 12 credits of data`: sums in money where an account has a price, and credits by account. */
export function worthWords(accounts: readonly SpentAtObject[]): string {
  const paid = accounts.filter(({ spent }) => spent > 0);
  const sums = paid.reduce((sum, { cost = [] }) => moneySum(sum, cost), moneySum([], []));
  const others = paid.filter(({ cost }) => cost === undefined);
  const inCredits = others.map(({ account, spent }) => `${counted(spent, 'credit')} of ${account}`);
  const isExact = paid.every(({ exact }) => exact);
  return `${isExact ? '' : 'at most '}${listed([...sums.map(moneyWords), ...inCredits])}`;
}

/**
 * The budgets of the accounts that are paid in the unit, in all.
 * @param groups what was spent by account.
 * @returns undefined where one of them has none: then nothing limits the sum.
 */
export function budgetIn(unit: Unit, groups: readonly SpendGroupObject[]): number | undefined {
  const ofUnit = groups.flatMap(({ budget, accounts }) =>
    accounts
      .filter((at) => at.spent > 0 && keyOf(unitOf(at)) === keyOf(unit))
      .map((at) => ({ ...at, budget })),
  );
  const sums = ofUnit.map(({ budget, spent, cost: [paid] = [] }) =>
    budget === null ? Number.NaN : (budget * (paid?.amount ?? spent)) / spent,
  );
  const sum = sums.reduce((all, each) => all + each, 0);
  return ofUnit.length === 0 || Number.isNaN(sum) ? undefined : Math.round(sum * 1e6) / 1e6;
}

export interface Day {
  readonly day: number;
  readonly amount: number;
  /** Whether exactly that was spent; otherwise it is the most. */
  readonly exact: boolean;
  /** With all days before it. */
  readonly soFar: number;
  readonly exactSoFar: boolean;
}

/** The days of a month that have begun, each with what was spent until its end. */
export function daysIn(unit: Unit, month: string, groups: readonly SpendGroupObject[], now: Date): Day[] {
  const byDay = new Map(groups.map(({ name, accounts }) => [Number(name?.slice(-2)), accounts]));
  let soFar = 0;
  let exact = true;
  return Array.from({ length: passedOf(month, now) }, (_, at) => {
    const ofDay = amountIn(unit, byDay.get(at + 1) ?? []);
    soFar = Math.round((soFar + ofDay.amount) * 1e6) / 1e6;
    exact &&= ofDay.exact;
    return { day: at + 1, ...ofDay, soFar, exactSoFar: exact };
  });
}

export const lengthOf = (month: string): number => {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number, 0)).getUTCDate();
};

/** How many days of the month have begun. */
function passedOf(month: string, now: Date): number {
  return now.toISOString().startsWith(month) ? now.getUTCDate() : lengthOf(month);
}

/** One busy day at the beginning of a month says nothing of the month. */
const LEAST_DAYS = 5;

/**
 * What the month comes to if each day costs what those so far did; undefined in its first days, and once its
 * last has begun.
 */
export function forecastOf(days: readonly Day[], month: string): number | undefined {
  const { soFar = 0 } = days.at(-1) ?? {};
  const length = lengthOf(month);
  return days.length < LEAST_DAYS || days.length === length || soFar === 0
    ? undefined
    : (soFar / days.length) * length;
}

/** Marks of an axis from 0, in steps of 1, 2 or 5 times a power of ten; the last one is not below `most`. */
export function marksTo(most: number, least = 0): readonly number[] {
  const rough = most / MOST_STEPS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(
    least,
    [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough,
  );
  const count = Math.max(1, Math.ceil(most / step - 1e-9));
  return Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(12)));
}

const MOST_STEPS = 5;

// ---------------------------------------------------------------------------------------------- as a file

/** Each day, list and account with what it cost, as a CSV file that a spreadsheet adds up. */
export function csvOf(days: readonly SpendGroupObject[]): string {
  const lines = days.flatMap(({ name: day, lists = [] }) =>
    lists.flatMap(({ list, operation, accounts }) =>
      accounts.map(({ account, requests, spent, exact, cost: [paid] = [] }) => {
        const price = paid === undefined ? ['', ''] : [paid.amount, paid.currency];
        return [
          day,
          fileName(list),
          whatWords(operation),
          account,
          requests,
          spent,
          ...price,
          exact ? '' : 'at most',
        ];
      }),
    ),
  );
  const head = ['Day', 'List', 'Found', 'Account', 'Requests', 'Credits', 'Cost', 'Currency', 'Remark'];
  return [head, ...lines]
    .map((line) => line.map(csvCell).join(','))
    .join('\r\n')
    .concat('\r\n');
}

/** A name that a spreadsheet would take for a formula is text. */
function csvCell(cell: string | number | null | undefined): string {
  const text = typeof cell === 'string' && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : String(cell ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const monthName = (month: string): string =>
  new Date(`${month}-01`).toLocaleDateString('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** `26 November`, `26 Nov`. */
export const dayName = (month: string, day: number, size: 'long' | 'short' = 'long'): string =>
  new Date(Date.parse(`${month}-01`) + (day - 1) * DAY_MS).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: size,
    timeZone: 'UTC',
  });

const DAY_MS = 86_400_000;
