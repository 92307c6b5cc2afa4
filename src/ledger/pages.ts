import type { Cell, Db } from './db.ts';

const PAGE = 1_000;

/**
 * What a statement gives, page by page.
 * @param sql ends with which columns come after those of the parameters, and with their order.
 * @param key these columns. @param first before every row. @param most rows of a page.
 */
export async function* pages<Row extends object>(
  db: Pick<Db, 'rows'>,
  sql: string,
  key: readonly (keyof Row)[],
  first: readonly Cell[],
  most = PAGE,
): AsyncGenerator<readonly Row[]> {
  for (let after = first; ; ) {
    const page = await db.rows<Row>(`${sql} LIMIT ${most}`, after);
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < most) return;
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
  for await (const page of pages<Row>(db, sql, key, first)) yield* page;
}
