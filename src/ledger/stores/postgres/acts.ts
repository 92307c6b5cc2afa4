import type { Act, BatchId, Ledger } from '../../ledger.ts';
import type { Sql } from './connection.ts';
import { type Session, wholeMs } from './session.ts';

/** Who worked on batches, and who ordered erasures. */

export const acts = ({ database }: Pick<Session, 'database'>) =>
  ({
    acts: (batch) => database.rows<Act>(`${ACTS} WHERE batch = $1 ORDER BY id`, [batch]),
    erasures: () => database.rows<Act>(`${ACTS} WHERE kind = 'erased' ORDER BY id`),
  }) satisfies Partial<Ledger>;

const ACTS = 'SELECT kind, operator, at AS "atMs", after FROM acts';

/** The newest number that an entry has. */
const AFTER = 'CASE WHEN n.is_called THEN n.last_value ELSE 0 END';

/** What goes on in the same hands is not noted again. */
const NOTE = `
INSERT INTO acts (kind, batch, after, at, operator)
  SELECT $1, $2, ${AFTER}, $3, $4 FROM numbers n
   WHERE $1 NOT IN ('gone_on', 'settled')
      OR $4 IS DISTINCT FROM (SELECT operator FROM acts WHERE batch = $2 ORDER BY id DESC LIMIT 1)`;

export async function noteAct(
  sql: Sql,
  { operator, clock }: Pick<Session, 'operator' | 'clock'>,
  kind: Exclude<Act['kind'], 'erased'>,
  batch: BatchId,
): Promise<void> {
  if (operator === undefined || clock === undefined) return;
  await sql.rows(NOTE, [kind, batch, wholeMs(clock.wallMs()), operator]);
}

const NOTE_ERASURE = `
INSERT INTO acts (kind, erasure, after, at, operator) SELECT 'erased', $1, ${AFTER}, $2, $3 FROM numbers n`;

export async function noteErasure(
  sql: Sql,
  erasure: number,
  { operator, atMs }: Pick<Act, 'operator' | 'atMs'>,
): Promise<void> {
  await sql.rows(NOTE_ERASURE, [erasure, wholeMs(atMs), operator]);
}
