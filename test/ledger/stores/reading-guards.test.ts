import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  type AttemptId,
  addReading,
  closeAttempt,
  credits,
  recordReply,
} from '../../../src/ledger/ledger.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import {
  admitted,
  answered,
  batchNamed,
  decide,
  type IntentOptions,
  lost,
  MATCHED,
  NOON_MS,
  released,
  replyWith,
  requestUnder,
  settle,
} from './book.ts';
import { changed, changeOf, INVITED } from './changes.ts';
import { openStore, temporaryFolder } from './places.ts';
import { attempt, BOOK, type Cells, note } from './raw.ts';
import { ELSEWHERE, expectRefusal, type Refusal, tryOut, untested } from './refusals.ts';

/**
 * Goal: the database itself refuses readings of what is never read again, those by which a budget would fall, and to buy
 * again what was not read as none, whatever the code does.
 * Method: raw SQL on the file, around the code, in a store where an answer of one credit was read to cost three.
 */
const place = temporaryFolder(afterAll);
const ledger = await openStore(sqlite, place);
const batch = await batchNamed(ledger, 'a');

async function odd(word: string, options: IntentOptions): Promise<AttemptId> {
  const attempt = await admitted(ledger, batch, word, options);
  await recordReply(ledger, attempt, replyWith('odd'));
  await closeAttempt(ledger, attempt, { kind: 'in_doubt', why: 'odd' }, NOON_MS);
  return attempt;
}

const ANSWER = await answered(ledger, batch, 'acme');
await addReading(ledger, {
  ...{ attempt: ANSWER, answer: 'found', charged: credits(3), why: 'x', dialect: 1, atMs: NOON_MS },
});
const TOLD = await lost(ledger, batch, 'told');
await decide(ledger, batch, 'told', 'told', replyWith('told'));
const CHANGE = await changed(ledger, batch, changeOf('create-invite', 0), { left: INVITED });
const DEAR = await answered(ledger, batch, 'dear');
const TAKEN = await answered(ledger, batch, 'taken', { kind: 'no_match', charged: 0, status: 404 });
const MISSED = await answered(ledger, batch, 'missed', { kind: 'no_match', charged: 0, status: 404 });
const ODD = await odd('odd', { reserve: 2 });
const LOST = await lost(ledger, batch, 'lost');
await lost(ledger, batch, 'keyed', { request: requestUnder('key-1') });
const decision = await decide(ledger, batch, 'keyed', 'repeat');
const REPEATED = await odd('keyed', { reserve: 0, request: requestUnder('key-1'), decision });
await ledger.close();
const database = new Database(join(place, 'ledger.db'));
database.pragma('recursive_triggers = ON');
afterAll(() => void database.close());

/** @param more what it costs more than was booked. */
const reading = (attempt: number, more = 0, cells: Cells = {}): string =>
  note('reading', attempt, { said: "'no_match'", spent: more, ...cells });

/** That a reply in doubt is an answer, which costs at least what was at risk. */
const read = (attempt: number, { spent = 2, held = -2, said = "'no_match'" } = {}): string =>
  note('read', attempt, { said, spent, held });

const none = (attempt: number): string => reading(attempt, 0, { said: "'paused'" });

/** An attempt for the call of that one, in the place of its answer or of another. */
const bought = (of: number, sees = of): string => attempt(of, { kind: "'refresh'", sees });

const retraction = (attempt: number): string => note('retracted', attempt);

const REFUSED: readonly Refusal[] = [
  ['a reading of what a person told', 'notes_reading', reading(TOLD)],
  ['a reading of the answer to a change', 'notes_reading_change', reading(CHANGE)],
  ['a reading of an answer that was taken back', 'notes_reading', retraction(TAKEN) + reading(TAKEN)],
  ['a reading of a request without a reply', 'notes_reading', reading(LOST)],
  [
    'a reply in doubt that is read as an answer, and never came',
    'notes_read',
    read(LOST, { spent: 1, held: -1 }),
  ],
  [
    'a reply in doubt that is read as the answer to a repeat, while the first request under its key holds money',
    'notes_read',
    read(REPEATED, { spent: 0, held: 0 }),
  ],
  ['one of a reply in doubt that costs less than was at risk', 'notes_amounts', read(ODD, { spent: 1 })],
  ['one of a reply in doubt that leaves money at risk', 'notes_ending_loss', read(ODD, { held: 0 })],
  [
    'that a reply in doubt is an answer without a reading',
    'calls_moved',
    `UPDATE calls SET state_number = 1 WHERE stands = ${ODD}`,
  ],
  ['that what was in doubt turns out to be no answer', 'notes_read', read(ODD, { said: "'paused'" })],
  [
    'that what is no answer is bought again under another name',
    'attempts_replacing',
    none(ANSWER) + bought(DEAR, ANSWER),
  ],
  [
    'what is an answer again',
    'attempts_freshness',
    none(DEAR) + reading(DEAR, 0, { said: "'found'" }) + bought(DEAR),
  ],
  ['a reading that costs less than the answer did', 'notes_amounts', reading(DEAR, -1)],
  ['one that costs less than the reading before it', 'notes_amounts', reading(ANSWER, -2)],
  ['a reading that gives back what is at risk', 'notes_amounts', reading(DEAR, 0, { held: -1 })],
  ['a reading that another attempt pays', 'notes_reading_pays', reading(DEAR, 1, { pays: ANSWER })],
  ['one that would stand before another', 'calls_moved', reading(ANSWER, 0) + reading(ANSWER, 0, { id: 0 })],
  [
    'to take back what was read as found',
    'notes_retracting_read',
    reading(MISSED, 0, { said: "'found'" }) + BOOK + retraction(MISSED),
  ],
  [
    'to take back what was read to cost',
    'notes_retracting_read',
    reading(MISSED, 1) + BOOK + retraction(MISSED),
  ],
  [
    'that a reading is altered',
    'notes_no_update',
    "UPDATE notes SET said = 'refused' WHERE kind = 'reading'",
  ],
  ['that it is taken out', 'notes_no_delete', "DELETE FROM notes WHERE kind = 'reading'"],
];

describe('the database refuses', () => {
  test.each(REFUSED)('%s (%s)', (_, guard, sql) => expectRefusal(database, guard, sql));

  test('nothing that is in order: the same price, a higher one, a miss that is taken back', () => {
    tryOut(database, reading(ANSWER) + BOOK);
    tryOut(database, reading(ANSWER, 1) + BOOK);
    tryOut(database, read(ODD) + BOOK);
    tryOut(database, read(ODD, { spent: 3 }) + BOOK);
    tryOut(database, reading(MISSED) + BOOK + retraction(MISSED) + BOOK);
    tryOut(database, none(DEAR) + bought(DEAR) + BOOK);
  });

  test('by every guard of readings that there is', () => {
    expect(untested(database, REFUSED, '', ELSEWHERE.readings)).toEqual([]);
  });
});

test('the budgets of a ledger with readings of every kind are what its entries add up to', async () => {
  const place = temporaryFolder(onTestFinished);
  const ledger = await openStore(sqlite, place);
  const batch = await batchNamed(ledger, 'a');
  const said = { charged: credits(3), why: 'x', dialect: 1, atMs: NOON_MS } as const;
  const attempt = await answered(ledger, batch, 'acme');
  await addReading(ledger, { ...said, attempt, answer: 'found' });
  const odd = await admitted(ledger, batch, 'odd', { reserve: 2 });
  await recordReply(ledger, odd, replyWith('odd'));
  await closeAttempt(ledger, odd, { kind: 'in_doubt', why: 'odd' }, NOON_MS);
  await addReading(ledger, { ...said, attempt: odd, answer: 'no_match', charged: credits(0) });
  await settle(ledger, batch, 2, MATCHED, [odd, attempt]);
  for (const word of ['again', 'lost again', 'released']) {
    const replaces = await answered(ledger, batch, word, { charged: 0 });
    await addReading(ledger, { ...said, attempt: replaces, answer: 'paused', charged: credits(0) });
    if (word === 'again') await answered(ledger, batch, word, { replaces, charged: 0 });
    else {
      const again = await lost(ledger, batch, word, { replaces, reserve: 0 });
      if (word === 'released') await released(ledger, again);
    }
  }
  await ledger.close();
  expect(await sqlite.upkeep?.check(place)).toMatchObject({ broken: [], wrong: [] });
  const again = await openStore(sqlite, place);
  expect(await again.batchMoney(batch)).toMatchObject({ spent: 5, reserved: 0, inDoubt: 0 });
  await again.close();
});
