import { stop } from '../../../core/errors.ts';
import { type Copied, type CopySource, type CopyTarget, wasCopied } from '../../copying.ts';
import type { StoreOptions } from '../../store.ts';
import { closedByFailure, connect, type Database, type Sql } from './connection.ts';
import { partsOf } from './copy-from.ts';
import { takeParts } from './copy-to.ts';
import { erasureKeyOf, keepErasureKey, keyLost, lostErasureKey } from './erasure-key.ts';
import { standStill } from './lock.ts';
import { requireNewest } from './lost-commits.ts';
import { postgresLedger } from './postgres-ledger.ts';
import { hasLedger, layOut, newestEntry, nothingThere } from './schema-laid-out.ts';

interface Identity {
  readonly identity: string;
  readonly arriving: boolean;
  readonly copied: Copied | null;
}

const IDENTITY = `
SELECT identity, arriving, CASE WHEN copied_as IS NOT NULL
    THEN json_build_object('identity', copied_as, 'place', copied_to, 'atMs', copied_at) END AS copied FROM ledger`;

async function identityOf(sql: Sql): Promise<Identity> {
  const found = await sql.row<Identity>(IDENTITY);
  return found ?? { identity: '', arriving: false, copied: null };
}

/**
 * @param toSpend whether something may be bought or decided: a ledger that was copied is read as before.
 * @throws StopError `store` when another ledger goes on in its place, or when it is a copy that is not finished.
 */
export async function refuseCopied(database: Database, toSpend: boolean): Promise<void> {
  const { arriving, copied } = await identityOf(database);
  if (arriving) throw notFinished(database);
  if (copied !== null && toSpend) throw wasCopied(`at ${database.shown}`, copied, 'status and export');
}

const notFinished = ({ shown }: Database) =>
  stop(
    'store',
    `The ledger at ${shown} is a copy that is not finished.`,
    'Run the same store copy command again.',
  );

export async function copySource(location: string, options: StoreOptions): Promise<CopySource> {
  const database = await connect(location);
  return closedByFailure(database, async () => {
    if (!(await hasLedger(database))) throw nothingThere(database);
    await requireNewest(database, options);
    const standing = await standStill(database, options);
    const { arriving, copied } = await identityOf(database);
    if (arriving) throw notFinished(database);
    const secret = await erasureKeyOf(database);
    const loss = await lostErasureKey(database, database.shown);
    if (loss !== undefined) throw keyLost(loss);
    const newest = await newestEntry(database);
    const { clock, command } = options;
    const ledger = postgresLedger(database, { clock, command, worker: 0, standing }, secret);
    return {
      ledger,
      place: location,
      copied: copied ?? undefined,
      secret,
      parts: () => partsOf(database),
      leave: (copy) => leave(database, newest, copy),
      close: () => ledger.close(),
    };
  });
}

/** @param newest the newest entry before the copy was made. */
function leave(database: Database, newest: number, { identity, place, atMs }: Copied): Promise<void> {
  return database.write(async (sql) => {
    // Waits for whoever is writing, and keeps others from it until the mark is there.
    await sql.script('LOCK TABLE calls, entries IN SHARE ROW EXCLUSIVE MODE');
    if ((await newestEntry(database)) !== newest)
      throw stop(
        'store',
        `Something was bought from ${database.shown} while it was copied, so the copy is not complete.`,
        'Stop everything that spends from it, then run the same command again.',
      );
    await sql.rows(LEAVE, [identity, place, Math.floor(atMs)]);
  });
}

const LEAVE = `
UPDATE ledger SET copied_as = $1, copied_to = $2, copied_at = $3 WHERE copied_as IS NULL`;

export async function copyTarget(location: string, options: StoreOptions): Promise<CopyTarget> {
  const database = await connect(location);
  return closedByFailure(database, async () => {
    if (!(await hasLedger(database))) await layOut(database);
    const standing = await standStill(database, options);
    const { identity, arriving } = await identityOf(database);
    const used = await database.row(
      'SELECT 1 FROM (SELECT FROM accounts UNION ALL SELECT FROM agreements) a LIMIT 1',
    );
    return {
      place: location,
      present: arriving || used === undefined ? undefined : identity,
      awaiting: arriving ? identity : undefined,
      async take(parts, secret) {
        if (secret !== undefined) keepErasureKey(secret);
        return takeParts(database, parts);
      },
      look: async () => ({
        ...postgresLedger(database, undefined, await erasureKeyOf(database)),
        close: async () => {},
      }),
      arrive: () => database.script('UPDATE ledger SET arriving = false'),
      async close() {
        await standing.end();
        await database.close();
      },
    };
  });
}
