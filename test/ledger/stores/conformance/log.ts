import { describe, expect, onTestFinished, test } from 'vitest';
import type { Ledger } from '../../../../src/ledger/ledger.ts';
import type { Store } from '../../../../src/ledger/store.ts';
import { batchNamed, begin, NOON_MS } from '../book.ts';
import { freshPlace, openStore } from '../places.ts';

// Goal: a log tells who worked on what and what it cost, and adds up to what the budgets count. Method: several people open
// one place, one after the other.
export function logConforms(store: Store): void {
  describe('who is at work', () => {
    test('is kept with each batch from its beginning on, and noted again when somebody else takes over', async () => {
      const place = freshPlace(store);
      const batch = await by('ann', place, async (ledger) => {
        const id = await batchNamed(ledger, 'a');
        await begin(ledger, { key: 'key-a' });
        return id;
      });
      await by('bob', place, async (ledger) => {
        await ledger.noteHold(batch, true, NOON_MS);
        await ledger.noteHold(batch, true, NOON_MS);
        await ledger.noteHold(batch, false, NOON_MS);
        await begin(ledger, { key: 'key-a' });
        await ledger.changeBatch(batch, { state: 'cancelled' });
      });
      const reader = await store.look(place);
      onTestFinished(() => reader.close());
      const acts = await reader.acts(batch);
      expect(acts.map(({ kind, operator }) => `${kind} ${operator}`)).toEqual([
        'begun ann',
        'paused bob',
        'resumed bob',
        'cancelled bob',
      ]);
      expect(await reader.acts('00000000' as typeof batch)).toEqual([]);
    });
  });

  async function by<T>(operator: string, place: string, work: (ledger: Ledger) => Promise<T>): Promise<T> {
    const ledger = await openStore(store, place, true, { operator });
    try {
      return await work(ledger);
    } finally {
      await ledger.close();
    }
  }
}
