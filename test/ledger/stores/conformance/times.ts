import { describe, expect, test } from 'vitest';
import type { Store } from '../../../../src/ledger/store.ts';
import {
  ACCOUNT,
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
      expect(await ledger.atBoot(FIRST, NOON_MS)).toEqual({ seen, isPlay: true });
      expect(await ledger.atBoot({ id: 'first', uptimeMs: 9_000 }, NOON_MS + DAY_MS)).toEqual({
        seen,
        isPlay: true,
      });
      const other = { atMs: NOON_MS - DAY_MS, uptimeMs: 5 };
      expect(await ledger.atBoot({ id: 'second', uptimeMs: 5 }, NOON_MS - DAY_MS)).toEqual({
        seen: other,
        isPlay: true,
      });
      await ledger.keepSeenTime({ atMs: NOON_MS - 5, uptimeMs: 10 });
      expect(await ledger.atBoot({ id: 'second', uptimeMs: 50 }, NOON_MS)).toEqual({
        seen: { atMs: NOON_MS - 5, uptimeMs: 10 },
        isPlay: true,
      });
    });

    test('what was confirmed is the floor of every boot, and never goes back', async () => {
      const location = freshPlace(store);
      const ledger = await freshLedger(store, location);
      await ledger.atBoot(FIRST, NOON_MS);
      const confirmed = { atMs: NOON_MS + 60, uptimeMs: 1_050 };
      await ledger.keepConfirmedTime(confirmed, ACCOUNT);
      expect(await ledger.confirmedTime()).toBe(NOON_MS + 60);
      expect(await ledger.atBoot(FIRST, NOON_MS)).toMatchObject({ confirmed, floorMs: NOON_MS + 60 });
      await expect(
        ledger.keepConfirmedTime({ atMs: NOON_MS + 50, uptimeMs: 1_050 }, ACCOUNT),
      ).rejects.toThrow();
      await expect(
        ledger.keepConfirmedTime({ atMs: NOON_MS + 61, uptimeMs: 2_050 }, ACCOUNT),
      ).rejects.toThrow();
      // A calendar that is behind it is not believed.
      expect(await ledger.atBoot({ id: 'second', uptimeMs: 5 }, NOON_MS)).toEqual({
        seen: { atMs: NOON_MS + 60, uptimeMs: 5 },
        floorMs: NOON_MS + 60,
        isPlay: true,
      });
    });

    test('a time that is refuted is no floor any more, and leaves the age of earlier moments unknown', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      for (const [id, atMs] of [
        ['first', NOON_MS],
        ['second', NOON_MS + 60 * DAY_MS],
        ['third', NOON_MS + DAY_MS],
      ] as const) {
        await ledger.atBoot({ id, uptimeMs: 5 }, atMs);
        if (id === 'third') await ledger.refuteTimes(atMs);
        await ledger.keepConfirmedTime({ atMs, uptimeMs: 5 }, ACCOUNT);
        await lost(ledger, batch, id, { atMs, uptimeMs: 5 });
      }
      expect(await ledger.confirmedTime()).toBe(NOON_MS + DAY_MS);
      expect(await ledger.atBoot({ id: 'second', uptimeMs: 9 }, NOON_MS)).not.toHaveProperty('confirmed');
      for (const [id, isConfirmed] of [
        ['first', false],
        ['second', false],
        ['third', true],
      ] as const)
        expect(await stateOf(ledger, id)).toMatchObject({ doubt: { sentBoot: { id, isConfirmed } } });
    });

    test('a sandbox tells the time where no batch costs money, and no batch does before that is refuted', async () => {
      const ledger = await freshLedger(store);
      await batchNamed(ledger, 'play', { sandbox: true, accountIdentity: 'sandbox-provider' });
      const mark = { atMs: NOON_MS, uptimeMs: 1_000 };
      expect(await ledger.atBoot(FIRST, NOON_MS)).toMatchObject({ isPlay: true });
      await ledger.keepConfirmedTime(mark, 'sandbox-provider');
      await expect(batchNamed(ledger, 'real')).rejects.toThrow();
      await ledger.refuteTimes(Number.NEGATIVE_INFINITY);
      await batchNamed(ledger, 'real');
      expect(await ledger.atBoot(FIRST, NOON_MS)).toMatchObject({ isPlay: false });
      await expect(ledger.keepConfirmedTime(mark, 'sandbox-provider')).rejects.toThrow();
      await ledger.keepConfirmedTime(mark, ACCOUNT);
      expect(await ledger.confirmedTime()).toBe(NOON_MS);
    });

    test('an intent is dated neither before what was confirmed nor beyond the uptime since', async () => {
      const ledger = await freshLedger(store);
      await ledger.atBoot(FIRST, NOON_MS);
      const batch = await batchNamed(ledger, 'a');
      await ledger.keepConfirmedTime({ atMs: NOON_MS, uptimeMs: 1_000 }, ACCOUNT);
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
      await ledger.keepConfirmedTime({ atMs: NOON_MS, uptimeMs: 1_600 }, ACCOUNT);
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
      await ledger.keepConfirmedTime({ atMs: NOON_MS + 60, uptimeMs: 1_050 }, ACCOUNT);
      await ledger.close();
      const again = await freshLedger(store, location);
      expect(await again.atBoot(FIRST, NOON_MS + DAY_MS)).toEqual({
        seen: { atMs: NOON_MS, uptimeMs: 1_000 },
        confirmed: { atMs: NOON_MS + 60, uptimeMs: 1_050 },
        floorMs: NOON_MS + 60,
        isPlay: true,
      });
    });
  });
}
