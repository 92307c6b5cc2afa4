import type { RowNumber } from '../../core/row.ts';
import { kindOfInput } from '../columns/column-kind.ts';
import type { ColumnMap } from '../columns/columns.ts';
import { type CellIssue, type CellIssueKind, type CellKind, cellIssueOf } from './cell-issues.ts';

/** Counts the damage of columns while their rows go by, in memory that does not grow with them. */

/** One kind of damage in one column. */
export interface Finding {
  readonly kind: CellIssueKind;
  readonly count: number;
  readonly firstRows: readonly RowNumber[];
  /** `none_needed`: only a spelling that is read right as it is. `by_hand` when no repair of any of the cells is sure. */
  readonly cure: CellIssue['cure'];
  /** How many of the cells a repair mends for sure. */
  readonly repairable: number;
  readonly examples: readonly FoundCell[];
}

/** A damaged cell, with what repairing makes of it, or what may be meant. */
export interface FoundCell {
  readonly row: RowNumber;
  readonly cell: string;
  readonly repaired?: string;
  readonly candidates?: readonly string[];
}

const FIRST_ROWS_SHOWN = 5;
const EXAMPLES_SHOWN = 3;

interface Count {
  count: number;
  repairable: number;
  isHarmless: boolean;
  readonly firstRows: RowNumber[];
  readonly examples: FoundCell[];
}

/** The damage of one column. */
export class IssueTally {
  readonly #kind: CellKind;
  readonly #counts = new Map<CellIssueKind, Count>();

  constructor(kind: CellKind) {
    this.#kind = kind;
  }

  /** @returns the damage of that cell. */
  add(row: RowNumber, cell: string): CellIssue | undefined {
    const damage = cellIssueOf(this.#kind, cell);
    if (damage !== undefined) this.#count(row, cell, damage);
    return damage;
  }

  #count(row: RowNumber, cell: string, damage: CellIssue): void {
    let found = this.#counts.get(damage.kind);
    if (found === undefined) {
      found = { count: 0, repairable: 0, isHarmless: true, firstRows: [], examples: [] };
      this.#counts.set(damage.kind, found);
    }
    found.count += 1;
    if (damage.cure === 'repair') found.repairable += 1;
    if (damage.cure !== 'none_needed') found.isHarmless = false;
    if (found.firstRows.length < FIRST_ROWS_SHOWN) found.firstRows.push(row);
    if (found.examples.length < EXAMPLES_SHOWN) found.examples.push(foundCell(row, cell, damage));
  }

  /** Findings that need a person or a repair come first, then the more frequent. */
  findings(): readonly Finding[] {
    return [...this.#counts]
      .map(
        ([kind, { isHarmless, ...found }]): Finding => ({
          kind,
          ...found,
          cure: isHarmless ? 'none_needed' : found.repairable > 0 ? 'repair' : 'by_hand',
        }),
      )
      .sort((a, b) => rankOf(a) - rankOf(b) || b.count - a.count);
  }
}

function rankOf({ cure }: Finding): number {
  return cure === 'none_needed' ? 1 : 0;
}

function foundCell(row: RowNumber, cell: string, damage: CellIssue): FoundCell {
  switch (damage.cure) {
    case 'none_needed':
      return { row, cell };
    case 'repair':
      return { row, cell, repaired: damage.repaired };
    case 'by_hand':
      return damage.candidates.length === 0 ? { row, cell } : { row, cell, candidates: damage.candidates };
  }
}

// ------------------------------------------------------------------------------------------------- of a job's rows

/** The damage in the columns that a job uses. */
export interface JobIssues {
  readonly columns: readonly {
    readonly input: string;
    readonly column: string;
    readonly findings: readonly Finding[];
  }[];
  /** Rows in which a repair mends something. */
  readonly repairableRows: number;
}

/** Looks at the rows while other code reads them, so that a file need not be read twice. */
export class IssueWatch {
  readonly #columns: ColumnMap;
  readonly #tallies: ReadonlyMap<string, IssueTally>;
  #repairableRows = 0;

  constructor(columns: ColumnMap) {
    this.#columns = columns;
    this.#tallies = new Map(
      Object.keys(columns.columns).flatMap((input) => {
        const kind = kindOfInput(input);
        return kind === undefined ? [] : [[input, new IssueTally(kind)] as const];
      }),
    );
  }

  /** The columns, each row of which is counted when it is read. It must be read once. */
  watched(): ColumnMap {
    return {
      ...this.#columns,
      read: (row) => {
        const text = this.#columns.read(row);
        let isRepairable = false;
        for (const [input, tally] of this.#tallies) {
          if (tally.add(row.row, text[input] ?? '')?.cure === 'repair') isRepairable = true;
        }
        if (isRepairable) this.#repairableRows += 1;
        return text;
      },
    };
  }

  found(): JobIssues {
    const columns = [...this.#tallies].map(([input, tally]) => ({
      input,
      column: this.#columns.columns[input] ?? '',
      findings: tally.findings(),
    }));
    return {
      columns: columns.filter(({ findings }) => findings.length > 0),
      repairableRows: this.#repairableRows,
    };
  }
}
