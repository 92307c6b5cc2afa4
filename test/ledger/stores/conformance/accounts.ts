import { describe, expect, test } from 'vitest';
import type { PauseRecord } from '../../../../src/ledger/ledger.ts';
import type { Store } from '../../../../src/ledger/store.ts';
import { ACCOUNT, DAY_MS, NOON_MS } from '../book.ts';
import { freshLedger } from '../places.ts';

// Goal: a later run knows what an earlier one heard of an account. Method: written, read by another opening.
export function accountsConform(store: Store): void {
  describe('pauses', () => {
    test('pauses that the vendor asked for hold for later runs, whatever its clock says; our own do not, nor those of more than a day', async () => {
      const ledger = await freshLedger(store);
      const leftMs = async (): Promise<number> => (await ledger.account(ACCOUNT)).pausedForMs ?? 0;
      await ledger.notePause(ACCOUNT, pause(0, DAY_MS));
      expect(await leftMs()).toBe(0);
      await ledger.notePause(ACCOUNT, pause(0, 60_000, { asked: true }));
      await ledger.notePause(ACCOUNT, pause(0, 30_000, { asked: true }));
      expect(await leftMs()).toBeGreaterThan(30_000);
      expect(await leftMs()).toBeLessThanOrEqual(60_000);
      await ledger.notePause(ACCOUNT, pause(0, DAY_MS + 60_000, { asked: true }));
      expect(await leftMs()).toBe(0);
    });
  });
}

/** Times in ms after noon. */
function pause(from: number, until: number, more: Partial<PauseRecord> = {}): PauseRecord {
  return { fromMs: NOON_MS + from, untilMs: NOON_MS + until, why: 'too fast', asked: false, ...more };
}
