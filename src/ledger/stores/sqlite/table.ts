import { crc32 } from 'node:zlib';
import { AlteredRow, type Connection, type Value } from './connection.ts';

/**
 * A table of the ledger is described once (`tables.ts`), and the description gives how a row is written, checked when it is
 * read, and emptied by an erasure.
 *
 * The sum of a row is CRC-32 over its values as a JSON list, then over the bytes of its body. It detects flipped bits and torn
 * pages, which SQLite itself does not notice inside a cell; it does not stop an attacker. The lists are part of the stored
 * format: if one changes, every older store looks damaged.
 */

/**
 * Columns by their names, each as SQL defines it, which says what its cells hold as well. Bytes among the columns of the list are a
 * key: hexadecimal digits in the list.
 */
type Columns = Readonly<Record<string, `${'INTEGER' | 'TEXT' | 'BLOB'}${string}`>>;
type CellOf<Defined extends string> =
  | (Defined extends `INTEGER${string}` ? number : Defined extends `TEXT${string}` ? string : Buffer)
  | (Defined extends `${string} ${'NOT NULL' | 'PRIMARY KEY'}${string}` ? never : null);
type RowOf<Described extends Columns> = {
  readonly [Name in keyof Described]: CellOf<Described[Name]>;
};

interface Description<Described extends Columns, Held extends Columns> {
  readonly columns: Described;
  /** Columns that the sum omits, because they change. */
  readonly moving?: Columns;
  /** Those of them that begin with what another column holds. */
  readonly beginning?: Readonly<Record<string, keyof Described & string>>;
  /**
   * Columns that an erasure may empty. They have a list and a sum of their own, which is NULL where all of them are; the bytes
   * of a column `body` follow the list.
   */
  readonly contents?: Held;
  readonly rules?: readonly string[];
  /** The columns by which rows are found; the first one without it. */
  readonly primaryKey?: readonly (keyof Described & string)[];
  /** What happens when the row is there already; without it that is an error. */
  readonly onConflict?: string;
  readonly what: (row: RowOf<Described>) => string;
}

export type Stored<Row> = Row & { readonly sum: number };
/** As a row of a table with contents is stored. */
interface WithContents {
  readonly content_sum?: number | null;
}
type Cells = Readonly<Record<string, Value>>;

/**
 * A statement inserts as many rows as one of these, the most that are left, so a list of any length takes a few: each costs what it
 * sets up, and copies of the pages that it changes. SQLite takes 32,766 values at most.
 */
const ROWS_PER_STATEMENT = [64, 32, 16, 8, 4, 2, 1] as const;

interface Insertion {
  readonly size: number;
  readonly sql: string;
  /** Its values, of which there is one list for all insertions. */
  readonly values: Value[];
}

export class Table<Row extends object> {
  readonly name: string;
  readonly #columns: readonly string[];
  readonly #contents: readonly string[];
  readonly #texts: readonly string[];
  /** What the two sums cover, laid out anew for each row, because a list for each would be half of what a write leaves behind. */
  readonly #list: Value[] = [];
  readonly #contentList: Value[] = [];
  /** Where in the list the key stands; -1 without one. */
  readonly #key: number;
  readonly #ids: readonly string[];
  /** The first of them, which stands before what a row holds. */
  readonly #id: string;
  /** Columns whose cells are written once more, into what begins with them. */
  readonly #beginning: readonly string[];
  readonly #what: (row: Row) => string;
  /** `CREATE TABLE …`. The bytes of a body come last, because a row that is longer than a page is read from its beginning. */
  readonly definition: string;
  /** All columns but those that the sum omits or an erasure may empty, and the sum. */
  readonly fixed: readonly string[];
  readonly #insertions: readonly Insertion[];

  constructor(name: string, of: Description<Columns, Columns>) {
    this.name = name;
    this.#columns = Object.keys(of.columns);
    this.#contents = Object.keys(of.contents ?? {});
    this.#texts = this.#contents.filter((column) => column !== 'body');
    this.fixed = [...this.#columns, 'sum'];
    this.#key = this.#columns.findIndex((column) => of.columns[column]?.startsWith('BLOB'));
    this.#ids = of.primaryKey ?? this.#columns.slice(0, 1);
    this.#id = this.#ids[0] ?? '';
    this.definition = definitionOf(name, of);
    this.#what = of.what as (row: object) => string;
    const held = this.#contents.length === 0 ? [] : [...this.#contents, 'content_sum'];
    const { beginning = {} } = of;
    this.#beginning = Object.values(beginning);
    const names = [...this.#columns, 'sum', ...Object.keys(beginning), ...held];
    const row = `(${names.map(() => '?').join(', ')})`;
    this.#insertions = ROWS_PER_STATEMENT.map((size) => ({
      size,
      sql: `INSERT INTO ${name} (${names.join(', ')}) VALUES ${Array(size).fill(row).join(', ')} ${of.onConflict ?? ''}`,
      values: Array<Value>(size * names.length).fill(null),
    }));
  }

  sumOf(row: Row): number {
    const cells = row as Cells;
    let at = 0;
    for (const column of this.#columns) this.#list[at++] = cells[column] ?? null;
    return this.#sumOfList();
  }

  #sumOfList(): number {
    const list = this.#list;
    if (this.#key >= 0) list[this.#key] = (list[this.#key] as Buffer).toString('hex');
    return sumOfText(JSON.stringify(list), null);
  }

  /** NULL where nothing is held. */
  contentSumOf(row: Row): number | null {
    const cells = row as Cells;
    const body = (cells.body ?? null) as Buffer | null;
    let isEmpty = body === null;
    let at = 0;
    this.#contentList[at++] = cells[this.#id] ?? null;
    for (const column of this.#texts) {
      const text = cells[column] ?? null;
      this.#contentList[at++] = text;
      isEmpty &&= text === null;
    }
    return isEmpty ? null : sumOfText(JSON.stringify(this.#contentList), body);
  }

  /** @throws AlteredRow when the row is not as it was written. */
  checked<Found extends Stored<Row> & WithContents>(row: Found): Found {
    if (row.sum !== this.sumOf(row)) throw this.altered(row);
    if (this.#contents.length > 0 && (row.content_sum ?? null) !== this.contentSumOf(row))
      throw this.altered(row);
    return row;
  }

  altered(row: Row): AlteredRow {
    return new AlteredRow(`${this.#what(row)} was altered`);
  }

  insert(connection: Connection, row: Row): void {
    this.insertAll(connection, [row]);
  }

  /** Inserts rows in statements of many, which takes half the time. */
  insertAll(connection: Connection, rows: readonly Row[]): void {
    let at = 0;
    for (const { size, sql, values } of this.#insertions) {
      for (; rows.length - at >= size; at += size) {
        let to = 0;
        for (let each = at; each < at + size; each += 1) to = this.#lay(rows[each] as Row, values, to);
        connection.run(sql, values);
        // What came of a vendor is not kept for the sake of the list.
        values.fill(null);
      }
    }
  }

  /** Lays out the values of a row from there on. @returns where the next row begins. */
  #lay(row: Row, values: Value[], from: number): number {
    const cells = row as Cells;
    let at = from;
    for (const column of this.#columns) {
      const value = cells[column] ?? null;
      this.#list[at - from] = value;
      values[at++] = value;
    }
    values[at++] = this.#sumOfList();
    for (const column of this.#beginning) values[at++] = cells[column] ?? null;
    if (this.#contents.length === 0) return at;
    for (const column of this.#contents) values[at++] = cells[column] ?? null;
    values[at++] = this.contentSumOf(row);
    return at;
  }

  /** Changes cells of the rows that have this value in that column. */
  change(connection: Connection, by: keyof Row & string, value: number, cells: Partial<Row>): void {
    for (const row of connection.all<Row>(`SELECT * FROM ${this.name} WHERE ${by} = ?`, value))
      this.changeOne(connection, row, cells);
  }

  changeOne(connection: Connection, row: Row, cells: Partial<Row>): void {
    const next = { ...row, ...cells };
    const sums = {
      sum: this.sumOf(next),
      ...(this.#contents.length === 0 ? {} : { content_sum: this.contentSumOf(next) }),
    };
    const set = [...Object.keys(cells), ...Object.keys(sums)].map((column) => `${column} = :${column}`);
    const where = this.#ids.map((column) => `${column} = :${column}`);
    const used = [...this.#ids, ...Object.keys(cells)].map((name) => [name, (next as Cells)[name] ?? null]);
    connection.run(`UPDATE ${this.name} SET ${set.join(', ')} WHERE ${where.join(' AND ')}`, {
      ...Object.fromEntries(used),
      ...sums,
    });
  }

  /** The list that the sum covers, as SQLite makes it, which may differ from ours for unusual characters. @param alias of the table. */
  listInSql(alias: string): string {
    const values = this.#columns.map((column, at) =>
      at === this.#key ? `lower(hex(${alias}.${column}))` : `${alias}.${column}`,
    );
    return `json_array(${values.join(', ')})`;
  }

  /** The list of what a row holds, which its body follows. */
  contentsInSql(alias: string): string {
    return `json_array(${[this.#id, ...this.#texts].map((column) => `${alias}.${column}`).join(', ')})`;
  }
}

/** The sum of a list that is JSON text already, followed by the body, of which a text stands for its UTF-8. */
export function sumOfText(list: string, body: Buffer | string | null): number {
  const head = crc32(list);
  // With a sign it takes four bytes; without, six as often as not.
  return (body === null ? head : crc32(body, head)) | 0;
}

function definitionOf(name: string, of: Description<Columns, Columns>): string {
  const { body, ...texts } = of.contents ?? {};
  const isHeld = Object.values(of.contents ?? {}).some((content) => content.includes('NOT NULL'));
  const columns: Columns = {
    ...of.columns,
    sum: 'INTEGER NOT NULL',
    ...of.moving,
    ...texts,
    ...(of.contents && { content_sum: isHeld ? 'INTEGER NOT NULL' : 'INTEGER' }),
    ...(body && { body }),
  };
  const keys = of.primaryKey === undefined ? [] : [`PRIMARY KEY (${of.primaryKey.join(', ')})`];
  const lines = [...Object.entries(columns).map((column) => column.join(' ')), ...keys, ...(of.rules ?? [])];
  return `CREATE TABLE ${name} (\n  ${lines.join(',\n  ')}\n) STRICT${keys.length > 0 ? ', WITHOUT ROWID' : ''};`;
}

export function table<const Described extends Columns, const Held extends Columns = Record<never, never>>(
  name: string,
  description: Description<Described, Held>,
): Table<RowOf<Described> & RowOf<Held>> {
  return new Table(name, description as unknown as Description<Columns, Columns>);
}

export type ReadRow<Described> = Described extends Table<infer Row> ? Stored<Row> : never;
export type WrittenRow<Described> = Described extends Table<infer Row> ? Row : never;
