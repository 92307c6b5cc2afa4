import { type Signal, signal } from '@preact/signals';
import type { ListRow, TableColumnObject, TableRowObject } from '../../api.ts';
import { asRefused, type Refused } from '../session.ts';

/** Lines of a long table: those that are looked at are fetched, part by part, and kept. */

export interface Line {
  /** 0 for one that is not on the list, such as a person whom the row above it has found. */
  readonly row: number;
  readonly cells: readonly string[];
  /** Why nobody knows which cell stands below which name. */
  readonly unreadable?: string | undefined;
  /** Why the row ended so, and the same in words: all of it, and of each step by its name. */
  readonly findings?: TableRowObject['findings'];
  readonly says?: TableRowObject['says'];
  /** What is wrong with its cells, by their columns, and what becomes of the row by the plan. */
  readonly faults?: ListRow['faults'];
  readonly becomes?: ListRow['becomes'];
  /** What was done with the person of the row. */
  readonly action?: string | undefined;
  /** `faulty`: the columns whose cells have to be corrected first. */
  readonly planned?: { readonly look: string; readonly faulty: readonly string[] } | undefined;
  /** Of a list that came again, and what its changed cells said before, by their columns. */
  readonly since?: 'added' | 'changed' | 'gone' | undefined;
  readonly was?: Readonly<Record<string, string>> | undefined;
  /** What the row has found, where one row finds many. It follows in lines of its own. */
  readonly results?: readonly (readonly string[])[] | undefined;
}

export interface ShownColumn extends TableColumnObject {
  /** Its cells stand in lines of their own below the rows. */
  readonly isBelow?: boolean | undefined;
}

export interface Portion {
  readonly columns: readonly ShownColumn[];
  readonly rows: readonly Line[];
  /** The row with which the next portion begins; null behind the last one. */
  readonly next: number | null;
  /** The number of the table's last row, where it is known. */
  readonly last?: number | null;
}

export type Read = (of: { readonly from?: number | undefined; readonly limit: number }) => Promise<Portion>;

export const PART = 100;

interface Part {
  /** The row with which it begins; left out: the first one that there is. */
  begin?: number | undefined;
  lines?: readonly Line[];
  isFresh?: boolean;
  start: number;
  /** How many lines it has, or will have at least. */
  size: number;
}

const isIn = ({ start, size }: Part, from: number, to: number): boolean =>
  start < Math.max(1, to) && start + size >= from;

export class Lines {
  readonly changed: Signal<number> = signal(0);
  columns: readonly ShownColumn[] | undefined;
  refused: Refused | undefined;
  isAtWork = false;
  /** How many rows there are at least, as long as nobody knows where they end. */
  atLeast = 0;
  readonly #read: Read;
  readonly #isNumbered: boolean;
  readonly #first: Part = { start: 0, size: 1 };
  readonly #parts: Part[] = [this.#first];
  /** In which part a line was found last: lines that are asked for stand together. */
  #near = this.#first;
  #seen = { from: 0, to: 0 };

  /**
   * @param isNumbered any row can be jumped to. Others, such as those of a search, come part after part.
   * @param first stands there until the same rows are fetched.
   */
  constructor(read: Read, isNumbered: boolean, first?: Portion) {
    this.#read = read;
    this.#isNumbered = isNumbered;
    if (first === undefined) return;
    this.columns = first.columns;
    Object.assign(this.#first, { begin: first.rows[0]?.row, lines: first.rows, size: first.rows.length });
    this.#arrange(this.#first, first);
  }

  get count(): number {
    return this.columns === undefined ? 0 : this.#end.start + this.#end.size;
  }

  /** How many rows have come so far. A person of a team may be one without a number. */
  get found(): number {
    const lines = this.#parts.flatMap((part) => part.lines ?? []);
    return lines.filter(({ row, planned }) => row > 0 || planned).length;
  }

  /** Whether others follow those that have come. */
  get isOpen(): boolean {
    return this.#end.lines === undefined;
  }

  /** Undefined of a line without a number, or whose number is not known yet. */
  numberAt(index: number): number | undefined {
    const part = this.#partAt(index);
    return this.#numberIn(part, index - part.start);
  }

  /** The line of a row; -1 where the row is not shown, or its place is not known yet. */
  lineOf(row: number | undefined): number {
    for (const part of this.#parts)
      for (let nth = 0; nth < part.size; nth += 1)
        if (row !== undefined && this.#numberIn(part, nth) === row) return part.start + nth;
    return -1;
  }

  at(index: number): Line | undefined {
    const part = this.#partAt(index);
    return part.lines?.[index - part.start];
  }

  /** @param from the first line that is looked at. @param to the one behind the last. */
  see(from: number, to: number): void {
    this.#seen = { from, to };
    void this.#work();
  }

  /** What is looked at: the first line, and the one behind the last. */
  get seen(): { readonly from: number; readonly to: number } {
    return this.#seen;
  }

  /** Whether all of these lines have come. */
  has({ from, to }: Lines['seen']): boolean {
    return this.columns !== undefined && this.#parts.every((part) => part.lines || !isIn(part, from, to));
  }

  /** Fetches anew what is looked at, and everything else when it is looked at again. */
  renew(): void {
    for (const part of this.#parts) part.isFresh = false;
    void this.#work();
  }

  /** The numbers of all rows, also of those that nobody has looked at. */
  async numbers(): Promise<readonly number[]> {
    while (this.isOpen) await this.#fetch(this.#end);
    return this.#parts.flatMap((part) => {
      const numbers = Array.from({ length: part.size }, (_, nth) => this.#numberIn(part, nth));
      return numbers.filter((number) => number !== undefined);
    });
  }

  /** Rows by their numbers, also those that nobody has looked at. */
  async linesOf(numbers: readonly number[]): Promise<readonly Line[]> {
    const lines = this.#parts.flatMap((part) => part.lines ?? []);
    const known = new Map(lines.map((line) => [line.row, line]));
    for (const row of numbers) {
      if (known.has(row)) continue;
      const { rows } = await this.#read({ from: row, limit: PART });
      for (const line of rows) known.set(line.row, line);
    }
    return numbers.flatMap((row) => known.get(row) ?? []);
  }

  get #end(): Part {
    return this.#parts.at(-1) ?? this.#first;
  }

  /** The last part for what is beyond it. */
  #partAt(index: number): Part {
    const isIn = ({ start, size }: Part): boolean => start <= index && index < start + size;
    if (!isIn(this.#near)) this.#near = this.#parts.find(isIn) ?? this.#end;
    return this.#near;
  }

  #numberIn({ begin = 0, lines }: Part, nth: number): number | undefined {
    return lines === undefined && this.#isNumbered ? begin + nth : lines?.[nth]?.row || undefined;
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
      for (const part of this.#parts) part.isFresh = false;
      this.refused = asRefused(error);
    }
    this.isAtWork = false;
    this.changed.value += 1;
  }

  /** Nobody knows where the others begin before the first part is there. */
  #missing(): Part | undefined {
    if (this.columns === undefined) return this.#first;
    const { from, to } = this.#seen;
    return this.#parts.find((part) => !(part.isFresh && part.lines) && isIn(part, from, to));
  }

  async #fetch(part: Part): Promise<void> {
    // What is renewed while the answer is on its way is asked for once more.
    part.isFresh = true;
    const isFirst = part === this.#first;
    // A list that is read in another way by now begins elsewhere.
    let got = await this.#read({ from: isFirst ? undefined : part.begin, limit: PART });
    const lines = [...got.rows];
    if (isFirst) part.begin = lines[0]?.row;
    if (this.#isNumbered) {
      const end = (part.begin ?? 0) + PART;
      // Rows with long answers come in smaller portions.
      while (got.next !== null && got.next < end) {
        got = await this.#read({ from: got.next, limit: PART });
        lines.push(...got.rows);
      }
      const beyond = lines.findIndex(({ row }) => row >= end);
      if (beyond !== -1) lines.length = beyond;
    }
    this.columns = got.columns;
    part.lines = lines;
    part.size = lines.length;
    this.#arrange(part, got);
  }

  /** Numbered rows have a part for each hundred numbers. Others say with each part whether one follows. */
  #arrange(part: Part, { next, last }: Portion): void {
    const { begin: first = 0 } = this.#first;
    const behind = this.#parts.indexOf(part) + 1;
    if (this.#isNumbered) this.#numberTo(last ?? Math.max(first + this.atLeast - 1, next ?? 0));
    else if (next === null) this.#parts.length = behind;
    else this.#parts[behind] = { start: 0, size: 1, ...this.#parts[behind], begin: next };
    this.#near = this.#first;
    let start = 0;
    for (const each of this.#parts) {
      each.start = start;
      start += each.size;
    }
  }

  #numberTo(end: number): void {
    const { begin: first = 0 } = this.#first;
    for (let nth = 0, begin = first; begin <= end; nth += 1, begin += PART) {
      const known = this.#parts[nth];
      const part = known?.begin === begin ? known : { begin, start: 0, size: 0 };
      part.size = part.lines?.length ?? Math.min(PART, end - begin + 1);
      this.#parts[nth] = part;
    }
  }
}
