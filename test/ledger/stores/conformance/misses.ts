import { describe, expect, test } from 'vitest';
import { credits, type Ledger } from '../../../../src/ledger/ledger.ts';
import type { Store } from '../../../../src/ledger/store.ts';
import {
  ACCOUNT,
  admitted,
  answered,
  batchNamed,
  lost,
  MATCHED,
  NEVER_ANSWERED,
  NOON_MS,
  replyWith,
  settle,
  stateOf,
} from '../book.ts';
import { freshLedger } from '../places.ts';

const MISSED = { kind: 'no_match', charged: 0, status: 404 } as const;
const REFUSED = { kind: 'refused', charged: 0, status: 400 } as const;
const NO_MATCH = { kind: 'no_match', reason: 'nothing found' } as const;

/**
 * Goal: how many answers of status 404 came last is known. What is taken back leaves its call unknown, its rows pending and their batch
 * open: of misses those that came last, and of anything only what is free and was no change.
 * Method: answers of either kind in turn.
 */
export function missesConform(store: Store): void {
  describe('answers that say nothing of rows', () => {
    test('are counted since the last other one', async () => {
      const { ledger, batch } = await opened();
      expect(await ledger.account(ACCOUNT)).toEqual(NEVER_ANSWERED);
      await answered(ledger, batch, 'one', MISSED);
      const other = await answered(ledger, batch, 'two');
      expect(await ledger.account(ACCOUNT)).toMatchObject({ answers: 2, answersNot404: 1, misses: 0 });
      await answered(ledger, batch, 'three', MISSED);
      await lost(ledger, batch, 'four');
      await answered(ledger, batch, 'five', MISSED);
      expect(await ledger.account(ACCOUNT)).toMatchObject({ found: 1, misses: 2, newestOther: other });
      expect(await ledger.account('another')).toEqual(NEVER_ANSWERED);
    });

    test('are taken back: calls unknown, rows pending, batches open', async () => {
      const { ledger, batch: a } = await opened();
      const b = await batchNamed(ledger, 'b');
      const one = await answered(ledger, a, 'one', MISSED);
      const two = await answered(ledger, b, 'two', MISSED);
      await settle(ledger, a, 2, NO_MATCH, [one]);
      await settle(ledger, a, 3, { kind: 'invalid', reason: 'no identifier' });
      await settle(ledger, b, 2, NO_MATCH, [one, two]);
      await ledger.changeBatch(a, { state: 'finished' });
      expect(await ledger.takeBack(ACCOUNT, 'misses')).toBe(2);
      expect(await stateOf(ledger, 'one')).toEqual({ kind: 'unknown' });
      expect(await ledger.counts(a)).toEqual({ invalid: 1 });
      expect(await ledger.counts(b)).toEqual({});
      expect((await ledger.batch(a))?.state).toBe('open');
      expect(await ledger.account(ACCOUNT)).toEqual(NEVER_ANSWERED);
      expect(await ledger.metrics(a)).toEqual({ requests: 1, calls: 0 });
      expect(await ledger.takeBack(ACCOUNT, 'misses')).toBe(0);
      await settle(ledger, a, 2, MATCHED, [await answered(ledger, a, 'one')]);
    });

    test('are those after the last other answer, or answered while it was on its way', async () => {
      const { ledger, batch } = await opened();
      const at = (askedMs: number, endedMs: number) => ({
        atMs: NOON_MS + askedMs,
        closedAtMs: NOON_MS + endedMs,
      });
      await answered(ledger, batch, 'early', { ...MISSED, ...at(0, 50) });
      await answered(ledger, batch, 'found', at(60, 70));
      expect(await ledger.takeBack(ACCOUNT, 'misses')).toBe(0);
      const slow = await admitted(ledger, batch, 'slow', at(80, 80));
      await answered(ledger, batch, 'overtaking', { ...MISSED, ...at(90, 100) });
      await ledger.keep(slow, replyWith('slow'));
      const found = { kind: 'answered', answer: 'found', charged: credits(1), why: 'x' } as const;
      await ledger.end(slow, found, NOON_MS + 110);
      await answered(ledger, batch, 'late', { ...MISSED, ...at(120, 130) });
      expect(await ledger.takeBack(ACCOUNT, 'misses')).toBe(2);
      expect(await stateOf(ledger, 'early')).toMatchObject({ kind: 'answered' });
      expect(await stateOf(ledger, 'overtaking')).toEqual({ kind: 'unknown' });
    });

    test('stay where they were charged, where they say something, and of another account', async () => {
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
      expect(await ledger.takeBack(ACCOUNT, 'misses')).toBe(0);
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
