import type { ReadOptions } from '../../core/format.ts';
import type { LeftOut } from '../../core/reading.ts';
import type { RowNumber } from '../../core/row.ts';
import { type RowRange, readRowRange, rowRangeText } from '../../core/row-range.ts';
import { isAbn, isEmail, isPersonProfile, isWebsite } from '../../operations/lookup/recognise.ts';
import { isDate } from '../quality/cell-issues.ts';
import { ROWS_SAMPLED, rowWords } from './list-start.ts';

/** Which rows below a header are none of its table: those at its end behind a blank row that name nobody, such as remarks. */

interface BodyRow {
  readonly number: RowNumber;
  readonly cells: readonly string[];
}

/** What is longer than this, and longer than the table, is no remark below it. */
const MOST_BELOW = 20;

/** Whoever counts rows keeps those that may be left out until it is known. */
const MOST_HELD = 10_000;

/** Which rows are the table's. It is asked of rows in any order. */
export function rowsWithout(
  leftOut: readonly LeftOut[],
  only: RowRange | undefined,
): (row: RowNumber) => boolean {
  if (only !== undefined) return (row) => row >= only.first && row <= only.last;
  const ranges = leftOut.flatMap(({ rows }) => readRowRange(rows) ?? []);
  return (row) => !ranges.some(({ first, last }) => row >= first && row <= last);
}

/** Tells which rows below the header are the table's, as they were named or kept, or as they look. Blank ones are not taken. */
export class TableRows<Row extends BodyRow> {
  /** Undefined where nothing is guessed. */
  readonly #isSaid: ((row: RowNumber) => boolean) | undefined;
  readonly #kept: readonly LeftOut[];
  readonly #naming = new NamingColumns();
  #last: RowNumber;
  #rows = 0;
  #rowsThatName = 0;
  /** Rows of which it is not known yet whether they are the table's. */
  #held: Row[] = [];

  constructor(header: RowNumber, { asBefore, rows }: ReadOptions) {
    this.#last = header;
    this.#kept = asBefore?.left_out ?? [];
    if (asBefore !== undefined || rows !== undefined)
      this.#isSaid = rowsWithout(this.#kept, readRowRange(rows ?? ''));
  }

  /** Takes the rows in order. @returns those that are known to be the table's from now on. */
  take(row: Row): readonly Row[] {
    const { number, cells } = row;
    if (this.#isSaid !== undefined) return this.#isSaid(number) ? [row] : [];
    const isBehindBlank = number > this.#last + 1 || this.#held.length > 0;
    this.#last = number;
    // Where most rows name nobody, one more of them is nothing odd.
    const isListOfNames = this.#naming.areKnown && this.#rowsThatName * 2 >= this.#rows;
    const isOdd = isListOfNames && !this.#naming.nameSomebody(cells);
    if (isOdd && isBehindBlank && this.#held.length < Math.min(MOST_HELD, Math.max(MOST_BELOW, this.#rows))) {
      this.#held.push(row);
      return [];
    }
    const known = [...this.#held, row];
    this.#held = [];
    this.#naming.add(cells);
    this.#rows += known.length;
    if (this.#naming.nameSomebody(cells)) this.#rowsThatName += 1;
    return known;
  }

  /** What is left out when all rows were taken. */
  end(): readonly LeftOut[] {
    const [first, last] = [this.#held[0], this.#held.at(-1)];
    if (first === undefined || last === undefined) return this.#kept;
    const rows = rowRangeText({ first: first.number, last: last.number });
    return [...this.#kept, { rows, text: rowWords(first.cells) }];
  }
}

const SHARE_THAT_DECIDES = 0.8;

/** A single cell may be an odd one. */
const CELLS_THAT_SHOW = 2;

/** What was meant to name somebody, also where it is mistyped. */
const MEANT = /@|\p{L}\.\p{L}{2}|(?:\d\s?){8}/u;

/** Which columns hold what somebody can be asked about by, as the first rows show. */
class NamingColumns {
  readonly #columns: { filled: number; naming: number }[] = [];
  #rows = 0;
  #places: readonly number[] = [];

  /** Rows beyond the first ones are passed over. */
  add(cells: readonly string[]): void {
    if (this.#rows === ROWS_SAMPLED) return;
    this.#rows += 1;
    for (const [place, cell] of cells.entries()) {
      const text = cell.trim();
      if (text === '') continue;
      this.#columns[place] ??= { filled: 0, naming: 0 };
      const column = this.#columns[place];
      column.filled += 1;
      if (isLookup(text)) column.naming += 1;
    }
    this.#places = [...this.#columns.entries()].flatMap(([place, column]) =>
      column !== undefined && column.naming >= Math.max(CELLS_THAT_SHOW, column.filled * SHARE_THAT_DECIDES)
        ? [place]
        : [],
    );
  }

  /** Whether rows that name nobody can be told from the others. */
  get areKnown(): boolean {
    return this.#places.length > 0;
  }

  nameSomebody(cells: readonly string[]): boolean {
    return this.#places.some((place) => MEANT.test(cells[place] ?? ''));
  }
}

function isLookup(cell: string): boolean {
  if (isAbn(cell) || isEmail(cell)) return true;
  if (isDate(cell) || /^[\d\s.,+()%$€£-]+$/.test(cell)) return false;
  return isWebsite(cell) || isPersonProfile(cell);
}
