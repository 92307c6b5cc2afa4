import {
  ATTENTION_KINDS,
  type Counted,
  needingAttention,
  rowsFound,
  rowsWanted,
} from '../../../core/counts.ts';
import { inMoney } from '../../../core/money.ts';
import { atMost, counted, grouped } from '../../../core/plain-text.ts';
import { percent } from '../../../files/output/summary-words.ts';
import type { BatchObject, BatchStatusObject, PlanObject, SpentObject } from '../../api.ts';

/** Numbers, sizes and times as people read them, by the code of the report and of the commands. */
export { counted, grouped, percent };

export const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

type Spent = Pick<SpentObject, 'spent' | 'exact'>;

/** `62`, or `at most 62` where it may have been less. */
export const spentWords = ({ spent, exact }: Spent): string => atMost(spent, !exact, grouped(spent));

export const creditWords = ({ spent, exact }: Spent): string =>
  atMost(spent, !exact, counted(spent, 'credit'));

export const needWords = (rows: number): string =>
  counted(rows, 'row needs attention', 'rows need attention');

/** Those that are looked up of all rows, or of those that she has chosen, and how many have an end. */
export const lookedUp = ({ goal: { rows, settled, unasked } }: Pick<BatchObject, 'goal'>) => ({
  rows: rows - unasked,
  settled: settled - unasked,
});

/** `47 %`. */
export function doneShare(batch: BatchObject): string {
  const { rows, settled } = lookedUp(batch);
  return percent(settled, rows);
}

/** `47 % of 12 rows`. */
export const doneWords = (batch: BatchObject): string =>
  `${doneShare(batch)} of ${counted(lookedUp(batch).rows, 'row')}`;

/** Rows that have no end yet: of all, or of those that she has chosen. */
export const rowsLeft = ({ goal }: BatchObject): number => goal.rows - goal.settled;

/** The states of rows that a person has to look at. */
export const NEEDING = [...ATTENTION_KINDS].join();
export const needing = ({ counts }: Pick<Counted, 'counts'>): number => needingAttention(counts);

/** `16 of 40`. */
export const foundWords = (of: Counted): string =>
  `${grouped(rowsFound(of.counts))} of ${grouped(rowsWanted(of))}`;

export const fileName = (path: string): string => path.split(/[\\/]/).at(-1) ?? path;

/** `45 s`, `12 min`, `3 h 20 min`, `3 days`. */
export function duration(seconds: number): string {
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return `${Math.round(hours / 24)} days`;
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}

/** `09:12`, where the reader is, or in another time zone. */
export const clockTime = (at: Date, timeZone?: string): string =>
  at.toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone });

/** `today 09:12`, `tomorrow 02:00`, `20 November`, where the reader is. */
export function dayAndTime(at: string): string {
  const then = new Date(at);
  const days = Math.round((new Date().setHours(0, 0, 0, 0) - new Date(at).setHours(0, 0, 0, 0)) / DAY_MS);
  if (Math.abs(days) < 2) return `${NEAR_DAY.format(0 - days, 'day')} ${clockTime(then)}`;
  return days < 300 ? dayAndMonth(then) : then.toLocaleDateString('en-GB', { dateStyle: 'long' });
}

/** `tomorrow`, `today`, `yesterday`. */
const NEAR_DAY = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const DAY_MS = 24 * 60 * 60 * 1000;

export const dayAndMonth = (of: Date): string =>
  of.toLocaleDateString('en-GB', { day: 'numeric', month: 'long' });

/** `A$1.60`, or blank where it is not known. */
export const money = (cost: Parameters<typeof inMoney>[0]): string =>
  inMoney(cost).replace(/^ \((.*)\)$/, '$1');

/** What counts against the limit of a list: answers that were lost may have been charged. */
export const heldIn = ({ spent, reserved, in_doubt: lost }: BatchObject['credits']): number =>
  spent + reserved + lost;

/** Whether a question was sent. */
export const isBegun = ({ requests_last_minute: requests, open, credits }: BatchStatusObject): boolean =>
  requests + open + credits.spent > 0;

/** Whether it can go on: it has rows left, and nobody works on it. */
export const isLeft = (batch: BatchStatusObject | undefined): batch is BatchStatusObject =>
  batch?.state === 'open' && !batch.running;

/** How many rows are asked about each of several things, whichever accounts are asked about it. */
export function askedApart({ steps = [] }: PlanObject) {
  const byOperation = [...Map.groupBy(steps, ({ operation }) => operation)];
  if (byOperation.length < 2) return [];
  return byOperation.map(([operation, ofOperation]) => {
    return { operation, rows: Math.max(...ofOperation.map(({ reached, known }) => reached - known)) };
  });
}
