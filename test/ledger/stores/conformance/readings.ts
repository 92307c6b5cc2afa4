import { describe, expect, test } from 'vitest';
import { callKeyOf } from '../../../../src/core/call-key.ts';
import { type AttemptId, credits, type Ledger, type Reading } from '../../../../src/ledger/ledger.ts';
import type { Store } from '../../../../src/ledger/store.ts';
import {
  ACCOUNT,
  admit,
  admitted,
  answered,
  batchNamed,
  decide,
  IN_DOUBT,
  keyNamed,
  lost,
  MATCHED,
  NOON_MS,
  notAdmitted,
  released,
  replyWith,
  requestUnder,
  settle,
  stateOf,
} from '../book.ts';
import { changed, changeOf, INVITED } from '../changes.ts';
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

    test('means for every later call what it was read as last, and so does its record', async () => {
      const ledger = await freshLedger(store);
      const attempt = await answered(ledger, await batchNamed(ledger, 'a'), 'acme');
      expect(await ledger.find([keyNamed('acme')], { detail: 'kind' })).toMatchObject([
        { answer: { kind: 'found' } },
      ]);
      await read(ledger, attempt, { answer: 'refused', why: 'no' });
      await read(ledger, attempt);
      const now = { attempt, kind: 'no_match', why: 'empty', dialect: OURS };
      expect(await stateOf(ledger, 'acme')).toMatchObject({ kind: 'answered', answer: now });
      expect(await ledger.find([keyNamed('acme')], { detail: 'kind' })).toEqual([
        { kind: 'answered', answer: { ...now, batch: expect.any(String), answeredAtMs: NOON_MS + 40 } },
      ]);
      const [record] = await ledger.attempts([attempt]);
      const closure = { kind: 'answered', answer: 'no_match', charged: 1, closedAtMs: NOON_MS + 50 };
      expect(record?.closure).toMatchObject(closure);
    });

    test('costs what it is read to cost where that is more, and never less', async () => {
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

    test('is spent where the first request under its idempotency key was risked', async () => {
      const ledger = await freshLedger(store);
      const [one, other] = [await batchNamed(ledger, 'a'), await batchNamed(ledger, 'b')];
      const request = requestUnder('key-1');
      await lost(ledger, one, 'keyed', { request });
      const decision = await decide(ledger, other, 'keyed', 'repeat');
      const again = await admitted(ledger, other, 'keyed', { request, decision, reserve: 0 });
      await ledger.keep(again, replyWith('keyed'));
      const closure = { kind: 'answered', answer: 'found', charged: credits(1), why: 'x' } as const;
      await ledger.end(again, closure, NOON_MS);
      await read(ledger, again, { charged: credits(4) });
      expect((await ledger.batchMoney(one)).spent).toBe(4);
      expect((await ledger.batchMoney(other)).spent).toBe(0);
    });

    test('is the answer of a call that was in doubt about it; what was at risk counts as spent', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const odd = await admitted(ledger, batch, 'odd', { reserve: 2 });
      await ledger.keep(odd, replyWith('odd'));
      await ledger.end(odd, { kind: 'in_doubt', why: 'odd' }, NOON_MS);
      await settle(ledger, batch, 2, IN_DOUBT, [odd]);
      await settle(ledger, batch, 3, IN_DOUBT, [odd]);
      await read(ledger, odd);
      expect(await ledger.batchMoney(batch)).toMatchObject({ spent: 2, reserved: 0, inDoubt: 0 });
      expect(await ledger.metrics(batch)).toMatchObject({ requests: 1, calls: 1 });
      expect(await ledger.doubts(batch)).toEqual([]);
      const answer = { attempt: odd, kind: 'no_match', charged: 2, status: 200, dialect: OURS };
      expect(await stateOf(ledger, 'odd')).toMatchObject({ kind: 'answered', answer });
      expect(await ledger.find([keyNamed('odd')], { detail: 'kind' })).toMatchObject([
        { kind: 'answered', answer: { kind: 'no_match', answeredAtMs: NOON_MS + 40 } },
      ]);
      expect(await ledger.counts(batch), 'their runs say how they end').toEqual({});
      for (const row of [2, 3]) await settle(ledger, batch, row, { kind: 'no_match', reason: 'none' }, [odd]);
      expect((await ledger.rows(batch, 2, 2)).map(({ answers }) => answers.length)).toEqual([1, 1]);
      await read(ledger, odd, { answer: 'found', charged: credits(3), dialect: 0xb2 });
      expect((await ledger.batchMoney(batch)).spent).toBe(3);
      expect(await ledger.rowsReadOtherwise(batch, 0xb2, 0, 9)).toEqual([]);
      await expect(decide(ledger, batch, 'odd', 'retry')).rejects.toThrow();
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
      'as %s leaves its call unanswered, gives no credit back, and is an answer again when it is read so',
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

    test('is bought again by an attempt that names it, also for the batch that bought it', async () => {
      const { ledger, batch, attempt } = await unanswered();
      for (const options of [{}, { replaces: (attempt + 1) as AttemptId }])
        expect(await admit(ledger, batch, 'acme', options)).toMatchObject({ kind: 'answered' });
      const again = await answered(ledger, batch, 'acme', { replaces: attempt, charged: 1 });
      expect(await stateOf(ledger, 'acme')).toMatchObject({ kind: 'answered', answer: { attempt: again } });
      expect(await ledger.batchMoney(batch)).toMatchObject({ spent: 3 });
      const other = await batchNamed(ledger, 'b');
      await notAdmitted(admit(ledger, other, 'acme', { replaces: again }));
    });

    test('is bought within the budget, and not once it is read as an answer again', async () => {
      const { ledger, attempt } = await unanswered();
      const poor = await batchNamed(ledger, 'b');
      await ledger.changeBatch(poor, { budget: credits(0) });
      expect(await admit(ledger, poor, 'acme', { replaces: attempt })).toMatchObject({ kind: 'over_budget' });
      await read(ledger, attempt, 'no_match');
      await ledger.changeBatch(poor, { budget: credits(9) });
      await notAdmitted(admit(ledger, poor, 'acme', { replaces: attempt }));
    });

    test('is doubted where what should replace it gets lost, and is there again when that is released', async () => {
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

    test('puts the rows that it ended in doubt, in every batch; once it is bought anew they ask again', async () => {
      const ledger = await freshLedger(store);
      const [batch, other] = [await batchNamed(ledger, 'a'), await batchNamed(ledger, 'b')];
      const attempt = await answered(ledger, batch, 'acme');
      // Behind it the row used another answer.
      await settle(ledger, batch, 2, MATCHED, [attempt, await answered(ledger, batch, 'next')]);
      await settle(ledger, other, 2, MATCHED, [attempt]);
      await ledger.changeBatch(other, { state: 'finished' });
      await read(ledger, attempt);
      expect(await ledger.counts(batch)).toEqual({ in_doubt: 1 });
      expect(await ledger.counts(other)).toEqual({ in_doubt: 1 });
      const [row] = await ledger.rows(other, 2, 1);
      expect(row).toMatchObject({ outcome: { kind: 'in_doubt', reason: 'too many' }, answers: [] });
      expect([await ledger.rowsUnanswered(batch), await ledger.rowsUnanswered(other)]).toEqual([1, 1]);
      expect(await ledger.doubts(other), 'nothing to decide').toEqual([]);
      await answered(ledger, batch, 'acme', { replaces: attempt });
      expect([await ledger.rowsUnanswered(batch), await ledger.rowsUnanswered(other)]).toEqual([0, 0]);
      expect([await ledger.counts(batch), await ledger.counts(other)]).toEqual([{}, {}]);
      expect(await ledger.batch(other)).toMatchObject({ state: 'open' });
    });
  });

  describe('a change in which another dialect does not read that it was done', () => {
    const APPLIED = { kind: 'applied', reason: 'it was invited' } as const;
    const key = callKeyOf(ACCOUNT, changeOf('invite', 0));

    async function doubted() {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const attempt = await changed(ledger, batch, changeOf('invite', 0), { left: INVITED });
      await settle(ledger, batch, 2, APPLIED, [attempt]);
      await ledger.changeBatch(batch, { state: 'finished' });
      const read = (answer: Reading['answer'], dialect: number): Promise<void> =>
        ledger.readAgain({
          ...{ attempt, answer, dialect, charged: credits(0), why: 'odd', atMs: NOON_MS },
          reason: 'it counted as done',
        });
      await read('in_doubt', 0xa1);
      const spec = { key, batch, by: 'person', why: 'somebody looked', atMs: NOON_MS } as const;
      return { ledger, batch, attempt, read, spec };
    }

    test('stays an answer, and its row alone is in doubt, which no run works on; it is never sent again or left out', async () => {
      const { ledger, batch, attempt, spec } = await doubted();
      const [row] = await ledger.rows(batch, 2, 1);
      expect(row).toMatchObject({ outcome: { kind: 'in_doubt', reason: 'it counted as done' } });
      expect((await ledger.find([key]))[0]).toMatchObject({ kind: 'answered', answer: { kind: 'found' } });
      expect(await ledger.doubts(batch)).toMatchObject([{ attempt, atRisk: 0, isUnproven: true }]);
      expect(await ledger.rowsLeft(batch, 'in_doubt', 0, 9, 9)).toEqual([]);
      for (const kind of ['retry', 'skip'] as const)
        await expect(ledger.decide({ ...spec, kind })).rejects.toThrow('not sent again, nor left out');
    });

    test('counts as done again where a dialect reads it so, or a person says so, which no dialect reads any more', async () => {
      const { ledger, batch, read, spec } = await doubted();
      await read('found', 0xa2);
      expect(await ledger.counts(batch)).toEqual({ applied: 1 });
      await read('refused', 0xa3);
      expect(await ledger.counts(batch)).toEqual({ in_doubt: 1 });
      await ledger.decide({ ...spec, kind: 'told' }, { told: replyWith('{}') });
      expect(await ledger.counts(batch)).toEqual({ applied: 1 });
      await expect(read('refused', 0xa4)).rejects.toThrow();
    });

    test('is refused where it was not done: nobody knows how its subject is, and another one may be sent', async () => {
      const { ledger, batch, attempt } = await doubted();
      await released(ledger, attempt);
      const [row] = await ledger.rows(batch, 2, 1);
      expect(row?.outcome).toEqual({ kind: 'refused', reason: 'not done: run the list again' });
      const [subject] = await ledger.subjects(ACCOUNT);
      expect(subject).toMatchObject({ sequence: 1 });
      expect(subject?.facts).toBeUndefined();
      expect(await ledger.doubts(batch)).toEqual([]);
      await changed(ledger, batch, changeOf('invite', 1), { left: INVITED });
    });
  });
}
