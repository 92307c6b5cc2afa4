import type { Ledger, LedgerReader } from '../../ledger.ts';
import type { Spender, StoreOptions, Tell } from '../../store.ts';
import { connect, type Database } from './connection.ts';
import { refuseCopied } from './copies.ts';
import { erasureKeyOf, lost, lostErasureKey } from './erasure-key.ts';
import { spenderOf, takeLock } from './lock.ts';
import { postgresLedger } from './postgres-ledger.ts';
import { hasLedger, layOut, newestEntry, nothingThere } from './schema-laid-out.ts';

/** Opens the ledger of a database: as `Store` says. */

export async function openSpender(location: string, options: StoreOptions): Promise<Ledger> {
  const database = await connect(location);
  return closedByFailure(database, async () => {
    if (!(await hasLedger(database))) {
      if (!options.create) throw nothingThere(database);
      await layOut(database);
    }
    const lock = await takeLock(database, options);
    return closedByFailure({ close: () => lock.release() }, async () => {
      await refuseCopied(database, options.mayBeCopied !== true);
      const loss = await lostErasureKey(database, database.shown);
      if (loss !== undefined && options.sendsNothing !== true) {
        if (options.acceptLost !== true) throw lost(loss);
        options.tell?.(`Accepted with --accept store: ${loss}`);
      }
      return postgresLedger(
        database,
        { clock: options.clock, lock, newest: await newestEntry(database) },
        await erasureKeyOf(database),
      );
    });
  });
}

export async function openReader(location: string, tell: Tell = () => {}): Promise<LedgerReader> {
  const database = await connect(location, { isReader: true });
  return closedByFailure(database, async () => {
    if (!(await hasLedger(database))) throw nothingThere(database);
    await refuseCopied(database, false);
    const loss = await lostErasureKey(database, database.shown);
    if (loss !== undefined) tell(`${loss} Nothing is bought from it as it is.`);
    return postgresLedger(database, undefined, await erasureKeyOf(database));
  });
}

export async function spenderAt(location: string): Promise<Spender | undefined> {
  const database = await connect(location, { isReader: true });
  try {
    return (await hasLedger(database)) ? await spenderOf(database) : undefined;
  } finally {
    await database.close();
  }
}

/** What is left open would keep its owner from closing. */
async function closedByFailure<T>(opened: Pick<Database, 'close'>, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    await opened.close();
    throw error;
  }
}
