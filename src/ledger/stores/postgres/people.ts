import { type Act, type Agreement, type BatchId, GOES_ON, type Ledger } from '../../ledger.ts';
import type { Sql } from './connection.ts';
import { json, type Session, wholeMs } from './session.ts';

export const people = ({ database }: Session) =>
  ({
    agreement: (sha256) =>
      database.row<Agreement>(
        'SELECT sha256, shown, agreed_at AS "agreedAtMs" FROM agreements WHERE sha256 = $1',
        [sha256],
      ),
    async noteAgreement({ sha256, shown, agreedAtMs }) {
      const sql =
        'INSERT INTO agreements (sha256, shown, agreed_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING';
      await database.rows(sql, [sha256, json(shown), wholeMs(agreedAtMs)]);
    },
    acts: (batch) => database.rows<Act>(`${ACTS} WHERE batch = $1 ORDER BY id`, [batch]),
    erasures: () => database.rows<Act>(`${ACTS} WHERE kind = 'erased' ORDER BY id`),
  }) satisfies Partial<Ledger>;

const ACTS = 'SELECT kind, operator, at AS "atMs", after FROM acts';

/** The newest number that an entry has. */
const AFTER = 'CASE WHEN n.is_called THEN n.last_value ELSE 0 END';

const NOTE = `
INSERT INTO acts (kind, batch, after, at, operator)
  SELECT $1, $2, ${AFTER}, $3, $4 FROM numbers n
   WHERE $1 NOT IN (${GOES_ON.map((kind) => `'${kind}'`).join(', ')})
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
