import { safeCell } from './formulas.ts';

/** A line of a table for spreadsheets: RFC 4180, and no cell of it becomes a formula. */
export function csvLine(cells: readonly (string | number | undefined)[]): string {
  return `${cells.map((cell) => (typeof cell === 'number' ? String(cell) : quoted(safeCell(cell ?? '').text))).join(',')}\r\n`;
}

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
