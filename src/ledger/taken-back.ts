import { each, type Sql } from './db.ts';
import type { BatchId } from './records.ts';
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

/** Where such an answer was not a row's last one, the row is found by the call itself, which names the first row that used it. */
const ENDED_BY = each(CALLS)<{ batch: BatchId; row: number }>(`
SELECT w.batch, w.row FROM v JOIN rows w ON w.call = v.id AND w.state IN ('no_match', 'refused')
UNION SELECT w.batch, w.row FROM v JOIN calls c ON c.id = v.id JOIN rows w ON w.batch = c.batch AND w.row = c.row
WHERE w.state IN ('no_match', 'refused') AND EXISTS (SELECT 1 FROM {list w.others} WHERE CAST(item.value AS {int}) = v.id)`);

const WAITS = each({ batch: 'text', row: 'int' })(`
UPDATE rows SET state = 'pending', call = NULL, others = NULL, matched_by = NULL, reason = NULL FROM v
WHERE rows.batch = v.batch AND rows.row = v.row AND rows.state <> 'pending'`);

const IS_SKIPPED = each({ batch: 'text', row: 'int', reason: 'text' })(`
UPDATE rows SET state = 'skipped', reason = v.reason FROM v WHERE rows.batch = v.batch AND rows.row = v.row AND rows.state = 'pending'`);

/** The newest first, because one of a lineage is open at a time. */
const BATCHES = each({ batch: 'text' })<{ id: BatchId; state: string; number: number }>(
  `SELECT b.id, b.state, b.number FROM v JOIN batches b ON b.id = v.batch WHERE b.state IN ('open', 'finished')`,
);

const OTHER_OPEN = `
SELECT o.id FROM batches b JOIN batches o ON o.lineage = b.lineage AND o.state = 'open' AND o.id <> b.id WHERE b.id = ?`;

/** @param calls of free answers to lookups. */
export async function takeBack(sql: Sql, calls: readonly number[]): Promise<void> {
  const ids = calls.map((id) => ({ id }));
  await sql.each(RETRACT, ids);
  await sql.each(STANDS_AGAIN, ids);
  const rows = Map.groupBy(await sql.each(ENDED_BY, ids), ({ batch }) => batch);
  const batches = await sql.each(
    BATCHES,
    [...rows.keys()].map((batch) => ({ batch })),
  );
  for (const { id, state } of batches.toSorted((a, b) => b.number - a.number)) {
    const ended = rows.get(id) ?? [];
    await sql.each(WAITS, ended);
    if (state === 'open') continue;
    const [other] = await sql.rows<{ id: BatchId }>(OTHER_OPEN, [id]);
    if (other === undefined) await sql.rows(`UPDATE batches SET state = 'open' WHERE id = ?`, [id]);
    else {
      const reason = `its answer was taken back, and batch ${other.id} goes on with this list`;
      await sql.each(
        IS_SKIPPED,
        ended.map((each) => ({ ...each, reason })),
      );
    }
  }
}
