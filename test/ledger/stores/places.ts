import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { Store, StoreOptions } from '../../../src/ledger/store.ts';

/** Where the tests of the stores put their ledgers. Everything is gone when the test ends. */

/** A folder of the test's own, gone when the test ends, or when `cleanUp` says. */
export function temporaryFolder(cleanUp: (remove: () => void) => void = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'rowonce-store-'));
  cleanUp(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

let places = 0;

/** A place that the store handles and nothing has been written to. */
export function freshPlace(store: Store): string {
  places += 1;
  if (store.name === 'postgres') return `postgres://test-${process.pid}-${places}`;
  return join(temporaryFolder(), 'store');
}

export function openStore(
  store: Store,
  location: string,
  create = true,
  more: Partial<StoreOptions> = {},
): Promise<Ledger> {
  const options = { waitForLockMs: 0, clock: systemClock, create, command: 'run the tests' };
  return store.open(location, { ...options, ...more });
}

/** An open ledger in a place of its own, closed when the test ends. */
export async function freshLedger(store: Store, location = freshPlace(store)): Promise<Ledger> {
  const ledger = await openStore(store, location);
  onTestFinished(() => ledger.close().catch(() => {}));
  return ledger;
}
