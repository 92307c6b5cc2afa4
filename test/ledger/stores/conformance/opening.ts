import { describe, expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../../../src/core/clock.ts';
import type { Store } from '../../../../src/ledger/store.ts';
import { admit, batchNamed, MATCHED, settle } from '../book.ts';
import { freshLedger, freshPlace, openStore } from '../places.ts';

// Goal: one spender, any number of onlookers, and nothing lost by closing. Method: the store opened several times.
export function openingConforms(store: Store): void {
  describe('opening', () => {
    test('a store that is not there is made only when that is allowed', async () => {
      const place = freshPlace(store);
      await expect(openStore(store, place, false)).rejects.toMatchObject({
        name: 'StopError',
        code: 'store',
      });
      await expect(store.look(place)).rejects.toMatchObject({ name: 'StopError', code: 'store' });
      const ledger = await freshLedger(store, place);
      expect(await ledger.batches()).toEqual([]);
    });

    // Where many spend, nobody waits for another.
    const forOne = test.skipIf(store.manySpend);

    forOne('a second spender that may wait gets the store when the first ends', async () => {
      const place = freshPlace(store);
      const first = await openStore(store, place);
      const slept: number[] = [];
      const clock = manualClock(async (durationMs) => {
        slept.push(durationMs);
        if (slept.length === 3) await first.close();
      });
      const options = { waitForLockMs: 60_000, clock, create: true, command: 'wait' };
      const second = await store.open(place, options);
      onTestFinished(() => second.close());
      expect(slept).toHaveLength(3);
    });

    forOne('waiting for the store ends after the time that was given', async () => {
      const place = freshPlace(store);
      await freshLedger(store, place);
      let sleptMs = 0;
      const clock = manualClock(async (durationMs) => {
        sleptMs += durationMs;
      });
      const options = { waitForLockMs: 1234, clock, create: true, command: 'wait' };
      await expect(store.open(place, options)).rejects.toMatchObject({ code: 'busy' });
      expect(sleptMs).toBe(1234);
    });

    test.runIf(store.manySpend)('a second spender is let in, and both have the same ledger', async () => {
      const place = freshPlace(store);
      const first = await freshLedger(store, place);
      const second = await freshLedger(store, place);
      const batch = await batchNamed(first, 'a');
      const kinds = (await Promise.all([first, second].map((ledger) => admit(ledger, batch, 'acme')))).map(
        ({ kind }) => kind,
      );
      expect(kinds.toSorted()).toEqual(['admitted', 'in_flight']);
    });

    test('an onlooker beside a spender sees what has been committed, also after it started to look', async () => {
      const place = freshPlace(store);
      const ledger = await freshLedger(store, place);
      const batch = await batchNamed(ledger, 'a');
      const reader = await store.look(place);
      onTestFinished(() => reader.close());
      expect(await reader.counts(batch)).toEqual({});
      await settle(ledger, batch, 2, MATCHED);
      expect(await reader.counts(batch)).toEqual({ matched: 1 });
      expect(await reader.batch(batch)).toEqual(await ledger.batch(batch));
    });
  });
}

/** Time passes only by sleeping. */
function manualClock(onSleep: (durationMs: number) => Promise<void>): Clock {
  let nowMs = 0;
  return {
    wallMs: () => nowMs,
    monotonicMs: () => nowMs,
    async sleep(durationMs) {
      nowMs += durationMs;
      await onSleep(durationMs);
    },
  };
}
