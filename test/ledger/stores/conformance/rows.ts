import { describe, expect, test } from 'vitest';
import { OUTCOME_KINDS, type Outcome } from '../../../../src/core/row.ts';
import type { Store } from '../../../../src/ledger/store.ts';
import { answered, batchNamed, decide, IN_DOUBT, lost, MATCHED, settle } from '../book.ts';
import { freshLedger } from '../places.ts';

// Goal: a row that has an outcome keeps it, and points to what it was made of. Method: rows settled, read and settled again.
export function rowsConform(store: Store): void {
  describe('rows', () => {
    test('a final outcome is never changed, whatever comes after it', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      for (const [row, kind] of OUTCOME_KINDS.filter((each) => each !== 'in_doubt').entries()) {
        await settle(ledger, batch, row, outcomeOf(kind));
        const other = kind === 'matched' ? ({ kind: 'no_match', reason: 'x' } as const) : MATCHED;
        await expect(settle(ledger, batch, row, other)).rejects.toThrow();
        // A run may say so of a doubt that was settled meanwhile.
        await settle(ledger, batch, row, IN_DOUBT);
        expect((await ledger.rows(batch, row, 1))[0]?.outcome).toEqual(outcomeOf(kind));
      }
    });

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

    test('a row in doubt is looked at again by later runs, and settled at last', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const attempt = await lost(ledger, batch, 'acme');
      await settle(ledger, batch, 2, IN_DOUBT, [attempt]);
      await settle(ledger, batch, 2, IN_DOUBT, [attempt]);
      expect(await ledger.counts(batch)).toEqual({ in_doubt: 1 });
      expect((await ledger.rows(batch, 2, 1))[0]?.answers).toEqual([]);
      const answer = await answered(ledger, batch, 'acme', {
        decision: await decide(ledger, batch, 'acme', 'retry'),
      });
      await settle(ledger, batch, 2, MATCHED, [answer]);
      expect(await ledger.counts(batch)).toEqual({ matched: 1 });
      expect((await ledger.rows(batch, 2, 1))[0]).toMatchObject({
        outcome: MATCHED,
        answers: [{ attempt: answer }],
      });
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

function outcomeOf(kind: (typeof OUTCOME_KINDS)[number]): Outcome {
  return kind === 'matched'
    ? { kind, matchedBy: 'abn', reason: 'old number' }
    : { kind, reason: `because ${kind}` };
}
