import type { RowNumber } from '../../core/row.ts';
import { kindByContent, RANGE, SHARE_OF_RANGES } from '../columns/column-kind.ts';
import type { CellKind } from './cell-issues.ts';
import { type Finding, IssueTally } from './issue-tally.ts';

/** The damage of a column when no job says what the column holds: its header says so, else its first cells. */

/** Cells that are kept until it is decided what their column holds. */
const CELLS_THAT_DECIDE = 200;

/** In a column in which more cells than that are short dates, dates are meant. */
const MOST_NAMES_AS_DATES = 0.2;

export class ColumnIssues {
  /** Undefined until it is decided what the column holds. */
  #tally: IssueTally | undefined;
  #waiting: { readonly row: RowNumber; readonly cell: string }[] = [];
  #filled = 0;
  #ranges = 0;

  constructor(kind: CellKind | undefined) {
    this.#tally = kind === undefined ? undefined : new IssueTally(kind);
  }

  /** @param cell not blank. */
  add(row: RowNumber, cell: string): void {
    this.#filled += 1;
    if (RANGE.test(cell)) this.#ranges += 1;
    if (this.#tally !== undefined) {
      this.#tally.add(row, cell);
      return;
    }
    this.#waiting.push({ row, cell });
    if (this.#waiting.length === CELLS_THAT_DECIDE) this.#decide();
  }

  findings(): readonly Finding[] {
    const found = (this.#tally ?? this.#decide()).findings();
    const areSizes = this.#ranges / this.#filled >= SHARE_OF_RANGES;
    return found.filter(
      ({ kind, count }) => kind !== 'name_as_date' || areSizes || count / this.#filled <= MOST_NAMES_AS_DATES,
    );
  }

  #decide(): IssueTally {
    const tally = new IssueTally(kindByContent(this.#waiting.map(({ cell }) => cell)));
    for (const { row, cell } of this.#waiting) tally.add(row, cell);
    this.#waiting = [];
    this.#tally = tally;
    return tally;
  }
}
