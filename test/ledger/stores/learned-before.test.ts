/**
 * Goal: of a ledger of layout 8 it is known who noted when what a list says of a person, no one is changed again, and who was forgotten
 * stays so.
 * Method: what the program of layout 8 left of two lists is kept as SQL: both people were invited, have accepted, and were noted by the
 * second list; one was forgotten. A third note was begun, and killed, and two rows wait for it. It is copied in its place.
 */
import { expect, onTestFinished, test } from 'vitest';
import type { BatchId } from '../../../src/ledger/ledger.ts';
import { storeAt } from '../../../src/ledger/stores.ts';
import { copyInPlace, placeWith } from './earlier/places.ts';
import { openStore } from './places.ts';

const SECOND = 'e4f9f14c' as BatchId;
const WORDS = 'nothing was sent: a list says that they are there already';
const KILLED = `INSERT INTO attempts (id, worker, key, state, is_current, kind, account, operation, asked, credits_max, batch, row, day,
    month, reserved, sent_at, over_at, subject, after, moved)
  SELECT 20001, worker, randomblob(16), 'open', 1, kind, account, operation, asked, -1, batch, 4, day, month, 0, sent_at, over_at, subject,
    2, 20002 FROM attempts WHERE id = 10001 RETURNING id`;

const WAITING = `INSERT INTO rows (batch, row, state, attempt, others)
  VALUES ('${SECOND}', 4, 'in_doubt', 20001, NULL), ('${SECOND}', 5, 'in_doubt', NULL, '[20001]') RETURNING row`;

test('a copy of layout 8 has what lists said of people as notes, and no request of it', async () => {
  const place = await placeWith('folder', 'learned.');
  for (const left of [KILLED, WAITING]) await place.query(left);
  const before = await place.query('SELECT id, seq, facts FROM subjects');
  await copyInPlace(place);
  expect(await place.query('SELECT operation FROM attempts')).toEqual([
    { operation: 'create-invite' },
    { operation: 'create-invite' },
  ]);
  expect(await place.query('SELECT id, seq, facts FROM subjects')).toEqual(before);
  expect(await place.query('SELECT row, state, attempt FROM rows WHERE row > 3')).toEqual(
    [4, 5].map((row) => ({ row, state: 'pending', attempt: null })),
  );
  const store = await storeAt(place.location);
  const ledger = await openStore(store, place.location, false);
  onTestFinished(() => ledger.close());
  const subject = { project: 'proj-1', name: 'ann@team.example' };
  const noted = { batch: SECOND, atMs: expect.any(Number), operator: 'Ann' };
  const learned: object[] = [];
  for await (const part of ledger.learned(SECOND)) learned.push(...part);
  expect(learned).toEqual([
    { ...noted, row: 3, words: 'erased' },
    { ...noted, row: 2, words: WORDS, subject, leaves: JSON.parse(String(before[0]?.facts)) },
  ]);
  await ledger.close();
  expect(await store.check(place.location)).toMatchObject({ broken: [], wrong: [] });
});
