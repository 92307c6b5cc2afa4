/**
 * Goal: of a ledger of layout 6, where calls of one account may have the same id of its vendor, nothing is asked again, its money is the
 * same, and none of these calls is answered by that id.
 * Method: what the program of layout 6 left is kept as SQL of either database, and is copied in its place.
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import { type BatchId, credits, type Ledger } from '../../../src/ledger/ledger.ts';
import { storeAt } from '../../../src/ledger/stores.ts';
import { said } from '../../support/told.ts';
import { ACCOUNT, admit, answered, keyNamed, NOON_MS, replyWith } from './book.ts';
import { copyInPlace, type Kind, type Place, placeWith } from './earlier/places.ts';
import { openStore } from './places.ts';

const ONE = '2d9461e6' as BatchId;
const WORDS = ['acme', 'own', 'ann', 'ben', 'gone', 'cleo', 'lost'];
const BUDGETS_THEN = 'SELECT scope, spent, held FROM budgets ORDER BY scope';
const BUDGETS = `SELECT kind || CASE batch WHEN '' THEN '' ELSE ':' || batch END
  || CASE account WHEN 0 THEN '' ELSE ':' || account END
  || CASE period WHEN 0 THEN '' ELSE ':' || period END AS scope, spent, held FROM budgets ORDER BY scope`;
const ANSWER = {
  kind: 'answered',
  answer: 'found',
  charged: credits(2),
  why: said('found'),
  dialect: 7,
} as const;

async function copied(kind: Kind): Promise<{ left: Place; before: object; ledger: Ledger }> {
  const left = await placeWith(kind, 'shared-ids.');
  const before = await left.query(BUDGETS_THEN);
  await copyInPlace(left);
  const ledger = await openStore(await storeAt(left.location), left.location, false);
  onTestFinished(() => ledger.close());
  return { left, before, ledger };
}

describe.each(['folder', 'database'] as const)('a ledger of layout 6 in a %s', (kind) => {
  test('a copy of layout 6 asks nothing again, and has the money that was there', async () => {
    const { left, before, ledger } = await copied(kind);
    for (const word of WORDS) expect(await admit(ledger, ONE, word)).not.toMatchObject({ kind: 'admitted' });
    expect(await left.query(BUDGETS)).toEqual(before);
    await answered(ledger, ONE, 'next', { row: 9 });
    await ledger.close();
    const store = await storeAt(left.location);
    expect(await store.check(left.location)).toMatchObject({ broken: [], wrong: [] });
  });

  test('a copy of layout 6 has in doubt what has one id, with its rows, and waits for what has one of its own', async () => {
    const { left, ledger } = await copied(kind);
    const states = await ledger.find(WORDS.map((word) => keyNamed(word)));
    expect(states.map(({ kind }) => kind)).toEqual([
      'answered',
      'accepted',
      'in_doubt',
      'in_doubt',
      'in_doubt',
      'in_doubt',
      'in_doubt',
    ]);
    expect(
      await left.query('SELECT CAST(row AS INTEGER) AS row, state, findings FROM rows ORDER BY row'),
    ).toEqual([
      { row: 2, state: 'matched', findings: null },
      { row: 3, state: 'pending', findings: null },
      ...[4, 5].map((row) => ({
        row,
        state: 'in_doubt',
        findings: expect.stringContaining('"id_given_twice"'),
      })),
      { row: 6, state: 'in_doubt', findings: expect.stringContaining('has not answered in 2h') },
      { row: 7, state: 'in_doubt', findings: expect.stringContaining('"id_given_twice"') },
      { row: 8, state: 'in_doubt', findings: expect.stringContaining('no answer came') },
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
});
