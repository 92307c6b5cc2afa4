import type { ReadOptions } from '../../core/format.ts';
import type { LeftOut } from '../../core/reading.ts';
import { type RowNumber, type RowRange, readRowRange, rowRangeText } from '../../core/row.ts';
import { email } from '../../values/email.ts';
import { abn } from '../../values/number.ts';
import { personProfile } from '../../values/profile.ts';
import { isDate } from '../../values/text.ts';
import { website } from '../../values/website.ts';
import { areBoxes, isUnseen, NUMBER_NAME, nameIn } from './column-words.ts';
import { isDashes, lookedAt, ROWS_SAMPLED, rowWords } from './list-start.ts';

/**
 * Which rows below a header are none of its table:
 * - lines with dashes, running numbers or check boxes alone;
 * - the header once more, and descriptions of the columns;
 * - at the end, totals and remarks, by their words, right below the table, and behind a blank row whatever
 *   names no one.
 */

interface BodyRow {
  readonly number: RowNumber;
  readonly cells: readonly string[];
}

/** What is longer than this, and longer than the table, is no remark below it. */
const MOST_BELOW = 20;

/** The reader holds this many rows that may be left out, until it is known whether they are. */
const MOST_WAITING = 10_000;

/** A batch keeps the places of all that is left out. What comes after so many stays a row. */
const MOST_PLACES = 10_000;

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
  readonly #names: readonly string[];
  readonly #wanted: ReadonlySet<string>;
  readonly #describing: RowRange | undefined;
  /** Whether a row above has more than check boxes. */
  #hasMore = false;
  #last: RowNumber;
  #rows = 0;
  #rowsThatName = 0;
  /** Rows that may be the table's or not, and whether one of them stands behind a blank row. */
  #waiting: Row[] = [];
  #isBehindBlank = false;

  /**
   * @param names of the columns, blank ones too.
   * @param describing the rows right below the header that say what its columns are.
   */
  constructor(
    header: RowNumber,
    names: readonly string[],
    { asBefore, rows, wanted }: ReadOptions,
    describing: RowRange | undefined,
  ) {
    this.#last = header;
    this.#names = names.map(nameIn);
    this.#wanted = new Set(wanted);
    this.#describing = describing;
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
    const words = this.#wordsOfNoRow(number, cells);
    if (words !== undefined) {
      this.#leave({ first: number, last: number }, words);
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

  /** How a row is told that is none, wherever it stands. */
  #wordsOfNoRow(number: RowNumber, cells: readonly string[]): string | undefined {
    if (this.#isNumberAlone(cells)) return RUNNING_NUMBER;
    const { first = 0, last = -1 } = this.#describing ?? {};
    if (isDashes(cells, this.#rows === 0) || (number >= first && number <= last)) return rowWords(cells);
    if (this.#leftOut.length >= MOST_PLACES) return undefined;
    if (this.#isHeaderAgain(cells)) return HEADER_AGAIN;
    if (areUnseen(cells)) return UNSEEN;
    if (!areBoxes(cells)) {
      this.#hasMore = true;
      return undefined;
    }
    const isRead = cells.some((cell, at) => cell.trim() !== '' && this.#wanted.has(this.#names[at] ?? ''));
    return this.#hasMore && !isRead ? rowWords(cells) : undefined;
  }

  /** In lists that were put together from several, also behind a byte-order mark and in its quotes. */
  #isHeaderAgain(cells: readonly string[]): boolean {
    if (!this.#names.some(Boolean)) return false;
    return this.#names.every((name, at) => {
      const cell = (cells[at] ?? '').trim();
      // Hardly any cell holds the name above it, and each row of a list comes here.
      if (!cell.includes(name)) return false;
      return cell === name || nameIn(cell.replace(/^"(.*)"$/s, '$1')) === name;
    });
  }

  /** A line on which no one sees anything. */
  unseen(number: RowNumber): void {
    if (this.#isSaid === undefined) this.#leave({ first: number, last: number }, UNSEEN);
  }

  #leave(range: RowRange, text: string): void {
    const before = this.#leftOut.at(-1);
    const above = before?.text === text ? readRowRange(before.rows) : undefined;
    const isNext = above?.last === range.first - 1;
    if (isNext) this.#leftOut.pop();
    this.#leftOut.push({ rows: rowRangeText(isNext ? { ...range, first: above.first } : range), text });
  }

  #isOdd(cells: readonly string[]): boolean {
    // Where most rows name no one, one more of them is nothing odd.
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
const HEADER_AGAIN = 'the names of the columns again';
const UNSEEN = 'only invisible characters';

/** A row of spaces alone is a row of a list of one column. */
const areUnseen = (cells: readonly string[]): boolean =>
  cells.every(isUnseen) && cells.some((cell) => /[^ \t\r\n]/.test(cell));

/**
 * Tells rows that hold nothing but the number that counts on, in lists with other rows that hold more.
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

  /** Whether rows that name no one can be told from the others. */
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
