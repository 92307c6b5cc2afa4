import { invariant } from '../errors.ts';
import type { Sheet } from '../format.ts';
import type { InputField, Operation } from '../operation.ts';

/** What the cells of a file say about its columns, looked at in its first rows, so that a guess is the same every time. */

/** More rows change no guess: nine in ten of so many are never nine in ten by chance. */
const ROWS_LOOKED_AT = 1_000;

/** A sheet of 100,000 columns is looked at for some rows only, or the guess would take longer than the run. */
const CELLS_LOOKED_AT = 1_000_000;

export type LooksRight = NonNullable<InputField['looksRight']>;

/** Of the filled cells of a column, how many look right. */
export interface Share {
  readonly right: number;
  readonly filled: number;
}

/** Counts, for each column and each kind of input, the cells that look right. Holds no cell. */
export class ColumnContent {
  readonly #right: ReadonlyMap<LooksRight, Uint32Array>;
  readonly #filled: Uint32Array;
  #rowsLeft: number;

  /** @param width columns of the file. @param operations whose inputs are looked for. */
  constructor(width: number, operations: readonly Pick<Operation, 'inputs'>[]) {
    const kinds = operations.flatMap(({ inputs }) => inputs.flatMap(({ looksRight }) => looksRight ?? []));
    this.#right = new Map(kinds.map((looksRight) => [looksRight, new Uint32Array(width)]));
    this.#filled = new Uint32Array(width);
    this.#rowsLeft = Math.min(ROWS_LOOKED_AT, Math.ceil(CELLS_LOOKED_AT / Math.max(width, 1)));
  }

  /** Whether enough rows were looked at; those that are added later are passed over. */
  get isComplete(): boolean {
    return this.#rowsLeft === 0;
  }

  /** Rows are added in the order of the file. */
  add(cells: readonly string[]): void {
    if (this.isComplete) return;
    this.#rowsLeft -= 1;
    for (const [at, cell] of cells.entries()) {
      if (at >= this.#filled.length || cell.trim() === '') continue;
      increment(this.#filled, at);
      for (const [looksRight, counts] of this.#right) if (looksRight(cell)) increment(counts, at);
    }
  }

  /** @param at the column, from 0. */
  share(at: number, looksRight: LooksRight): Share {
    const counts = this.#right.get(looksRight);
    invariant(counts !== undefined, 'only what was looked for is asked about');
    return { right: counts[at] ?? 0, filled: this.#filled[at] ?? 0 };
  }
}

function increment(counts: Uint32Array, at: number): void {
  counts[at] = (counts[at] ?? 0) + 1;
}

/** Reads the first rows of a file, as far as they are looked at. */
export async function readContent(
  sheet: Pick<Sheet, 'groups'>,
  width: number,
  operation: Pick<Operation, 'inputs'>,
): Promise<ColumnContent> {
  const content = new ColumnContent(width, [operation]);
  for await (const group of sheet.groups()) {
    for (const { cells } of group) content.add(cells);
    if (content.isComplete) break;
  }
  return content;
}
