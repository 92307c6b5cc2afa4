import type { Ledger, LedgerReader } from '../../ledger.ts';
import { requireAccepted } from '../../lost-stores.ts';
import { refuseForeignNotes } from '../../outside-notes.ts';
import type { StoreOptions, Tell } from '../../store.ts';
import type { WorkQueue } from '../../work-queue.ts';
import { closedByFailure, connect, type Database } from './connection.ts';
import { refuseCopied } from './copies.ts';
import { erasureKeyOf, keyLost, lostErasureKey } from './erasure-key.ts';
import { accept, ledgerNow, lossAt, lossOf, requireNewest } from './lost-commits.ts';
import { postgresLedger } from './postgres-ledger.ts';
import { hasQueue, openQueue } from './queue.ts';
import { hasLedger, layOut, nothingThere } from './schema-laid-out.ts';
import { newWorker } from './spenders.ts';

export async function openSpender(location: string, options: StoreOptions): Promise<Ledger> {
  const { patience, tell } = options;
  const database = await connect(location, {
    riding: patience && { ...patience, clock: options.clock, tell },
  });
  return closedByFailure(database, async () => {
    await prepare(database, options);
    if (options.sendsNothing !== true)
      requireAccepted(await lostErasureKey(database, database.shown), options, keyLost);
    const { clock, command, operator } = options;
    const found = await ledgerNow(database);
    const worker = await newWorker(database, command);
    const secret = await erasureKeyOf(database);
    return postgresLedger(database, { clock, command, operator, worker, found }, secret);
  });
}

/** Takes the ledger that is there, or lays one out. A crash in here leaves a loss as it was found, or accepted. */
async function prepare(database: Database, options: StoreOptions): Promise<void> {
  refuseForeignNotes();
  if (await hasLedger(database)) {
    await refuseCopied(database, options.mayBeCopied !== true);
    await requireNewest(database, options);
    return;
  }
  if (!options.create) throw nothingThere(database);
  const loss = lossAt(database);
  requireAccepted(loss?.fact, options);
  await layOut(database);
  if (loss !== undefined) await accept(database, loss);
}

export async function openReader(location: string, tell: Tell = () => {}): Promise<LedgerReader> {
  const database = await connect(location, { isReader: true });
  return closedByFailure(database, async () => {
    refuseForeignNotes();
    if (!(await hasLedger(database))) {
      const gone = lossAt(database);
      if (gone !== undefined) tell(gone.fact);
      throw nothingThere(database);
    }
    await refuseCopied(database, false);
    const loss = (await lossOf(database))?.fact ?? (await lostErasureKey(database, database.shown));
    if (loss !== undefined) tell(`${loss} Nothing is bought from it in this state.`);
    return postgresLedger(database, undefined, await erasureKeyOf(database));
  });
}

export async function queueAt(location: string): Promise<WorkQueue | undefined> {
  const database = await connect(location, { isReader: true });
  try {
    return (await hasQueue(database)) ? await openQueue(location) : undefined;
  } finally {
    await database.close();
  }
}
