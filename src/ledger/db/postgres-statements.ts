import { type Cell, type Columns, inWordsOf, type Statement } from '../db.ts';

/** How a statement and its records are said to PostgreSQL. All of it is made before anything is sent, so that no part of a group leaves without the rest. */

interface Prepared {
  readonly name: string;
  readonly text: string;
}

/** A statement over records. `again` reads what it returned. */
export interface OverRecords extends Prepared {
  readonly values: string[];
  readonly again: Omit<OverRecords, 'again'> | undefined;
}

/** By their text, with its columns where it reads again what another one returned, and those over records by themselves. */
const known = new Map<string | Statement, Prepared>();

function prepared(key: string | Statement, said: () => string): Prepared {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = { name: `s${known.size}`, text: inWordsOf('postgres', said()) };
  known.set(key, made);
  return made;
}

/** Each text is prepared once a connection, so it must be one of a few. */
export function textOf(sql: string): Prepared {
  let at = 0;
  return prepared(sql, () => sql.replaceAll('?', () => `$${++at}`));
}

const WRITES = /\b(?:INSERT|UPDATE|DELETE)\b/i;
const RETURNS = /\bRETURNING\b/i;

/** Undefined where there is no record. */
export function queryOf<Rec>(statement: Statement, records: readonly Rec[]): OverRecords | undefined {
  if (records.length === 0) return undefined;
  const { sql, columns, writes, again } = statement;
  const values = Object.entries(columns).map(([column, type]) => {
    const cells = records.map((record) => cellOf((record as Readonly<Record<string, Cell>>)[column] ?? null));
    return `{${cells.map((cell) => (cell === null ? 'NULL' : IN_ARRAY[type](cell as never))).join()}}`;
  });
  const returning = writes === undefined ? '' : ' RETURNING id';
  const query = { ...prepared(statement, () => withRecords(sql + returning, columns)), values };
  if (!WRITES.test(sql)) return { ...query, again: query };
  if (again === undefined) return { ...query, again };
  return {
    ...query,
    again: { ...prepared(`${Object.keys(columns)} ${again}`, () => withRecords(again, columns)), values },
  };
}

/** Of a statement in a group: the rows that it returns can be asked for again. */
export const isAskable = ({ sql, again }: Statement): boolean => again !== undefined || !RETURNS.test(sql);

/** The statement with a table `v` of the records before it. */
function withRecords(sql: string, columns: Columns): string {
  const list = Object.entries(columns);
  const arrays = list.map(([, type], at) => `$${at + 1}::${ARRAYS[type]}`).join(', ');
  const names = list.map(([column]) => column).join(', ');
  const v = `WITH v (${names}) AS (SELECT * FROM unnest(${arrays}))`;
  const other = /^\s*WITH\s/i.exec(sql);
  return other === null ? `${v} ${sql}` : `${v}, ${sql.slice(other[0].length)}`;
}

const ARRAYS = { int: 'bigint[]', text: 'text[]', bytes: 'bytea[]' } as const;

const IN_ARRAY = {
  int: (cell: number) => String(cell),
  text: (cell: string) => `"${cell.replaceAll(/["\\]/g, '\\$&')}"`,
  bytes: (cell: Uint8Array) =>
    `"\\\\x${Buffer.from(cell.buffer, cell.byteOffset, cell.byteLength).toString('hex')}"`,
} as const;

/** No text of PostgreSQL can hold a zero byte, and one would refuse the whole group: it becomes what UTF-8 has for what cannot be read. */
export const cellOf = (cell: Cell): Cell =>
  typeof cell === 'string' ? cell.replaceAll('\0', '\uFFFD') : cell;
