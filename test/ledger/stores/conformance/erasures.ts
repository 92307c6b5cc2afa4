import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../../src/core/clock.ts';
import { type Erasable, type ErasureTarget, findErasable } from '../../../../src/ledger/erase.ts';
import type { BatchId, Ledger } from '../../../../src/ledger/ledger.ts';
import type { Store } from '../../../../src/ledger/store.ts';
import { personOf } from '../../../../src/operations/lookup/person.ts';
import { answered, batchNamed, DAY_MS, IN_DOUBT, lost, MATCHED, NOON_MS, settle, stateOf } from '../book.ts';
import { freshLedger, freshPlace, openStore } from '../places.ts';

const KIM = 'kim@example.org';
const PERSON: ErasureTarget = { kind: 'person', person: personOf(KIM) };
const ERASED_AT_MS = NOON_MS + DAY_MS;
const olderThan = (beforeMs: number): ErasureTarget => ({ kind: 'old', beforeMs });

/*
 * Goal: what is about a person, or old, is found and emptied; money, counts and what others need stay, and nobody buys it again by
 * mistake. Method: purchases in a ledger, erased by the contract, and read by another opening.
 */
export function erasuresConform(store: Store): void {
  /** What was found and erased. */
  const erase = (place: string, target: ErasureTarget): Promise<Erasable> =>
    store.alone(place, { waitForLockMs: 0, clock: systemClock, command: 'forget' }, async (alone) => {
      const found = await findErasable(alone, target);
      await found.erase([], ERASED_AT_MS);
      return found;
    });

  async function ledgerIn(place: string, work: (ledger: Ledger) => Promise<void>): Promise<void> {
    const ledger = await openStore(store, place, true);
    await work(ledger);
    await ledger.close();
  }

  describe('a person who is forgotten', () => {
    test('a person who is forgotten is cut out of answers about others, which stay', async () => {
      const place = freshPlace(store);
      await ledgerIn(place, async (ledger) => {
        const batch = await batchNamed(ledger, 'a');
        const body = JSON.stringify({ name: 'Acme', contact: KIM, founded: 1990 });
        await settle(ledger, batch, 2, MATCHED, [await answered(ledger, batch, 'acme', { body })]);
        await ledger.changeBatch(batch, { state: 'finished' });
      });
      expect(await erase(place, PERSON)).toMatchObject({ calls: 0, cut: 1, rows: 0 });
      const state = await stateOf(await freshLedger(store, place), 'acme');
      expect(state.kind === 'answered' && JSON.parse(String(state.answer.body))).toEqual({
        ...{ name: 'Acme', contact: null, founded: 1990 },
      });
    });
  });

  describe('what is old', () => {
    test('what is old goes when it is older than that, and of that account, and may be bought again', async () => {
      const place = freshPlace(store);
      await ledgerIn(place, async (ledger) => {
        const batch = await batchNamed(ledger, 'a');
        await settle(ledger, batch, 2, MATCHED, [await answered(ledger, batch, 'old')]);
        await lost(ledger, batch, 'lost');
        await settle(ledger, batch, 4, { kind: 'invalid', reason: 'kim@x is no address' });
        await ledger.changeBatch(batch, { state: 'finished' });
      });
      expect(await erase(place, olderThan(NOON_MS)), 'it is no older').toMatchObject({ calls: 0, rows: 0 });
      const others = { ...olderThan(NOON_MS + DAY_MS), accountIdentity: 'another' } as ErasureTarget;
      expect(await erase(place, others)).toMatchObject({ calls: 0, rows: 0 });
      const found = await erase(place, olderThan(NOON_MS + DAY_MS));
      expect(found).toMatchObject({ calls: 1, rows: 2, unsettled: [{ row: 2 }] });
      const ledger = await freshLedger(store, place);
      expect(await stateOf(ledger, 'old')).toEqual({ kind: 'unknown' });
      expect(await stateOf(ledger, 'lost')).toMatchObject({ kind: 'in_doubt' });
      const [batch] = await ledger.batches();
      const rows = await ledger.rows(batch?.id ?? ('' as BatchId), 0, 9);
      expect(rows.map(({ outcome }) => outcome)).toEqual([
        { kind: 'matched', matchedBy: 'domain', reason: 'erased on 2026-11-21' },
        { kind: 'invalid', reason: 'erased on 2026-11-21' },
      ]);
      expect(await ledger.forgettingAccounts()).toEqual([]);
      await answered(ledger, await batchNamed(ledger, 'b'), 'old');
    });

    test('what is old stays as long as a batch goes on with it', async () => {
      const place = freshPlace(store);
      let [open, doubtful] = ['' as BatchId, '' as BatchId];
      await ledgerIn(place, async (ledger) => {
        open = await batchNamed(ledger, 'open');
        await settle(ledger, open, 2, MATCHED, [await answered(ledger, open, 'bought')]);
        const other = { accountIdentity: 'another', accountName: 'b' };
        doubtful = await batchNamed(ledger, 'doubtful', other);
        const steps = [
          await answered(ledger, doubtful, 'first', { account: 'another', row: 3 }),
          await lost(ledger, doubtful, 'second', { account: 'another', row: 3 }),
        ];
        await settle(ledger, doubtful, 3, IN_DOUBT, steps);
        await answered(ledger, doubtful, 'nobody', { account: 'another', row: 4 });
        await ledger.changeBatch(doubtful, { state: 'finished' });
      });
      const found = await erase(place, olderThan(NOON_MS + DAY_MS));
      expect(found).toMatchObject({ calls: 1, needed: { calls: 2 } });
      expect(new Set(found.needed.by)).toEqual(new Set([open, doubtful]));
      await ledgerIn(place, (ledger) => ledger.changeBatch(open, { state: 'cancelled' }));
      expect(await erase(place, olderThan(NOON_MS + DAY_MS))).toMatchObject({
        calls: 1,
        needed: { calls: 1 },
      });
    });
  });
}
