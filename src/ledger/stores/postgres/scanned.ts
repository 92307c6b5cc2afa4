import type { Sql } from './connection.ts';

/** Rows of a statement a page after the other, so that memory does not grow with the ledger. Only in a transaction. */
const AT_ONCE = 1_000;

/** @param query has no values. Nobody else scans in the same transaction meanwhile. */
export async function* pagesOf<Row>(sql: Sql, query: string): AsyncGenerator<readonly Row[]> {
  // One cursor at a time needs one name, and so one text to be prepared.
  await sql.script(`DECLARE scanned NO SCROLL CURSOR FOR ${query}`);
  for (;;) {
    const rows = await sql.rows<Row>(`FETCH ${AT_ONCE} FROM scanned`);
    if (rows.length === 0) break;
    yield rows;
  }
  await sql.script(`CLOSE scanned`);
}

export async function* scanned<Row>(sql: Sql, query: string): AsyncGenerator<Row> {
  for await (const page of pagesOf<Row>(sql, query)) yield* page;
}
