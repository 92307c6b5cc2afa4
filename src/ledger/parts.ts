import type { Cell, Db } from './db.ts';

const PART = 1_000;

/**
 * What a statement gives, part by part.
 * @param sql ends with which columns come after those of the parameters, and with their order.
 * @param key these columns. @param first before every row. @param most rows of a part.
 */
export async function* parts<Row extends object>(
  db: Pick<Db, 'rows'>,
  sql: string,
  key: readonly (keyof Row)[],
  first: readonly Cell[],
  most = PART,
): AsyncGenerator<readonly Row[]> {
  for (let after = first; ; ) {
    const part = await db.rows<Row>(`${sql} LIMIT ${most}`, after);
    if (part.length > 0) yield part;
    const last = part.at(-1);
    if (last === undefined || part.length < most) return;
    after = key.map((name) => last[name] as Cell);
  }
}

/** The same row by row. */
export async function* rowsOf<Row extends object>(
  db: Pick<Db, 'rows'>,
  sql: string,
  key: readonly (keyof Row)[],
  first: readonly Cell[] = [-1],
): AsyncGenerator<Row> {
  for await (const part of parts<Row>(db, sql, key, first)) yield* part;
}
