import { crc32 } from 'node:zlib';
import type { CallKey } from '../../../core/call-key.ts';
import { AlteredRow, type Connection, type Value } from './connection.ts';

/**
 * A table of the book of money is described once (`tables.ts`), and the description gives how a row is written, checked
 * when it is read, checked by the full check, and emptied by an erasure.
 *
 * The checksum of a row is CRC-32 over its values as a JSON list, then over the bytes of its body. It detects flipped
 * bits and torn pages, which SQLite itself does not notice inside a cell; it does not stop an attacker. The lists are
 * part of the stored format: if one changes, every older store looks damaged.
 */

/** What a cell may hold. */
interface CellTypes {
  readonly number: number;
  readonly text: string;
  readonly bytes: Buffer;
  readonly 'number or null': number | null;
  readonly 'text or null': string | null;
  readonly 'bytes or null': Buffer | null;
}

type Columns = Readonly<Record<string, keyof CellTypes>>;
type RowOf<Described extends Columns> = {
  readonly [Name in keyof Described]: CellTypes[Described[Name]];
};

interface Description<Summed extends Columns, Beside extends Columns> {
  /** What the checksum covers, in the order of its list. The bytes of a column `body` follow the list. */
  readonly summed: Summed;
  /** The first of the last columns, which the list omits together when this one is NULL, as in rows of older schemas. */
  readonly omitted?: keyof Summed;
  /** Columns that are written with a row, and that the checksum omits. */
  readonly beside?: Beside;
  /** The first columns that identify a row; one without it. */
  readonly ids?: number;
  /** What happens when the row is there already; without it that is an error. */
  readonly onConflict?: string;
  /** The tables that give a row `t` and the key of its call. The list has that key behind its first value. */
  readonly keyFrom?: { readonly tables: string; readonly key: string };
  /** Columns that are generated, and how the columns are written that they are generated from. */
  readonly generated?: {
    readonly columns: readonly (keyof Summed | keyof Beside)[];
    readonly from: readonly string[];
    readonly written: (row: RowOf<Summed> & RowOf<Beside>) => readonly Value[];
  };
  readonly what: (row: RowOf<Summed>) => string;
}

type Stored<Row> = Row & { readonly checksum: number | null };
type Cells = Readonly<Record<string, Value>>;

/** A statement inserts as many rows as one of these, the most that are left. More save little; SQLite takes 32,766 values at most. */
const ROWS_PER_STATEMENT = [32, 8, 1] as const;

/** The place of the call's key in a list. */
const KEY = 'key';

/** A call's key as the tables have it, or as its hex digits. */
type Key = Buffer | CallKey;

export class Table<Row extends object, Beside extends object> {
  readonly name: string;
  readonly #listed: string[];
  /** The list of a row without the last columns, and the first of these; the same list where none is ever omitted. */
  readonly #shorter: readonly string[];
  readonly #omitted: string | undefined;
  readonly #ids: readonly string[];
  readonly #what: (row: Row) => string;
  /** Columns that are written as they are described, and those that others are generated from. */
  readonly #plain: readonly string[];
  readonly #from: readonly string[];
  readonly #cellsFrom: (row: object) => readonly Value[];
  readonly #onConflict: string;
  readonly #insertion: string;
  /** Each statement with the number of rows that it takes. */
  readonly #insertions: readonly (readonly [rows: number, sql: string])[];
  readonly #alteredRows: string;

  constructor(name: string, of: Description<Columns, Columns>) {
    const summed = Object.keys(of.summed);
    this.name = name;
    this.#listed = summed.filter((column) => column !== 'body');
    if (of.keyFrom !== undefined) this.#listed.splice(1, 0, KEY);
    this.#omitted = of.omitted;
    this.#shorter =
      of.omitted === undefined ? this.#listed : this.#listed.slice(0, this.#listed.indexOf(of.omitted));
    this.#ids = summed.slice(0, of.ids ?? 1);
    this.#what = of.what as (row: object) => string;
    const { columns = [], from = [], written = () => [] } = of.generated ?? {};
    this.#plain = [...summed, ...Object.keys(of.beside ?? {})].filter((column) => !columns.includes(column));
    this.#from = from;
    this.#cellsFrom = written as (row: object) => readonly Value[];
    this.#onConflict = of.onConflict ?? '';
    this.#insertion = this.#insertionOf(1);
    this.#insertions = ROWS_PER_STATEMENT.map((rows) => [rows, this.#insertionOf(rows)]);
    const body = summed.includes('body') ? 't.body' : 'NULL';
    const { tables, key } = of.keyFrom ?? { tables: `${name} t`, key: undefined };
    this.#alteredRows = `SELECT t.*${key === undefined ? '' : `, ${key} AS key`} FROM ${tables}
      WHERE t.checksum << 32 >> 32 IS NOT checksum_of(${this.listInSql('t', `lower(hex(${key}))`)}, ${body})`;
  }

  /** @param key of the call, where the list has one, so that no other call's answer can pass for this one's. */
  checksumOf(row: Row, key?: Key): number {
    const cells = row as Cells;
    // A ledger of an older schema, which is salvaged as it is, does not have the column.
    const isOmitted = this.#omitted !== undefined && (cells[this.#omitted] ?? null) === null;
    const columns = isOmitted ? this.#shorter : this.#listed;
    const hex = typeof key === 'object' ? key.toString('hex') : key;
    const values = columns.map((column) => (column === KEY ? hex : cells[column]));
    return checksumOfText(JSON.stringify(values), (cells.body ?? null) as Buffer | null);
  }

  /** @throws AlteredRow when the row is not as it was written. */
  checked<Found extends Stored<Row>>(row: Found, key?: Buffer): Found {
    if (!isSum(row.checksum, this.checksumOf(row, key)))
      throw new AlteredRow(`${this.#what(row)} was altered`);
    return row;
  }

  insert(connection: Connection, row: Row & Beside, key?: Key): void {
    connection.run(this.#insertion, ...this.#values(row, key));
  }

  /** Inserts rows in statements of many, which takes half the time. None of them has the key of a call. */
  insertAll(connection: Connection, rows: readonly (Row & Beside)[]): void {
    let at = 0;
    for (const [size, insertion] of this.#insertions) {
      for (; rows.length - at >= size; at += size) {
        const values = rows.slice(at, at + size).flatMap((row) => this.#values(row));
        connection.run(insertion, ...values);
      }
    }
  }

  #values(row: Row & Beside, key?: Key): Value[] {
    const values = this.#plain.map((column) => (row as Cells)[column] ?? null);
    values.push(...this.#cellsFrom(row), this.checksumOf(row, key));
    return values;
  }

  #insertionOf(rows: number): string {
    const columns = [...this.#plain, ...this.#from, 'checksum'];
    const row = `(${columns.map(() => '?').join(', ')})`;
    return `INSERT INTO ${this.name} (${columns.join(', ')}) VALUES ${Array(rows).fill(row).join(', ')} ${this.#onConflict}`;
  }

  /** Changes cells of the rows that have this value in that column. */
  change(connection: Connection, by: keyof Row & string, value: number, cells: Partial<Row & Beside>): void {
    for (const row of connection.all<Row>(`SELECT * FROM ${this.name} WHERE ${by} = ?`, value)) {
      this.changeOne(connection, row, cells);
    }
  }

  changeOne(connection: Connection, row: Row, cells: Partial<Row & Beside>, key?: Buffer): void {
    const next = { ...row, ...cells };
    const from = Object.fromEntries(this.#cellsFrom(next).map((value, at) => [this.#from[at], value]));
    const plain = Object.keys(cells).filter((column) => this.#plain.includes(column));
    const set = [...plain, ...Object.keys(from), 'checksum'].map((column) => `${column} = :${column}`);
    const where = this.#ids.map((column) => `${column} = :${column}`);
    connection.run(`UPDATE ${this.name} SET ${set.join(', ')} WHERE ${where.join(' AND ')}`, {
      ...(next as Cells),
      ...from,
      checksum: this.checksumOf(next, key),
    });
  }

  /**
   * Checks every row, one by one, so that memory does not grow with the ledger. SQLite itself skips the intact rows,
   * eight times faster than passing each of them to us. Its JSON may differ from ours for unusual characters, so each row
   * that it rejects is checked again, by us.
   */
  checkAll(connection: Connection): void {
    connection.define('checksum_of', checksumOfText);
    for (const row of connection.each<Stored<Row> & { readonly key?: Buffer | null }>(this.#alteredRows)) {
      // An attempt whose call is gone has no key.
      this.checked(row, row.key === null ? Buffer.alloc(0) : row.key);
    }
  }

  /**
   * The list that the checksum covers, as SQLite makes it; see `checkAll`.
   * @param alias of the table. @param key of the call in SQL, as hexadecimal digits, where the list has one.
   */
  listInSql(alias: string, key?: string): string {
    const [all, shorter] = [this.#listed, this.#shorter].map((columns) => {
      const values = columns.map((column) => (column === KEY ? `${key}` : `${alias}.${column}`));
      return `json_array(${values.join(', ')})`;
    });
    return this.#omitted === undefined
      ? `${all}`
      : `iif(${alias}.${this.#omitted} IS NULL, ${shorter}, ${all})`;
  }
}

/**
 * The checksum of a list that is JSON text already, followed by the body, of which a text stands for its UTF-8. With a sign it
 * takes four bytes; before schema 8 it was written without, and took six as often as not.
 */
export function checksumOfText(list: string, body: Buffer | string | null): number {
  const head = crc32(list);
  return (body === null ? head : crc32(body, head)) | 0;
}

export const isSum = (stored: number | null, checksum: number): boolean =>
  stored !== null && (stored | 0) === checksum;

export function table<Summed extends Columns, Beside extends Columns = Record<never, never>>(
  name: string,
  description: Description<Summed, Beside>,
): Table<RowOf<Summed>, RowOf<Beside>> {
  return new Table(name, description as unknown as Description<Columns, Columns>);
}

/** A row of a table as it is read. */
export type ReadRow<Described> = Described extends Table<infer Row, object> ? Stored<Row> : never;
/** The cells of a row that its checksum covers. */
export type WrittenRow<Described> = Described extends Table<infer Row, object> ? Row : never;
