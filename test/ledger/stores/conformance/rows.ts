import { describe, expect, test } from 'vitest';
import type { Store } from '../../../../src/ledger/store.ts';
import { answered, batchNamed, IN_DOUBT, MATCHED, settle } from '../book.ts';
import { freshLedger } from '../places.ts';

// Goal: a row that has an outcome keeps it, and points to what it was made of. Method: rows settled, read and settled again.
export function rowsConform(store: Store): void {
  describe('rows', () => {
    test('a row that is finished twice alike stays as it was, and is no error', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const attempt = await answered(ledger, batch, 'acme');
      const [one, two] = [await answered(ledger, batch, 'one'), await answered(ledger, batch, 'two')];
      const row = { batch, row: 2, outcome: { kind: 'no_match', reason: 'nobody' } } as const;
      for (const again of [1, 2]) {
        await ledger.finishRows([{ ...row, answers: [attempt] }]);
        await ledger.finishRows([
          { ...row, answers: [attempt] },
          { ...row, row: 3, answers: [one] },
        ]);
        expect(await ledger.counts(batch), `${again}`).toEqual({ no_match: 2 });
      }
      await expect(ledger.finishRows([{ ...row, answers: [two] }])).rejects.toThrow();
      await expect(
        ledger.finishRows([{ ...row, answers: [attempt], outcome: { kind: 'no_match', reason: 'x' } }]),
      ).rejects.toThrow();
      const [kept] = await ledger.rows(batch, 2, 1);
      expect(kept).toMatchObject({ outcome: row.outcome, answers: [{ attempt }] });
    });

    test('who paid is the lowest row of the batch that bought, whoever asked first', async () => {
      const ledger = await freshLedger(store);
      const [a, b] = [await batchNamed(ledger, 'a'), await batchNamed(ledger, 'b')];
      const attempt = await answered(ledger, a, 'acme', { row: 50 });
      const payer = async () => (await ledger.rows(a, 0, 1))[0]?.answers[0]?.paidRow;
      await settle(ledger, a, 60, MATCHED, [attempt]);
      expect(await payer()).toBe(50);
      // It may be settled by another answer yet.
      await settle(ledger, a, 30, IN_DOUBT, [attempt]);
      expect(await payer()).toBe(50);
      await settle(ledger, a, 40, MATCHED, [attempt]);
      await settle(ledger, b, 3, MATCHED, [attempt]);
      await settle(ledger, a, 45, MATCHED, [attempt]);
      expect(await payer()).toBe(40);
    });
  });
}
