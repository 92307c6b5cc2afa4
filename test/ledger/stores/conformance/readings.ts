import { describe, expect, test } from 'vitest';
import { type AttemptId, credits, type Ledger, type Reading } from '../../../../src/ledger/ledger.ts';
import type { Store } from '../../../../src/ledger/store.ts';
import {
  ACCOUNT,
  admit,
  admitted,
  answered,
  batchNamed,
  decide,
  keyNamed,
  lost,
  NOON_MS,
  notAdmitted,
  released,
  replyWith,
  requestUnder,
  stateOf,
} from '../book.ts';
import { freshLedger } from '../places.ts';

// Goal: what a kept answer means by another dialect is used from then on, and takes nothing from a row or a budget.
// Method: answers that are read otherwise, and what the ledger says of their calls, rows and money afterwards.
export function readingsConform(store: Store): void {
  describe('an answer that another dialect reads', () => {
    const OURS = 0xa1;

    function read(ledger: Ledger, attempt: AttemptId, reading: Partial<Reading> = {}): Promise<void> {
      const said = { answer: 'no_match', charged: credits(0), why: 'empty', dialect: OURS } as const;
      return ledger.readAgain({ ...said, attempt, atMs: NOON_MS + 90, ...reading });
    }

    test('an answer that is read anew costs what it is read to cost where that is more, and never less', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const attempt = await answered(ledger, batch, 'acme', { charged: 2 });
      const spent = async () => [
        (await ledger.batchMoney(batch)).spent,
        (await ledger.accountMoney(ACCOUNT, 'day', NOON_MS)).spent,
        (await ledger.accountMoney(ACCOUNT, 'ever', NOON_MS)).spent,
      ];
      await read(ledger, attempt, { charged: credits(5), showsPrice: true });
      expect(await spent()).toEqual([5, 5, 5]);
      await read(ledger, attempt, { charged: credits(1) });
      expect(await spent()).toEqual([5, 5, 5]);
      await read(ledger, attempt, { charged: credits(6) });
      expect(await spent()).toEqual([6, 6, 6]);
      expect(await stateOf(ledger, 'acme')).toMatchObject({ answer: { charged: 6 } });
      expect(await ledger.price(ACCOUNT, { operation: 'enrich-company' })).toBe(5);
    });

    test('an answer that is read anew is spent where the first request under its idempotency key was risked', async () => {
      const ledger = await freshLedger(store);
      const [one, other] = [await batchNamed(ledger, 'a'), await batchNamed(ledger, 'b')];
      const request = requestUnder('key-1');
      await lost(ledger, one, 'keyed', { request });
      const decision = await decide(ledger, other, 'keyed', 'repeat');
      const again = await admitted(ledger, other, 'keyed', { request, decision, reserve: 0 });
      await ledger.keep(again, replyWith('keyed'));
      const end = { kind: 'answered', answer: 'found', charged: credits(1), why: 'x' } as const;
      await ledger.end(again, end, NOON_MS);
      await read(ledger, again, { charged: credits(4) });
      expect((await ledger.batchMoney(one)).spent).toBe(4);
      expect((await ledger.batchMoney(other)).spent).toBe(0);
    });
  });

  describe('an answer that another dialect reads as none', () => {
    const READ = { charged: credits(0), why: 'too many', dialect: 0xa1, atMs: NOON_MS + 90 };
    const read = (ledger: Ledger, attempt: AttemptId, answer: Reading['answer'] = 'paused') =>
      ledger.readAgain({ ...READ, attempt, answer });

    /** A call that was bought for 2 credits by batch a, and is unanswered now. */
    async function unanswered() {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const attempt = await answered(ledger, batch, 'acme', { charged: 2 });
      await read(ledger, attempt);
      return { ledger, batch, attempt };
    }

    test.each(['paused', 'in_doubt', 'stopped', 'not_sent'] as const)(
      'an answer that reads as none as %s leaves its call unanswered, gives no credit back, and is an answer again when it is read so',
      async (kind) => {
        const { ledger, batch, attempt } = await unanswered();
        await read(ledger, attempt, kind);
        const answer = { attempt, batch, kind, why: 'too many', charged: 2, dialect: 0xa1 };
        expect(await stateOf(ledger, 'acme')).toMatchObject({ kind: 'unanswered', answer });
        expect(await ledger.find([keyNamed('acme')], { detail: 'kind' })).toMatchObject([
          { kind: 'unanswered' },
        ]);
        expect(await ledger.batchMoney(batch)).toMatchObject({ spent: 2, inDoubt: 0 });
        await read(ledger, attempt, 'found');
        expect(await stateOf(ledger, 'acme')).toMatchObject({ kind: 'answered', answer: { charged: 2 } });
      },
    );

    test('an answer that reads as none is bought again by an attempt that names it, also for the batch that bought it', async () => {
      const { ledger, batch, attempt } = await unanswered();
      for (const options of [{}, { replaces: (attempt + 1) as AttemptId }])
        expect(await admit(ledger, batch, 'acme', options)).toMatchObject({ kind: 'answered' });
      const again = await answered(ledger, batch, 'acme', { replaces: attempt, charged: 1 });
      expect(await stateOf(ledger, 'acme')).toMatchObject({ kind: 'answered', answer: { attempt: again } });
      expect(await ledger.batchMoney(batch)).toMatchObject({ spent: 3 });
      const other = await batchNamed(ledger, 'b');
      await notAdmitted(admit(ledger, other, 'acme', { replaces: again }));
    });

    test('an answer that reads as none is bought within the budget, and not once it is read as an answer again', async () => {
      const { ledger, attempt } = await unanswered();
      const poor = await batchNamed(ledger, 'b');
      await ledger.changeBatch(poor, { budget: credits(0) });
      expect(await admit(ledger, poor, 'acme', { replaces: attempt })).toMatchObject({ kind: 'over_budget' });
      await read(ledger, attempt, 'no_match');
      await ledger.changeBatch(poor, { budget: credits(9) });
      await notAdmitted(admit(ledger, poor, 'acme', { replaces: attempt }));
    });

    test('an answer that reads as none is doubted where what should replace it gets lost, and is there again when that is released', async () => {
      const { ledger, attempt } = await unanswered();
      const batch = await batchNamed(ledger, 'b');
      const again = await lost(ledger, batch, 'acme', { replaces: attempt });
      expect(await stateOf(ledger, 'acme')).toMatchObject({ kind: 'in_doubt', doubt: { attempt: again } });
      expect(await ledger.doubts(batch)).toMatchObject([{ attempt: again, atRisk: 1 }]);
      for (const replaces of [attempt, again]) await notAdmitted(admit(ledger, batch, 'acme', { replaces }));
      const decision = await decide(ledger, batch, 'acme', 'retry');
      await ledger.changeBatch(batch, { extraCredits: credits(9) });
      const third = await lost(ledger, batch, 'acme', { decision });
      await released(ledger, third);
      expect(await stateOf(ledger, 'acme')).toMatchObject({ kind: 'in_doubt', doubt: { attempt: again } });
      await released(ledger, again);
      expect(await stateOf(ledger, 'acme')).toMatchObject({ kind: 'unanswered', answer: { attempt } });
      await answered(ledger, batch, 'acme', { replaces: attempt });
    });
  });
}
