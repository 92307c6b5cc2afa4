import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sheet } from '../../core/format.ts';
import { readingIn } from '../../core/reading.ts';
import type { InputRow, RowNumber } from '../../core/row.ts';
import { openFile } from '../../files/input.ts';
import { firstOf, mayBeIn, queryOf, type Searched, type TableOrder } from '../../run/table-order.ts';
import type { ListRows } from '../api.ts';
import type { KeptList } from './list-files.ts';
import { draftOf } from './list-job.ts';

/**
 * The table of a list of which nothing was asked yet. To read a file of a million rows takes seconds, so its
 * rows are written down once, in parts that are found at once. The first part is shown before the last one is
 * written. What is written down has no name, and is gone with this process.
 */

interface Part {
  readonly last: RowNumber;
  /** Where the rows of the part are written down, as JSON. */
  readonly at: number;
  readonly bytes: number;
}

class WrittenRows {
  readonly header: readonly string[];
  /** Settles when all rows are written down. */
  whole: Promise<void> = Promise.resolve();
  readonly #file: FileHandle;
  readonly #parts: Part[] = [];
  #isWhole = false;
  /** Settles with the next part, and behind the last one. */
  #next = Promise.withResolvers<void>();

  private constructor(header: readonly string[], file: FileHandle) {
    this.header = header;
    this.#file = file;
  }

  static async of(list: KeptList): Promise<WrittenRows> {
    const { sheet } = await openFile(list.path, readingIn((await draftOf(list)).job));
    const header = await sheet.header();
    const path = join(list.folder, `rows-${randomUUID()}`);
    const file = await open(path, 'w+', 0o600);
    await rm(path);
    const rows = new WrittenRows(header, file);
    rows.whole = rows.#write(sheet);
    rows.whole.catch((error: unknown) => {
      rows.#next.promise.catch(() => {});
      rows.#next.reject(error);
    });
    return rows;
  }

  /** The number of the last row, as soon as it is known. */
  get last(): RowNumber | undefined {
    return this.#isWhole ? (this.#parts.at(-1)?.last ?? 0) : undefined;
  }

  /** @param mayBe whether rows that are written like that may be wanted. */
  async *parts(from: RowNumber, mayBe: (json: string) => boolean): AsyncGenerator<readonly InputRow[]> {
    for (let nth = 0; await this.#has(nth); nth += 1) {
      const { last = 0, at = 0, bytes = 0 } = this.#parts[nth] ?? {};
      if (last < from) continue;
      const { buffer } = await this.#file.read(Buffer.alloc(bytes), 0, bytes, at);
      const json = buffer.toString();
      const rows: readonly InputRow[] = mayBe(json) ? JSON.parse(json) : [];
      yield rows.filter(({ row }) => row >= from);
    }
  }

  close(): void {
    void this.#file.close();
  }

  async #has(nth: number): Promise<boolean> {
    while (this.#parts[nth] === undefined && !this.#isWhole) await this.#next.promise;
    return this.#parts[nth] !== undefined;
  }

  async #write(sheet: Sheet): Promise<void> {
    let at = 0;
    for await (const group of sheet.groups()) {
      const last = group.at(-1)?.row;
      if (last === undefined) continue;
      const rows = group.map(({ row, cells, unreadable }) => ({ row, cells, unreadable }));
      const json = Buffer.from(JSON.stringify(rows));
      await this.#file.write(json, 0, json.length, at);
      this.#parts.push({ last, at, bytes: json.length });
      at += json.length;
      this.#next.resolve();
      this.#next = Promise.withResolvers();
    }
    this.#isWhole = true;
    this.#next.resolve();
  }
}

/** The rows of so many lists are kept, because no more are looked at in turn. */
const MOST_LISTS = 3;

interface KeptRows {
  readonly id: KeptList['id'];
  readonly rows: Promise<WrittenRows>;
}

export class ListTables {
  readonly #kept = new Map<string, KeptRows>();

  /** @throws StopError `input` for a file that cannot be read, `usage` for a column that it does not have. */
  async pageOf(list: KeptList, order: TableOrder): Promise<ListRows> {
    const rows = await this.#rowsOf(list);
    const columns = rows.header.map((name) => ({ name, from: 'list' as const }));
    const table: Searched = {
      name: list.name,
      columns,
      hasStates: false,
      isSearched: () => true,
      parts: (query, from) =>
        rows.parts(
          from,
          mayBeIn(query, () => true),
        ),
    };
    const found = await firstOf(table, queryOf(table, order), order.from, order.limit + 1);
    return {
      columns,
      rows: found.slice(0, order.limit).map((row) => ({ ...row, cells: [...row.cells] })),
      next: found[order.limit]?.row ?? null,
      last: rows.last ?? null,
    };
  }

  /** A list that was brought or mended since, or is read in another way, is another file. */
  async #rowsOf(list: KeptList): Promise<WrittenRows> {
    const { ino, mtimeMs } = await stat(list.path);
    const mark = JSON.stringify([list.path, ino, mtimeMs, readingIn((await draftOf(list)).job)]);
    const known = this.#kept.get(mark);
    if (known !== undefined) return known.rows;
    const made = WrittenRows.of(list);
    this.#kept.set(mark, { id: list.id, rows: made });
    made.then((each) => each.whole).catch(() => this.#kept.delete(mark));
    for (const [oldest, kept] of [...this.#kept].slice(0, -MOST_LISTS)) this.#close(oldest, kept);
    return made;
  }

  /** Closes the rows of a list that is removed, so that nothing of it stays on the disk. */
  forget({ id }: KeptList): void {
    for (const [mark, kept] of this.#kept) if (kept.id === id) this.#close(mark, kept);
  }

  #close(mark: string, { rows }: KeptRows): void {
    this.#kept.delete(mark);
    rows.then(
      // Rows that are still written down would have no file to go to.
      (each) => each.whole.catch(() => {}).then(() => each.close()),
      () => {},
    );
  }
}
