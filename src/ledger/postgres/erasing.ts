import { besideFolder } from '../../core/paths.ts';
import type { PostgresDb } from '../db/postgres.ts';
import { SCHEMA } from '../db.ts';
import { findErasable, finishErasures } from '../erase.ts';
import type { Cleaning, Eraser } from '../eraser.ts';
import { keptTables } from '../schema.ts';
import type { StoreOptions } from '../store.ts';
import { openSpender, reading } from './place.ts';
import { standStill } from './standing.ts';

/** Opens a ledger to erase from it. What lies beside a ledger in a folder, such as the book of a sandbox, is in a folder of this user. */
export async function erasing<T>(
  location: string,
  options: StoreOptions,
  work: (eraser: Eraser) => Promise<T>,
): Promise<T> {
  const owner = await reading(location, otherOwner);
  const standing =
    options.dryRun === true || owner !== undefined ? undefined : await standStill(location, options);
  try {
    const isStill = standing !== undefined;
    const { db, ledger, worker } = await openSpender(location, { ...options, mayBeCopied: true, isStill });
    try {
      const erasing = { db, worker, clean: () => clean(db) };
      if (owner === undefined && isStill) await finishErasures(erasing);
      const find: Eraser['find'] = (target) => findErasable(erasing, target);
      return await work({ folder: besideFolder(location), ledger, owner, find, compact: erasing.clean });
    } finally {
      await ledger.close();
    }
  } finally {
    await standing?.end();
  }
}

/** Former versions of rows go. The write-ahead log of the server, its archive and backups are its owner's. */
async function clean(db: PostgresDb): Promise<Cleaning> {
  for (const { table } of keptTables()) await db.rows(`VACUUM FULL ${table}`);
  return { isDue: false };
}

/** Who has to erase where this role may not. Emptied rows are written anew as well, which only the owner of the tables may do. */
async function otherOwner(db: PostgresDb): Promise<string | undefined> {
  const [found] = await db.rows<{ owner: string }>(
    `SELECT pg_get_userbyid(relowner) AS owner FROM pg_class WHERE oid = '${SCHEMA}.calls'::regclass AND NOT pg_has_role(relowner, 'USAGE')`,
  );
  return found?.owner;
}
