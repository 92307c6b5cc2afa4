import { stat } from 'node:fs/promises';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { readingIn } from '../../core/reading.ts';
import type { InputRow, RowNumber } from '../../core/row.ts';
import { openFile } from '../../files/input.ts';
import {
  firstOf,
  mayBeIn,
  queryOf,
  type Searched,
  type TableOrder,
  USUAL_ROWS,
} from '../../run/table-order.ts';
import type { ListRows } from '../api.ts';
import type { KeptList } from './list-files.ts';

/**
 * The table of a list of which nothing was asked yet. To read a million rows takes seconds, so they are read
 * once and kept in parts that are found at once, and the first part is shown before the last one is read.
 */

interface Part {
  readonly last: RowNumber;
  /** The rows as compressed JSON: as objects they would take many times the bytes of the file. */
  readonly packed: Buffer;
  /** Undefined behind the last part. A part is read as soon as the part before it was read. */
  readonly next: Promise<Part | undefined>;
}

const MEMBERS: (keyof InputRow)[] = ['row', 'cells', 'unreadable'];

class KeptRows {
  /** The number of the last row, as soon as it is known. */
  last: RowNumber | null = null;
  readonly header: readonly string[];
  readonly #first: Promise<Part | undefined>;

  constructor(header: readonly string[], groups: AsyncIterable<readonly InputRow[]>) {
    this.header = header;
    this.#first = this.#read(groups[Symbol.asyncIterator](), 0);
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

  #read(groups: AsyncIterator<readonly InputRow[]>, before: RowNumber): Promise<Part | undefined> {
    const part = groups.next().then(({ value: rows, done }) => {
      if (done === true) {
        this.last = before;
        return undefined;
      }
      const last = rows.at(-1)?.row ?? before;
      const packed = zstdCompressSync(JSON.stringify(rows, MEMBERS));
      return { last, packed, next: this.#read(groups, last) };
    });
    // The error of an unreadable part belongs to the question for that part.
    part.catch(() => {});
    return part;
  }
}

/** The rows of the list that was looked at last are kept. */
export class ListTables {
  /** `mark` says of which file they are, and how they were read. */
  #kept: { readonly mark: string; readonly rows: Promise<KeptRows> } | undefined;

  /** @throws StopError `input` for a file that cannot be read, `usage` for a column that it does not have. */
  async pageOf(list: KeptList, order: TableOrder): Promise<ListRows> {
    try {
      return await pageIn(list.name, await this.#rowsOf(list), order);
    } catch (error) {
      // What could not be read may be read the next time.
      this.forget();
      throw error;
    }
  }

  forget(): void {
    this.#kept = undefined;
  }

  /** A list that was brought or mended since, or is read in another way, is read again. */
  async #rowsOf(list: KeptList): Promise<KeptRows> {
    const { ino, mtimeMs } = await stat(list.path);
    const mark = JSON.stringify([list.path, ino, mtimeMs, readingIn(list.job)]);
    if (this.#kept?.mark !== mark) this.#kept = { mark, rows: rowsIn(list) };
    return this.#kept.rows;
  }
}

async function rowsIn({ path, job }: KeptList): Promise<KeptRows> {
  const { sheet } = await openFile(path, readingIn(job));
  return new KeptRows(await sheet.header(), sheet.groups());
}

async function pageIn(name: string, kept: KeptRows, order: TableOrder): Promise<ListRows> {
  const { limit = USUAL_ROWS } = order;
  const columns = kept.header.map((each) => ({ name: each, from: 'list' as const }));
  const isSearched = (): boolean => true;
  const parts: Searched['parts'] = (query, from) => kept.parts(from, mayBeIn(query, isSearched));
  const table: Searched = { name, columns, hasStates: false, isSearched, parts };
  const found = await firstOf(table, queryOf(table, order), order.from, limit + 1);
  return { columns, rows: found.slice(0, limit), next: found[limit]?.row ?? null, last: kept.last };
}
