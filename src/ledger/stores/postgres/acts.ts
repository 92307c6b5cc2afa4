import type { Act, BatchId, Ledger } from '../../ledger.ts';
import type { Sql } from './connection.ts';
import { keepsActs } from './schema-laid-out.ts';
import { type Session, wholeMs } from './session.ts';

/** Who worked on batches. Nothing is erased from this store, so it has no erasures. */
type Part = Pick<Ledger, 'acts' | 'erasures'>;

export const acts = ({ database }: Session): Part => ({
  acts: async (batch) => ((await keepsActs(database)) ? database.rows<Act>(OF_BATCH, [batch]) : []),
  erasures: async () => [],
});

const OF_BATCH = 'SELECT kind, operator, at AS "atMs", after FROM acts WHERE batch = $1 ORDER BY id';

/** What goes on in the same hands is not noted again. */
const NOTE = `
INSERT INTO acts (kind, batch, after, at, operator)
  SELECT $1, $2, CASE WHEN n.is_called THEN n.last_value ELSE 0 END, $3, $4 FROM numbers n
   WHERE $1 NOT IN ('gone_on', 'settled')
      OR $4 IS DISTINCT FROM (SELECT operator FROM acts WHERE batch = $2 ORDER BY id DESC LIMIT 1)`;

export async function noteAct(
  sql: Sql,
  { operator, clock }: Pick<Session, 'operator' | 'clock'>,
  kind: Act['kind'],
  batch: BatchId,
): Promise<void> {
  if (operator === undefined || clock === undefined) return;
  await sql.rows(NOTE, [kind, batch, wholeMs(clock.wallMs()), operator]);
}
