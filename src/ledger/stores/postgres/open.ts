import type { Ledger, LedgerReader } from '../../ledger.ts';
import type { Spender, StoreOptions } from '../../store.ts';
import { connect, type Database } from './connection.ts';
import { spenderOf, takeLock } from './lock.ts';
import { postgresLedger } from './postgres-ledger.ts';
import { hasLedger, layOut, newestEntry, nothingThere } from './schema-laid-out.ts';
import { newWorker } from './spenders.ts';

/** Opens the ledger of a database: as `Store` says. */

export async function openSpender(
  location: string,
  options: StoreOptions,
  manySpend: boolean,
): Promise<Ledger> {
  const { patience, tell } = options;
  const database = await connect(location, {
    riding: patience && { ...patience, clock: options.clock, tell },
  });
  return closedByFailure(database, async () => {
    if (!(await hasLedger(database))) {
      if (!options.create) throw nothingThere(database);
      await layOut(database);
    }
    const { clock, command } = options;
    if (manySpend)
      return postgresLedger(database, { clock, command, worker: await newWorker(database, command) });
    const lock = await takeLock(database, options);
    return closedByFailure({ close: () => lock.release() }, async () => {
      const worker = await newWorker(database, command);
      return postgresLedger(database, { clock, command, worker, lock, newest: await newestEntry(database) });
    });
  });
}

export async function openReader(location: string): Promise<LedgerReader> {
  const database = await connect(location, { isReader: true });
  return closedByFailure(database, async () => {
    if (!(await hasLedger(database))) throw nothingThere(database);
    return postgresLedger(database);
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
