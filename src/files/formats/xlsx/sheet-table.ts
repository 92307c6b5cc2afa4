import type { FoundLayout, TopRow } from '../../../core/format.ts';
import { isOutput } from '../../../core/our-columns.ts';
import type { RowNumber } from '../../../core/row.ts';
import type { RowRange } from '../../../core/row-range.ts';
import { type NamedColumns, widthOf } from '../../header.ts';
import { lettersOf } from '../../workbook.ts';
import type { SheetFrame, SheetRow } from './sheet.ts';

export interface SheetTable {
  readonly columns: NamedColumns;
  /** The rows of the header; its last one has the names, or most of them. */
  readonly header: RowRange;
  /** How many rows below the header are the table's. */
  readonly rows: number;
  readonly hasRow: (row: RowNumber) => boolean;
  /** The last row of the table, and the last column in which one of its rows holds something. */
  readonly lastRow: RowNumber;
  readonly lastUsed: number;
  /** The columns in which a row of the table has a formula. */
  readonly formulas: ReadonlySet<number>;
  readonly frame: SheetFrame;
  readonly layout: FoundLayout;
  readonly top: readonly TopRow[];
  readonly notes: readonly string[];
}

export type Top = Pick<SheetTable, 'columns' | 'header'>;

/** Where a cell holds something and the header has no name; blank columns without a name are borne. */
export function strayPlace(cells: SheetRow['cells'], columns: NamedColumns): number | undefined {
  if (cells.length > widthOf(columns)) return cells.length - 1;
  return columns.nameless.find((place) => (cells[place]?.text ?? '').trim() !== '');
}

/**
 * Whether a cell without a name is a reason to set its row aside and none to refuse the sheet: ours stand right of such cells, so
 * that a workbook with them could not be read again otherwise.
 */
export function bearsStrays({ names }: NamedColumns): boolean {
  return isOutput(names);
}

export function strayWords(
  row: number,
  place: number,
  { columns, header: { last: headerRow } }: Top,
): string {
  const column = lettersOf(place);
  const width = widthOf(columns);
  const why =
    place < width
      ? `column ${column} has no name in row ${headerRow}, the header`
      : `the header in row ${headerRow} ends with column ${lettersOf(width - 1)}`;
  return `the cell ${column}${row} holds something, but ${why}`;
}
