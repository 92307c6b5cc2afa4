import { describe, expect, test } from 'vitest';
import type { Ledger, PlannedRow } from '../../../../src/ledger/ledger.ts';
import type { Store } from '../../../../src/ledger/store.ts';
import { batchNamed, batchSpec, IN_DOUBT, settle } from '../book.ts';
import { changed, changeOf, INVITED } from '../changes.ts';
import { freshLedger } from '../places.ts';

const other = (to: string): readonly PlannedRow[] => [{ row: 2, kind: 'work', work: { to } }];

// Goal: a batch of changes works off what was planned when it began, whoever resumes it. Method: batches begun with plans.
export function plansConform(store: Store): void {
  describe.skipIf(store.manySpend)('a plan', () => {
    test('stays as it was when its batch resumes or has finished, and another generation has its own', async () => {
      const ledger = await freshLedger(store);
      const { batch } = await planned(ledger, 'viewer');
      expect(await planned(ledger, 'editor')).toMatchObject({ start: 'resumed', batch: { rowsBeyond: 1 } });
      await ledger.changeBatch(batch.id, { state: 'finished' });
      expect((await planned(ledger, 'editor')).start).toBe('finished');
      expect(await ledger.plannedRows(batch.id, 0, 9)).toEqual(other('viewer'));
      const spec = batchSpec({ rowsBeyond: 0 });
      const next = await ledger.beginBatch(spec, true, other('admin'));
      expect(next).toMatchObject({ start: 'new', batch: { generation: 2, rowsBeyond: 0 } });
      expect(await ledger.plannedRows(next.batch.id, 0, 9)).toEqual(other('admin'));
      expect(await ledger.plannedRows(batch.id, 0, 9)).toEqual(other('viewer'));
    });

    test('that cannot be kept leaves no batch, and supersedes none', async () => {
      const ledger = await freshLedger(store);
      const { batch } = await planned(ledger, 'viewer');
      const twice = [...other('editor'), ...other('viewer')];
      const edited = batchSpec({ key: 'key-edited' });
      await expect(ledger.beginBatch(edited, false, twice)).rejects.toThrow();
      expect((await ledger.batches()).map(({ id, state }) => ({ id, state }))).toEqual([
        { id: batch.id, state: 'open' },
      ]);
      expect(await ledger.beginBatch(edited, false, other('editor'))).toMatchObject({
        superseded: [batch.id],
      });
    });
  });

  test.skipIf(store.manySpend)(
    'rows beyond those of the input end and are counted like any other',
    async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a', { inputRows: 2, rowsBeyond: 2 });
      const answer = await changed(ledger, batch, changeOf('remove-user', 0), { row: 4, left: INVITED });
      await settle(ledger, batch, 2, { kind: 'unchanged' });
      await settle(ledger, batch, 5, IN_DOUBT);
      await settle(ledger, batch, 4, { kind: 'applied' }, [answer]);
      expect(await ledger.counts(batch)).toEqual({ applied: 1, in_doubt: 1, unchanged: 1 });
      expect((await ledger.rows(batch, 3, 9)).map(({ row }) => row)).toEqual([4, 5]);
    },
  );
}

function planned(ledger: Ledger, to: string) {
  return ledger.beginBatch(batchSpec({ rowsBeyond: 1 }), false, other(to));
}
