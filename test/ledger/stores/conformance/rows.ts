import { describe, expect, test } from 'vitest';
import { OUTCOME_KINDS, type Outcome, type OutcomeKind } from '../../../../src/core/row.ts';
import { type AttemptId, credits, type RowPlace } from '../../../../src/ledger/ledger.ts';
import { listedRows } from '../../../../src/ledger/rows.ts';
import type { Store } from '../../../../src/ledger/store.ts';
import { proof } from '../../../combinations.ts';
import { allOf } from '../../../files/formats/sheets.ts';
import {
  admitted,
  answered,
  batchNamed,
  decide,
  IN_DOUBT,
  lost,
  MATCHED,
  NOON_MS,
  replyWith,
  settle,
} from '../book.ts';
import { freshLedger } from '../places.ts';

// Goal: a row that has an outcome keeps it, and points to what it was made of. Method: rows settled, read and settled again.
export function rowsConform(store: Store): void {
  describe('rows', () => {
    test('come back in order, in pages, with their outcomes and the answers in the order of asking', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const [one, two] = [await answered(ledger, batch, 'one'), await answered(ledger, batch, 'two')];
      await settle(ledger, batch, 10, MATCHED, [two, one]);
      await settle(ledger, batch, 3, { kind: 'invalid', reason: 'no identifier' });
      await settle(ledger, batch, 200, { kind: 'applied' });
      const rows = await ledger.rows(batch, 0, 100);
      expect(rows.map(({ row, outcome }) => ({ row, outcome }))).toEqual([
        { row: 3, outcome: { kind: 'invalid', reason: 'no identifier' } },
        { row: 10, outcome: MATCHED },
        { row: 200, outcome: { kind: 'applied' } },
      ]);
      expect(rows[1]?.answers.map(({ body }) => body.toString())).toEqual(['two', 'one']);
      expect((await ledger.rows(batch, 4, 1)).map(({ row }) => row)).toEqual([10]);
      expect(await ledger.rows(batch, 201, 10)).toEqual([]);
      expect(await ledger.rows(await batchNamed(ledger, 'b'), 0, 10)).toEqual([]);
    });

    test('many that are settled together are as those that are settled one by one', async () => {
      const ledger = await freshLedger(store);
      const [batch, alone] = [await batchNamed(ledger, 'a'), await batchNamed(ledger, 'b')];
      const [one, two] = [
        await answered(ledger, batch, 'one', { row: 50 }),
        await answered(ledger, alone, 'two'),
      ];
      const rows = Array.from({ length: 70 }, (_, at) => ({
        row: at + 2,
        outcome: at % 3 === 0 ? MATCHED : ({ kind: 'no_match', reason: `nobody at ${at}` } as const),
        answers: at % 2 === 0 ? [one, two] : [],
      }));
      await ledger.finishRows(rows.map((row) => ({ ...row, batch })));
      for (const row of rows) await ledger.finishRows([{ ...row, batch: alone }]);
      const paid = (await ledger.rows(batch, 0, 1))[0]?.answers.map(({ paidRow }) => paidRow);
      expect(paid?.[0]).toBe(2);
      expect(await ledger.rows(batch, 0, 100)).toEqual(await ledger.rows(alone, 0, 100));
      expect(await ledger.counts(batch)).toEqual(await ledger.counts(alone));
      await ledger.finishRows([]);
    });

    test('many are settled all together or not at all', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      await settle(ledger, batch, 40, { kind: 'no_match', reason: 'nobody' });
      const rows = [39, 40, 41].map((row) => ({ batch, row, outcome: MATCHED, answers: [] }));
      await expect(ledger.finishRows(rows)).rejects.toThrow();
      expect((await ledger.rows(batch, 0, 100)).map(({ row }) => row)).toEqual([40]);
    });

    test('every kind of outcome is kept and counted', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      for (const [index, kind] of OUTCOME_KINDS.entries()) {
        await settle(ledger, batch, index, outcomeOf(kind));
        await settle(ledger, batch, 100 + index, outcomeOf(kind));
      }
      expect(await ledger.counts(batch)).toEqual(Object.fromEntries(OUTCOME_KINDS.map((kind) => [kind, 2])));
      const kinds = (await ledger.rows(batch, 0, OUTCOME_KINDS.length)).map(({ outcome }) => outcome);
      expect(kinds).toEqual(OUTCOME_KINDS.map(outcomeOf));
      const numbersOf = async (place: RowPlace, limit: number, states?: readonly OutcomeKind[]) =>
        (await ledger.rowKinds(batch, place, limit, states)).map(({ row }) => row);
      expect(await ledger.rowKinds(batch, { from: 7 }, 2)).toEqual([
        { row: 7, kind: OUTCOME_KINDS[7] },
        { row: 100, kind: OUTCOME_KINDS[0] },
      ]);
      expect(await numbersOf({ before: 101 }, 2)).toEqual([7, 100]);
      const two = [OUTCOME_KINDS[1], OUTCOME_KINDS[0]];
      expect(await numbersOf({ from: 1 }, 2, two)).toEqual([1, 100]);
      expect(await numbersOf({ before: 101 }, 2, two)).toEqual([1, 100]);
    });

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

    test('a row cannot point to an attempt that is not there', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      await expect(settle(ledger, batch, 2, MATCHED, [7 as AttemptId])).rejects.toThrow();
      expect(await ledger.counts(batch)).toEqual({});
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

    // Rows over a page, which takes seconds where each is a commit of a server.
    (store.name === 'postgres' ? proof : test)(
      'the rows of a list come with their states, in order, in pages',
      async () => {
        const ledger = await freshLedger(store);
        const batch = await batchNamed(ledger, 'a');
        const count = 10_003;
        const numbers = Array.from({ length: count }, (_, index) => index + 2);
        await Promise.all(
          numbers
            .toReversed()
            .map((row) => settle(ledger, batch, row, row % 1000 === 0 ? IN_DOUBT : MATCHED)),
        );
        const listed = (await allOf(listedRows(ledger, batch))).map(({ row, kind }) => [row, kind]);
        expect(listed).toEqual(numbers.map((row) => [row, row % 1000 === 0 ? 'in_doubt' : 'matched']));
      },
    );

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

    test('an answer has the bytes that came, whether they are text or not', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const texts = ['{"name":"Zoë 🎉 Łódź"}', '\uFEFF{"with":"a mark"}', 'a\0b', ''];
      const others = ['fffe7b007d00', 'c328', 'eda080', 'efbfbdff'].map((hex) => Buffer.from(hex, 'hex'));
      const bodies = [...texts.map((text) => Buffer.from(text)), ...others];
      for (const [at, body] of bodies.entries()) {
        const attempt = await admitted(ledger, batch, `word${at}`);
        await ledger.keep(attempt, { ...replyWith(''), body });
        const closure = { kind: 'answered', answer: 'found', charged: credits(1), why: 'w' } as const;
        await ledger.end(attempt, closure, NOON_MS);
        await settle(ledger, batch, at, MATCHED, [attempt]);
      }
      const found = (await ledger.rows(batch, 0, 100)).flatMap(({ answers }) => answers);
      expect(found.map(({ body }) => Buffer.from(body as string))).toEqual(bodies);
    });

    test('a row that waited for a call shows what a person told about it', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const attempt = await lost(ledger, batch, 'acme');
      await decide(ledger, batch, 'acme', 'told', replyWith('told'));
      await settle(ledger, batch, 2, { kind: 'applied' }, [attempt]);
      expect((await ledger.rows(batch, 2, 1))[0]?.answers[0]?.body.toString()).toBe('told');
    });
  });
}

function outcomeOf(kind: (typeof OUTCOME_KINDS)[number]): Outcome {
  return kind === 'matched'
    ? { kind, matchedBy: 'abn', reason: 'old number' }
    : { kind, reason: `because ${kind}` };
}
