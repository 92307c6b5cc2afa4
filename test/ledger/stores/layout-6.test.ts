/**
 * Goal: a ledger of layout 6 goes on by tables in which an id leads to the answer of one call: nothing of it is asked again, its
 * money is the same, and of the calls that had one id already none is answered by it.
 * Method: what the program of layout 6 left is kept as SQL of either database, and the stores open it.
 */
import { describe, expect, test } from 'vitest';
import { type BatchId, credits } from '../../../src/ledger/ledger.ts';
import { ACCOUNT, admit, answered, keyNamed, NOON_MS, replyWith } from './book.ts';
import { bringOn, laidOut, leftBy, opened, PLACES } from './kept-layouts.ts';

const ONE = '2d9461e6' as BatchId;
const WORDS = ['acme', 'own', 'ann', 'ben', 'gone', 'cleo', 'lost'];
const BUDGETS = 'SELECT scope, spent, held FROM budgets ORDER BY scope';
const ANSWER = { kind: 'answered', answer: 'found', charged: credits(2), why: 'found', dialect: 7 } as const;

describe.each(PLACES)('a ledger of layout 6 in %s', (_, { name }, place, tables) => {
  test('a ledger of layout 6 asks nothing again, and has the money that it had', async () => {
    const left = await place(leftBy(6, name));
    const before = await left.query(BUDGETS);
    const ledger = await opened(left);
    for (const word of WORDS) expect(await admit(ledger, ONE, word)).not.toMatchObject({ kind: 'admitted' });
    expect(await left.query(BUDGETS)).toEqual(before);
    await answered(ledger, ONE, 'next', { row: 9 });
    await ledger.close();
    expect(await left.store.check(left.location)).toMatchObject({ broken: [], wrong: [] });
  });

  test('a ledger of layout 6 has in doubt what has one id, with its rows, and waits for what has one of its own', async () => {
    const left = await place(leftBy(6, name));
    const ledger = await opened(left);
    const states = await ledger.find(WORDS.map((word) => keyNamed(word)));
    expect(states.map(({ kind }) => kind)).toEqual([
      ...['answered', 'accepted', 'in_doubt', 'in_doubt', 'in_doubt', 'in_doubt', 'in_doubt'],
    ]);
    expect(
      await left.query('SELECT CAST(row AS INTEGER) AS row, state, reason FROM rows ORDER BY row'),
    ).toEqual([
      { row: 2, state: 'matched', reason: null },
      { row: 3, state: 'pending', reason: null },
      ...[4, 5].map((row) => ({
        row,
        state: 'in_doubt',
        reason: expect.stringContaining('to another call'),
      })),
      { row: 6, state: 'in_doubt', reason: expect.stringContaining('has not answered in 2h') },
      { row: 7, state: 'in_doubt', reason: expect.stringContaining('to another call') },
      { row: 8, state: 'in_doubt', reason: 'no answer came' },
    ]);
    const doubts = await ledger.doubts(ONE);
    expect(doubts.map(({ sharesId }) => sharesId)).toEqual([true, true, true, true, undefined]);
    const [ben] = states.flatMap((state) =>
      state.kind === 'in_doubt' && state.doubt.row === 5 ? [state.doubt] : [],
    );
    const [own] = await ledger.acceptedCalls(ACCOUNT);
    if (ben === undefined || own === undefined) throw new Error('they are there');
    for (const { attempt, vendorId = '' } of [ben, own])
      await ledger.endLater(attempt, replyWith('late'), { ...ANSWER, vendorId }, NOON_MS + 99);
    const after = await ledger.find([keyNamed('ben'), keyNamed('own')]);
    expect(after.map(({ kind }) => kind)).toEqual(['in_doubt', 'answered']);
  });

  test('a ledger of layout 6 is held by the tables and rules of a new one', async () => {
    const [left, fresh] = [await place(leftBy(6, name)), await place('')];
    await bringOn(left);
    await bringOn(fresh);
    expect(await laidOut(left, tables)).toEqual(await laidOut(fresh, tables));
  });
});
