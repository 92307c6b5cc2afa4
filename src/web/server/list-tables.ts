import { stat } from 'node:fs/promises';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { loadFamily, OPERATIONS } from '../../core/families.ts';
import type { Operation } from '../../core/operation.ts';
import { readingIn } from '../../core/reading.ts';
import type { InputRow, RowNumber } from '../../core/row.ts';
import { describeBeginning } from '../../files/describe-file.ts';
import { noRows, type OpenedFile, openFile } from '../../files/input.ts';
import type { WholeTable } from '../../run/batch-table.ts';
import {
  allOf,
  type ColumnValues,
  columnValues,
  firstOf,
  mayBeIn,
  queryOf,
  type Searched,
  type TableOrder,
  USUAL_ROWS,
} from '../../run/table-order.ts';
import type { ListHead, ListRows } from '../api.ts';
import type { KeptList } from './list-files.ts';

/**
 * The table of a list before its first start. To read a million rows takes seconds, so they are read once, as
 * far as somebody looks, and kept in parts that are found at once.
 */

interface Part {
  readonly last: RowNumber;
  /** The rows as compressed JSON: as objects they would take many times the bytes of the file. */
  readonly packed: Buffer;
  /** Undefined behind the last part. It is read when it is asked for the first time. */
  next(): Promise<Part | undefined>;
}

const MEMBERS: (keyof InputRow)[] = ['row', 'cells', 'unreadable'];

class KeptRows implements Disposable {
  /** The number of the last row, as soon as it is known. */
  last: RowNumber | null = null;
  readonly file: OpenedFile;
  readonly header: readonly string[];
  readonly #groups: AsyncIterator<readonly InputRow[]>;
  readonly #first: () => Promise<Part | undefined>;
  #isDisposed = false;

  constructor(file: OpenedFile, header: readonly string[]) {
    this.file = file;
    this.header = header;
    this.#groups = file.sheet.groups()[Symbol.asyncIterator]();
    this.#first = this.#reader(0);
  }

  /**
   * Reads to the end, so that any row is found at once.
   * @param rest resolves when no one waits for a reading.
   */
  async readOn(rest: () => Promise<void>): Promise<void> {
    for (let part = await this.#first(); part !== undefined; part = await part.next()) {
      await rest();
      if (this.#isDisposed) return;
    }
  }

  /** Closes the file. */
  [Symbol.dispose](): void {
    this.#isDisposed = true;
    void this.#groups.return?.();
  }

  /**
   * @param mayBe whether rows that are written like that may be wanted.
   * @param among the only rows that are wanted; left out: any.
   */
  async *parts(
    from: RowNumber,
    mayBe: (json: string) => boolean,
    among?: Among,
  ): AsyncGenerator<readonly InputRow[]> {
    let before = 0;
    for (let part = await this.#first(); part !== undefined; part = await part.next()) {
      const [first, { last }] = [Math.max(before + 1, from), part];
      before = last;
      if (last < from || !hasAny(among, first, last)) continue;
      const json = zstdDecompressSync(part.packed).toString();
      const rows: readonly InputRow[] = mayBe(json) ? JSON.parse(json) : [];
      yield rows.filter(({ row }) => row >= from && among?.has(row) !== false);
    }
  }

  #reader(before: RowNumber): () => Promise<Part | undefined> {
    let read: Promise<Part | undefined> | undefined;
    return () => (read ??= this.#read(before));
  }

  async #read(before: RowNumber): Promise<Part | undefined> {
    const { value: rows, done } = await this.#groups.next();
    if (done === true) {
      this.last = before;
      return undefined;
    }
    const last = rows.at(-1)?.row ?? before;
    const packed = zstdCompressSync(JSON.stringify(rows, MEMBERS));
    return { last, packed, next: this.#reader(last) };
  }
}

/** Rows that are wanted. */
export type Among = Pick<ReadonlySet<RowNumber>, 'has'>;

function hasAny(among: Among | undefined, first: RowNumber, last: RowNumber): boolean {
  if (among === undefined) return true;
  for (let row = first; row <= last; row += 1) if (among.has(row)) return true;
  return false;
}

/** A file with rows, and how it is read. */
type ListFile = Pick<KeptList, 'name' | 'path' | 'job'>;

/** The rows of the list that was looked at last are kept. */
export class ListTables {
  /** `mark` says which file they are from, and how they were read. */
  #lastRead: { readonly mark: string; readonly rows: Promise<KeptRows> } | undefined;
  readonly #rest: () => Promise<void>;

  /** @param rest resolves when no one waits for a reading of a list: then this one is read on. */
  constructor(rest = async (): Promise<void> => {}) {
    this.#rest = rest;
  }

  /**
   * @param among the only rows that are wanted; left out: any.
   * @throws StopError `input` for a file that cannot be read, `usage` for a column that it does not have.
   */
  async pageOf(list: ListFile, order: TableOrder, among?: Among): Promise<ListRows> {
    try {
      return await pageIn(list.name, await this.#rowsOf(list), order, among);
    } catch (error) {
      // What could not be read may be read the next time.
      this.forget();
      throw error;
    }
  }

  /** Every row that is wanted. @throws as `pageOf`. */
  async wholeOf(list: ListFile, order: TableOrder, among?: Among): Promise<WholeTable> {
    const table = tableIn(list.name, await this.#rowsOf(list), among);
    return { columns: table.columns, rows: allOf(table, queryOf(table, order), (row) => row) };
  }

  /** @throws as `pageOf`. */
  async valuesOf(list: ListFile, column: string, search: string): Promise<ColumnValues> {
    return columnValues(tableIn(list.name, await this.#rowsOf(list)), column, search);
  }

  /** @throws StopError `input` where the file, or one of its first rows, cannot be read. */
  async headOf(list: KeptList): Promise<ListHead> {
    try {
      const { file } = await this.#rowsOf(list);
      return headIn(file, (await stat(list.path)).size);
    } catch (error) {
      this.forget();
      throw error;
    }
  }

  forget(): void {
    void this.#lastRead?.rows.then((rows) => rows[Symbol.dispose]()).catch(() => {});
    this.#lastRead = undefined;
  }

  /** A list that was brought or mended since, or is read in another way, is read again. */
  async #rowsOf(list: ListFile): Promise<KeptRows> {
    const { ino, mtimeMs } = await stat(list.path);
    const mark = JSON.stringify([list.path, ino, mtimeMs, readingIn(list.job)]);
    if (this.#lastRead?.mark === mark) return this.#lastRead.rows;
    this.forget();
    const rows = rowsIn(list);
    this.#lastRead = { mark, rows };
    // The error of an unreadable part belongs to the question for that part.
    void rows.then((keptRows) => keptRows.readOn(this.#rest)).catch(() => {});
    return rows;
  }
}

async function rowsIn({ path, job }: ListFile): Promise<KeptRows> {
  const file = await openFile(path, readingIn(job));
  return new KeptRows(file, await file.sheet.header());
}

/** So many rows say what a list is, and are read in a moment. */
const HEAD_ROWS = 1_000;

async function headIn(file: OpenedFile, size: number): Promise<ListHead> {
  const operations = await loadFamily<Operation>(OPERATIONS);
  const { described, isWhole, bytes } = await describeBeginning(file, operations.values(), HEAD_ROWS);
  if (isWhole && described.rows === 0) throw noRows(file);
  const likely = bytes ? Math.round((described.rows * size) / bytes) : null;
  return { described, is_whole: isWhole, rows: isWhole ? described.rows : (file.sheet.rows ?? likely) };
}

async function pageIn(
  name: string,
  keptRows: KeptRows,
  order: TableOrder,
  among: Among | undefined,
): Promise<ListRows> {
  const { limit = USUAL_ROWS } = order;
  const table = tableIn(name, keptRows, among);
  const columns = [...table.columns];
  const found = await firstOf(table, queryOf(table, order), order.from, limit + 1);
  return { columns, rows: found.slice(0, limit), next: found[limit]?.row ?? null, last: keptRows.last };
}

function tableIn(name: string, keptRows: Pick<KeptRows, 'header' | 'parts'>, among?: Among): Searched {
  const columns = keptRows.header.map((each) => ({ name: each, from: 'list' as const }));
  const isSearched = (): boolean => true;
  const parts: Searched['parts'] = (query, from) => keptRows.parts(from, mayBeIn(query, isSearched), among);
  return { name, columns, hasStates: false, isSearched, parts };
}
