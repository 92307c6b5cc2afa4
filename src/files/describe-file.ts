import type { Operation } from '../core/operation.ts';
import type { RowNumber } from '../core/row.ts';
import { kindByName, type Look, lookOf, SHARE_THAT_DECIDES } from './columns/column-kind.ts';
import { type Duplicates, NearDuplicateFinder } from './columns/near-duplicates.ts';
import { type Fit, FitFinder } from './fit.ts';
import type { OpenedFile } from './input.ts';
import { ColumnIssues } from './quality/column-issues.ts';
import type { Finding } from './quality/issue-tally.ts';

/** What a file is and what could be done with it, before a job says what to do. Nothing is sent. */
export interface FileDescription {
  readonly rows: number;
  /** The rows that cannot be read for sure; nothing else here counts their cells. */
  readonly unreadable: {
    readonly count: number;
    readonly first: readonly { readonly row: RowNumber; readonly reason: string }[];
  };
  readonly encoding: string;
  readonly delimiter: string;
  readonly columns: readonly ColumnDescription[];
  /** Rows that say the same as an earlier one: to the character, or but for case, spaces and punctuation. */
  readonly duplicates: Duplicates;
  readonly operations: readonly Fit[];
}

export interface ColumnDescription {
  readonly name: string;
  /** What at least four fifths of the filled cells look like. */
  readonly looksLike: Look | 'blank';
  readonly filled: number;
  readonly examples: readonly string[];
  /** Filled cells that do not look like the rest, with the first rows: possible damage. */
  readonly odd: { readonly count: number; readonly firstRows: readonly RowNumber[] };
  /** What happened to its cells that we know. */
  readonly damage: readonly Finding[];
}

const EXAMPLES_SHOWN = 3;
const FIRST_ROWS_SHOWN = 5;

/** More different cells than most columns of towns have. */
const CELLS_KEPT = 1_000;

/** Reads the file once. @throws StopError `input` where it is damaged. */
export async function describeFile(
  { sheet }: OpenedFile,
  operations: Iterable<Operation>,
): Promise<FileDescription> {
  const header = await sheet.header();
  const known = [...operations];
  const columns = header.map((name) => new ColumnTally(name, new ColumnIssues(kindByName(name, known))));
  const alike = new NearDuplicateFinder();
  const finder = new FitFinder(header, known);
  const unreadable = { count: 0, first: [] as { row: RowNumber; reason: string }[] };
  const { rows, encoding, delimiter } = await sheet.survey((each) => {
    const { row, cells, unreadable: reason } = each;
    if (reason !== undefined) {
      unreadable.count += 1;
      if (unreadable.first.length < FIRST_ROWS_SHOWN) unreadable.first.push({ row, reason });
      return;
    }
    finder.add(cells);
    alike.add(each);
    // Counted, because an iterator of entries would leave more garbage behind than the row itself.
    for (let at = 0; at < columns.length; at += 1) columns[at]?.add(row, cells[at] ?? '');
  });
  return {
    rows,
    unreadable,
    encoding,
    delimiter,
    columns: columns.map((column) => column.description()),
    duplicates: { same: alike.same, nearlySame: alike.nearlySame, comparedWith: alike.comparedWith },
    operations: finder.fits(),
  };
}

/** Counts what the cells of one column look like. */
class ColumnTally {
  readonly #name: string;
  readonly #looks = new Map<Look, { count: number; firstRows: RowNumber[] }>();
  readonly #examples = new Set<string>();
  /**
   * Towns, states and sizes come again and again, so what the last cells looked like is kept. Undefined for a column in
   * which so few do that keeping them only costs.
   */
  #known: Map<string, Look> | undefined = new Map();
  #knownAgain = 0;
  readonly #damage: ColumnIssues;
  #filled = 0;

  constructor(name: string, damage: ColumnIssues) {
    this.#name = name;
    this.#damage = damage;
  }

  add(row: RowNumber, cell: string): void {
    if (cell.trim() === '') return;
    this.#filled += 1;
    this.#damage.add(row, cell);
    if (this.#examples.size < EXAMPLES_SHOWN) this.#examples.add(cell);
    const look = this.#lookOf(cell);
    let seen = this.#looks.get(look);
    if (seen === undefined) {
      seen = { count: 0, firstRows: [] };
      this.#looks.set(look, seen);
    }
    seen.count += 1;
    if (seen.firstRows.length < FIRST_ROWS_SHOWN) seen.firstRows.push(row);
  }

  #lookOf(cell: string): Look {
    const known = this.#known?.get(cell);
    if (known !== undefined) {
      this.#knownAgain += 1;
      return known;
    }
    const look = lookOf(cell);
    this.#remember(cell, look);
    return look;
  }

  #remember(cell: string, look: Look): void {
    if (this.#known?.size === CELLS_KEPT) {
      this.#known = this.#knownAgain < CELLS_KEPT ? undefined : new Map();
      this.#knownAgain = 0;
    }
    this.#known?.set(cell, look);
  }

  description(): ColumnDescription {
    const looks = [...this.#looks].sort(([, a], [, b]) => b.count - a.count);
    const [most] = looks;
    const isDecided = most !== undefined && most[1].count / this.#filled >= SHARE_THAT_DECIDES;
    const looksLike = most === undefined ? 'blank' : isDecided ? most[0] : 'text';
    const odd = looksLike === 'text' || looksLike === 'blank' ? [] : looks.slice(1).map(([, seen]) => seen);
    return {
      name: this.#name,
      looksLike,
      filled: this.#filled,
      examples: [...this.#examples],
      odd: {
        count: odd.reduce((sum, { count }) => sum + count, 0),
        firstRows: odd
          .flatMap(({ firstRows }) => firstRows)
          .sort((a, b) => a - b)
          .slice(0, FIRST_ROWS_SHOWN),
      },
      damage: this.#damage.findings(),
    };
  }
}
