import { describe, expect, test } from 'vitest';
import type { BatchId, Ledger } from '../../../../src/ledger/ledger.ts';
import type { Store } from '../../../../src/ledger/store.ts';
import { answered, batchNamed, NOON_MS } from '../book.ts';
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
