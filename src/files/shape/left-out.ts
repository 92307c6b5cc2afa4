import type { ReadOptions } from '../../core/format.ts';
import type { LeftOut } from '../../core/reading.ts';
import type { RowNumber } from '../../core/row.ts';
import { type RowRange, readRowRange, rowRangeText } from '../../core/row-range.ts';
import { isAbn, isEmail, isPersonProfile, isWebsite } from '../../operations/lookup/recognise.ts';
import { isDate } from '../quality/cell-issues.ts';
import { ROWS_SAMPLED, rowText, rowWords } from './list-start.ts';

/**
 * Which rows below a header are none of its table: the header once more, as lists have it that were printed or put together; a line of
 * totals at its end; and what stands behind that or behind a blank line and names nobody, such as remarks or another table, where
 * behind them no row names anybody.
 */

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
  readonly #names: string;
  readonly #looks = new ColumnLooks();
  readonly #repeats: RowNumber[] = [];
  #last: RowNumber;
  /** Rows of the table, and those of them that name somebody. */
  #rows = 0;
  #naming = 0;
  /** Rows of which it is not known yet whether they are the table's. */
  #held: { readonly row: Row; readonly why: LeftOut['why'] }[] = [];

  constructor(header: RowNumber, names: readonly string[], { asBefore, rows }: ReadOptions) {
    this.#last = header;
    this.#names = rowText(names);
    this.#kept = asBefore?.left_out ?? [];
    if (asBefore !== undefined || rows !== undefined)
      this.#isSaid = rowsWithout(this.#kept, readRowRange(rows ?? ''));
  }

  /** Whether somebody can be asked about by a column of it. */
  get hasLookups(): boolean {
    return this.#looks.hasLookups;
  }

  /** Takes the rows in order. @returns those that are known to be the table's from now on. */
  take(row: Row): readonly Row[] {
    const { number, cells } = row;
    const isBehindBlank = number > this.#last + 1;
    this.#last = number;
    if (this.#isSaid === undefined && this.#names !== '' && rowText(cells) === this.#names) {
      this.#repeats.push(number);
      return [];
    }
    const why = this.#whyLeftOut(row, isBehindBlank);
    if (why === 'said') return [];
    if (why !== undefined && this.#held.length < Math.min(MOST_HELD, Math.max(MOST_BELOW, this.#rows))) {
      this.#held.push({ row, why });
      return [];
    }
    const known = [...this.#held.map((each) => each.row), row];
    this.#held = [];
    this.#looks.add(cells);
    this.#rows += known.length;
    if (this.#looks.nameSomebody(cells)) this.#naming += 1;
    return known;
  }

  /** What is left out when all rows were taken: headers, then those that are still held back. */
  end(): readonly LeftOut[] {
    const held: { first: RowNumber; last: RowNumber; why: LeftOut['why']; text: string }[] = [];
    for (const { row, why } of this.#held) {
      const before = held.at(-1);
      if (before?.why === why) before.last = row.number;
      else held.push({ first: row.number, last: row.number, why, text: rowWords(row.cells) });
    }
    return [
      ...this.#kept,
      ...this.#repeats.map((row) => ({ rows: `${row}`, why: 'header' as const, text: '' })),
      ...held.map(({ why, text, ...range }) => ({ rows: rowRangeText(range), why, text })),
    ];
  }

  #whyLeftOut({ number, cells }: Row, isBehindBlank: boolean): LeftOut['why'] | 'said' | undefined {
    if (this.#isSaid !== undefined) return this.#isSaid(number) ? undefined : 'said';
    if (this.#looks.nameSomebody(cells)) return undefined;
    const before = this.#held.at(-1)?.why;
    if (before === 'below') return 'below';
    // Where most rows name nobody, one more of them is nothing odd.
    const isListOfNames = this.#looks.areKnown && this.#naming * 2 >= this.#rows;
    if (isTotals(cells, isListOfNames, isBehindBlank)) return 'totals';
    return isListOfNames && (isBehindBlank || before !== undefined) ? 'below' : undefined;
  }
}

// ------------------------------------------------------------------------------------------------ lines of totals

const WORD =
  '(?:(?:grand|sub)?[\\s-]*totals?|sum|average|mean|count|(?:gesamt|zwischen)?summe|gesamt|insgesamt|(?:sous-)?total(?: général)?|somme|suma|(?:sub)?totale|(?:sub)?totaal|итого|всего|合計|小計)';

/** The word alone, or at the end as Excel writes it: "NSW Total". */
const LABEL = new RegExp(`^${WORD}\\s*[:=]?$|^(?:grand|sub)[\\s-]?total\\b|\\S\\s(?:total|ergebnis)$`, 'iu');

/** What hardly anybody is called. */
const SURELY =
  /^(?:(?:grand|sub)[\s-]?totals?|totals|(?:gesamt|zwischen)summe|sous-total|итого|合計|小計)(?!\p{L})/iu;

const AMOUNT = /^[\s$€£¥(+-]*[A-Z]{0,3}\s?\d[\d\s.,'’]*(?:%|\)|[A-Z]{2,3}|€)?\s*$/u;

/**
 * Beside the word stands nothing but numbers. A company may be called Total, so the word alone is enough only where the others have
 * what they are asked about by; elsewhere it has to be one that no company has, or to stand behind a blank line.
 */
function isTotals(cells: readonly string[], isListOfNames: boolean, isBehindBlank: boolean): boolean {
  const [label = '', ...others] = cells.map((cell) => cell.trim()).filter(Boolean);
  if (!LABEL.test(label) || !others.every((cell) => AMOUNT.test(cell))) return false;
  return isListOfNames || (others.length > 0 && (isBehindBlank || SURELY.test(label)));
}

// ------------------------------------------------------------------------------------------------ who is named

const SHARE_THAT_DECIDES = 0.8;

/** A single cell may be an odd one. */
const CELLS_THAT_SHOW = 2;

/** What was meant to name somebody, also where it is mistyped. */
const MEANT = /@|\p{L}\.\p{L}{2}|(?:\d\s?){8}/u;

/** Which columns hold what somebody can be asked about by, as the first rows show. */
class ColumnLooks {
  readonly #columns: { filled: number; lookups: number }[] = [];
  #rows = 0;
  #lookups: readonly number[] = [];
  hasLookups = false;

  /** Rows beyond the first ones are passed over. */
  add(cells: readonly string[]): void {
    if (this.#rows === ROWS_SAMPLED) return;
    this.#rows += 1;
    for (const [place, cell] of cells.entries()) {
      const text = cell.trim();
      if (text === '') continue;
      this.#columns[place] ??= { filled: 0, lookups: 0 };
      const column = this.#columns[place];
      column.filled += 1;
      if (isLookup(text)) column.lookups += 1;
    }
    const found = [...this.#columns.entries()].filter(
      ([, column]) => (column?.lookups ?? 0) > 0 && column.lookups >= column.filled * SHARE_THAT_DECIDES,
    );
    this.hasLookups = found.length > 0;
    this.#lookups = found.flatMap(([place, { lookups }]) => (lookups < CELLS_THAT_SHOW ? [] : [place]));
  }

  /** Whether rows that name nobody can be told from the others. */
  get areKnown(): boolean {
    return this.#lookups.length > 0;
  }

  nameSomebody(cells: readonly string[]): boolean {
    return this.#lookups.some((place) => MEANT.test(cells[place] ?? ''));
  }
}

function isLookup(cell: string): boolean {
  if (isAbn(cell) || isEmail(cell)) return true;
  if (isDate(cell) || /^[\d\s.,+()%$€£-]+$/.test(cell)) return false;
  return isWebsite(cell) || isPersonProfile(cell);
}
