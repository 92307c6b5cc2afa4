import { isoTime } from '../../../core/clock.ts';
import type { Ledger, LedgerReader } from '../../ledger.ts';
import type { Spender, StoreOptions, Tell } from '../../store.ts';
import type { WorkQueue } from '../../work-queue.ts';
import { connect, type Database } from './connection.ts';
import { refuseCopied } from './copies.ts';
import { erasureKeyOf, lost, lostErasureKey } from './erasure-key.ts';
import { postgresLedger } from './postgres-ledger.ts';
import { hasQueue, openQueue } from './queue.ts';
import { hasLedger, layOut, nothingThere } from './schema-laid-out.ts';
import { atWork, newWorker } from './spenders.ts';

/** Opens the ledger of a database: as `Store` says. */

export async function openSpender(location: string, options: StoreOptions): Promise<Ledger> {
  const { patience, tell } = options;
  const database = await connect(location, {
    riding: patience && { ...patience, clock: options.clock, tell },
  });
  return closedByFailure(database, async () => {
    if (!(await hasLedger(database))) {
      if (!options.create) throw nothingThere(database);
      await layOut(database);
    }
    await refuseCopied(database, options.mayBeCopied !== true);
    const loss = await lostErasureKey(database, database.shown);
    if (loss !== undefined && options.sendsNothing !== true) {
      if (options.acceptLost !== true) throw lost(loss);
      options.tell?.(`Accepted with --accept store: ${loss}`);
    }
    const { clock, command, operator } = options;
    const worker = await newWorker(database, command);
    return postgresLedger(database, { clock, command, operator, worker }, await erasureKeyOf(database));
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
    const worker = (await hasLedger(database)) ? await atWork(database) : undefined;
    return worker && { pid: worker.pid, since: isoTime(worker.sinceMs), command: worker.command };
  } finally {
    await database.close();
  }
}

export async function queueAt(location: string): Promise<WorkQueue | undefined> {
  const database = await connect(location, { isReader: true });
  try {
    return (await hasQueue(database)) ? await openQueue(location) : undefined;
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
