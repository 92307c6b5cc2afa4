import { lettersOf } from '../../workbook.ts';

/** A block of cells. Columns are counted from 0, rows as a spreadsheet shows them. */
export interface CellRange {
  readonly firstColumn: number;
  readonly lastColumn: number;
  readonly firstRow: number;
  readonly lastRow: number;
}

const RANGE = /^\$?([A-Z]{1,3})\$?(\d{1,7})(?::\$?([A-Z]{1,3})\$?(\d{1,7}))?$/;

/** Reads `A1:F100` and `B2`; undefined for what is neither, such as whole rows. */
export function readCellRange(text: string | undefined): CellRange | undefined {
  const [, first, firstRow, last = first, lastRow = firstRow] = RANGE.exec(text ?? '') ?? [];
  if (first === undefined || last === undefined) return undefined;
  return {
    firstColumn: columnOf(first),
    lastColumn: columnOf(last),
    firstRow: Number(firstRow),
    lastRow: Number(lastRow),
  };
}

export function cellRangeText({ firstColumn, lastColumn, firstRow, lastRow }: CellRange): string {
  return `${lettersOf(firstColumn)}${firstRow}:${lettersOf(lastColumn)}${lastRow}`;
}

/** The column of these letters: 0 for `A`, 26 for `AA`. */
export function columnOf(letters: string): number {
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

/** The position of the column in an address such as `AB12`; NaN for what is none. */
export function columnIn(address: string): number {
  const letters = /^([A-Z]{1,3})\d+$/.exec(address)?.[1];
  return letters === undefined ? Number.NaN : columnOf(letters);
}
