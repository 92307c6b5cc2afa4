import { describe, expect, test } from 'vitest';
import type { BatchId, Ledger } from '../../../../src/ledger/ledger.ts';
import type { Store } from '../../../../src/ledger/store.ts';
import { admitted, answered, batchNamed, lost, NOON_MS } from '../book.ts';
import { freshLedger } from '../places.ts';

// Goal: a picture of a run shows every request and every credit once. Method: attempts at known times, put into buckets.
export function activityConforms(store: Store): void {
  describe('what a batch sent and spent over time', () => {
    test('is counted where requests were sent, and credits where they were charged', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      await bought(ledger, batch, 'one', { sentAt: 0, closedAt: 10, charged: 1 });
      await bought(ledger, batch, 'two', { sentAt: 99, closedAt: 100, charged: 2 });
      await bought(ledger, batch, 'slow', { sentAt: 20, closedAt: 399, charged: 4 });
      expect(await ledger.activity(batch, 4)).toEqual({
        fromMs: NOON_MS,
        bucketMs: 100,
        buckets: [
          { requests: 3, credits: 1 },
          { requests: 0, credits: 2 },
          { requests: 0, credits: 0 },
          { requests: 0, credits: 4 },
        ],
      });
    });

    test('has the requests that brought no answer, and none that never left or is of another batch', async () => {
      const ledger = await freshLedger(store);
      const [a, b] = [await batchNamed(ledger, 'a'), await batchNamed(ledger, 'b')];
      for (const kind of ['not_sent', 'paused', 'stopped'] as const) {
        await ledger.end(await admitted(ledger, a, 'acme'), { kind, why: 'x' }, NOON_MS);
      }
      await lost(ledger, a, 'lost', { reserve: 9 });
      await bought(ledger, b, 'elsewhere', { sentAt: 0, closedAt: 0, charged: 9 });
      const { buckets } = await ledger.activity(a, 1);
      expect(buckets).toEqual([{ requests: 3, credits: 0 }]);
    });

    test('fits into as many buckets as were asked for, however long it took', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      for (const [index, sentAt] of [0, 1, 7, 123_456, 9_999_999].entries())
        await bought(ledger, batch, `call${index}`, { sentAt, closedAt: sentAt, charged: 1 });
      for (const most of [1, 2, 3, 7, 100, 999]) {
        const { buckets, bucketMs } = await ledger.activity(batch, most);
        expect(buckets.length).toBeLessThanOrEqual(most);
        expect(buckets.length * bucketMs).toBeGreaterThan(9_999_999);
        expect(buckets.reduce((sum, { requests }) => sum + requests, 0)).toBe(5);
        expect(buckets.reduce((sum, each) => sum + each.credits, 0)).toBe(5);
      }
    });

    test('is counted by whole units of time where that is asked for: what is faster than a limit is not drawn', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      for (const [index, sentAt] of [0, 5, 10, 1_000, 1_005, 1_010].entries())
        await bought(ledger, batch, `call${index}`, { sentAt, closedAt: sentAt, charged: 1 });
      const half = { requests: 3, credits: 3 };
      expect(await ledger.activity(batch, 120, 1_000)).toMatchObject({
        bucketMs: 1_000,
        buckets: [half, half],
      });
      await bought(ledger, batch, 'late', { sentAt: 120_001, closedAt: 120_001, charged: 0 });
      expect(await ledger.activity(batch, 120, 1_000)).toMatchObject({ bucketMs: 2_000 });
    });

    test('loses nothing to a clock that was set back meanwhile', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      await bought(ledger, batch, 'one', { sentAt: 1000, closedAt: -5000, charged: 3 });
      await bought(ledger, batch, 'two', { sentAt: 1100, closedAt: 1200, charged: 1 });
      const { buckets } = await ledger.activity(batch, 2);
      expect(buckets).toEqual([
        { requests: 2, credits: 3 },
        { requests: 0, credits: 1 },
      ]);
    });

    test('is empty for a batch that sent nothing', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      await admitted(ledger, batch, 'open');
      expect((await ledger.activity(batch, 10)).buckets).toEqual([]);
    });
  });
}

/** Times in ms after noon. */
interface Bought {
  readonly sentAt: number;
  readonly closedAt: number;
  readonly charged: number;
}

function bought(ledger: Ledger, batch: BatchId, word: string, { sentAt, closedAt, charged }: Bought) {
  return answered(ledger, batch, word, { atMs: NOON_MS + sentAt, closedAtMs: NOON_MS + closedAt, charged });
}
