import type { Erasable, ErasureTarget } from '../../eraser.ts';
import { type ErasableRow, type Found as FoundIn, foundOld, type OldCall } from '../../rules/found.ts';
import type { Sql } from './connection.ts';

/** What this store finds to erase: an answer is cut in its entry. */
export interface Cut {
  readonly id: number;
  readonly of: number;
  readonly call: number;
  readonly body: Buffer;
}
export type Found = FoundIn<Cut>;

export const ROWS = `
SELECT DISTINCT r.batch, r.row FROM rows r CROSS JOIN unnest(r.answers) u (attempt)
  JOIN entries a ON a.of = u.attempt AND a.id = a.of WHERE a.call = ANY ($1)`;

type Old = ErasureTarget & { readonly kind: 'old' };

/**
 * Answers that were bought, but no changes. The ledger does not know what the rows of an open batch ask that are not finished yet, so
 * all answers to its operation count. Of a finished one, rows in doubt are worked through once more.
 */
const OLD_CALLS = `
WITH doubtful AS MATERIALIZED (
  SELECT a.call, min(r.batch) AS batch FROM batches b JOIN rows r ON r.batch = b.id AND r.outcome = 'in_doubt'
    CROSS JOIN unnest(r.answers) u (attempt) JOIN entries a ON a.of = u.attempt AND a.id = a.of
   WHERE b.state = 'finished' GROUP BY a.call)
SELECT c.id, coalesce(
    (SELECT b.id FROM batches b WHERE b.state = 'open' AND b.account = c.account AND b.operation = c.operation LIMIT 1),
    (SELECT d.batch FROM doubtful d WHERE d.call = c.id)) AS needed_by,
    l.batch, l.row, c.state = 'doubt' OR c.open IS NOT NULL AS unsettled
  FROM calls c
  JOIN LATERAL (SELECT * FROM entries a WHERE a.call = c.id AND a.id = a.of ORDER BY a.of DESC LIMIT 1) l ON true
 WHERE c.terms -> 'change' IS NULL AND c.terms ->> 'erasedAtMs' IS NULL AND ($2::text IS NULL OR c.account = $2)
   AND l.at < $1::bigint
   AND NOT EXISTS (
     SELECT FROM entries a JOIN entries k ON k.of = a.of AND k.kind IN ('answered', 'lost', 'lost_beside', 'unsold', 'told')
      WHERE a.call = c.id AND a.id = a.of
        AND (CASE WHEN k.kind = 'told' THEN coalesce((k.facts ->> 'receivedAtMs')::bigint, 0) ELSE k.at END) >= $1::bigint)`;

/** The reason of a row that was never sent quotes its cells. */
const OLD_INVALID = `
SELECT r.batch, r.row FROM rows r JOIN batches b ON b.id = r.batch
 WHERE b.vendor = 'provider' AND b.state <> 'open' AND b.created_at < $1::bigint AND r.outcome = 'invalid'
   AND ($2::text IS NULL OR b.account = $2) AND r.reason::text NOT LIKE '"erased on ____-__-__"'`;

export async function olderThan(sql: Sql, { beforeMs, accountIdentity }: Old): Promise<Found> {
  const values = [Math.floor(beforeMs), accountIdentity ?? null];
  const found = foundOld(await sql.rows<OldCall>(OLD_CALLS, values));
  const final = `${ROWS} AND r.outcome <> 'in_doubt'`;
  const rows = [
    ...(await sql.rows<ErasableRow>(final, [[...found.calls]])),
    ...(await sql.rows<ErasableRow>(OLD_INVALID, values)),
  ];
  return { ...found, rows };
}

/** Every batch with its list, which is no older than the batch. */
export function inputsIn(sql: Sql, target: ErasureTarget): Promise<Erasable['inputs']> {
  const beforeMs = target.kind === 'old' ? Math.floor(target.beforeMs) : null;
  return sql.rows<Erasable['inputs'][number]>(INPUTS, [beforeMs]);
}

const INPUTS = `
SELECT b.id AS batch, b.input_path AS path,
       coalesce(b.created_at >= $1::bigint OR EXISTS (SELECT FROM entries a WHERE a.batch = b.id AND a.id = a.of AND a.at >= $1::bigint), false) AS "isYoung",
       b.state = 'open' OR (b.state = 'finished' AND EXISTS (
         SELECT FROM rows r WHERE r.batch = b.id AND r.outcome = 'in_doubt')) AS "goesOn"
  FROM batches b ORDER BY b.ordinal`;
