/** Days and months are those of UTC, as budgets count them; other times are those of the reader. */

const MONTH = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const DAY = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** `November 2026` of `2026-11`. */
export const monthName = (month: string): string => MONTH.format(new Date(`${month}-01T00:00:00Z`));

/** `3 Nov`. */
export const dayName = (month: string, day: number): string =>
  DAY.format(new Date(`${month}-${String(day).padStart(2, '0')}T00:00:00Z`));

export function monthBeside(month: string, by: 1 | -1): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + by)).toISOString().slice(0, 7);
}

/** `20 Nov 2026, 14:05`, where the reader is or in the zone. */
export function moment(at: string | number, timeZone?: string): string {
  return new Intl.DateTimeFormat('en', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone,
  }).format(new Date(at));
}
