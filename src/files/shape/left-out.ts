import type { LeftOut } from '../../core/format.ts';
import type { RowNumber } from '../../core/row.ts';
import { type RowRange, readRowRange, rowRangeText } from '../../core/row-range.ts';
import { kindByName, squeezed } from '../columns/column-kind.ts';
import type { ColumnLooks } from './column-looks.ts';
import { isLabel } from './header-rows.ts';
import { rowWords } from './shape-words.ts';
import { Sums, totalsWords } from './totals.ts';

/**
 * Which rows below a header are none of its table: lines of totals, the header once more, other tables below it, and what stands
 * below the cells that Excel calls the table. A row that is left out is not asked about, so each of these has to be shown by more than its looks.
 */

/** A row that holds something. */
export interface BodyRow {
  readonly number: RowNumber;
  readonly cells: readonly string[];
  /** Whether a formula of it has no saved value. */
  readonly lacksValues: boolean;
}

/** Rows of which it is decided together whether they are the table's: the table itself, or some that may be none of it. */
export interface Part {
  isLeftOut: boolean;
}

/** Rows between two blank ones. */
interface Block extends Part {
  readonly first: RowNumber;
  last: RowNumber;
  rows: number;
  readonly why: LeftOut['why'];
  text: string;
  /** Whether its first line may be the header of another table; undefined while only a title of it was read. */
  isHeaded: boolean | undefined;
  /** Whether the names of that header are known as names. */
  isKnown: boolean;
  /** Whether a row of it has what the rows of the table are asked about by. */
  fits: boolean;
}

/** They are kept with the batch. A sheet with more is read as it stands. */
const MOST_LEFT_OUT = 1_000;

/** Which rows are the table's. It is asked of rows in any order. */
export function rowsWithout(
  leftOut: readonly LeftOut[],
  only: RowRange | undefined,
): (row: RowNumber) => boolean {
  if (only !== undefined) return (row) => row >= only.first && row <= only.last;
  const ranges = leftOut.flatMap(({ rows }) => readRowRange(rows) ?? []);
  if (ranges.length === 0) return () => true;
  return (row) => {
    let [low, high] = [0, ranges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ranges[middle]?.last ?? 0) < row) low = middle + 1;
      else high = middle;
    }
    return row < (ranges[low]?.first ?? Number.POSITIVE_INFINITY);
  };
}

export class LeftOutFinder {
  readonly #names: readonly string[];
  readonly #known: ReadonlySet<string>;
  readonly #looks: ColumnLooks;
  readonly #sums = new Sums();
  readonly #table: Part = { isLeftOut: false };
  readonly #out: Block[] = [];
  #block: Block | undefined;
  /** A block of one cell, which may be the title of the next. */
  #title: Block | undefined;
  /** Whether another table was found, and by its names: then all below it is its. */
  #beyond: 'no' | 'perhaps' | 'surely' = 'no';
  #last: RowNumber;
  readonly #tableEnd: RowNumber;

  /**
   * @param names of the header by their places.
   * @param tableEnd the last row of the table where the file itself says that; else endless.
   */
  constructor(
    names: readonly string[],
    headerRow: RowNumber,
    looks: ColumnLooks,
    tableEnd: RowNumber = Number.POSITIVE_INFINITY,
  ) {
    this.#tableEnd = tableEnd;
    this.#names = names;
    this.#known = new Set(names.map(squeezed).filter(Boolean));
    this.#looks = looks;
    this.#last = headerRow;
  }

  /** Takes the rows in order. @returns what the row is decided about with; that is said at the end. */
  take(row: BodyRow): Part {
    const isAfterGap = row.number > this.#last + 1;
    this.#last = row.number;
    if (isAfterGap) this.#close();
    if (this.#out.length >= MOST_LEFT_OUT) return this.#table;
    if (row.number > this.#tableEnd) {
      const below = this.#below(row);
      if (below !== undefined) return below;
    }
    if (this.#block === undefined) {
      const single = this.#single(row, isAfterGap);
      if (single !== undefined) return single;
      if (isAfterGap) this.#open(row);
    }
    if (this.#block !== undefined) return this.#join(this.#block, row);
    this.#sums.add(row.cells);
    this.#looks.add(row.cells);
    return this.#table;
  }

  /** What is left out, in order, when all rows were taken. */
  end(): readonly LeftOut[] {
    this.#close();
    return this.#out.map(({ first, last, why, text }) => ({
      rows: rowRangeText({ first, last }),
      why,
      text,
    }));
  }

  /** A row that is left out by itself. */
  #single(row: BodyRow, isAfterGap: boolean): Part | undefined {
    const isAgain = this.#isHeaderAgain(row.cells);
    const totals = isAgain ? undefined : totalsWords(row, this.#sums, isAfterGap);
    if (!isAgain && totals === undefined) return undefined;
    const out = blockOf(row, isAgain ? 'header' : 'totals', totals ?? rowWords(row.cells));
    out.isLeftOut = true;
    this.#out.push(out);
    return out;
  }

  /** A remark below the table. Who can be asked about as those in it is taken for one whom a script has added. */
  #below(row: BodyRow): Part | undefined {
    if (this.#looks.hasLookups && this.#looks.fits(row.cells)) return undefined;
    const before = this.#out.at(-1);
    if (before?.why === 'below' && before.last === row.number - 1) {
      before.last = row.number;
      return before;
    }
    const out = { ...blockOf(row, 'below', rowWords(row.cells)), isLeftOut: true };
    this.#out.push(out);
    return out;
  }

  #isHeaderAgain(cells: readonly string[]): boolean {
    const filled = this.#names.filter(Boolean).length;
    return filled >= 2 && this.#names.every((name, place) => name === (cells[place] ?? '').trim());
  }

  #open(row: BodyRow): void {
    // A table of one row says nothing of what its columns hold.
    const block = blockOf(row, 'table', rowWords(row.cells));
    const filled = row.cells.filter((cell) => cell.trim() !== '');
    if (this.#beyond === 'no' && filled.length === 1 && isLabel(filled[0] ?? '')) {
      this.#block = block;
      return;
    }
    block.isHeaded = this.#beyond !== 'no' || this.#isHeader(row.cells);
    block.isKnown = this.#areKnown(row.cells);
    if (block.isHeaded) this.#block = block;
  }

  #join(block: Block, row: BodyRow): Part {
    if (block.isHeaded === undefined && block.rows === 1) {
      block.isHeaded = this.#isHeader(row.cells);
      block.isKnown = this.#areKnown(row.cells);
      if (block.isHeaded) block.text = rowWords(row.cells);
    }
    block.last = row.number;
    block.rows += 1;
    block.fits ||= this.#looks.fits(row.cells);
    return block;
  }

  /** Whether these are names, and something else than names stands above one of them. */
  #isHeader(cells: readonly string[]): boolean {
    const filled = cells.map((cell) => cell.trim()).filter(Boolean);
    if (filled.length < 2 || new Set(filled).size < filled.length || !filled.every(isLabel)) return false;
    return cells.some((cell, place) => cell.trim() !== '' && this.#looks.kindAt(place) !== undefined);
  }

  #areKnown(cells: readonly string[]): boolean {
    const names = cells.filter(
      (cell) => this.#known.has(squeezed(cell)) || kindByName(cell, []) !== undefined,
    );
    return names.length >= 2;
  }

  #close(): void {
    const block = this.#block;
    this.#block = undefined;
    const title = this.#title;
    this.#title = undefined;
    if (block === undefined) return;
    if (block.isHeaded === undefined && block.rows === 1) {
      this.#title = block;
      return;
    }
    if (!this.#isOther(block)) return;
    if (this.#beyond === 'no') this.#beyond = block.isKnown ? 'surely' : 'perhaps';
    for (const each of title === undefined ? [block] : [title, block]) {
      each.isLeftOut = true;
      this.#out.push(each);
    }
  }

  /** Whether the block is no part of the table: nobody can be asked about by it, or its names say so. */
  #isOther({ isHeaded, isKnown, fits, rows }: Block): boolean {
    if (isHeaded !== true || (rows < 2 && this.#beyond === 'no')) return false;
    if (this.#beyond === 'surely') return true;
    return this.#looks.hasLookups && !fits ? true : isKnown && this.#beyond === 'no';
  }
}

function blockOf({ number }: BodyRow, why: LeftOut['why'], text: string): Block {
  return {
    ...{ first: number, last: number, rows: 0, why, text },
    ...{ isHeaded: undefined, isKnown: false, fits: false, isLeftOut: false },
  };
}
