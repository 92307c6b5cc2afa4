import { describe, expect, test } from 'vitest';
import type { Store } from '../../../../src/ledger/store.ts';
import { ACCOUNT, admit, answered, batchNamed, DAY_MS, NOON_MS, notAdmitted } from '../book.ts';
import { freshLedger, freshPlace, openStore } from '../places.ts';

/** What was told of the time, and what follows from it for intents. */
export function timesConform(store: Store): void {
  describe(`${store.name}: time`, () => {
    test('what an account was told is kept for it alone, never falls, and outlives the process', async () => {
      const location = freshPlace(store);
      const ledger = await openStore(store, location);
      expect((await ledger.account(ACCOUNT)).toldMs).toBeUndefined();
      for (const atMs of [NOON_MS + 60.5, NOON_MS]) await ledger.keepTold(ACCOUNT, atMs);
      await ledger.keepTold('another', NOON_MS - DAY_MS);
      await ledger.close();
      const again = await freshLedger(store, location);
      expect((await again.account(ACCOUNT)).toldMs).toBe(NOON_MS + 60);
      expect((await again.account('another')).toldMs).toBe(NOON_MS - DAY_MS);
    });

    test('a batch that began in the future buys nothing anew', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const bought = await answered(ledger, batch, 'bought');
      const createdAtMs = NOON_MS + 31 * DAY_MS;
      const freshSince = { foundMs: NOON_MS + DAY_MS };
      const late = await batchNamed(ledger, 'late', { createdAtMs, freshSince });
      const anew = { replaces: bought };
      await notAdmitted(admit(ledger, late, 'bought', { ...anew, atMs: NOON_MS + 2 * DAY_MS }));
      expect(await admit(ledger, late, 'bought', { ...anew, atMs: createdAtMs })).toMatchObject({
        kind: 'admitted',
      });
    });
  });
}
