import type { ReadOptions } from '../../core/format.ts';
import type { LeftOut } from '../../core/reading.ts';
import { type RowNumber, type RowRange, readRowRange, rowRangeText } from '../../core/row.ts';
import { email } from '../../values/email.ts';
import { abn } from '../../values/number.ts';
import { personProfile } from '../../values/profile.ts';
import { isDate } from '../../values/text.ts';
import { website } from '../../values/website.ts';
import { NUMBER_NAME } from './column-words.ts';
import { isDashes, lookedAt, ROWS_SAMPLED, rowWords } from './list-start.ts';

/**
 * Which rows below a header are none of its table: lines of dashes, running numbers alone, and at its end
 * what names nobody behind a blank row, and totals and remarks, by their words, right below the table.
 */

interface BodyRow {
  readonly number: RowNumber;
  readonly cells: readonly string[];
}

/** What is longer than this, and longer than the table, is no remark below it. */
const MOST_BELOW = 20;

/** The reader holds this many rows that may be left out, until it is known whether they are. */
const MOST_WAITING = 10_000;

/** Which rows are the table's. It is asked of rows in any order. */
export function rowsWithout(
  leftOut: readonly LeftOut[],
  only: RowRange | undefined,
): (row: RowNumber) => boolean {
  if (only !== undefined) return (row) => row >= only.first && row <= only.last;
  const ranges = leftOut.flatMap(({ rows }) => readRowRange(rows) ?? []);
  const sorted = ranges.toSorted((one, other) => one.first - other.first);
  return (row) => {
    // A list may leave out every second row, so the ranges are not looked through one by one.
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle]?.first ?? 0) <= row) low = middle + 1;
      else high = middle;
    }
    return row > (sorted[low - 1]?.last ?? 0);
  };
}

/**
 * Tells which rows below the header are the table's, as they were named or kept, or as they look. Blank ones
 * are not taken.
 */
export class TableRows<Row extends BodyRow> {
  /** Undefined where nothing is guessed. */
  readonly #isSaid: ((row: RowNumber) => boolean) | undefined;
  readonly #leftOut: LeftOut[];
  readonly naming = new NamingColumns();
  readonly #isNumberAlone: (cells: readonly string[]) => boolean;
  #last: RowNumber;
  #rows = 0;
  #rowsThatName = 0;
  /** Rows that may be the table's or not, and whether one of them stands behind a blank row. */
  #waiting: Row[] = [];
  #isBehindBlank = false;

  /** @param names of the columns, blank ones too. */
  constructor(header: RowNumber, names: readonly string[], { asBefore, rows, wanted }: ReadOptions) {
    this.#last = header;
    this.#isNumberAlone = numberAlone(names, wanted);
    this.#leftOut = [...(asBefore?.left_out ?? [])];
    if (asBefore !== undefined || rows !== undefined)
      this.#isSaid = rowsWithout(this.#leftOut, readRowRange(rows ?? ''));
  }

  /** Takes the rows in order. @returns those that are known to be the table's from now on. */
  take(row: Row): readonly Row[] {
    const { number } = row;
    const cells = lookedAt(row.cells);
    if (this.#isSaid !== undefined) return this.#isSaid(number) ? [row] : [];
    this.#isBehindBlank ||= number > this.#last + 1;
    this.#last = number;
    const isNumber = this.#isNumberAlone(cells);
    if (isNumber || isDashes(cells, this.#rows === 0)) {
      this.#leave({ first: number, last: number }, isNumber ? RUNNING_NUMBER : rowWords(cells));
      return [];
    }
    if (
      this.#isOdd(cells) &&
      this.#waiting.length < Math.min(MOST_WAITING, Math.max(MOST_BELOW, this.#rows))
    ) {
      this.#waiting.push(row);
      return [];
    }
    const known = [...this.#waiting, row];
    this.#waiting = [];
    this.#isBehindBlank = false;
    this.naming.add(cells);
    this.#rows += known.length;
    if (this.naming.nameSomebody(cells)) this.#rowsThatName += 1;
    return known;
  }

  #leave(range: RowRange, text: string): void {
    const before = this.#leftOut.at(-1);
    const above = before?.text === text ? readRowRange(before.rows) : undefined;
    const isNext = above?.last === range.first - 1;
    if (isNext) this.#leftOut.pop();
    this.#leftOut.push({ rows: rowRangeText(isNext ? { ...range, first: above.first } : range), text });
  }

  #isOdd(cells: readonly string[]): boolean {
    // Where most rows name nobody, one more of them is nothing odd.
    const isListOfNames = this.naming.areKnown && this.#rowsThatName * 2 >= this.#rows;
    if (isRemark(cells, isListOfNames)) return true;
    return isListOfNames && this.#isBehindBlank && !this.naming.nameSomebody(cells);
  }

  /** What is left out of those that were taken. @param isWhole whether these are all. */
  end({ isWhole } = { isWhole: true }): readonly LeftOut[] {
    const first = this.#waiting[0];
    const last = this.#waiting.at(-1);
    const labels = this.#waiting.map(({ cells }) => cells.find((cell) => cell.trim() !== '') ?? '');
    if (isWhole && first !== undefined && last !== undefined)
      this.#leave({ first: first.number, last: last.number }, rowWords(labels));
    return this.#leftOut;
  }
}

// ------------------------------------------------------------------------------------- what a row looks like

const RUNNING_NUMBER = 'only a running number';

/**
 * Tells rows that hold nothing but the number that counts on, in lists whose other rows hold more.
 * @param wanted columns that a job reads, in which a number is more than that.
 */
function numberAlone(names: readonly string[], wanted: readonly string[] = []) {
  const position = names.findIndex((name) => NUMBER_NAME.test(name.trim()) && !wanted.includes(name.trim()));
  let last = 0;
  let isMore = false;
  return (cells: readonly string[]): boolean => {
    const text = (cells[position] ?? '').trim();
    const number = /^\d+(?:\.0*)?$/.test(text) ? Number(text) : last;
    const isNext = number === last + 1;
    last = number;
    const hasMore = cells.some((cell, at) => at !== position && cell.trim() !== '');
    isMore ||= hasMore;
    return isNext && isMore && !hasMore;
  };
}

const TOTAL = [
  '(?:grand|sub)?[\\s-]*totals?|total (?:records?|rows?|contacts?|people|companies)|sum|count|average|mean',
  '(?:gesamt|zwischen)?summe|anzahl|gesamt|insgesamt|(?:sous-)?total(?: g[ée]n[ée]ral)?|somme|suma',
  '(?:sub)?total[eo]|(?:sub)?totaal|итого|всего|合計|小計',
].join('|');

/** The word alone, or at the end as Excel writes it: "NSW Total". */
const LABEL = new RegExp(
  `^(?:${TOTAL})\\s*[:=]?$|^(?:grand|sub)[\\s-]?total\\b|\\S\\s(?:total|ergebnis)$`,
  'iu',
);

/** What hardly anybody is called. */
const SURELY =
  /^(?:(?:grand|sub)[\s-]?totals?|totals|(?:gesamt|zwischen)?summe|gesamtergebnis|sous-total)(?!\p{L})/iu;

const AMOUNT = /^[\s$€£¥(+-]*[A-Z]{0,3}\s?\d[\d\s.,'’]*(?:%|\)|[A-Z]{2,3}|€)?\s*$/u;

/** What programs and people write below a table, in a row of one cell. */
const REMARKS = [
  /^(?:[*†‡§©](?!\S+@)|\(c\)|copyright\b|confidential\b|(?:data )?as (?:of|at) |page \d+(?: of \d+)?$|end of (?:report|file|list)\b)/i,
  /^(?:sources?|notes?|remarks?|footnotes?|filters?|applied filters|legend|disclaimer|quellen?|hinweis|stand)\s*:/i,
  /^(?:\p{L}+ ){0,3}(?:exported|generated|downloaded|printed|created|prepared|updated|exportiert|erstellt)(?: (?:on|at|by|from|in|am|von)\b|:| \d)/iu,
  /^(?:\p{L}+ )?(?:total|count|sum|records?|rows?|anzahl|summe)\s*[:=]\s*\d/iu,
  /^(?:showing )?\(?\d[\d.,]* (?:rows?|records?|results?|contacts?|entries|items|zeilen)\b(?:\W*| (?:in|affected|returned|found|of)\b.*)$/i,
];

/**
 * Beside the word for a total, only numbers stand. A company may be called Total. So the word alone is enough
 * only where the other rows have names; elsewhere it must be a word that no company has for its name.
 */
function isRemark(cells: readonly string[], isListOfNames: boolean): boolean {
  let label = '';
  let others = 0;
  for (const cell of cells) {
    const text = cell.trim();
    if (text === '') continue;
    if (label === '') label = text;
    else if (AMOUNT.test(text) && !abn.looksRight(text)) others += 1;
    else return false;
  }
  if (isLookup(label)) return false;
  if (others === 0 && REMARKS.some((remark) => remark.test(label))) return true;
  return LABEL.test(label) && (isListOfNames || (others > 0 && SURELY.test(label)));
}

const DECIDING_SHARE = 0.8;

/** A single cell may be an odd one. */
const CELLS_THAT_SHOW = 2;

/** A cell that was meant as an identifier, also where it is mistyped. */
const MEANT = /@|\p{L}\.\p{L}{2}|(?:\d\s?){8}/u;

/** The columns that hold identifiers, as the first rows show. */
class NamingColumns {
  readonly #columns: { filled: number; naming: number }[] = [];
  #rows = 0;
  #positions: readonly number[] = [];

  /** Rows beyond the first ones are passed over. */
  add(cells: readonly string[]): void {
    if (this.#rows === ROWS_SAMPLED) return;
    this.#rows += 1;
    for (const [position, cell] of cells.entries()) {
      const text = cell.trim();
      if (text === '') continue;
      this.#columns[position] ??= { filled: 0, naming: 0 };
      const column = this.#columns[position];
      column.filled += 1;
      if (isLookup(text)) column.naming += 1;
    }
    this.#positions = [...this.#columns.entries()].flatMap(([position, column]) =>
      column !== undefined && column.naming >= Math.max(CELLS_THAT_SHOW, column.filled * DECIDING_SHARE)
        ? [position]
        : [],
    );
  }

  /** Whether rows that name nobody can be told from the others. */
  get areKnown(): boolean {
    return this.#positions.length > 0;
  }

  /** Also by another column, which may be blank above: but for a page's own address, which stands alone. */
  nameSomebody(cells: readonly string[]): boolean {
    if (this.#positions.some((position) => MEANT.test(cells[position] ?? ''))) return true;
    const filled = cells.filter((cell) => cell.trim() !== '');
    return filled.length > 1 && filled.some((cell) => isLookup(cell));
  }
}

export function isLookup(cell: string): boolean {
  if (abn.looksRight(cell) || email.looksRight(cell)) return true;
  if (isDate(cell) || /^[\d\s.,+()%$€£-]+$/.test(cell)) return false;
  return website.looksRight(cell) || personProfile.looksRight(cell);
}
