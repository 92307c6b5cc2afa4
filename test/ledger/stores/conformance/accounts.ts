import { describe, expect, test } from 'vitest';
import { credits, type PauseRecord } from '../../../../src/ledger/ledger.ts';
import type { Store } from '../../../../src/ledger/store.ts';
import { ACCOUNT, DAY_MS, NEVER_ANSWERED, NOON_MS } from '../book.ts';
import { freshLedger, freshPlace, openStore } from '../places.ts';

// Goal: a later run knows what an earlier one learned about an account. Method: written, read by another opening.
export function accountsConform(store: Store): void {
  describe('what is learned about an account', () => {
    test('is there when the store is opened again, and only for that account', async () => {
      const place = freshPlace(store);
      const first = await openStore(store, place);
      const learned = { perSecond: 0.75, atMs: NOON_MS };
      const usage = { counted: 1234, spent: credits(1200), atMs: NOON_MS + 1 };
      await first.changeAccount(ACCOUNT, { learned });
      await first.changeAccount(ACCOUNT, { usage });
      await first.notePause(ACCOUNT, pause(0, 60_000, { asked: true }));
      await first.close();
      const second = await freshLedger(store, place);
      expect(await second.account(ACCOUNT)).toEqual({
        ...NEVER_ANSWERED,
        learned,
        usage,
        pausedForMs: expect.any(Number),
      });
      expect(await second.account('another')).toEqual(NEVER_ANSWERED);
    });

    test('can be learned anew, and forgotten', async () => {
      const ledger = await freshLedger(store);
      await ledger.changeAccount(ACCOUNT, { learned: { perSecond: 5, atMs: NOON_MS } });
      await ledger.changeAccount(ACCOUNT, { learned: { perSecond: 7, atMs: NOON_MS + 1 } });
      await ledger.changeAccount(ACCOUNT, { usage: { counted: 1, spent: credits(1), atMs: NOON_MS } });
      expect((await ledger.account(ACCOUNT)).learned).toEqual({ perSecond: 7, atMs: NOON_MS + 1 });
      await ledger.changeAccount(ACCOUNT, { learned: undefined });
      await ledger.changeAccount(ACCOUNT, { usage: undefined });
      expect(await ledger.account(ACCOUNT)).toEqual(NEVER_ANSWERED);
    });
  });

  describe('pauses', () => {
    test('come back in order, those that touch the stretch that is asked for', async () => {
      const ledger = await freshLedger(store);
      const [early, late, middle] = [pause(0, 10), pause(50, 60), pause(20, 30, { asked: true })];
      for (const each of [early, late, middle]) await ledger.notePause(ACCOUNT, each);
      await ledger.notePause('another', pause(0, 99));
      const between = (from: number, until: number) =>
        ledger.pauses(ACCOUNT, NOON_MS + from, NOON_MS + until);
      expect(await between(0, 100)).toEqual([early, middle, late]);
      expect(await between(10, 20)).toEqual([early, middle]);
      expect(await between(25, 26)).toEqual([middle]);
      expect(await between(31, 49)).toEqual([]);
      expect(await ledger.pauses('nobody', 0, NOON_MS * 2)).toEqual([]);
    });

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
