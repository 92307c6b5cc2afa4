/**
 * The one door to both databases. SQL is written once. A statement over records names them `v`: PostgreSQL
 * gets all of them at once, as arrays; SQLite takes some tens at a time, as rows of parameters. Words in
 * braces stand for what the two databases write differently.
 */

import { callsThat } from '../core/described.ts';
import { parts } from '../lib/parts.ts';
import type { WriteManner } from '../lib/postgres-server.ts';

export type Cell = number | string | Uint8Array | null;
export type Type = 'int' | 'text' | 'bytes';
export type Columns = Readonly<Record<string, Type>>;
type CellOf<T extends Type> = (T extends 'int' ? number : T extends 'text' ? string : Uint8Array) | null;

/** A record for each column of a statement. Integers are whole numbers up to 2^53. */
export type RecordOf<C extends Columns> = { readonly [Name in keyof C]: CellOf<C[Name]> };
/** The same where only these may be null. */
export type FilledRow<C extends Columns, Nulls extends keyof C = never> = {
  readonly [Name in keyof C]: Name extends Nulls ? CellOf<C[Name]> : NonNullable<CellOf<C[Name]>>;
};
export type AnyRecord = Readonly<Record<string, Cell>>;

/** A statement over records. `Row` is what it returns. */
export interface EachStatement<Rec = AnyRecord, Row = unknown> {
  readonly columns: Columns;
  readonly sql: string;
  /** SQLite, too, runs it once over all records, from a JSON list. The records have no bytes. */
  readonly whole?: true;
  /**
   * The column of a record that has the number of the row to write. The statement returns the numbers of the
   * rows that it wrote, as `id`.
   */
  readonly writes?: string;
  /**
   * Reads the rows of such a statement again: in a group after a lost answer to its COMMIT, and in SQLite
   * where not all records of a part were written.
   */
  readonly again?: Pick<EachStatement, 'columns' | 'sql'>;
  /** Never there: it keeps the types of the records and of the rows together with the statement. */
  readonly types?: (record: Rec) => Row;
}

export const each =
  <const C extends Columns>(columns: C) =>
  <Row = never>(sql: string): EachStatement<RecordOf<C>, Row> => ({ columns, sql });

/** RETURNING would say as well what was written, but takes SQLite a third as long as the statement itself. */
export const eachWriting =
  <const C extends Columns>(columns: C, writes: keyof C & string) =>
  (sql: string, again: string): EachStatement<RecordOf<C>, { readonly id: number }> => ({
    columns,
    sql,
    writes,
    again: { columns, sql: again },
  });

export const eachWhole =
  <const C extends Columns>(columns: C) =>
  <Row = never>(sql: string): EachStatement<RecordOf<C>, Row> => ({ columns, sql, whole: true });

/** Writes each record into a table. SQLite wants a WHERE before an ON CONFLICT. */
export function insertSql(table: string, columns: Columns): string {
  const names = Object.keys(columns);
  const values = names.map((name) => `v.${name}`).join(', ');
  return `INSERT INTO ${table} (${names.join(', ')}) SELECT ${values} FROM v WHERE 1 = 1`;
}

/** The statement with a table before it, and before the tables that the statement makes itself. */
export function withTable(table: string, sql: string): string {
  const other = /^\s*WITH\s/i.exec(sql);
  return other === null ? `WITH ${table} ${sql}` : `WITH ${table}, ${sql.slice(other[0].length)}`;
}

export type Statement = Omit<EachStatement, 'types'>;

/** Statements with the records that they are for: each runs over all of them before the next one. */
export interface GroupPart {
  readonly statements: readonly Statement[];
  readonly records: readonly AnyRecord[];
}

export const groupPart = <Rec>(
  statements: readonly EachStatement<Rec, unknown>[],
  records: readonly Rec[],
): GroupPart => ({ statements, records: records as readonly AnyRecord[] });

export interface Sql {
  /** `?` are the parameters. @returns the rows that it gives; none of a statement without any. */
  rows<Row>(sql: string, params?: readonly Cell[]): Promise<readonly Row[]>;
  each<Rec, Row>(statement: EachStatement<Rec, Row>, records: readonly Rec[]): Promise<readonly Row[]>;
}

/** One after the other, within a transaction. */
export async function eachOf<Rec>(
  sql: Sql,
  statements: readonly EachStatement<Rec, unknown>[],
  records: readonly Rec[],
): Promise<void> {
  for (const statement of statements) await sql.each(statement, records);
}

/**
 * One writer at a time, in one process or in many. What a promise of a writing method gives would survive a
 * loss of power.
 */
export interface Db extends Sql {
  readonly name: 'sqlite' | 'postgres';
  /** For rare writes. `work` may be done again if the database was away. */
  transaction<T>(work: (sql: Sql) => Promise<T>, manner?: WriteManner): Promise<T>;
  /**
   * A group: all parts in one transaction, and over a network in one message, so no statement waits for what
   * another one gave.
   * @returns the rows of each statement, part by part.
   */
  write(parts: readonly GroupPart[], manner?: WriteManner): Promise<readonly (readonly unknown[])[]>;
  script(sql: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * What a statement gives, part by part.
 * @param sql ends with which columns come after those of the parameters, and with their order.
 * @param key these columns. @param first before every row.
 */
export const partsOf = <Row extends object>(
  db: Pick<Sql, 'rows'>,
  sql: string,
  key: readonly (keyof Row)[],
  first: readonly Cell[] = [-1],
  most = 1_000,
) =>
  parts<Row, readonly Cell[]>(
    most,
    first,
    (after) => db.rows<Row>(`${sql} LIMIT ${most}`, after),
    (last) => key.map((name) => last[name] as Cell),
  );

/** The ledger's schema in PostgreSQL. */
export const SCHEMA = 'rowonce_ledger';

const WORDS = {
  sqlite: {
    id: 'INTEGER PRIMARY KEY',
    int: 'INTEGER',
    bytes: 'BLOB',
    strict: 'STRICT',
    keyed: 'STRICT, WITHOUT ROWID',
    schema: '',
    most: 'max',
    json_list: 'json_group_array',
    json_object: 'json_object',
    now: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
  },
  postgres: {
    id: 'BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY',
    int: 'BIGINT',
    bytes: 'BYTEA',
    strict: '',
    keyed: '',
    schema: `CREATE SCHEMA IF NOT EXISTS ${SCHEMA};`,
    most: 'greatest',
    json_list: 'json_agg',
    json_object: 'json_build_object',
    now: 'CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)',
  },
} as const;

/**
 * `{list X}`: each member of a JSON list, as `item.value`. It is text in PostgreSQL. `{hex X}`: the bytes
 * that hexadecimal digits say. `{text X}`: bytes as text; signs beyond ASCII may be written otherwise. `{said
 * X name}`: the text of that name in JSON. `{code X}`: the code of the first of findings.
 */
const [LIST, HEX, TEXT] = [/\{list (\S+)\}/g, /\{hex (\S+)\}/g, /\{text (\S+)\}/g];
/** `{taking}`: the names of calls that may take by an id, and the code of a statement knows none of them. */
const takingCalls = (): string =>
  callsThat(({ takesId }) => takesId)
    .map((name) => `'${name}'`)
    .join();
const SAID = /\{said (\S+) (\w+)\}/g;
const CODE = /\{code (\S+)\}/g;

export function inWordsOf(name: Db['name'], sql: string): string {
  const list =
    name === 'sqlite' ? 'json_each($1) AS item' : 'json_array_elements_text(CAST($1 AS json)) AS item(value)';
  return sql
    .replaceAll('{taking}', takingCalls)
    .replaceAll(LIST, list)
    .replaceAll(HEX, name === 'sqlite' ? 'unhex($1)' : "decode($1, 'hex')")
    .replaceAll(SAID, name === 'sqlite' ? "json_extract($1, '$$.$2')" : "(CAST($1 AS json) ->> '$2')")
    .replaceAll(
      CODE,
      name === 'sqlite' ? "json_extract($1, '$$[0].code')" : "(CAST($1 AS json) -> 0 ->> 'code')",
    )
    .replaceAll(TEXT, name === 'sqlite' ? 'CAST($1 AS TEXT)' : "encode($1, 'escape')")
    .replaceAll(/\{(\w+)\}/g, (_, word: keyof (typeof WORDS)['sqlite']) => WORDS[name][word]);
}
