import { invariant } from '../../../core/errors.ts';
import type { Sheet } from '../../../core/format.ts';
import type { InputField, Operation } from '../../../core/operation.ts';
import { normaliseDomain } from '../../../operations/lookup/identifiers.ts';

/** What the cells of a file say about its columns, looked at in its first rows, so that a guess is the same every time. */

/** More rows change no guess: nine in ten of so many are never nine in ten by chance. */
const ROWS_LOOKED_AT = 1_000;

/** A sheet of 100,000 columns is looked at for some rows only, or the guess would take longer than the run. */
const CELLS_LOOKED_AT = 1_000_000;

type LooksRight = NonNullable<InputField['looksRight']>;

export interface Share {
  readonly right: number;
  readonly distinct: number;
  readonly filled: number;
  /** Blank cells included. */
  readonly rows: number;
}

interface Right {
  readonly counts: Uint32Array;
  readonly distinct: Map<number, Set<string>>;
}

export class ColumnContent {
  readonly #right: ReadonlyMap<LooksRight, Right>;
  readonly #filled: Uint32Array;
  #rowsLeft: number;
  #rows = 0;

  constructor(width: number, operations: readonly Pick<Operation, 'inputs'>[]) {
    const kinds = operations.flatMap(({ inputs }) => inputs.flatMap(({ looksRight }) => looksRight ?? []));
    this.#right = new Map(
      kinds.map((looksRight) => [looksRight, { counts: new Uint32Array(width), distinct: new Map() }]),
    );
    this.#filled = new Uint32Array(width);
    this.#rowsLeft = Math.min(ROWS_LOOKED_AT, Math.ceil(CELLS_LOOKED_AT / Math.max(width, 1)));
  }

  /** Whether enough rows were looked at; those that are added later are passed over. */
  get isComplete(): boolean {
    return this.#rowsLeft === 0;
  }

  add(cells: readonly string[]): void {
    if (this.isComplete) return;
    this.#rowsLeft -= 1;
    this.#rows += 1;
    for (const [at, cell] of cells.entries()) {
      if (at >= this.#filled.length || cell.trim() === '') continue;
      increment(this.#filled, at);
      for (const [looksRight, right] of this.#right) if (looksRight(cell)) note(right, at, cell);
    }
  }

  /** @param at the column, from 0. Whether no cell of it has said anything so far. */
  isBlank(at: number): boolean {
    return (this.#filled[at] ?? 0) === 0;
  }

  share(at: number, looksRight: LooksRight): Share {
    const right = this.#right.get(looksRight);
    invariant(right !== undefined, 'only what was looked for is asked about');
    return {
      right: right.counts[at] ?? 0,
      distinct: right.distinct.get(at)?.size ?? 0,
      filled: this.#filled[at] ?? 0,
      rows: this.#rows,
    };
  }
}

function note({ counts, distinct }: Right, at: number, cell: string): void {
  increment(counts, at);
  const known = distinct.get(at) ?? new Set();
  distinct.set(at, known.add(whomItIsAbout(cell)));
}

/** Pages below one host are about one company, which is that of a directory in a column of sources. */
function whomItIsAbout(cell: string): string {
  const domain = cell.includes('.') && !cell.includes('@') ? normaliseDomain(cell) : undefined;
  return domain?.kind === 'usable' ? domain.value : cell;
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
    for (const { cells, unreadable } of group) if (unreadable === undefined) content.add(cells);
    if (content.isComplete) break;
  }
  return content;
}
