import { type Signal, signal } from '@preact/signals';
import { asRefused } from '../loaded.tsx';
import type { Refused } from '../session.ts';

/** Rows of a long table: those that are looked at are fetched, and a few more are kept. */

export interface Line {
  /** 0 for one that is not on the list. */
  readonly row: number;
  readonly cells: readonly string[];
  /** Why nobody knows which cell stands below which name. */
  readonly unreadable?: string | undefined;
  readonly planned?: Planned | undefined;
}

/** What shall happen to a row of its own. */
export interface Planned {
  readonly sign: string;
  readonly look: string;
  /** The columns whose cells have to be corrected first. */
  readonly faulty: readonly string[];
}

export interface Part<Column> {
  readonly columns: readonly Column[];
  readonly rows: readonly Line[];
  /** The row with which the next part begins; null behind the last one. */
  readonly next: number | null;
  /** The number of the table's last row, where it is known. */
  readonly last?: number | undefined;
}

export type Read<Column> = (of: { readonly from?: number; readonly limit: number }) => Promise<Part<Column>>;

const PART = 100;
const MOST_PARTS = 40;
/** More rows are not fetched anew while a run works: what is far down is seen when it is asked for anew. */
const MOST_RENEWED = 500;

export abstract class Lines<Column> {
  readonly changed: Signal<number> = signal(0);
  columns: readonly Column[] | undefined;
  refused: Refused | undefined;
  isAtWork = false;
  protected seen = { from: 0, to: 0 };
  protected readonly read: Read<Column>;
  #isClosed = false;

  constructor(read: Read<Column>) {
    this.read = read;
    void this.#work();
  }

  abstract readonly count: number;
  abstract numberAt(index: number): number | undefined;
  /** Undefined of a row that is not there yet, and null of one that the file does not have. */
  abstract at(index: number): Line | null | undefined;
  abstract indexOf(row: number): number | undefined;
  /** What is to be fetched next; undefined when all that is looked at is there. */
  protected abstract missing(): (() => Promise<Part<Column>>) | undefined;
  /** Fetches anew what is looked at. */
  protected abstract forget(): void;

  /** @param from the first line that is looked at. @param to the one behind the last. */
  see(from: number, to: number): void {
    this.seen = { from, to };
    void this.#work();
  }

  renew(): void {
    this.forget();
    void this.#work();
  }

  /** Rows by their numbers, also those that nobody has looked at. */
  async linesOf(numbers: readonly number[]): Promise<readonly Line[]> {
    const found: Line[] = [];
    for (const row of numbers) {
      const known = this.at(this.indexOf(row) ?? -1);
      const lines = known ? [known] : (await this.read({ from: row, limit: 1 })).rows;
      found.push(...lines.filter((line) => line.row === row));
    }
    return found;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** One question at a time: what was scrolled past in the meantime is never asked for. */
  async #work(): Promise<void> {
    if (this.isAtWork) return;
    this.isAtWork = true;
    try {
      // The class that says what is missing is made before it is asked.
      await undefined;
      for (;;) {
        const fetch = this.#isClosed ? undefined : this.missing();
        if (fetch === undefined) break;
        this.changed.value += 1;
        const { columns } = await fetch();
        this.columns = columns;
        this.refused = undefined;
        this.changed.value += 1;
      }
    } catch (error) {
      this.refused = asRefused(error);
    }
    this.isAtWork = false;
    this.changed.value += 1;
  }
}

interface Kept {
  readonly lines: ReadonlyMap<number, Line>;
  isStale: boolean;
}

/** Rows in the order of their numbers: any of them can be jumped to. */
export class NumberedLines<Column> extends Lines<Column> {
  /** How many rows there are at least, as long as nobody knows the number of the last one. */
  atLeast = 0;
  readonly #parts = new Map<number, Kept>();
  #first: number | undefined;
  #last: number | undefined;
  #furthest = 0;

  get count(): number {
    if (this.#first === undefined) return 0;
    return (this.#last ?? Math.max(this.#furthest, this.#first + this.atLeast - 1)) - this.#first + 1;
  }

  numberAt(index: number): number | undefined {
    return this.#first === undefined ? undefined : this.#first + index;
  }

  indexOf(row: number): number | undefined {
    return this.#first === undefined ? undefined : row - this.#first;
  }

  at(index: number): Line | null | undefined {
    const part = this.#parts.get(Math.floor(index / PART));
    const number = this.numberAt(index);
    return part && number !== undefined ? (part.lines.get(number) ?? null) : undefined;
  }

  protected forget(): void {
    for (const part of this.#parts.values()) part.isStale = true;
  }

  protected missing(): (() => Promise<Part<Column>>) | undefined {
    if (this.#first === undefined) return () => this.#fetch(0);
    const to = Math.min(this.seen.to, this.count);
    for (let part = Math.floor(this.seen.from / PART); part * PART < to; part += 1)
      if (this.#parts.get(part)?.isStale !== false) return () => this.#fetch(part);
    return undefined;
  }

  async #fetch(part: number): Promise<Part<Column>> {
    // Another row may have become the first one: the table is read otherwise now.
    const from = part === 0 || this.#first === undefined ? undefined : this.#first + part * PART;
    let got = await this.read({ ...(from === undefined ? {} : { from }), limit: PART });
    if (from === undefined) this.#first = got.rows[0]?.row ?? 0;
    this.#first ??= 0;
    const end = this.#first + (part + 1) * PART;
    const rows = [...got.rows];
    // Rows with long answers come in smaller portions.
    while (got.next !== null && got.next < end) {
      got = await this.read({ from: got.next, limit: PART });
      rows.push(...got.rows);
    }
    const furthest = got.rows.at(-1)?.row ?? 0;
    this.#furthest = Math.max(this.#furthest, got.next ?? furthest);
    this.#last = got.last ?? (got.next === null ? this.#furthest : this.#last);
    const lines = new Map(rows.filter(({ row }) => row < end).map((line) => [line.row, line]));
    this.#keep(part, { lines, isStale: false });
    return got;
  }

  #keep(part: number, kept: Kept): void {
    this.#parts.delete(part);
    this.#parts.set(part, kept);
    for (const oldest of this.#parts.keys()) {
      if (this.#parts.size <= MOST_PARTS) return;
      this.#parts.delete(oldest);
    }
  }
}

/** Rows of a search, a filter or an order of cells: they come one part after the other. */
export class FoundLines<Column> extends Lines<Column> {
  #lines: readonly Line[] = [];
  #next: number | null | undefined;
  #isStale = true;

  get count(): number {
    return this.#lines.length + (typeof this.#next === 'number' ? 1 : 0);
  }

  numberAt(index: number): number | undefined {
    return this.#lines[index]?.row;
  }

  indexOf(row: number): number | undefined {
    const index = this.#lines.findIndex((line) => line.row === row);
    return index === -1 ? undefined : index;
  }

  at(index: number): Line | null | undefined {
    return this.#lines[index];
  }

  protected forget(): void {
    this.#isStale = this.#lines.length <= MOST_RENEWED;
  }

  protected missing(): (() => Promise<Part<Column>>) | undefined {
    const { length } = this.#lines;
    if (this.#isStale) return () => this.#fetch([], undefined, Math.max(PART, length));
    const next = this.#next;
    if (typeof next !== 'number' || this.seen.to < length) return undefined;
    return () => this.#fetch(this.#lines, next, PART);
  }

  async #fetch(before: readonly Line[], from: number | undefined, limit: number): Promise<Part<Column>> {
    this.#isStale = false;
    const got = await this.read({ ...(from === undefined ? {} : { from }), limit });
    this.#lines = [...before, ...got.rows];
    this.#next = got.next;
    return got;
  }
}
