import { inMoney } from '../../../core/money.ts';

/** Numbers, sizes and times as people read them, the same in every browser. */

const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** `2,000`, `0.4`. */
export const grouped = (value: number): string => NUMBER.format(value);

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** `62`, or `at most 62` where it may have been less. */
export function spentWords({ spent, exact }: { readonly spent: number; readonly exact: boolean }): string {
  return exact || spent === 0 ? grouped(spent) : `at most ${grouped(spent)}`;
}

/** `at most 62 credits`. */
export const creditWords = (credits: { readonly spent: number; readonly exact: boolean }): string =>
  `${spentWords(credits)} ${credits.spent === 1 ? 'credit' : 'credits'}`;

/** `2 rows need you`. */
export const needWords = (rows: number): string => counted(rows, 'row needs you', 'rows need you');

/** All rows of a batch, with those of people whom its list does not name. */
export const allRows = (of: { readonly rows: number; readonly rows_beyond?: number | undefined }): number =>
  of.rows + (of.rows_beyond ?? 0);

/** Rows that a person has to look at. */
export const needing = ({ counts }: { readonly counts: Readonly<Record<string, number>> }): number =>
  (counts.invalid ?? 0) + (counts.refused ?? 0) + (counts.in_doubt ?? 0);

/** Rows for which something was found, or which are as the list wants them. */
export const foundIn = (counts: Readonly<Record<string, number>>): number =>
  (counts.matched ?? 0) + (counts.applied ?? 0) + (counts.unchanged ?? 0);

/** A file by its name, without its folder. */
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

const TO_THE_MINUTE: Intl.DateTimeFormatOptions = {
  dateStyle: 'medium',
  timeStyle: 'short',
  hourCycle: 'h23',
};

/** `Nov 20, 2026, 14:05`, where the reader is. */
export function dateAndTime(at: string): string {
  return new Intl.DateTimeFormat('en', TO_THE_MINUTE).format(new Date(at));
}

/** `today 09:12`, `yesterday 17:40`, `20 November`, where the reader is. */
export function when(at: string): string {
  const then = new Date(at);
  const days = Math.round((new Date().setHours(0, 0, 0, 0) - new Date(at).setHours(0, 0, 0, 0)) / DAY_MS);
  const time = then.toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  if (days === 0) return `today ${time}`;
  if (days === 1) return `yesterday ${time}`;
  return days < 300 ? dayAndMonth(then) : dateAndTime(at);
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** `28 November`. */
export const dayAndMonth = (of: Date): string =>
  of.toLocaleDateString('en-GB', { day: 'numeric', month: 'long' });

const TO_THE_SECOND = new Intl.DateTimeFormat('en', { ...TO_THE_MINUTE, timeStyle: 'medium' });

/** `Nov 20, 2026, 14:05:31`, where the reader is: requests come within a minute of each other. */
export const exactTime = (iso: string): string => TO_THE_SECOND.format(new Date(iso));

/** `A$1.60`, or blank where it is not known. */
export const money = (cost: Parameters<typeof inMoney>[0]): string =>
  inMoney(cost).replace(/^ \((.*)\)$/, '$1');

/** `90 %` of a whole. */
export const percent = (part: number, whole: number): string =>
  whole === 0 ? '0 %' : `${Math.round((part / whole) * 100)} %`;
