import { describe, expect, test } from 'vitest';
import { credits, type PauseRecord } from '../../../../src/ledger/ledger.ts';
import type { Store } from '../../../../src/ledger/store.ts';
import { ACCOUNT, DAY_MS, NEVER_ANSWERED, NOON_MS } from '../book.ts';
import { freshLedger, freshPlace, openStore } from '../places.ts';

// Goal: a later run knows what an earlier one heard of an account. Method: written, read by another opening.
export function accountsConform(store: Store): void {
  describe('what is known of an account', () => {
    test('is there when the store is opened again, and only for that account', async () => {
      const place = freshPlace(store);
      const first = await openStore(store, place);
      const usage = { counted: 1234, spent: credits(1200), atMs: NOON_MS + 1 };
      await first.changeAccount(ACCOUNT, { usage });
      await first.notePause(ACCOUNT, pause(0, 60_000, { asked: true }));
      await first.close();
      const second = await freshLedger(store, place);
      expect(await second.account(ACCOUNT)).toEqual({
        ...NEVER_ANSWERED,
        usage,
        pausedForMs: expect.any(Number),
      });
      expect(await second.account('another')).toEqual(NEVER_ANSWERED);
    });
  });

  describe('pauses', () => {
    test('that the vendor asked for hold for later runs, whatever its clock says; our own do not, nor those of more than a day', async () => {
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
