import { randomBytes } from 'node:crypto';
import { isoTime } from '../core/clock.ts';
import { type StopError, stop } from '../core/errors.ts';
import { accountsOf, type Context, oneRow } from './context.ts';
import { copiedTo } from './copy.ts';
import type { Db, Sql } from './db.ts';
import { check } from './ends.ts';
import { readerOver } from './open-ledger.ts';
import { accept, type Loss, lossAt, lossOf, metaOf, type Place, requireAccepted } from './outside-notes.ts';
import { migrate, newestStep } from './schema.ts';
import type { StoreCheck, StoreOptions, Tell } from './store.ts';

/** What is the same of a ledger in either database: how it is laid out and recognized, and whether it may be spent from. */

/** Lays out what is not there yet. Two may do so at once, and a crash leaves what the next one completes. */
export async function layOut(db: Db): Promise<void> {
  await migrate(db).catch(async (error: unknown) => {
    if ((await lastStep(db).catch(() => 0)) !== newestStep(db.name)) throw error;
  });
  await db.transaction(async (sql) => {
    for (const [name, bytes] of [
      ['identity', 16],
      ['secret', 32],
    ] as const)
      await sql.rows('INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING', [
        name,
        randomBytes(bytes).toString('hex'),
      ]);
  });
}

async function lastStep(db: Pick<Db, 'rows'>): Promise<number> {
  const [last] = await db.rows<{ step: number | null }>('SELECT max(number) AS step FROM steps');
  return last?.step ?? 0;
}

/** @throws StopError `store_version`. */
export async function refuseNewer(db: Pick<Db, 'rows' | 'name'>, shown: string): Promise<void> {
  const [step, known] = [await lastStep(db), newestStep(db.name)];
  if (step <= known) return;
  throw stop(
    'store_version',
    `The store ${shown} was made by a newer Rowonce (schema ${step}; this one knows ${known}). Nothing in it was changed.`,
    'Use the newer Rowonce, or name another place with --store.',
  );
}

/** Of a ledger that had other tables, before the first release. */
export const earlier = (shown: string): StopError =>
  stop(
    'store_version',
    `The store ${shown} was made by an earlier Rowonce, which kept the ledger in another form. Nothing in it was changed.`,
    'Finish its batches and export its answers with the version that made it, or name another place with --store; a new one buys again what that one has bought.',
  );

/** What ends who would buy from a ledger that was copied: another one goes on in its place. */
export async function copiedAway(sql: Pick<Sql, 'rows'>, shown: string): Promise<StopError | undefined> {
  const copied = await copiedTo(sql);
  return (
    copied &&
    stop(
      'store',
      `The store ${shown} was copied to ${copied.place} on ${isoTime(copied.atMs)}, and nothing is bought from it any more; status, export and forget still work.`,
      `Name the copy: --store ${copied.place}`,
    )
  );
}

/**
 * Takes the ledger that is there to spend from it, or lays one out. A crash in here leaves a loss as it was found, or accepted.
 * @throws StopError `store` for one that was copied away, `store_lost`.
 */
export async function takeLedger(
  db: Db,
  place: Place,
  options: Pick<StoreOptions, 'acceptLost' | 'mayBeCopied' | 'tell'>,
  wasThere: boolean,
): Promise<void> {
  const away = wasThere && options.mayBeCopied !== true ? await copiedAway(db, place.shown) : undefined;
  if (away !== undefined) throw away;
  const found = wasThere ? await lossOf(db, place) : undefined;
  if (found !== undefined && options.acceptLost !== true && db.name === 'postgres') await markLost(db, found);
  const loss = wasThere ? found?.fact : lossAt(place);
  requireAccepted(loss, options);
  // A role of a server may not lay out what a newer Rowonce adds: the owner does, by store init.
  if (!wasThere || db.name === 'sqlite') await layOut(db);
  if (loss !== undefined) await db.transaction((sql) => accept(sql, place));
}

/** Tells everybody who spends from the ledger. What stands in its place under another name is left alone. */
export async function markLost(sql: Pick<Sql, 'rows'>, { fact, identity }: Loss): Promise<void> {
  const text = `INSERT INTO meta (name, value) SELECT 'lost', CAST(? AS TEXT) FROM meta WHERE name = 'identity' AND value = ?
    ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE meta.value = ''`;
  // Where it cannot be written nobody can spend from it either.
  await sql.rows(text, [fact, identity]).catch(() => {});
}

export async function contextOf(db: Db): Promise<Context> {
  return { db, secret: (await metaOf(db, 'secret')) ?? '', account: accountsOf(db) };
}

/** A ledger that is there, to read it beside who spends. @param tell hears what a spender would be stopped by. */
export async function readerAt(db: Db, place: Place, tell: Tell) {
  const loss = await lossOf(db, place);
  if (loss !== undefined) tell(`${loss.fact} Nothing is bought from it in this state.`);
  return { ...readerOver(await contextOf(db)), close: () => db.close() };
}

/** Adds each budget up anew from the calls. */
export async function checkBudgets(db: Db): Promise<Pick<StoreCheck, 'budgets' | 'wrong'>> {
  const { n: budgets } = await oneRow<{ n: number }>(db, 'SELECT count(*) AS n FROM budgets');
  return { budgets, wrong: await check(db) };
}

/** @param makes what would make one. */
export const nothingThere = (shown: string, makes: string): StopError =>
  stop('store', `There is no store at ${shown}.`, `Name an existing store with --store; ${makes}`);

/** What is left open would keep its owner from closing. */
export async function closedByFailure<T>(db: { close(): unknown }, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    await db.close();
    throw error;
  }
}
