import { each, type Sql } from './db.ts';
import { askAgain } from './moves.ts';
import { isCurrent } from './schema.ts';

/** Free answers that spoke of the account and not of what was asked: their calls are unknown again, and the rows that they ended wait. */

const CALLS = { id: 'int' } as const;

const RETRACT = each(CALLS)(
  `UPDATE calls SET state = 'retracted', is_current = 0 FROM v WHERE calls.id = v.id AND calls.state IN ('answered', 'replaced')`,
);

/** Below an answer that was bought again is an older one, which is its call's answer again. */
const STANDS_AGAIN = each(CALLS)(`
UPDATE calls SET state = 'answered', is_current = 1 FROM v JOIN calls c ON c.id = v.id WHERE calls.id = c.prior AND calls.state = 'replaced'
  AND NOT EXISTS (SELECT 1 FROM calls o WHERE o.key = calls.key AND ${isCurrent('o')})`);

/** @param calls of free answers to lookups. */
export async function takeBack(sql: Sql, calls: readonly number[]): Promise<void> {
  const ids = calls.map((id) => ({ id }));
  await sql.each(RETRACT, ids);
  await sql.each(STANDS_AGAIN, ids);
  await askAgain(sql, calls);
}
