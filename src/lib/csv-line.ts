import { stringify } from 'csv-stringify/sync';
import { safeCell } from './formulas.ts';

/** A line of a table for spreadsheets, in which no cell becomes a formula. */
export function csvLine(cells: readonly (string | number | undefined)[]): string {
  const safe = cells.map((cell) => (typeof cell === 'string' ? safeCell(cell).text : cell));
  return stringify([safe], { record_delimiter: 'windows' });
}
