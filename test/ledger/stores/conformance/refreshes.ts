import { describe, expect, test } from 'vitest';
import {
  type AttemptId,
  type BatchId,
  credits,
  type FreshSince,
  type Ledger,
} from '../../../../src/ledger/ledger.ts';
import type { Store } from '../../../../src/ledger/store.ts';
import {
  admit,
  admitted,
  answered,
  batchNamed,
  DAY_MS,
  keyNamed,
  lost,
  MATCHED,
  NOON_MS,
  notAdmitted,
  settle,
  stateOf,
} from '../book.ts';
import { freshLedger } from '../places.ts';

/** Answers of the tests are given shortly after noon; a batch with these cut-offs finds all of them too old. */
const ALL_TOO_OLD: FreshSince = { foundMs: NOON_MS + DAY_MS, noMatchMs: NOON_MS + DAY_MS };
const LATER_MS = NOON_MS + DAY_MS + 1000;

// Goal: an answer is bought anew once, by a batch that finds it too old. Method: answers of one batch, refreshed by another.
export function refreshesConform(store: Store): void {
  /** A batch that buys, and one that finds all of it too old. */
  async function opened() {
    const ledger = await freshLedger(store);
    const a = await batchNamed(ledger, 'a');
    return { ledger, a, b: await batchNamed(ledger, 'b', { freshSince: ALL_TOO_OLD }) };
  }

  describe('an answer that is too old', () => {
    test('an answer that is too old is bought anew, and the new one counts for everybody from then on', async () => {
      const ledger = await freshLedger(store);
      const old = await answered(ledger, await batchNamed(ledger, 'a'), 'acme');
      const batch = await batchNamed(ledger, 'b', { freshSince: ALL_TOO_OLD });
      const renewed = await answered(ledger, batch, 'acme', refresh(old));
      expect(await stateOf(ledger, 'acme')).toMatchObject({
        kind: 'answered',
        answer: { attempt: renewed, batch, answeredAtMs: LATER_MS },
      });
      expect(await admit(ledger, batch, 'acme')).toMatchObject({ kind: 'answered' });
      expect(await admit(ledger, batch, 'acme', refresh(old))).toMatchObject({ kind: 'answered' });
      await notAdmitted(admit(ledger, batch, 'acme', refresh(renewed)));
    });

    test('an answer that is too old costs the batch that buys it anew, within its budget; each batch counts the call that it settled', async () => {
      const { ledger, a, b } = await opened();
      const old = await answered(ledger, a, 'acme', { charged: 2 });
      await ledger.changeBatch(b, { budget: 0 as never });
      expect(await admit(ledger, b, 'acme', refresh(old))).toMatchObject({ kind: 'over_budget' });
      await ledger.changeBatch(b, { budget: null });
      await answered(ledger, b, 'acme', { ...refresh(old), charged: 1 });
      expect(await ledger.batchMoney(a)).toMatchObject({ spent: 2 });
      expect(await ledger.batchMoney(b)).toMatchObject({ spent: 1 });
      for (const batch of [a, b]) expect(await ledger.metrics(batch)).toEqual({ requests: 1, calls: 1 });
    });

    test('an answer that is too old is one for its kind: found answers and others have cut-offs of their own', async () => {
      const ledger = await freshLedger(store);
      const a = await batchNamed(ledger, 'a');
      const attempts = {
        found: await answered(ledger, a, 'found'),
        no_match: await answered(ledger, a, 'no_match', { kind: 'no_match', charged: 0 }),
        refused: await answered(ledger, a, 'refused', { kind: 'refused', charged: 0 }),
      };
      const mayRefresh = async (name: string, freshSince: FreshSince) => {
        const batch = await batchNamed(ledger, name, { freshSince });
        const tried = await Promise.all(
          Object.entries(attempts).map(([word, replaces]) => admit(ledger, batch, word, { replaces })),
        );
        return Object.keys(attempts).filter((_, index) => tried[index]?.kind === 'admitted');
      };
      expect(await mayRefresh('found', { foundMs: LATER_MS })).toEqual(['found']);
      expect(await mayRefresh('others', { noMatchMs: LATER_MS })).toEqual(['no_match', 'refused']);
    });

    test.each([
      ['the batch takes answers of any age', undefined, 0],
      ['it is as old as the cut-off', { foundMs: NOON_MS + 40 }, 0],
      ['it is older than the cut-off by a millisecond', { foundMs: NOON_MS + 41 }, 1],
    ] as const)('an answer that is too old is not one while %s', async (_when, freshSince, allowed) => {
      const ledger = await freshLedger(store);
      const old = await answered(ledger, await batchNamed(ledger, 'a'), 'acme');
      const batch = await batchNamed(ledger, 'b', freshSince === undefined ? {} : { freshSince });
      const { kind } = await admit(ledger, batch, 'acme', { replaces: old });
      expect(kind === 'admitted').toBe(allowed === 1);
    });

    test('an answer that is too old is one that turned out to be none only where every answer would be', async () => {
      const { ledger, a, b } = await opened();
      const attempt = await answered(ledger, a, 'acme');
      const reading = {
        answer: 'paused',
        charged: credits(1),
        why: 'busy',
        dialect: 7,
        atMs: NOON_MS,
      } as const;
      await ledger.readAgain({ attempt, ...reading });
      expect(await isTooOldFor(ledger, b)).toBe(true);
      expect(await isTooOldFor(ledger, b, { foundMs: LATER_MS, noMatchMs: NOON_MS })).toBe(false);
      expect(await isTooOldFor(ledger, b, { noMatchMs: LATER_MS })).toBe(false);
    });

    test('an answer that is too old is never one for the batch that bought it, whatever the clock says', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a', { freshSince: ALL_TOO_OLD });
      const own = await answered(ledger, batch, 'acme');
      await notAdmitted(admit(ledger, batch, 'acme', { replaces: own }));
    });
  });

  describe('a refresh that gets lost', () => {
    test('a refresh that gets lost leaves the older answer in place without a doubt, holds its money, and is not tried again', async () => {
      const ledger = await freshLedger(store);
      const a = await batchNamed(ledger, 'a');
      const old = await answered(ledger, a, 'acme');
      const batch = await batchNamed(ledger, 'b', { freshSince: ALL_TOO_OLD });
      expect(await isTooOldFor(ledger, batch)).toBe(true);
      await lost(ledger, batch, 'acme', { ...refresh(old), reserve: 2 });
      expect(await stateOf(ledger, 'acme', batch)).toMatchObject({
        kind: 'answered',
        answer: { attempt: old },
      });
      expect(await ledger.batchMoney(batch)).toEqual({ spent: 0, reserved: 0, inDoubt: 2 });
      expect(await ledger.doubts(batch)).toEqual([]);
      expect(await isTooOldFor(ledger, batch)).toBe(false);
      await notAdmitted(admit(ledger, batch, 'acme', refresh(old)));
    });

    test('a refresh that gets lost is no lost one when it never left or was asked to wait, and may be tried again', async () => {
      const ledger = await freshLedger(store);
      const old = await answered(ledger, await batchNamed(ledger, 'a'), 'acme');
      const batch = await batchNamed(ledger, 'b', { freshSince: ALL_TOO_OLD });
      for (const kind of ['not_sent', 'paused', 'stopped'] as const) {
        const attempt = await admitted(ledger, batch, 'acme', refresh(old));
        await ledger.end(attempt, { kind, why: 'x' }, LATER_MS);
      }
      expect(await isTooOldFor(ledger, batch)).toBe(true);
      await answered(ledger, batch, 'acme', refresh(old));
    });
  });

  describe('a batch with older answers than that', () => {
    const older = (ledger: Ledger, batch: Parameters<Ledger['hasOlderThan']>[0], freshSince = ALL_TOO_OLD) =>
      ledger.hasOlderThan(batch, freshSince);

    test('a batch with old answers is one by the rows that it settled, whoever bought the answers', async () => {
      const ledger = await freshLedger(store);
      const [a, b] = [await batchNamed(ledger, 'a'), await batchNamed(ledger, 'b')];
      const old = await answered(ledger, a, 'acme');
      expect(await older(ledger, a)).toBe(false);
      for (const batch of [a, b]) {
        await settle(ledger, batch, 2, { kind: 'invalid', reason: 'no identifier' });
        await settle(ledger, batch, 3, MATCHED, [old]);
        expect(await older(ledger, batch)).toBe(true);
        expect(await older(ledger, batch, { noMatchMs: LATER_MS })).toBe(false);
        expect(await older(ledger, batch, { foundMs: NOON_MS })).toBe(false);
        expect(await older(ledger, batch, {})).toBe(false);
      }
    });

    test('a batch with old answers is none once they were tried to be bought anew, until those attempts are too old as well', async () => {
      const { ledger, a, b } = await opened();
      const old = await answered(ledger, a, 'acme');
      await settle(ledger, a, 2, MATCHED, [old]);
      await lost(ledger, b, 'acme', refresh(old));
      expect(await older(ledger, a)).toBe(false);
      expect(await older(ledger, a, { foundMs: LATER_MS + 1 })).toBe(true);
    });
  });
}

/** Whether the batch finds what stands too old. */
async function isTooOldFor(ledger: Ledger, id: BatchId, freshSince = ALL_TOO_OLD): Promise<boolean> {
  const [state] = await ledger.find([keyNamed('acme')], { freshFor: { id, freshSince } });
  return state !== undefined && 'answer' in state && state.answer.isTooOld === true;
}

/** Of a batch that began a day later. */
function refresh(replaces: AttemptId) {
  return { replaces, atMs: LATER_MS, receivedAtMs: LATER_MS };
}
