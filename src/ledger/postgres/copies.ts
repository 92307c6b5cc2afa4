import { stop } from '../../core/errors.ts';
import { type CopySource, type CopyTarget, copyTables } from '../copy.ts';
import { postgres } from '../db/postgres.ts';
import { SCHEMA, type Sql } from '../db.ts';
import { setMeta } from '../outside-notes.ts';
import { closedByFailure, copiedTo, layOut, metaOf } from '../place.ts';
import { keptTables } from '../schema.ts';
import type { StoreOptions } from '../store.ts';
import { hasLedger, openSpender } from './place.ts';
import { standStill } from './standing.ts';

/** A copy of another ledger has a mark until it is opened to everybody, and nothing opens it before. */

export async function copySource(location: string, options: StoreOptions): Promise<CopySource> {
  const standing = await standStill(location, options);
  try {
    const { db, ledger, worker } = await openSpender(location, {
      ...options,
      mayBeCopied: true,
      isStill: true,
    });
    const newest = await newestOf(db);
    return {
      ...{ ledger, db, place: location },
      copied: await copiedTo(db),
      leave: (copied) =>
        db.transaction(async (sql) => {
          if ((await newestOf(sql)) !== newest)
            throw stop(
              'store',
              `Something was bought from ${db.shown} while it was copied, so the copy is not complete.`,
              'Stop everything that spends from it, then run the same command again.',
            );
          await setMeta(sql, { copied_to: JSON.stringify(copied) });
          // Whoever has it open writes nothing any more.
          await sql.rows(
            'UPDATE workers SET newest_group = newest_group + 1 WHERE ended_at IS NULL AND id <> ?',
            [worker],
          );
        }),
      async close() {
        await ledger.close();
        await standing.end();
      },
    };
  } catch (error) {
    await standing.end();
    throw error;
  }
}

/** Grows with everything that is written. */
async function newestOf(sql: Pick<Sql, 'rows'>): Promise<number> {
  const [found] = await sql.rows<{ n: number }>(
    'SELECT CAST(coalesce(sum(newest_group), 0) AS {int}) AS n FROM workers WHERE ended_at IS NULL OR newest_group > 0',
  );
  return found?.n ?? 0;
}

export async function copyTarget(location: string, options: StoreOptions): Promise<CopyTarget> {
  const db = await postgres(location);
  return closedByFailure(db, async () => {
    if (!(await hasLedger(db, { mayArrive: true }))) await layOut(db);
    const standing = await standStill(location, options);
    const isArriving = (await metaOf(db, 'arriving')) !== undefined;
    const identity = await metaOf(db, 'identity');
    const used = await db.rows(`SELECT 1 FROM (SELECT FROM accounts UNION ALL SELECT FROM notes) a LIMIT 1`);
    return {
      place: location,
      present: isArriving || used.length === 0 ? undefined : identity,
      awaiting: isArriving ? identity : undefined,
      async take(from) {
        const tables = keptTables().map(({ table }) => table);
        // Roles keep what they may do with the tables.
        await db.script(`
          BEGIN; DROP FUNCTION IF EXISTS ${SCHEMA}.refuse() CASCADE; TRUNCATE ${tables.join(', ')}, steps;
          INSERT INTO meta (name, value) VALUES ('arriving', 'yes'); COMMIT;`);
        return copyTables(from, db, location);
      },
      arrive: async () => void (await db.rows(`DELETE FROM meta WHERE name = 'arriving'`)),
      async close() {
        await standing.end();
        await db.close();
      },
    };
  });
}
