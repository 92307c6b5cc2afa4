import type { FoundLayout, StartReading, TopRow } from '../../../core/format.ts';
import type { RowNumber } from '../../../core/row.ts';
import type { RowRange } from '../../../core/row-range.ts';
import type { NamedColumns } from '../../header.ts';
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
  readonly readings?: readonly StartReading[];
  readonly notes: readonly string[];
}

export type Top = Pick<SheetTable, 'columns' | 'header'>;

/** Where a cell holds something right of the header. */
export function strayPlace(cells: SheetRow['cells'], { width }: NamedColumns): number | undefined {
  return cells.length > width ? cells.length - 1 : undefined;
}

export function strayWords(row: number, place: number, { columns, header }: Top): string {
  const last = lettersOf(columns.width - 1);
  const ends = header.last === 0 ? `the list ends` : `the header in row ${header.last} ends`;
  return `the cell ${lettersOf(place)}${row} holds something, but ${ends} with column ${last}`;
}
