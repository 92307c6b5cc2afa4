import { stat } from 'node:fs/promises';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { readingIn } from '../../core/reading.ts';
import type { InputRow, RowNumber } from '../../core/row.ts';
import { openFile } from '../../files/input.ts';
import { firstOf, mayBeIn, queryOf, type Searched, type TableOrder } from '../../run/table-order.ts';
import type { ListRows } from '../api.ts';
import type { KeptList } from './list-files.ts';

/**
 * The table of a list of which nothing was asked yet. To read a file of a million rows takes seconds, so its
 * rows are read once and kept in parts that are found at once. The first part is shown before the last one is
 * read.
 */

interface Part {
  readonly last: RowNumber;
  /** The rows as compressed JSON: as objects they would take many times the bytes of the file. */
  readonly packed: Buffer;
  /** Undefined behind the last part. A part is read as soon as the part before it was read. */
  readonly next: Promise<Part | undefined>;
}

class KeptRows {
  readonly header: readonly string[];
  /** The number of the last row, as soon as it is known. */
  last: RowNumber | undefined;
  readonly #first: Promise<Part | undefined>;

  private constructor(header: readonly string[], groups: AsyncIterable<readonly InputRow[]>) {
    this.header = header;
    this.#first = this.#read(groups[Symbol.asyncIterator](), 0);
    // The error of an unreadable file belongs to the question for its rows.
    this.#first.catch(() => {});
  }

  static async of(list: KeptList): Promise<KeptRows> {
    const { sheet } = await openFile(list.path, readingIn(list.job));
    return new KeptRows(await sheet.header(), sheet.groups());
  }

  /** @param mayBe whether rows that are written like that may be wanted. */
  async *parts(from: RowNumber, mayBe: (json: string) => boolean): AsyncGenerator<readonly InputRow[]> {
    for (let part = await this.#first; part !== undefined; part = await part.next) {
      if (part.last < from) continue;
      const json = zstdDecompressSync(part.packed).toString();
      const rows: readonly InputRow[] = mayBe(json) ? JSON.parse(json) : [];
      yield rows.filter(({ row }) => row >= from);
    }
  }

  async #read(groups: AsyncIterator<readonly InputRow[]>, before: RowNumber): Promise<Part | undefined> {
    const { value: group, done } = await groups.next();
    if (done === true) {
      this.last = before;
      return undefined;
    }
    const last = group.at(-1)?.row ?? before;
    const rows = group.map(({ row, cells, unreadable }: InputRow) => ({ row, cells, unreadable }));
    const packed = zstdCompressSync(JSON.stringify(rows));
    const next = this.#read(groups, last);
    // The error of an unreadable part belongs to the question for that part.
    next.catch(() => {});
    return { last, packed, next };
  }
}

/** The rows of so many lists are kept, because no more are looked at in turn. */
const MOST_LISTS = 3;

export class ListTables {
  /** The id of each list has its rows; `mark` says of which file, and how they were read. */
  readonly #kept = new Map<string, { readonly mark: string; readonly rows: Promise<KeptRows> }>();

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
    const query = queryOf(table, order);
    const found = await firstOf(table, query, order.from, order.limit + 1).catch((error: unknown) => {
      this.forget(list);
      throw error;
    });
    return {
      columns,
      rows: found.slice(0, order.limit).map((row) => ({ ...row, cells: [...row.cells] })),
      next: found[order.limit]?.row ?? null,
      last: rows.last ?? null,
    };
  }

  forget({ id }: KeptList): void {
    this.#kept.delete(id);
  }

  /** A list that was brought or mended since, or is read in another way, is read again. */
  async #rowsOf(list: KeptList): Promise<KeptRows> {
    const { ino, mtimeMs } = await stat(list.path);
    const mark = JSON.stringify([ino, mtimeMs, readingIn(list.job)]);
    const known = this.#kept.get(list.id);
    const rows = known?.mark === mark ? known.rows : KeptRows.of(list);
    rows.catch(() => this.#kept.delete(list.id));
    this.#kept.delete(list.id);
    this.#kept.set(list.id, { mark, rows });
    for (const oldest of [...this.#kept.keys()].slice(0, -MOST_LISTS)) this.#kept.delete(oldest);
    return rows;
  }
}
