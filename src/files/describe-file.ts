import { StopError } from '../core/errors.ts';
import { present } from '../core/objects.ts';
import type { Operation } from '../core/operation.ts';
import { foreignWords } from '../core/plain-text.ts';
import { RowCount, type RowNumber } from '../core/row.ts';
import { shellWord } from '../lib/command-line.ts';
import { FingerprintSet, textFingerprint } from '../lib/fingerprint-set.ts';
import {
  type CellLook,
  cellLookOf,
  kindByContent,
  kindByName,
  SHARE_THAT_DECIDES,
} from './columns/column-kind.ts';
import {
  ColumnContent,
  guessColumns,
  isGenericGuess,
  type LikelyColumn,
  likelyColumns,
  passedOverStop,
  unheeded,
} from './columns/columns.ts';
import type { OpenedFile } from './input.ts';
import type { CellKind } from './quality/cell-issues.ts';
import { type FoundIssue, type IssueOf, IssueTally, issuesAsRead } from './quality/job-issues.ts';

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
  /** Rows with the very cells of an earlier one. */
  readonly duplicates: { readonly same: RowCount };
  readonly operations: readonly Fit[];
}

export interface ColumnDescription {
  readonly name: string;
  /** What at least four fifths of the filled cells look like. */
  readonly looksLike: CellLook | 'blank';
  readonly filled: number;
  readonly examples: readonly string[];
  /** Filled cells that do not look like the rest, with the first rows: perhaps issues. */
  readonly odd: { readonly count: number; readonly firstRows: readonly RowNumber[] };
  readonly issues: readonly FoundIssue[];
}

const EXAMPLES_SHOWN = 3;
const LONGEST_EXAMPLE = 100;
const FIRST_ROWS_SHOWN = 5;

/** Rows are compared with the first million different ones, which take 16 MB, whatever the file's length. */
const ROWS_COMPARED = 1_000_000;

/**
 * Reads the file once. @throws StopError `input` where it is damaged.
 */
export async function describeFile(
  { sheet, read }: OpenedFile,
  operations: Iterable<Operation>,
): Promise<FileDescription> {
  const header = await sheet.header();
  const issueOf = await issuesAsRead(read);
  const known = [...operations];
  const columns = header.map((name) => columnTally(name, kindByName(name, known), issueOf));
  const different = new FingerprintSet(ROWS_COMPARED);
  const same = new RowCount();
  const finder = fitFinder(header, known);
  const unreadable = { count: 0, first: [] as { row: RowNumber; reason: string }[] };
  const { rows, encoding, delimiter } = await sheet.survey(({ row, cells, unreadable: reason }) => {
    if (reason !== undefined) {
      unreadable.count += 1;
      if (unreadable.first.length < FIRST_ROWS_SHOWN) unreadable.first.push({ row, reason });
      return;
    }
    finder.add(cells);
    if (!different.add(textFingerprint(cells.join('\0')))) same.add(row);
    for (const [at, column] of columns.entries()) column.add(row, cells[at] ?? '');
  });
  return {
    rows,
    unreadable,
    encoding,
    delimiter,
    columns: columns.map((column) => column.description()),
    duplicates: { same },
    operations: finder.fits(),
  };
}

interface ColumnTally {
  add(row: RowNumber, cell: string): void;
  description(): ColumnDescription;
}

function columnTally(name: string, kind: CellKind | undefined, issueOf: IssueOf): ColumnTally {
  const issues = columnIssues(kind, issueOf);
  const looks = new Map<CellLook, RowCount>();
  const examples = new Set<string>();
  const sound = new SoundCells();
  return {
    add(row, cell) {
      const again = sound.seen(cell);
      if (again !== undefined) {
        again.add(row);
        return;
      }
      if (cell.trim() === '') return;
      const isSound = issues.add(row, cell);
      if (examples.size < EXAMPLES_SHOWN)
        examples.add(cell.length > LONGEST_EXAMPLE ? foreignWords(cell, LONGEST_EXAMPLE) : cell);
      const look = cellLookOf(cell, name);
      const seen = looks.get(look) ?? new RowCount();
      looks.set(look, seen);
      seen.add(row);
      if (isSound) sound.keep(cell, seen);
    },
    description() {
      const [most, ...others] = [...looks].sort(([, a], [, b]) => b.count - a.count);
      const filled = [...looks.values()].reduce((sum, { count }) => sum + count, 0);
      const isDecided = most !== undefined && most[1].count / filled >= SHARE_THAT_DECIDES;
      const looksLike = most === undefined ? 'blank' : isDecided ? most[0] : 'text';
      const odd = looksLike === 'text' ? [] : others.map(([, seen]) => seen);
      const oddRows = odd.flatMap(({ firstRows }) => firstRows).sort((a, b) => a - b);
      return {
        name,
        looksLike,
        filled,
        examples: [...examples],
        odd: {
          count: odd.reduce((sum, { count }) => sum + count, 0),
          firstRows: oddRows.slice(0, FIRST_ROWS_SHOWN),
        },
        issues: issues.findings(),
      };
    },
  };
}

/** More different cells than most columns of towns have. */
const CELLS_KEPT = 1_000;

/** Towns, states and sizes come again and again: cells without an issue are looked at once. */
class SoundCells {
  /** Undefined for a column in which so few come again that keeping them only costs. */
  #known: Map<string, RowCount> | undefined = new Map();
  #knownAgain = 0;

  seen(cell: string): RowCount | undefined {
    const count = this.#known?.get(cell);
    if (count !== undefined) this.#knownAgain += 1;
    return count;
  }

  keep(cell: string, count: RowCount): void {
    if (this.#known?.size === CELLS_KEPT) {
      this.#known = this.#knownAgain < CELLS_KEPT ? undefined : new Map();
      this.#knownAgain = 0;
    }
    this.#known?.set(cell, count);
  }
}

/** Cells that are kept until it is decided what their column holds. */
const CELLS_THAT_DECIDE = 200;

/** @param kind what the column's header says; undefined: its first cells decide. */
export function columnIssues(
  kind: CellKind | undefined,
  issueOf: IssueOf,
): {
  /** @param cell not blank. @returns whether it is known that nothing is to be said of it, wherever else it stands. */
  add(row: RowNumber, cell: string): boolean;
  findings(): readonly FoundIssue[];
} {
  let tally = kind === undefined ? undefined : new IssueTally(kind, issueOf);
  const waiting: { readonly row: RowNumber; readonly cell: string }[] = [];
  const decide = (): IssueTally => {
    const decided = new IssueTally(kindByContent(waiting.map(({ cell }) => cell)), issueOf);
    for (const { row, cell } of waiting.splice(0)) decided.add(row, cell);
    tally = decided;
    return decided;
  };
  return {
    add(row, cell) {
      if (tally !== undefined) return tally.add(row, cell) === undefined;
      waiting.push({ row, cell });
      if (waiting.length === CELLS_THAT_DECIDE) decide();
      return false;
    },
    findings: () => (tally ?? decide()).findings(),
  };
}

export interface Fit {
  readonly operation: string;
  readonly summary: string;
  /** Input → column, by sure guesses: what a run without `columns` would take. */
  readonly columns: Readonly<Record<string, string>>;
  readonly because: Readonly<Record<string, string>>;
  /** Columns that a run would not take, and that a user who knows the file may name in a job. */
  readonly likely: readonly LikelyColumn[];
  /** Columns that say where a person goes or who it is, and that a run must be told to leave unread. */
  readonly unheeded: readonly Pick<LikelyColumn, 'input' | 'column'>[];
  /** Why a run would be refused; undefined when it would not. */
  readonly problem?: string;
}

export function fitFinder(
  header: readonly string[],
  operations: Iterable<Operation>,
): { add(cells: readonly string[]): void; fits(): readonly Fit[] } {
  const candidates = [...operations].map(candidateOf);
  const content = new ColumnContent(
    header.length,
    candidates.map(({ operation }) => operation),
  );
  return {
    add: (cells) => content.add(cells),
    fits: () =>
      candidates.map(({ operation, problem }) => {
        const { name, summary } = operation;
        const fit = problem === undefined ? fitOf(operation, header, content) : unfit(problem);
        return { operation: name, summary, ...fit };
      }),
  };
}

type Fitting = Omit<Fit, 'operation' | 'summary'>;

const unfit = (problem: string): Fitting => ({
  ...{ columns: {}, because: {}, likely: [], unheeded: [] },
  problem,
});

function fitOf(operation: Operation, header: readonly string[], content: ColumnContent): Fitting {
  const { sure, problem } = guessColumns(operation, header, content);
  const generic = [...sure].find(([, { column }]) => isGenericGuess(operation, header, column));
  if (generic !== undefined) return unfit(genericWords(...generic));
  const entries = operation.inputs.flatMap(({ name }) => {
    const guessed = sure.get(name);
    return guessed === undefined ? [] : [{ name, ...guessed }];
  });
  const columns = Object.fromEntries(entries.map(({ name, column }) => [name, column]));
  const passedOver = unheeded(operation, header, columns);
  const [first] = passedOver;
  const stopped = problem ?? (first && passedOverStop(operation, first));
  return {
    columns,
    unheeded: passedOver,
    because: Object.fromEntries(entries.map(({ name, because }) => [name, because])),
    likely: likelyColumns(operation, header, content, sure),
    ...present({ problem: stopped?.message }),
  };
}

function genericWords(input: string, { column }: { readonly column: string }): string {
  return `a column called ${JSON.stringify(column)} could be about anything; to use it, add --column ${shellWord(`${input}=${column}`)}`;
}

/** An operation as it is without a job. Some take their inputs from the job, and say without one what they need. */
function candidateOf(operation: Operation): { readonly operation: Operation; readonly problem?: string } {
  try {
    return { operation: operation.shapedBy?.({}) ?? operation };
  } catch (error) {
    if (!(error instanceof StopError)) throw error;
    return { operation, problem: error.message };
  }
}
