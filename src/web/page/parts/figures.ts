import { text } from '../text.ts';

/** Numbers, sizes and times as people read them, the same in every browser. */

const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** `2,000`, `0.4`. */
export const grouped = (value: number): string => NUMBER.format(value);

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** `62`, or `at most 62` where it may have been less. */
export function spentWords({ spent, exact }: { readonly spent: number; readonly exact: boolean }): string {
  return exact || spent === 0 ? grouped(spent) : text.atMost(grouped(spent));
}

/** All rows of a batch, with those of people whom its list does not name. */
export const allRows = (of: { readonly rows: number; readonly rows_beyond?: number | undefined }): number =>
  of.rows + (of.rows_beyond ?? 0);

/** `12,430 KB`. */
export const fileSize = (bytes: number): string => `${grouped(Math.ceil(bytes / 1024))} KB`;

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

const TO_THE_SECOND = new Intl.DateTimeFormat('en', { ...TO_THE_MINUTE, timeStyle: 'medium' });

/** `Nov 20, 2026, 14:05:31`, where the reader is: requests come within a minute of each other. */
export const exactTime = (iso: string): string => TO_THE_SECOND.format(new Date(iso));
