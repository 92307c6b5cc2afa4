import type { Ledger, LedgerReader } from '../../ledger.ts';
import type { Spender, StoreOptions } from '../../store.ts';
import { connect, type Database } from './connection.ts';
import { spenderOf, takeLock } from './lock.ts';
import { postgresLedger } from './postgres-ledger.ts';
import { hasLedger, keepsActs, layOut, newestEntry, nothingThere } from './schema-laid-out.ts';

/** Opens the ledger of a database: as `Store` says. */

export async function openSpender(location: string, options: StoreOptions): Promise<Ledger> {
  const database = await connect(location);
  return closedByFailure(database, async () => {
    if (!(await hasLedger(database)) && !options.create) throw nothingThere(database);
    if (!(await keepsActs(database))) await layOut(database);
    const lock = await takeLock(database, options);
    return closedByFailure({ close: () => lock.release() }, async () =>
      postgresLedger(database, {
        ...{ clock: options.clock, operator: options.operator, lock },
        newest: await newestEntry(database),
      }),
    );
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
