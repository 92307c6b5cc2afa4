import { describe, expect, test } from 'vitest';
import { credits, type FinishedRow, type Ledger } from '../../../../src/ledger/ledger.ts';
import type { Store } from '../../../../src/ledger/store.ts';
import { ACCOUNT, answered, batchNamed, lost, MATCHED, NOON_MS, settle } from '../book.ts';
import { freshLedger } from '../places.ts';

const STEPS = { operation: 'enrich-company,enrich-person' };
const MISSED = { kind: 'no_match', charged: 0, status: 404 } as const;

/**
 * Goal: a row of several steps is pending until all of them have ended; in doubt twice it rests on the first doubt, then on the next; and
 * an answer that rows share is taken back from all of them, whichever of their steps it was.
 * Method: rows of such a batch beside those of a single step.
 */
export function stepsConform(store: Store): void {
  const opened = async () => {
    const ledger = await freshLedger(store);
    return { ledger, batch: await batchNamed(ledger, 'steps', STEPS) };
  };
  const pending = (ledger: Ledger, batch: FinishedRow['batch']) =>
    ledger.submitRows(batch, [{ row: 2, cells: [] }]);

  describe('a row of several steps', () => {
    test('is pending when one of its calls is lost, and that of a single step is in doubt', async () => {
      const { ledger, batch } = await opened();
      const single = await batchNamed(ledger, 'single');
      for (const each of [batch, single]) {
        await pending(ledger, each);
        await lost(ledger, each, each);
      }
      expect(await ledger.counts(batch)).toEqual({});
      expect(await ledger.counts(single)).toEqual({ in_doubt: 1 });
    });

    test('waits when an answer is taken back that it shares with another row, and is in doubt when it is read as none', async () => {
      const { ledger, batch } = await opened();
      const shared = await answered(ledger, batch, 'shared', MISSED);
      const read = await answered(ledger, batch, 'read');
      for (const row of [2, 3])
        await settle(ledger, batch, row, MATCHED, [
          shared,
          read,
          await answered(ledger, batch, `own ${row}`),
        ]);
      await ledger.readAgain({
        ...{
          attempt: read,
          answer: 'paused',
          charged: credits(1),
          why: 'too many',
          dialect: 1,
          atMs: NOON_MS,
        },
      });
      expect(await ledger.counts(batch)).toEqual({ in_doubt: 2 });
      const other = await batchNamed(ledger, 'other', STEPS);
      for (const row of [2, 3])
        await settle(ledger, other, row, MATCHED, [shared, await answered(ledger, other, `other ${row}`)]);
      expect(await ledger.takeBack(ACCOUNT, [shared])).toBe(1);
      expect(await ledger.counts(other)).toEqual({});
    });
  });
}
