import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type AttemptId, credits } from '../../../src/ledger/ledger.ts';
import { READINGS } from '../../../src/ledger/stores/sqlite/schema/readings.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import {
  admitted,
  answered,
  batchNamed,
  decide,
  lost,
  MATCHED,
  NOON_MS,
  released,
  replyWith,
  settle,
} from './book.ts';
import { changed, changeOf, INVITED } from './changes.ts';
import { openStore, temporaryFolder } from './places.ts';
import { BOOK, expectRefusal, type Refusal, tryOut, untested } from './refusals.ts';

/**
 * Goal: the database itself refuses readings of what is never read again, those by which a budget would fall, and to buy
 * again what was not read as none, whatever the code does.
 * Method: raw SQL on the file, around the code, in a store where an answer of one credit was read to cost three.
 */
let database: Database.Database;

beforeAll(async () => {
  const place = temporaryFolder(afterAll);
  const ledger = await openStore(sqlite, place);
  const batch = await batchNamed(ledger, 'a');
  const attempt = await answered(ledger, batch, 'acme');
  const reading = { answer: 'found', charged: credits(3), why: 'x', dialect: 1, atMs: NOON_MS } as const;
  await ledger.addReading({ ...reading, attempt });
  await lost(ledger, batch, 'told');
  await decide(ledger, batch, 'told', 'told', replyWith('told'));
  await changed(ledger, batch, changeOf('create-invite', 0), { left: INVITED });
  await answered(ledger, batch, 'dear');
  await answered(ledger, batch, 'taken', { kind: 'no_match', charged: 0, status: 404 });
  await answered(ledger, batch, 'missed', { kind: 'no_match', charged: 0, status: 404 });
  const odd = await admitted(ledger, batch, 'odd', { reserve: 2 });
  await ledger.record(odd, replyWith('odd'));
  await ledger.closeAttempt(odd, { kind: 'in_doubt', why: 'odd' }, NOON_MS);
  await lost(ledger, batch, 'lost');
  await ledger.close();
  database = new Database(join(place, 'ledger.db'));
  database.pragma('recursive_triggers = ON');
  afterAll(() => void database.close());
});

const [ANSWER, TOLD, CHANGE, DEAR, TAKEN, MISSED, ODD, LOST] = [1, 2, 3, 4, 5, 6, 7, 8];

function reading(attempt: number, charged: number, id = 9, answer = 'no_match'): string {
  return `INSERT INTO readings (id, attempt, answer, charged, why, dialect, at, checksum)
    VALUES (${id}, ${attempt}, '${answer}', ${charged}, 'x', 2, 0, 0);`;
}

const none = (attempt: number): string => reading(attempt, 3, 9, 'paused');

/** An attempt for the call of that one, in the place of its answer or of another. */
function bought(attempt: number, replaces = attempt): string {
  return `INSERT INTO attempts (id, call_behind, batch, row, reserved, intent_at, checksum, replaces)
    SELECT 50, 50 - call, batch, 2, 1, intent_at, 0, ${replaces} FROM attempts WHERE id = ${attempt};`;
}

const retraction = (attempt: number): string => `INSERT INTO retractions VALUES (${attempt});`;

const REFUSED: readonly Refusal[] = [
  ['a reading of what a person told', 'readings_reading', reading(TOLD, 9)],
  ['a reading of the answer to a change', 'readings_reading', reading(CHANGE, 9)],
  ['a reading of an answer that was taken back', 'readings_reading', retraction(TAKEN) + reading(TAKEN, 0)],
  ['a reading of a request without a reply', 'readings_reading', reading(LOST, 9)],
  ['one of a reply in doubt that costs less than was at risk', 'readings_reading', reading(ODD, 1)],
  [
    'that a reply in doubt is an answer without a reading',
    'calls_answered',
    `UPDATE calls SET answer_behind = ${ODD} - id, doubt = NULL WHERE doubt = ${ODD}`,
  ],
  ['that what was in doubt turns out to be no answer', 'readings_reading', reading(ODD, 2, 9, 'paused')],
  [
    'that what is no answer is bought again under another name',
    'attempts_admission',
    none(ANSWER) + bought(DEAR, ANSWER),
  ],
  ['what is an answer again', 'attempts_refresh', none(DEAR) + reading(DEAR, 3, 10, 'found') + bought(DEAR)],
  ['a reading that costs less than the answer did', 'readings_reading', reading(DEAR, 0)],
  ['one that costs less than the reading before it', 'readings_reading', reading(ANSWER, 2)],
  ['one that would stand before another', 'readings_reading', reading(ANSWER, 3, 0)],
  [
    'to take back what was read as found',
    'retractions_read',
    reading(MISSED, 0, 9, 'found') + BOOK + retraction(MISSED),
  ],
  ['to take back what was read to cost', 'retractions_read', reading(MISSED, 1) + BOOK + retraction(MISSED)],
  ['that a reading is altered', 'readings_no_update', "UPDATE readings SET answer = 'refused'"],
  ['that it is taken out', 'readings_no_delete', 'DELETE FROM readings'],
];

describe('the database refuses', () => {
  test.each(REFUSED)('%s (%s)', (_, guard, sql) => expectRefusal(database, guard, sql));

  test('nothing that is in order: the same price, a higher one, a miss that is taken back', () => {
    tryOut(database, reading(ANSWER, 3));
    tryOut(database, reading(ANSWER, 4));
    tryOut(database, reading(ODD, 2));
    tryOut(database, reading(MISSED, 0) + BOOK + retraction(MISSED));
    tryOut(database, none(DEAR) + bought(DEAR));
  });

  test('by every guard of readings that there is', () => {
    expect(untested(database, READINGS, REFUSED)).toEqual([]);
  });
});

test('a ledger with readings of every kind stands the full check after an end that was not orderly', async () => {
  const place = temporaryFolder(onTestFinished);
  const ledger = await openStore(sqlite, place);
  const batch = await batchNamed(ledger, 'a');
  const said = { charged: credits(3), why: 'x', dialect: 1, atMs: NOON_MS } as const;
  const attempt = await answered(ledger, batch, 'acme');
  await ledger.addReading({ ...said, attempt, answer: 'found' });
  const odd = await admitted(ledger, batch, 'odd', { reserve: 2 });
  await ledger.record(odd, replyWith('odd'));
  await ledger.closeAttempt(odd, { kind: 'in_doubt', why: 'odd' }, NOON_MS);
  await ledger.addReading({ ...said, attempt: odd, answer: 'no_match', charged: credits(0) });
  await settle(ledger, batch, 2, MATCHED, [odd, attempt]);
  for (const word of ['again', 'lost again', 'released']) {
    const replaces = await answered(ledger, batch, word, { charged: 0 });
    await ledger.addReading({ ...said, attempt: replaces, answer: 'paused', charged: credits(0) });
    if (word === 'again') await answered(ledger, batch, word, { replaces, charged: 0 });
    else await lost(ledger, batch, word, { replaces, reserve: 0 });
    if (word === 'released') await released(ledger, (replaces + 1) as AttemptId);
  }
  await ledger.close();
  const file = new Database(join(place, 'ledger.db'));
  file.exec('UPDATE ledger SET clean = 0');
  file.close();
  const again = await openStore(sqlite, place);
  expect(await again.batchMoney(batch)).toMatchObject({ spent: 5, reserved: 0, inDoubt: 0 });
  await again.close();
});
