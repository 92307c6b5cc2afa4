import { describe, expect, test } from 'vitest';
import { closeAttempt, credits, type Ledger, recordReply } from '../../../../src/ledger/ledger.ts';
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
import { freshLedger, freshPlace, openStore } from '../places.ts';

const MISSED = { kind: 'no_match', charged: 0, status: 404 } as const;
const REFUSED = { kind: 'refused', charged: 0, status: 400 } as const;
const NO_MATCH = { kind: 'no_match', reason: 'nothing found' } as const;
const PLACE = 'https://vendor.example/v1/enrich/company';

// Goal: how many answers of status 404 came last is known, and only those of them can be taken back.
// Method: answers of either kind in turn.
export function missesConform(store: Store): void {
  refusalsConform(store);
  describe('an account', () => {
    test('remembers how it answered, and how many misses came last', async () => {
      const ledger = await freshLedger(store);
      expect(await ledger.account(ACCOUNT)).toEqual(NEVER_ANSWERED);
      const batch = await batchNamed(ledger, 'a');
      await answered(ledger, batch, 'one', MISSED);
      await answered(ledger, batch, 'two');
      await lost(ledger, batch, 'three');
      const twoAnswers = { answers: 2, answersNot404: 1, found: 1 };
      expect(await ledger.account(ACCOUNT)).toMatchObject({ ...twoAnswers, misses: { count: 0 } });
      await answered(ledger, batch, 'four', MISSED);
      await lost(ledger, batch, 'five');
      await answered(ledger, batch, 'six', MISSED);
      expect(await misses(ledger)).toEqual({ count: 2, kept: false });
      expect(await ledger.account('another')).toEqual(NEVER_ANSWERED);
    });

    test('remembers a stop at its misses and what a person said of them, until another answer comes', async () => {
      const place = freshPlace(store);
      const first = await openStore(store, place);
      const batch = await batchNamed(first, 'a');
      await first.markMisses(ACCOUNT, { place: PLACE, kept: false });
      expect(await misses(first), 'there is none to be marked').toEqual({ count: 0, kept: false });
      await answered(first, batch, 'one', MISSED);
      await first.markMisses(ACCOUNT, { place: PLACE, kept: false });
      await answered(first, batch, 'two', MISSED);
      await first.close();
      const second = await freshLedger(store, place);
      expect(await misses(second)).toEqual({ count: 2, place: PLACE, kept: false });
      await second.markMisses(ACCOUNT, { place: PLACE, kept: true });
      await answered(second, batch, 'three', MISSED);
      expect(await misses(second)).toEqual({ count: 3, place: PLACE, kept: true });
      await answered(second, batch, 'four', { kind: 'no_match', charged: 0, status: 200 });
      expect(await misses(second)).toEqual({ count: 0, kept: false });
    });
  });

  describe('misses that are taken back', () => {
    test('leave their calls unknown, rows pending and batches open', async () => {
      const ledger = await freshLedger(store);
      const [a, b] = [await batchNamed(ledger, 'a'), await batchNamed(ledger, 'b')];
      const one = await answered(ledger, a, 'one', MISSED);
      const two = await answered(ledger, b, 'two', MISSED);
      await settle(ledger, a, 2, NO_MATCH, [one]);
      await settle(ledger, a, 3, { kind: 'invalid', reason: 'no identifier' });
      await settle(ledger, b, 2, NO_MATCH, [one, two]);
      await ledger.changeBatch(a, { state: 'finished' });
      await ledger.markMisses(ACCOUNT, { place: PLACE, kept: false });

      expect(await ledger.retractMisses(ACCOUNT)).toBe(2);
      expect(await stateOf(ledger, 'one')).toEqual({ kind: 'unknown' });
      expect(await ledger.counts(a)).toEqual({ invalid: 1 });
      expect(await ledger.counts(b)).toEqual({});
      expect((await ledger.batch(a))?.state).toBe('open');
      expect(await ledger.account(ACCOUNT)).toEqual(NEVER_ANSWERED);
      expect(await ledger.matchRate(ACCOUNT, 'enrich-company')).toBeUndefined();
      expect(await ledger.metrics(a)).toEqual({ requests: 1, calls: 0 });
      expect(await ledger.retractMisses(ACCOUNT)).toBe(0);
      await settle(ledger, a, 2, MATCHED, [await answered(ledger, a, 'one')]);
    });

    test('are those after the last other answer, and no earlier ones', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      await answered(ledger, batch, 'early', MISSED);
      await answered(ledger, batch, 'found');
      expect(await ledger.retractMisses(ACCOUNT)).toBe(0);
      await answered(ledger, batch, 'late', MISSED);
      await answered(ledger, batch, 'later', MISSED);
      expect(await ledger.retractMisses(ACCOUNT)).toBe(2);
      expect(await stateOf(ledger, 'early')).toMatchObject({ kind: 'answered' });
      expect(await stateOf(ledger, 'late')).toEqual({ kind: 'unknown' });
      expect(await ledger.account(ACCOUNT)).toMatchObject({ answers: 2, misses: { count: 0 } });
      await answered(ledger, batch, 'late', MISSED);
      expect(await misses(ledger)).toEqual({ count: 1, kept: false });
      expect(await ledger.retractMisses(ACCOUNT)).toBe(1);
    });

    test('are those as well that were answered while the last other answer was on its way', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const slow = await admitted(ledger, batch, 'slow');
      await answered(ledger, batch, 'overtaking', MISSED);
      await recordReply(ledger, slow, replyWith('slow'));
      await closeAttempt(
        ledger,
        slow,
        { kind: 'answered', answer: 'found', charged: credits(1), why: 'x' },
        NOON_MS,
      );
      expect(await misses(ledger)).toEqual({ count: 0, kept: false });
      await answered(ledger, batch, 'late', MISSED);
      expect(await ledger.retractMisses(ACCOUNT)).toBe(2);
      expect(await stateOf(ledger, 'overtaking')).toEqual({ kind: 'unknown' });
    });

    test('are free: one that was charged, or that the dialect calls refused, stays and is counted no more', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      await answered(ledger, batch, 'charged', { ...MISSED, charged: 1 });
      await answered(ledger, batch, 'refused', { ...MISSED, kind: 'refused' });
      await answered(ledger, batch, 'missed', MISSED);
      expect(await ledger.retractMisses(ACCOUNT)).toBe(1);
      expect(await stateOf(ledger, 'charged')).toMatchObject({ kind: 'answered' });
      expect(await stateOf(ledger, 'refused')).toMatchObject({ kind: 'answered' });
      expect(await misses(ledger)).toEqual({ count: 0, kept: false });
    });
  });
}

// Goal: refusals that speak of the account leave their calls unknown and their rows pending, whatever the account answered since; of
// what else is named, nothing.
function refusalsConform(store: Store): void {
  test('refusals that are taken back leave their calls unknown and rows pending; other answers stay', async () => {
    const ledger = await freshLedger(store);
    const batch = await batchNamed(ledger, 'a');
    const refused = await answered(ledger, batch, 'refused', REFUSED);
    const charged = await answered(ledger, batch, 'charged', { ...REFUSED, charged: 1 });
    const found = await answered(ledger, batch, 'found');
    await settle(ledger, batch, 2, { kind: 'refused', reason: 'x' }, [refused]);
    await settle(ledger, batch, 3, { kind: 'refused', reason: 'x' }, [charged]);
    await ledger.changeBatch(batch, { state: 'finished' });
    expect(await ledger.retractRefusals('another', [refused])).toBe(0);
    expect(await ledger.retractRefusals(ACCOUNT, [refused, charged, found])).toBe(1);
    expect(await stateOf(ledger, 'refused')).toEqual({ kind: 'unknown' });
    expect(await stateOf(ledger, 'charged')).toMatchObject({ kind: 'answered' });
    expect(await stateOf(ledger, 'found')).toMatchObject({ kind: 'answered' });
    expect(await ledger.counts(batch)).toEqual({ refused: 1 });
    expect((await ledger.batch(batch))?.state).toBe('open');
    expect(await ledger.retractRefusals(ACCOUNT, [refused])).toBe(0);
    await settle(ledger, batch, 2, MATCHED, [await answered(ledger, batch, 'refused')]);
  });
}

async function misses(ledger: Ledger): Promise<unknown> {
  return (await ledger.account(ACCOUNT)).misses;
}
