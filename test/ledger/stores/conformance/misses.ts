import { describe, expect, test } from 'vitest';
import type { Ledger } from '../../../../src/ledger/ledger.ts';
import type { Store } from '../../../../src/ledger/store.ts';
import { ACCOUNT, answered, batchNamed, MATCHED, settle, stateOf } from '../book.ts';
import { freshLedger } from '../places.ts';

const MISSED = { kind: 'no_match', charged: 0, status: 404 } as const;
const REFUSED = { kind: 'refused', charged: 0, status: 400 } as const;

/**
 * Goal: which answers came last is known. What is taken back leaves its call unknown, its rows pending and their batch open: only
 * what is free and was no change.
 * Method: answers of either kind in turn.
 */
export function missesConform(store: Store): void {
  describe('answers that say nothing of rows', () => {
    test('answers that say nothing of rows stay where they were charged, where they say something, and of another account', async () => {
      const { ledger, batch } = await opened();
      const refused = await answered(ledger, batch, 'refused', REFUSED);
      const others = [
        await answered(ledger, batch, 'dear', { ...REFUSED, charged: 1 }),
        await answered(ledger, batch, 'found'),
        await answered(ledger, batch, 'charged', { ...MISSED, charged: 1 }),
      ];
      await settle(ledger, batch, 2, { kind: 'refused', reason: 'x' }, [refused]);
      await settle(ledger, batch, 3, MATCHED, others.slice(1, 2));
      await ledger.changeBatch(batch, { state: 'finished' });
      expect(await ledger.newestAnswers(ACCOUNT)).toEqual([refused, ...others]);
      expect(await ledger.takeBack('another', [refused])).toBe(0);
      expect(await ledger.takeBack(ACCOUNT, [refused, ...others])).toBe(1);
      expect(await stateOf(ledger, 'refused')).toEqual({ kind: 'unknown' });
      for (const name of ['dear', 'found', 'charged'])
        expect(await stateOf(ledger, name)).toMatchObject({ kind: 'answered' });
      expect(await ledger.counts(batch), 'rows that rest on them wait').toEqual({});
      expect((await ledger.batch(batch))?.state).toBe('open');
      await settle(ledger, batch, 2, MATCHED, [await answered(ledger, batch, 'refused')]);
    });
  });

  async function opened(): Promise<{ ledger: Ledger; batch: Awaited<ReturnType<typeof batchNamed>> }> {
    const ledger = await freshLedger(store);
    return { ledger, batch: await batchNamed(ledger, 'a') };
  }
}
