import { describe, expect, test } from 'vitest';
import type { Store } from '../../../../src/ledger/store.ts';
import {
  admit,
  answered,
  batchNamed,
  DAY_MS,
  decide,
  lost,
  NOON_MS,
  requestUnder,
  stateOf,
} from '../book.ts';
import { freshLedger, freshPlace, openStore } from '../places.ts';

/** What is known of the time, and by what an intent is dated. */
export function timesConform(store: Store): void {
  describe(`${store.name}: time`, () => {
    const FIRST = { id: 'first', uptimeMs: 1_000 };

    test('a boot is known by its name, with what the calendar said at first', async () => {
      const ledger = await freshLedger(store);
      expect(await ledger.confirmedTime()).toBeUndefined();
      const seen = { atMs: NOON_MS, uptimeMs: 1_000 };
      expect(await ledger.atBoot(FIRST, NOON_MS)).toEqual({ seen });
      expect(await ledger.atBoot({ id: 'first', uptimeMs: 9_000 }, NOON_MS + DAY_MS)).toEqual({ seen });
      const other = { atMs: NOON_MS - DAY_MS, uptimeMs: 5 };
      expect(await ledger.atBoot({ id: 'second', uptimeMs: 5 }, NOON_MS - DAY_MS)).toEqual({ seen: other });
      await ledger.keepTime('seen', { atMs: NOON_MS - 5, uptimeMs: 10 });
      expect(await ledger.atBoot({ id: 'second', uptimeMs: 50 }, NOON_MS)).toEqual({
        seen: { atMs: NOON_MS - 5, uptimeMs: 10 },
      });
    });

    test('what was confirmed is the floor of every boot, and never goes back', async () => {
      const location = freshPlace(store);
      const ledger = await freshLedger(store, location);
      await ledger.atBoot(FIRST, NOON_MS);
      const confirmed = { atMs: NOON_MS + 60, uptimeMs: 1_050 };
      await ledger.keepTime('confirmed', confirmed);
      expect(await ledger.confirmedTime()).toBe(NOON_MS + 60);
      expect(await ledger.atBoot(FIRST, NOON_MS)).toMatchObject({ confirmed, floorMs: NOON_MS + 60 });
      await expect(ledger.keepTime('confirmed', { atMs: NOON_MS + 50, uptimeMs: 1_050 })).rejects.toThrow();
      await expect(ledger.keepTime('confirmed', { atMs: NOON_MS + 61, uptimeMs: 2_050 })).rejects.toThrow();
      // A calendar that is behind it is not believed.
      expect(await ledger.atBoot({ id: 'second', uptimeMs: 5 }, NOON_MS)).toEqual({
        seen: { atMs: NOON_MS + 60, uptimeMs: 5 },
        floorMs: NOON_MS + 60,
      });
    });

    test('an intent is dated neither before what was confirmed nor beyond the uptime since', async () => {
      const ledger = await freshLedger(store);
      await ledger.atBoot(FIRST, NOON_MS);
      const batch = await batchNamed(ledger, 'a');
      await ledger.keepTime('confirmed', { atMs: NOON_MS, uptimeMs: 1_000 });
      const dated = (word: string, atMs: number, uptimeMs?: number) =>
        admit(ledger, batch, word, { atMs, ...(uptimeMs === undefined ? {} : { uptimeMs }) });
      await expect(dated('early', NOON_MS - 1)).rejects.toThrow();
      await expect(dated('late', NOON_MS + DAY_MS, 2_000)).rejects.toThrow();
      await expect(dated('behind', NOON_MS, 2_000)).rejects.toThrow();
      expect(await dated('now', NOON_MS + 1_000, 2_000)).toMatchObject({ kind: 'admitted' });
      expect(await dated('tomorrow', NOON_MS + DAY_MS, 1_000 + DAY_MS)).toMatchObject({ kind: 'admitted' });
      await ledger.atBoot({ id: 'second', uptimeMs: 5 }, NOON_MS);
      expect(await dated('in another boot', NOON_MS + 9 * DAY_MS, 5)).toMatchObject({ kind: 'admitted' });
    });

    test('a doubt says when it was sent on the boot clock, and when its key was first used', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const request = requestUnder('key-1');
      await lost(ledger, batch, 'unknown');
      await ledger.atBoot(FIRST, NOON_MS);
      await lost(ledger, batch, 'keyed', { request, uptimeMs: 1_500 });
      const first = { id: 'first', uptimeMs: 1_500, isConfirmed: false };
      expect(await stateOf(ledger, 'keyed')).toMatchObject({ doubt: { sentBoot: first, firstBoot: first } });
      await ledger.keepTime('confirmed', { atMs: NOON_MS, uptimeMs: 1_600 });
      await ledger.atBoot({ id: 'second', uptimeMs: 5 }, NOON_MS);
      const decision = await decide(ledger, batch, 'keyed', 'repeat');
      await lost(ledger, batch, 'keyed', { request, decision, reserve: 0, uptimeMs: 7 });
      expect(await stateOf(ledger, 'keyed')).toMatchObject({
        doubt: {
          sentBoot: { id: 'second', uptimeMs: 7, isConfirmed: false },
          firstBoot: { ...first, isConfirmed: true },
        },
      });
      const unknown = await stateOf(ledger, 'unknown');
      expect(unknown).toMatchObject({ kind: 'in_doubt' });
      expect(unknown).not.toHaveProperty('doubt.sentBoot');
    });

    test('a batch that began in the future buys nothing anew', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const bought = await answered(ledger, batch, 'bought');
      const createdAtMs = NOON_MS + 31 * DAY_MS;
      const freshSince = { foundMs: NOON_MS + DAY_MS };
      const late = await batchNamed(ledger, 'late', { createdAtMs, freshSince });
      const anew = { replaces: bought };
      await expect(admit(ledger, late, 'bought', { ...anew, atMs: NOON_MS + 2 * DAY_MS })).rejects.toThrow();
      expect(await admit(ledger, late, 'bought', { ...anew, atMs: createdAtMs })).toMatchObject({
        kind: 'admitted',
      });
    });

    test('what is known of the time outlives the process', async () => {
      const location = freshPlace(store);
      const ledger = await openStore(store, location);
      await ledger.atBoot(FIRST, NOON_MS);
      await ledger.keepTime('confirmed', { atMs: NOON_MS + 60, uptimeMs: 1_050 });
      await ledger.close();
      const again = await freshLedger(store, location);
      expect(await again.atBoot(FIRST, NOON_MS + DAY_MS)).toEqual({
        seen: { atMs: NOON_MS, uptimeMs: 1_000 },
        confirmed: { atMs: NOON_MS + 60, uptimeMs: 1_050 },
        floorMs: NOON_MS + 60,
      });
    });
  });
}
