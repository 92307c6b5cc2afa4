import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, test } from 'vitest';
import { closeAttempt, credits, recordReply } from '../../../src/ledger/ledger.ts';
import { PRICES } from '../../../src/ledger/stores/sqlite/schema/prices-sql.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { admitted, batchNamed, decide, lost, NOON_MS, replyWith, requestUnder } from './book.ts';
import { openStore, temporaryFolder } from './places.ts';
import { attempt as attemptOf, first, quoted } from './raw.ts';
import { ELSEWHERE, expectRefusal, type Refusal, tryOut, untested } from './refusals.ts';

/**
 * Goal: the database itself refuses an attempt that reserves less than an answer was seen to cost, whatever the code does.
 * Method: raw SQL on the file, around the code, in a store where an answer of one credit's reserve cost three.
 */
const place = temporaryFolder(afterAll);
const ledger = await openStore(sqlite, place);
const batch = await batchNamed(ledger, 'a');
const KEYED = await lost(ledger, batch, 'keyed', { request: requestUnder('key-1') });
const REPEAT = await decide(ledger, batch, 'keyed', 'repeat');
const RETRY = await decide(ledger, batch, 'keyed', 'retry');
const dear = await admitted(ledger, batch, 'dear');
await recordReply(ledger, dear, replyWith('dear'));
const price = { charged: credits(3), showsPrice: true } as const;
await closeAttempt(ledger, dear, { kind: 'answered', answer: 'found', why: 'x', ...price }, NOON_MS);
await ledger.close();
const database = new Database(join(place, 'ledger.db'));
database.pragma('recursive_triggers = ON');
afterAll(() => void database.close());

/** Of a call that is new, and asks the operation of which the price is known. */
const attempt = (reserved: number): string => first({ reserved }, { operation: "'enrich-company'" });

/** Of the call `keyed`, which was lost. */
const again = (reserved: number, kind: 'repeat' | 'retry'): string =>
  attemptOf(KEYED, { kind: quoted(kind), sees: kind === 'repeat' ? REPEAT : RETRY, reserved });

const REFUSED: readonly Refusal[] = [
  ['an attempt that reserves less', 'attempts_price', attempt(2)],
  ['a retry of a lost call that reserves nothing', 'attempts_price', again(0, 'retry')],
  ['a repeat that reserves something, and less', 'attempts_price', again(2, 'repeat')],
  ['that the price falls', 'prices_rising', 'UPDATE prices SET highest = highest - 1'],
  ['that it becomes the one of another operation', 'prices_rising', "UPDATE prices SET operation = 'other'"],
  ['that it is forgotten', 'prices_no_delete', 'DELETE FROM prices'],
];

describe('the database refuses', () => {
  test.each(REFUSED)('%s (%s)', (_, guard, sql) => expectRefusal(database, guard, sql));

  test('nothing that is in order: the price reserved, a higher one seen, a repeat to the byte', () => {
    tryOut(database, attempt(3));
    tryOut(database, 'UPDATE prices SET highest = highest + 1');
    tryOut(database, again(0, 'repeat'));
  });

  test('by every guard of prices that there is', () => {
    expect(untested(database, REFUSED, PRICES, ELSEWHERE.prices)).toEqual([]);
  });
});
