import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { BatchId, Ledger } from '../../../src/ledger/ledger.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { batchSpec, DAY_MS, NOON_MS } from './book.ts';
import { freshPlace, openStore } from './places.ts';

// Ledgers of two stores side by side, for histories that are written to both.

export const BATCHES = [0, 1] as const;

/** One of the two ledgers, with its batches. */
export interface Side {
  readonly place: string;
  readonly ledger: Ledger;
  readonly batches: readonly BatchId[];
}

export async function sideOf(store: typeof sqlite): Promise<Side> {
  const place = freshPlace(store);
  const ledger = await openStore(store, place);
  const batches: BatchId[] = [];
  for (const index of BATCHES) {
    const { batch } = await ledger.beginBatch(
      batchSpec({
        key: `key-${index}`,
        lineage: `lineage-${index}`,
        freshSince: { foundMs: NOON_MS + index * 2 * DAY_MS, noMatchMs: NOON_MS + DAY_MS },
      }),
    );
    batches.push(batch.id);
  }
  return { place, ledger, batches };
}

export function batchAt({ batches }: Side, index: number): BatchId {
  const id = batches[index];
  if (id === undefined) throw new Error(`there is no batch ${index}`);
  return id;
}

/** What a side said, with batches by their place, because their names are random. */
export function comparable({ batches }: Side, value: unknown): unknown {
  const text = JSON.stringify(value) ?? 'null';
  return JSON.parse(batches.reduce((renamed, id, index) => renamed.replaceAll(id, `batch ${index}`), text));
}

/** @throws StopError when the full check of all checksums and totals objects to anything. */
export async function openAsAfterCrash(place: string): Promise<void> {
  const database = new Database(join(place, 'ledger.db'));
  database.exec('UPDATE ledger SET clean = 0');
  database.close();
  await (await openStore(sqlite, place)).close();
}
