import { type Signal, signal } from '@preact/signals';
import { asRefused, type Refused } from '../session.ts';

/** Rows of a long table: those that are looked at are fetched, part by part, and kept. */

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

export interface Portion<Column> {
  readonly columns: readonly Column[];
  readonly rows: readonly Line[];
  /** The row with which the next portion begins; null behind the last one. */
  readonly next: number | null;
  /** The number of the table's last row, where it is known. */
  readonly last?: number | undefined;
}

export type Read<Column> = (of: {
  readonly from?: number | undefined;
  readonly limit: number;
}) => Promise<Portion<Column>>;

const PART = 100;

export class Lines<Column> {
  readonly changed: Signal<number> = signal(0);
  columns: readonly Column[] | undefined;
  refused: Refused | undefined;
  isAtWork = false;
  /** How many rows there are at least, as long as nobody knows where they end. */
  atLeast = 0;
  readonly #read: Read<Column>;
  readonly #isNumbered: boolean;
  /** Null where the file has no row of that number. */
  readonly #lines: (Line | null)[] = [];
  /** The rows with which the parts begin, as they were told; null behind the last one. */
  readonly #begins: (number | null | undefined)[] = [];
  readonly #fresh = new Set<number>();
  #first = 0;
  #isWhole = false;
  #seen = { from: 0, to: 0 };

  /**
   * @param isNumbered rows stand in the order of their numbers, so that any of them can be jumped to. Others,
   *   such as those of a search, come one part after the other.
   */
  constructor(read: Read<Column>, isNumbered: boolean) {
    this.#read = read;
    this.#isNumbered = isNumbered;
  }

  get count(): number {
    const isOpen = this.#isNumbered && this.columns !== undefined && !this.#isWhole;
    return Math.max(this.#lines.length, isOpen ? this.atLeast : 0);
  }

  numberAt(index: number): number | undefined {
    return this.#isNumbered ? this.#first + index : this.#lines[index]?.row;
  }

  indexOf(row: number): number {
    return this.#isNumbered ? row - this.#first : this.#lines.findIndex((line) => line?.row === row);
  }

  /** Undefined of a row that is not there yet, and null of one that the file does not have. */
  at(index: number): Line | null | undefined {
    return this.#lines[index];
  }

  /** @param from the first line that is looked at. @param to the one behind the last. */
  see(from: number, to: number): void {
    this.#seen = { from, to };
    void this.#work();
  }

  /** Fetches anew what is looked at, and everything else when it is looked at again. */
  renew(): void {
    this.#fresh.clear();
    this.#isWhole = false;
    void this.#work();
  }

  /** The numbers of all rows, also of those that nobody has looked at. */
  async numbers(): Promise<readonly number[]> {
    while (!this.#isWhole) await this.#fetch(Math.floor(Math.max(0, this.count - 1) / PART));
    const all = Array.from({ length: this.count }, (_, index) => index);
    return all.filter((index) => this.at(index) !== null).flatMap((index) => this.numberAt(index) ?? []);
  }

  /** Rows by their numbers, also those that nobody has looked at. */
  async linesOf(numbers: readonly number[]): Promise<readonly Line[]> {
    const known = new Map(this.#lines.flatMap((line) => (line ? [[line.row, line]] : [])));
    for (const row of numbers) {
      if (known.has(row)) continue;
      const { rows } = await this.#read({ from: row, limit: PART });
      for (const line of rows) known.set(line.row, line);
    }
    return numbers.flatMap((row) => known.get(row) ?? []);
  }

  /** One question at a time: what was scrolled past in the meantime is never asked for. */
  async #work(): Promise<void> {
    if (this.isAtWork) return;
    this.isAtWork = true;
    try {
      for (let part = this.#missing(); part !== undefined; part = this.#missing()) {
        this.changed.value += 1;
        await this.#fetch(part);
        this.refused = undefined;
      }
    } catch (error) {
      this.refused = asRefused(error);
    }
    this.isAtWork = false;
    this.changed.value += 1;
  }

  #missing(): number | undefined {
    // Nobody knows where the others begin before the first part is there.
    const from = this.columns === undefined ? 0 : this.#seen.from;
    const to = Math.max(1, Math.min(this.#seen.to, this.count));
    for (let part = Math.floor(from / PART); part * PART < to; part += 1)
      if (!this.#fresh.has(part)) return part;
    return undefined;
  }

  async #fetch(part: number): Promise<void> {
    const start = part * PART;
    const rows: Line[] = [];
    let got: Portion<Column>;
    let next = this.#beginOf(part);
    // Rows with long answers come in smaller portions.
    do {
      got = await this.#read({ from: next ?? undefined, limit: PART - rows.length });
      rows.push(...got.rows);
      next = got.next;
      if (part === 0) this.#first = rows[0]?.row ?? 0;
    } while (next !== null && this.#placeOf(next, start + rows.length) < start + PART);
    this.columns = got.columns;
    this.#begins[part + 1] = next;
    this.#fresh.add(part);
    this.#measure(got, this.#keep(start, rows));
  }

  #beginOf(part: number): number | null | undefined {
    if (part === 0) return undefined;
    return this.#isNumbered ? this.#first + part * PART : this.#begins[part];
  }

  /** Where a row stands. @param nth where it stands if nothing is known but those before it. */
  #placeOf(row: number, nth: number): number {
    return this.#isNumbered ? row - this.#first : nth;
  }

  /** @returns the place behind the last row. */
  #keep(start: number, rows: readonly Line[]): number {
    let end = start;
    this.#lines.length = Math.max(this.#lines.length, start + PART);
    this.#lines.fill(null, start, start + PART);
    for (const line of rows) {
      const place = this.#placeOf(line.row, end);
      if (place >= start + PART) break;
      this.#lines[place] = line;
      end = place + 1;
    }
    return end;
  }

  /** The table ends with its last row, or else it is longer than what was told. */
  #measure({ next, last }: Portion<Column>, end: number): void {
    const isToEnd = this.#isNumbered && last !== undefined;
    this.#isWhole ||= isToEnd || next === null;
    if (isToEnd) this.#lines.length = last - this.#first + 1;
    else if (next === null) this.#lines.length = end;
    else this.#lines.length = Math.max(this.#lines.length, this.#placeOf(next, end) + 1);
  }
}
