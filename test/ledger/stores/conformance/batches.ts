import { describe, expect, test } from 'vitest';
import type { Store } from '../../../../src/ledger/store.ts';
import { admit, batchSpec, begin, MATCHED, notAdmitted, settle } from '../book.ts';
import { freshLedger } from '../places.ts';

// Goal: the same command again goes on with the same batch, an edited file does not. Method: batches begun in every order.
export function batchesConform(store: Store): void {
  describe('batches', () => {
    test('other content at the same place supersedes what is unfinished, and going back does not revive it', async () => {
      const ledger = await freshLedger(store);
      const a = await begin(ledger, { key: 'key-a' });
      const b = await begin(ledger, { key: 'key-b' });
      expect(b).toMatchObject({ start: 'new', superseded: [a.batch.id] });
      expect((await ledger.batch(a.batch.id))?.state).toBe('superseded');
      const c = await begin(ledger, { key: 'key-a' });
      expect(c).toMatchObject({
        start: 'new',
        superseded: [b.batch.id],
        batch: { generation: 2, state: 'open' },
      });
      await expect(ledger.changeBatch(a.batch.id, { state: 'finished' })).rejects.toThrow();
    });

    test('a finished batch is renewed by its next generation, an open one resumes all the same', async () => {
      const ledger = await freshLedger(store);
      const first = await begin(ledger);
      expect((await ledger.beginBatch(batchSpec(), true)).start).toBe('resumed');
      await ledger.changeBatch(first.batch.id, { state: 'finished' });
      const second = await ledger.beginBatch(batchSpec(), true);
      expect(second).toMatchObject({ start: 'new', batch: { generation: 2, state: 'open' } });
      expect((await ledger.batch(first.batch.id))?.state).toBe('finished');
      expect((await ledger.batchByKey('key-a'))?.id).toBe(second.batch.id);
    });

    test('a superseded or cancelled batch admits nothing, and still takes the rows that were in flight', async () => {
      const ledger = await freshLedger(store);
      const superseded = (await begin(ledger, { key: 'key-a' })).batch.id;
      const cancelled = (await begin(ledger, { key: 'key-b' })).batch.id;
      await ledger.changeBatch(cancelled, { state: 'cancelled' });
      for (const batch of [superseded, cancelled]) {
        await notAdmitted(admit(ledger, batch, 'acme'));
        await settle(ledger, batch, 2, MATCHED);
        expect(await ledger.counts(batch)).toEqual({ matched: 1 });
      }
    });
  });
}
