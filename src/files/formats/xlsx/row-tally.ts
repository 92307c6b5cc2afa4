import type { RowNumber } from '../../../core/row.ts';
import { MOST_DIGITS } from './cell.ts';
import type { SheetRow } from './sheet-rows.ts';

interface Unsaved {
  count: number;
  readonly row: RowNumber;
}

interface Wide {
  count: number;
  readonly isFirst: boolean;
  /** Why they would refuse the file. */
  readonly refusal: Error;
}

/** What is to be told of the rows of a table, and whether they refuse the sheet. */
export class RowTally {
  rows = 0;
  hidden = 0;
  /** Cells whose formula has no saved value, and the row of the first, by their position. */
  readonly unsaved = new Map<number, Unsaved>();
  /** Cells with numbers that are longer than Excel can keep, and the row of the first. */
  long = { count: 0, row: 0 };
  /** Rows with cells behind the last column. */
  wide: Wide | undefined;
  /** The first reason not to read the sheet. */
  refusal: Error | undefined;

  get lacksValues(): boolean {
    return this.unsaved.size > 0;
  }

  countUnsaved({ number, unsaved }: Pick<SheetRow, 'number' | 'unsaved'>): void {
    for (const position of unsaved) {
      const column = this.unsaved.get(position);
      if (column === undefined) this.unsaved.set(position, { count: 1, row: number });
      else column.count += 1;
    }
  }

  /** @param stray why a cell of it would refuse the file. @param isRefused whether it does. */
  take({ number, cells, isHidden }: SheetRow, stray: Error | undefined, isRefused: boolean): void {
    this.rows += 1;
    if (isHidden) this.hidden += 1;
    if (stray !== undefined && isRefused) this.refusal ??= stray;
    else if (stray !== undefined) {
      this.wide ??= { count: 0, isFirst: this.rows === 1, refusal: stray };
      this.wide.count += 1;
    }
    for (const cell of cells) {
      if (cell?.kind !== 'number' || !Number.isInteger(cell.value)) continue;
      if (Math.abs(cell.value) < 10 ** MOST_DIGITS) continue;
      if (this.long.count === 0) this.long.row = number;
      this.long.count += 1;
    }
  }
}
