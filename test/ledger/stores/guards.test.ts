import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { closeAttempt, credits, recordLook } from '../../../src/ledger/ledger.ts';
import { CHANGES } from '../../../src/ledger/stores/sqlite/schema/changes-sql.ts';
import { ERASURES } from '../../../src/ledger/stores/sqlite/schema/erasures-sql.ts';
import { GUARDS_OF_CHANGE } from '../../../src/ledger/stores/sqlite/schema/kept.ts';
import { PRICES } from '../../../src/ledger/stores/sqlite/schema/prices-sql.ts';
import { schema } from '../../../src/ledger/stores/sqlite/schema.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import {
  ACCOUNT,
  admitted,
  answered,
  batchNamed,
  begin,
  DAY_MS,
  decide,
  lookAt,
  lost,
  MATCHED,
  NOON_MS,
  requestUnder,
  settle,
} from './book.ts';
import { openStore, temporaryFolder } from './places.ts';
import {
  answer,
  attempt,
  BOOK,
  batchKeyed,
  type Cells,
  call,
  end,
  first,
  insertion,
  NEWEST,
  NEXT,
  note,
  reply,
} from './raw.ts';
import { ELSEWHERE, expectRefusal, guardsOf, type Refusal, tryOut, untested } from './refusals.ts';

/**
 * Goal: the database itself refuses what would lose or spend money, whatever the code does.
 * Method: raw SQL on the file, around the code. Each statement is refused by the guard that is named; with that guard
 * taken out the same statement goes through, so nothing else is what refuses it.
 */
const place = temporaryFolder(afterAll);
const ledger = await openStore(sqlite, place);
const batch = await batchNamed(ledger, 'a');
const superseded = (await begin(ledger, { key: 'old', lineage: 'sheet' })).batch.id;
await begin(ledger, { key: 'new', lineage: 'sheet' });
const isSuperseded = (await ledger.batch(superseded))?.state === 'superseded';
await batchNamed(ledger, 'foreign', { accountIdentity: 'another' });
const ANSWER = await answered(ledger, batch, 'answered');
const OPEN = await admitted(ledger, batch, 'open');
const LOST = await lost(ledger, batch, 'lost');
const HOLD = await decide(ledger, batch, 'lost', 'hold');
const RETRY = await decide(ledger, batch, 'lost', 'retry');
const MISSED = await answered(ledger, batch, 'missed', { kind: 'no_match', charged: 0, status: 404 });
const KEYED = await lost(ledger, batch, 'keyed', { request: requestUnder('key-1') });
const REPEAT = await decide(ledger, batch, 'keyed', 'repeat');
await recordLook(ledger, lookAt(KEYED, 'not_happened'));
const late = await batchNamed(ledger, 'late', { freshSince: { foundMs: NOON_MS + DAY_MS } });
const OLD_ANSWER = await answered(ledger, batch, 'refreshed');
const NEW_ANSWER = await answered(ledger, late, 'refreshed', { replaces: OLD_ANSWER });
const UNSENT = await admitted(ledger, batch, 'unsent');
await closeAttempt(ledger, UNSENT, { kind: 'not_sent', why: 'no connection' }, NOON_MS);
const TRIED = await answered(ledger, batch, 'tried');
await lost(ledger, late, 'tried', { replaces: TRIED, atMs: NOON_MS + 2 * DAY_MS });
const LAST_MISS = await answered(ledger, batch, 'unknown', { kind: 'no_match', charged: 0, status: 404 });
await settle(ledger, batch, 2, MATCHED, [ANSWER]);
await settle(ledger, batch, 3, { kind: 'no_match', reason: 'none' }, [MISSED]);
await ledger.changeBatch(batch, { budget: credits(10) });
await ledger.setAccountCaps(ACCOUNT, { perDay: credits(20), perMonth: credits(30) });
await batchNamed(ledger, 'ahead', {
  createdAtMs: NOON_MS + 365 * DAY_MS,
  freshSince: { foundMs: NOON_MS + DAY_MS },
});
await ledger.keepTold(ACCOUNT, NOON_MS);
await ledger.close();
const database = new Database(join(place, 'ledger.db'));
// As on every connection of ours: without it, REPLACE deletes behind the triggers' back.
database.pragma('recursive_triggers = ON');
afterAll(() => void database.close());

/** A call has the number of its first attempt; the next entry has this one. */
const NEW = database.prepare<[], number>(`SELECT ${NEXT}`).pluck().get() ?? 0;
const REFRESHED = OLD_ANSWER;
/** The number of an entry in another table than attempts and replies. */
const TAKEN = HOLD;
const BATCH = batchKeyed('key-a');
const LATE = batchKeyed('key-late');

const BATCH_COLUMNS = `key, lineage, state, account, account_name, sandbox, vendor, operation, input_path, input_sha256,
  input_rows, settings, created_at`;

/** The kept end of an attempt. */
const endOf = (attemptNumber: number): string => `(SELECT id FROM ends WHERE of = ${attemptNumber})`;

const refresh = (of: number, sees: number, cells: Cells = {}): string =>
  attempt(of, { kind: "'refresh'", sees, batch: LATE, ...cells });
const retry = (cells: Cells = {}): string => attempt(LOST, { kind: "'retry'", sees: RETRY, ...cells });
/** The call `keyed` is sent again, as the rule says. */
const repeat = (cells: Cells = {}): string =>
  attempt(KEYED, { kind: "'repeat'", sees: REPEAT, reserved: 0, ...cells });

/** The request that was lost with the call `keyed`, or a variation of it. */
function request(attemptNumber: number | string, columns: Partial<Record<string, string>> = {}): string {
  const kept = {
    ...{ idempotency_key: 'idempotency_key', method: 'method', path: 'path', body: 'body' },
    ...{ first_sent_at: 'first_sent_at', ...columns },
  };
  return `INSERT INTO requests (attempt, ${Object.keys(kept).join(', ')}, sum, content_sum)
    SELECT ${attemptNumber}, ${Object.values(kept).join(', ')}, 0, 0 FROM requests WHERE attempt = ${KEYED};`;
}

/** The call `keyed` is repeated and answered; its answer pays at the attempt that was lost, and gives back what that holds. */
const ANSWERED_UNDER_KEY = repeat() + request(NEW) + answer(NEW, { pays: KEYED, spent: 2 });
const freed = (of: number, sees: number | string = NEWEST, held = -1): string =>
  note('freed', of, { sees, held });

const decision = (of: number | string, said = 'retry', cells: Cells = {}): string =>
  note('decided', of, { batch: BATCH, said: `'${said}'`, ...cells });
const look = (of: number, said = 'not_happened'): string => note('look', of, { said: `'${said}'` });
const release = (of: number, sees: number | string = 'NULL', held = -1): string =>
  note('released', of, { sees, held });
const told = (of: number, cells: Cells = {}): string =>
  note('told', of, { batch: BATCH, said: "'told'", spent: 1, held: -1, ...cells });
const counted = (of: number, sees: number | string, held = -1): string =>
  note('counted', of, { sees, held, spent: -held });
/** Possible only for a miss after which the account answered nothing else. */
const retraction = (of: number, sees: number | string = 'NULL'): string => note('retracted', of, { sees });

const row = (cells: Cells): string =>
  insertion('rows', {
    batch: BATCH,
    row: 9,
    outcome: "'refused'",
    reason: "'x'",
    answers: "'[]'",
    sum: 0,
    ...cells,
  });

const moved = (cells: string, id: number): string => `UPDATE calls SET ${cells} WHERE id = ${id}`;

/** What must not be possible, the guard that refuses it, and how. */
const REFUSED: readonly Refusal[] = [
  // Where a call stands: only entries move it, as the list of moves says (all of them: `moves.test.ts`).
  ['two open attempts of a call', 'attempts_move', attempt(OPEN)],
  ['an attempt of an answered call', 'attempts_move', attempt(ANSWER)],
  ['an attempt of a call in doubt without a decision', 'attempts_move', attempt(LOST)],
  [
    'an attempt that replaces an answer that is not there',
    'attempts_move',
    `DROP TRIGGER attempts_replacing; ${first()} ${end(NEW, 'unsold')} ${refresh(NEW, ANSWER)}`,
  ],
  [
    'a call that begins with the replacement of an answer',
    'attempts_beginning',
    `DROP TRIGGER attempts_replacing; ${call()} ${refresh(NEW, ANSWER)}`,
  ],
  ['a reply to an attempt that is closed, and was not lost', 'replies_move', reply(UNSENT)],
  ['a reply to an attempt of another call', 'replies_move', reply(OPEN, { call: LOST })],
  ['a late reply to an attempt of another call', 'replies_move', reply(LOST, { call: OPEN })],
  ['a reply to an attempt that is not there', 'replies_move', reply(999, { call: OPEN })],
  [
    'an answer without its raw reply',
    'ends_move',
    `DROP TRIGGER ends_answering; ${end(OPEN, 'answered', { said: "'refused'" })}`,
  ],
  ['a decision about a call that is not in doubt', 'notes_move', decision(ANSWER)],
  ['a decision about another loss', 'notes_move', decision(ANSWER, 'retry', { call: LOST })],
  [
    'telling about an attempt that was answered',
    'notes_move',
    `DROP TRIGGER notes_ending_loss; ${told(MISSED, { spent: 0, held: 0 })}`,
  ],
  ['a release while the call is being sent again', 'notes_move', repeat({ reserved: 1 }) + release(KEYED)],
  [
    'a release of what a call is not in doubt about',
    'notes_move',
    repeat({ reserved: 1 }) + end(NEW, 'lost') + release(KEYED, NEW),
  ],
  ['forgetting an answer', 'calls_moved', moved('state_number = 0, stands = NULL', ANSWER)],
  ["giving a call another call's answer", 'calls_moved', moved(`stands = ${MISSED}`, ANSWER)],
  ['going back to an older answer', 'calls_moved', moved(`stands = ${OLD_ANSWER}`, REFRESHED)],
  [
    'an answer of what was lost, by which its doubt is forgotten',
    'calls_moved',
    moved('state_number = 1', LOST),
  ],
  ['forgetting a doubt', 'calls_moved', moved('state_number = 0, stands = NULL', LOST)],
  [
    'going back to an older doubt',
    'calls_moved',
    `${retry()} ${end(NEW, 'lost')} ${moved(`stands = ${LOST}`, LOST)}`,
  ],
  [
    'a doubt about what was given back',
    'calls_moved',
    `${release(KEYED)} ${moved(`state_number = 2, stands = ${KEYED}`, KEYED)}`,
  ],
  [
    'a doubt about an attempt that was not lost',
    'calls_moved',
    moved(`state_number = 2, stands = ${OPEN}`, OPEN),
  ],
  ['closing an attempt without saying how', 'calls_moved', moved('open = NULL', OPEN)],
  ['opening an attempt again', 'calls_moved', moved(`open = ${MISSED}`, MISSED)],
  ['another attempt that is open', 'calls_moved', moved(`open = ${LOST}`, OPEN)],
  ['another newest entry of a call', 'calls_moved', moved(`head = ${ANSWER}`, OPEN)],
  ['a call that has no newest entry', 'calls_moved', moved('head = NULL', OPEN)],
  [
    'a newest entry that is not there',
    'calls_moved',
    moved(`state_number = 0, stands = NULL, head = ${NEXT}`, ANSWER),
  ],
  [
    'a note that opens an attempt again',
    'calls_moved',
    `DROP TRIGGER notes_move; ${decision(LOST)} ${moved(`open = ${LOST}, head = ${NEWEST}`, LOST)}`,
  ],
  [
    'a note that closes an attempt',
    'calls_moved',
    `DROP TRIGGER notes_move; DROP TRIGGER notes_looking; ${look(OPEN)} ${moved(`open = NULL, head = ${NEWEST}`, OPEN)}`,
  ],
  [
    'a note of another call',
    'calls_moved',
    `DROP TRIGGER notes_move; ${look(LOST)} ${moved(`state_number = 0, stands = NULL, head = ${NEWEST}`, ANSWER)}`,
  ],
  [
    'an attempt of another call',
    'calls_moved',
    `DROP TRIGGER attempts_move; ${first()} ${moved(`open = ${NEW}, head = ${NEW}`, ANSWER)}`,
  ],
  [
    'an end of another attempt',
    'calls_moved',
    `DROP TRIGGER ends_move; ${first()} ${end(OPEN, 'unsold')} ${moved(`open = NULL, head = ${NEWEST}`, NEW)}`,
  ],
  [
    'a second move by the newest entry',
    'calls_moved',
    `${end(OPEN, 'lost')} ${moved('state_number = 0, stands = NULL', OPEN)}`,
  ],

  // What a call is.
  ['changing what a call asks', 'calls_unchanged', `UPDATE calls SET parameters = '{}' WHERE id = ${ANSWER}`],
  [
    'changing the key of a call',
    'calls_unchanged',
    `UPDATE calls SET key = randomblob(32) WHERE id = ${ANSWER}`,
  ],
  ['changing the number of a call', 'calls_unchanged', `UPDATE calls SET id = 999 WHERE id = ${ANSWER}`],
  [
    'a second call under a key',
    'calls_one_key_insert',
    call({ key: `(SELECT key FROM calls WHERE id = ${ANSWER})` }),
  ],
  [
    "giving a call another call's key",
    'calls_one_key_update',
    `DROP TRIGGER calls_unchanged; UPDATE calls SET key = (SELECT key FROM calls WHERE id = ${OPEN}) WHERE id = ${ANSWER}`,
  ],
  [
    "a call that begins with another call's answer",
    'calls_beginning',
    call({ state_number: 1, stands: ANSWER }),
  ],
  ['a call that begins with nothing under way', 'calls_beginning', call({ open: 'NULL' })],
  ["a call that begins with another call's attempt", 'calls_beginning', call({ open: OPEN })],
  ['a call that begins with another entry', 'calls_beginning', call({ head: NEWEST })],
  ['a call with the number of an entry that is booked', 'calls_beginning', call({ id: LAST_MISS + 1 })],

  // The book: entries one after the other, each in one table, and never altered.
  [
    'an attempt with the number of a call that it is not of',
    'attempts_first',
    call() + refresh(ANSWER, ANSWER),
  ],
  [
    'an attempt with a number that is booked already',
    'calls_moved',
    look(LOST) + first() + end(NEW + 1, 'unsold') + attempt(NEW + 1, { id: TAKEN }),
  ],
  [
    'an end with a number that is booked already',
    'calls_moved',
    look(LOST) + end(OPEN, 'unsold', { id: TAKEN }),
  ],
  [
    'a note with a number that is booked already',
    'calls_moved',
    first() + look(LOST).replace(NEXT, String(ANSWER)),
  ],
  ['an attempt without its number', 'attempts_first', first() + call() + attempt(NEXT, { id: 'NULL' })],
  [
    'an answer that does not say of which attempt it is',
    'ends_answering',
    `${first()} ${first()} ${end(NEW, 'unsold')} ${reply(NEW + 1)}
     ${end(NEW + 1, 'answered', { of: 'NULL', status: 'NULL' })}`,
  ],
  [
    'a group of which one number is left out',
    'groups_booking',
    end(OPEN, 'unsold') + look(LOST).replace(NEXT, `${NEXT} + 1`) + BOOK,
  ],
  [
    'a group in which two entries have one number',
    'groups_booking',
    end(OPEN, 'unsold') + look(LOST).replace(NEXT, NEWEST) + BOOK,
  ],
  [
    'a first entry with a number that is booked already',
    'book_owing',
    `DROP TRIGGER calls_moved; ${end(OPEN, 'unsold', { id: TAKEN })}`,
  ],
  ['that nothing has to be booked any more', 'book_owing', `${first()} UPDATE book SET unbooked = NULL`],
  [
    'that what has to be booked begins with the name of a group that is there',
    'book_owing',
    'UPDATE book SET unbooked = booked',
  ],
  [
    'that what has to be booked begins later',
    'book_owing',
    `${first()} UPDATE book SET unbooked = unbooked + 1`,
  ],
  ['that what is booked is booked again', 'book_booked', `UPDATE book SET booked = ${ANSWER}`],
  ['that entries are booked without a group', 'book_booked', `${first()} UPDATE book SET booked = ${NEWEST}`],
  ['that a group is booked again', 'book_booking', 'UPDATE book SET booking = booked'],
  [
    'that a group is booked that is not there',
    'book_booking',
    `${first()} UPDATE book SET booking = ${NEWEST}`,
  ],
  ['deleting the book', 'book_no_delete', 'DELETE FROM book'],
  ['a second book in the place of the first', 'book_no_delete', 'REPLACE INTO book SELECT * FROM book'],
  [
    'changing what an attempt reserved',
    'attempts_no_update',
    `UPDATE attempts SET reserved = 0 WHERE id = ${OPEN}`,
  ],
  [
    'moving an attempt to another batch',
    'attempts_no_update',
    `UPDATE attempts SET batch = ${batchKeyed('old')} WHERE id = ${OPEN}`,
  ],
  ['changing a reply', 'replies_no_update', "UPDATE replies SET body = x'00'"],
  ['changing what was charged', 'ends_no_update', 'UPDATE ends SET spent = 0'],
  [
    'calling a match a miss',
    'ends_no_update',
    `UPDATE ends SET said = 'no_match', status = 404, spent = 0 WHERE of = ${ANSWER}`,
  ],
  ['calling a miss younger than it is', 'ends_no_update', `UPDATE ends SET id = 999 WHERE of = ${MISSED}`],
  ['changing a decision', 'notes_no_update', `UPDATE notes SET said = 'retry' WHERE id = ${HOLD}`],
  [
    'changing what was told',
    'notes_no_update',
    `${told(LOST)} UPDATE notes SET status = 1 WHERE kind = 'told'`,
  ],
  [
    'changing what was taken back',
    'notes_no_update',
    `${retraction(LAST_MISS)} UPDATE notes SET of = ${ANSWER} WHERE kind = 'retracted'`,
  ],
  [
    'changing what a vendor said',
    'notes_no_update',
    "UPDATE notes SET said = 'happened' WHERE kind = 'look'",
  ],
  [
    'changing a release',
    'notes_no_update',
    `${release(KEYED)} UPDATE notes SET words = 'y' WHERE kind = 'released'`,
  ],
  [
    'making a note one of another kind',
    'notes_no_update',
    `UPDATE notes SET kind = 'look' WHERE id = ${HOLD}`,
  ],
  ['deleting an attempt', 'attempts_no_delete', `${first()} DELETE FROM attempts WHERE id = ${NEW}`],
  ['deleting a reply', 'replies_no_delete', 'DELETE FROM replies'],
  ['deleting how an attempt ended', 'ends_no_delete', 'DELETE FROM ends'],
  [
    'replacing how an attempt ended',
    'ends_no_delete',
    `DROP TRIGGER ends_move; REPLACE INTO ends (of, id, kind, call, spent, at, said, status, estimated, sum)
    SELECT of, id, kind, call, 0, at, said, status, 0, 0 FROM ends WHERE of = ${ANSWER}`,
  ],
  ['deleting a decision', 'notes_no_delete', `DELETE FROM notes WHERE id = ${HOLD}`],
  ['deleting what was told', 'notes_no_delete', `${told(LOST)} DELETE FROM notes WHERE kind = 'told'`],
  ['deleting what a vendor said', 'notes_no_delete', "DELETE FROM notes WHERE kind = 'look'"],
  ['deleting a release', 'notes_no_delete', `${release(KEYED)} DELETE FROM notes WHERE kind = 'released'`],
  [
    'deleting what was taken back',
    'notes_no_delete',
    `${retraction(LAST_MISS)} DELETE FROM notes WHERE kind = 'retracted'`,
  ],
  ['deleting a call', 'calls_no_delete', `${call()} DELETE FROM calls WHERE id = ${NEW}`],
  [
    'a look at an attempt of another call',
    'notes_about',
    look(LOST).replace(/\(SELECT call[^)]*\)/, String(OPEN)),
  ],
  ['a note that moves money which its kind does not', 'notes_amounts', decision(LOST, 'hold', { spent: 1 })],
  ['telling another price than was at risk', 'notes_amounts', told(LOST, { spent: 0 })],
  ['telling of another price, and less at risk', 'notes_ending_loss', told(LOST, { spent: 0, held: 0 })],

  // Before a request leaves.
  [
    'an attempt that replaces another answer than the call has',
    'attempts_replacing',
    refresh(REFRESHED, ANSWER),
  ],
  [
    'an answer bought anew for a batch that takes all',
    'attempts_freshness',
    refresh(ANSWER, ANSWER, { batch: batchKeyed('new') }),
  ],
  [
    'an answer bought anew that is not of the kind that is too old',
    'attempts_freshness',
    refresh(MISSED, MISSED),
  ],
  [
    'an answer bought anew for a batch that began in the future',
    'attempts_future',
    refresh(ANSWER, ANSWER, { batch: batchKeyed('key-ahead') }),
  ],
  [
    'an intent of a day that was over by what its account was told',
    'attempts_told',
    first({ at: NOON_MS - DAY_MS }),
  ],
  ['setting back what an account was told', 'accounts_told', `UPDATE accounts SET told = told - 1`],
  ['forgetting what an account was told', 'accounts_told', 'UPDATE accounts SET told = NULL'],
  ['an answer bought anew by the batch that bought it', 'attempts_freshness', refresh(REFRESHED, NEW_ANSWER)],
  [
    'an answer bought anew where that was tried before and got lost',
    'attempts_freshness',
    refresh(TRIED, TRIED),
  ],
  ['an attempt of a call in doubt by a decision to hold', 'attempts_permission', retry({ sees: HOLD })],
  ['a repeat by a decision to retry', 'attempts_permission', retry({ kind: "'repeat'" })],
  ['a decision used by another batch', 'attempts_permission', retry({ batch: batchKeyed('new') })],
  [
    'a decision used for another call',
    'attempts_permission',
    attempt(KEYED, { kind: "'retry'", sees: RETRY }),
  ],
  ['a decision used twice', 'attempts_permission', retry() + end(NEW, 'lost') + retry()],
  ['an attempt of a superseded batch', 'attempts_batch', first({ batch: batchKeyed('old') })],
  ['an attempt paid by another account', 'attempts_account', first({ batch: batchKeyed('key-foreign') })],
  [
    'a request that is kept with an attempt that has ended',
    'requests_kept',
    request(LOST, { idempotency_key: "'k'" }),
  ],
  ['an idempotency key of two calls', 'requests_one', first({ reserved: 0 }) + request(NEW)],
  ...Object.entries({ method: "'GET'", path: "'/v2'", body: "x''", first_sent_at: '7' }).map(
    ([column, other]): Refusal => [
      `another ${column} under the same idempotency key`,
      'requests_one',
      repeat() + request(NEW, { [column]: other }),
    ],
  ),
  ['a repeat under another key', 'requests_repeating', repeat() + request(NEW, { idempotency_key: "'k'" })],
  ['a repeat that holds its money twice', 'requests_reserving', repeat({ reserved: 1 }) + request(NEW)],
  ['changing a request', 'requests_no_update', "UPDATE requests SET path = '/'"],
  ['deleting a request', 'requests_no_delete', 'DELETE FROM requests'],

  // Doubts, and how they end.
  [
    'that an answer ends in the doubt about what should have been bought in its place',
    'ends_lost_answer',
    refresh(ANSWER, ANSWER) + end(NEW, 'lost'),
  ],
  [
    'that what was lost in the place of no answer leaves that in place',
    'ends_lost_beside',
    note('reading', ANSWER, { said: "'paused'" }) + refresh(ANSWER, ANSWER) + end(NEW + 1, 'lost_beside'),
  ],
  [
    'a loss that no entry says',
    'losses_adding',
    insertion('losses', { attempt: ANSWER, call: ANSWER, holds: 1 }),
  ],
  [
    'a loss that holds more than its entry says',
    'losses_adding',
    `DROP TRIGGER ends_losing; ${end(OPEN, 'lost')} ${insertion('losses', { attempt: OPEN, call: OPEN, holds: 2 })}`,
  ],
  [
    'a loss that is over without an entry',
    'losses_ending',
    `UPDATE losses SET ended = ${HOLD} WHERE attempt = ${LOST}`,
  ],
  ['a loss that holds less afterwards', 'losses_ending', 'UPDATE losses SET holds = 0'],
  ['a loss of another call', 'losses_ending', `UPDATE losses SET call = ${ANSWER} WHERE attempt = ${LOST}`],
  [
    'a loss that holds its money again',
    'losses_ending',
    `${release(KEYED)} UPDATE losses SET ended = NULL WHERE attempt = ${KEYED}`,
  ],
  ['forgetting a loss', 'losses_no_delete', 'DELETE FROM losses'],
  [
    'a decision by a batch of another account',
    'notes_deciding',
    decision(LOST, 'retry', { batch: batchKeyed('key-foreign') }),
  ],
  [
    'a word by a batch of another account',
    'notes_deciding',
    told(LOST, { batch: batchKeyed('key-foreign') }),
  ],
  ['a look at an attempt that was not lost', 'notes_looking', look(ANSWER)],
  ['a release of what nobody looked at', 'notes_releasing', release(LOST)],
  ['a release of what may have happened', 'notes_releasing', look(LOST, 'unclear') + release(LOST)],
  ['a release to an answer that is not there', 'notes_released_to', release(KEYED, ANSWER)],
  [
    'a release that forgets an older doubt',
    'notes_released_to',
    retry() + end(NEW, 'lost') + look(NEW) + release(NEW),
  ],
  ['giving money back without a reason', 'notes_freeing', freed(LOST, 'NULL')],
  ['giving money back for an answer under no key of its own', 'notes_freeing', freed(LOST, endOf(MISSED))],
  [
    'giving money back for an answer under a key of another call',
    'notes_freeing',
    ANSWERED_UNDER_KEY + freed(LOST),
  ],
  [
    'giving money back for what was never lost',
    'notes_ending_loss',
    `DROP TRIGGER notes_freeing; ${freed(OPEN)}`,
  ],
  [
    'giving money back twice',
    'notes_ending_loss',
    ANSWERED_UNDER_KEY + freed(KEYED) + freed(KEYED, endOf(NEW)),
  ],
  ['giving back less than was held', 'notes_ending_loss', ANSWERED_UNDER_KEY + freed(KEYED, NEWEST, 0)],
  ['giving back more than was held', 'notes_ending_loss', release(KEYED, 'NULL', -2)],
  [
    'charging what was given back',
    'notes_ending_loss',
    retry() + end(NEW, 'lost') + look(NEW) + release(NEW, LOST) + told(LOST) + counted(NEW, NEWEST),
  ],
  [
    'counting a loss by a word that nobody said',
    'notes_counting',
    retry() + end(NEW, 'lost') + counted(LOST, HOLD),
  ],
  ['counting a loss by what was told of another call', 'notes_counting', told(LOST) + counted(KEYED, NEWEST)],

  // Answers.
  [
    'an answer of another status than its reply',
    'ends_answering',
    reply(OPEN) + end(OPEN, 'answered', { status: 404 }),
  ],
  ['an answer that is none', 'ends_answering', answer(OPEN, { said: "'paused'" })],
  ['an answer that does not say what it is', 'ends_answering', answer(OPEN, { said: 'NULL' })],
  [
    'an answer under a key that is paid where it was asked last',
    'ends_paying',
    repeat() + request(NEW) + answer(NEW),
  ],
  ['an answer that another attempt pays', 'ends_paying', answer(OPEN, { pays: LOST })],
  ['taking back an answer that was found', 'notes_retracting', retraction(ANSWER)],
  ['taking back a miss after which the account answered otherwise', 'notes_retracting', retraction(MISSED)],
  [
    'taking back a miss while a later answer is not booked',
    'notes_retracting_booked',
    answer(OPEN) + retraction(LAST_MISS),
  ],
  [
    'taking back a miss, by which an answer returns that was not before it',
    'notes_retracted_to',
    retraction(LAST_MISS, ANSWER),
  ],
  [
    'forgetting what an account answered otherwise, so that earlier misses could be taken back',
    'accounts_last_other',
    'UPDATE accounts SET last_other = 0',
  ],

  // Money by scope.
  ["an attempt above the batch's budget", 'groups_booked', first({ reserved: 8 }) + BOOK],
  [
    "an attempt above the account's day",
    'groups_booked',
    `UPDATE batches SET budget = NULL; ${first({ reserved: 18 })} ${BOOK}`,
  ],
  [
    "an attempt above the account's month",
    'groups_booked',
    `UPDATE batches SET budget = NULL; ${first({ reserved: 28, at: NOON_MS + DAY_MS })} ${BOOK}`,
  ],
  [
    'a retry above the extra credits',
    'groups_booked',
    `UPDATE batches SET extra_credits = 1; ${retry({ reserved: 2 })} ${BOOK}`,
  ],
  [
    'an attempt above what an answer of another operation has left of the budget in the same transaction',
    'groups_booked',
    answer(OPEN, { spent: 9 }) + first({}, { operation: "'a'" }) + BOOK,
  ],
  [
    'a group that begins with what is booked already',
    'groups_booking',
    first() + BOOK.replace('booked + 1', 'booked'),
  ],
  [
    'a group that leaves its first entry out',
    'groups_booking',
    first() + end(NEW, 'unsold') + BOOK.replace('booked + 1', 'booked + 2'),
  ],
  ...[attempt(KEYED, { kind: "'repeat'", sees: REPEAT, reserved: 0 }), end(OPEN, 'lost'), look(LOST)].map(
    (last, table): Refusal => [
      `a group that leaves its last entry out: ${['an attempt', 'an end', 'a note'][table]}`,
      'groups_booking',
      first() + last + BOOK.replace(NEWEST, `${NEWEST} - 1`),
    ],
  ),
  ['a group with a call that has no attempt', 'groups_calls', first() + call() + BOOK],
  ['a group of nothing', 'groups_booking', BOOK.replace(NEWEST, NEXT).replace(/WHERE.*/, '')],
  [
    'an answer under a key that leaves what was lost under it held',
    'groups_under_key',
    ANSWERED_UNDER_KEY + BOOK,
  ],
  [
    'a release that leaves what was lost under its key held',
    'groups_under_key',
    `DROP TRIGGER requests_reserving; ${repeat({ reserved: 1 })} ${request(NEW)} ${end(NEW, 'lost')} ${look(NEW)}
     ${release(NEW)} ${BOOK}`,
  ],
  [
    'a word that leaves an older loss of its call held',
    'groups_told',
    retry() + end(NEW, 'lost') + told(NEW) + BOOK,
  ],
  ['a total that rises by itself', 'totals_moved', 'UPDATE totals SET spent = spent + 1'],
  ['a total that falls by itself', 'totals_moved', 'UPDATE totals SET held = 0'],
  [
    'a total of another scope',
    'totals_moved',
    "UPDATE totals SET scope = 'x' WHERE scope = (SELECT min(scope) FROM totals)",
  ],
  [
    'a total that nothing adds up to',
    'totals_added',
    insertion('totals', { scope: "'x'", spent: 0, reserved: 0, held: 0 }),
  ],
  ['deleting a total', 'totals_no_delete', 'DELETE FROM totals'],
  [
    'replacing a total',
    'totals_no_delete',
    'DROP TRIGGER totals_added; REPLACE INTO totals SELECT scope, 0, 0, 0 FROM totals',
  ],
  [
    'that a group books what its entries do not say',
    'booking_filled',
    `INSERT INTO booking SELECT id, account, 1, 'x', 0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM batches WHERE key = 'key-a'`,
  ],
  ['changing a group', 'groups_no_update', 'UPDATE groups SET sum = 1 WHERE id > 0'],
  ['deleting a group', 'groups_no_delete', 'DELETE FROM groups WHERE id > 0'],
  [
    'replacing a group',
    'groups_no_delete',
    `DROP TRIGGER groups_booking; DROP TRIGGER groups_booked; REPLACE INTO groups SELECT id, first, 1 FROM groups WHERE id > 0`,
  ],

  // Rows, batches, accounts.
  ['a row of an attempt that is not there', 'rows_pointing_insert', row({ answers: "'[1, 999]'" })],
  [
    'a row of an attempt that is still on its way',
    'rows_pointing_insert',
    row({ answers: `'[${ANSWER}, ${OPEN}]'` }),
  ],
  [
    'a row in doubt that comes to wait for an attempt that is not there',
    'rows_pointing_update',
    `${row({ outcome: "'in_doubt'" })} UPDATE rows SET answers = '[999]' WHERE row = 9`,
  ],
  [
    'changing a final outcome',
    'rows_final',
    "UPDATE rows SET outcome = 'in_doubt', matched_by = NULL WHERE row = 2",
  ],
  ['moving a row', 'rows_final', 'UPDATE rows SET row = 99 WHERE row = 2'],
  ['deleting a row', 'rows_kept', 'DELETE FROM rows WHERE row = 3'],
  ['replacing a row', 'rows_kept', row({ row: 3 }).replace('INSERT', 'REPLACE')],
  ['letting a higher row pay', 'payers_beginning', insertion('payers', { attempt: ANSWER, row: 99 })],
  [
    'letting the row that asked pay twice',
    'payers_beginning',
    insertion('payers', { attempt: ANSWER, row: 2 }),
  ],
  [
    'letting a higher row pay afterwards',
    'payers_falling',
    `${insertion('payers', { attempt: ANSWER, row: 1 })} UPDATE payers SET row = 99`,
  ],
  [
    'letting a row pay for another attempt',
    'payers_falling',
    `${insertion('payers', { attempt: ANSWER, row: 1 })} UPDATE payers SET attempt = ${MISSED}, row = 0`,
  ],
  [
    'forgetting that a lower row paid',
    'payers_no_delete',
    `${insertion('payers', { attempt: ANSWER, row: 1 })} DELETE FROM payers`,
  ],
  [
    'letting a higher row pay in the place of a lower one',
    'payers_no_delete',
    `${insertion('payers', { attempt: ANSWER, row: 0 })} REPLACE INTO payers VALUES (${ANSWER}, 1)`,
  ],
  [
    'letting answers grow too old for a batch afterwards',
    'batches_fresh',
    `UPDATE batches SET fresh_no_match = ${NOON_MS} WHERE id = ${LATE}`,
  ],
  ['changing what a batch is', 'batches_unchanged', "UPDATE batches SET key = 'x' WHERE key = 'old'"],
  ['reviving a superseded batch', 'batches_ended', "UPDATE batches SET state = 'open' WHERE key = 'old'"],
  [
    'two open batches over the same content',
    'batches_open',
    `INSERT INTO batches (id, ordinal, generation, ${BATCH_COLUMNS}) SELECT 77, 77, 77, ${BATCH_COLUMNS}
       FROM batches WHERE key = 'key-a'`,
  ],
  ['deleting a batch', 'batches_no_delete', "DELETE FROM reads; DELETE FROM batches WHERE key = 'new'"],
  [
    'deleting an account',
    'accounts_no_delete',
    "INSERT INTO accounts (identity) VALUES ('x'); DELETE FROM accounts WHERE identity = 'x'",
  ],
];

describe('the database refuses', () => {
  test.each(REFUSED)('%s (%s)', (_promise, guard, sql) => expectRefusal(database, guard, sql));

  test('an attempt closed twice, and a reply or an entry that is there already', () => {
    expect(isSuperseded).toBe(true);
    const twice = 'UNIQUE constraint failed';
    expect(() => attemptSql(end(ANSWER, 'unsold'))).toThrow(`${twice}: ends.of`);
    const replies = reply(OPEN) + reply(OPEN);
    expect(() => attemptSql(replies)).toThrow('no such entry follows');
    expect(() => attemptSql(`DROP TRIGGER replies_move; ${replies}`)).toThrow(`${twice}: replies.of`);
    expect(() => attemptSql(call() + attempt(NEW, { id: NEW_ANSWER }))).toThrow(`${twice}: attempts.id`);
    expect(() => attemptSql(look(LOST).replace(NEXT, String(HOLD)))).toThrow(`${twice}: notes.id`);
  });

  test('a group that is booked twice', () => {
    const twice = `${first()} ${BOOK} ${BOOK.replace(/ WHERE.*/, '')}`;
    expect(() => attemptSql(twice)).toThrow(
      'money rule: a group books all that was written since the last one, once',
    );
    const unguarded = `DROP TRIGGER groups_booking; ${twice}`;
    expect(() => attemptSql(unguarded)).toThrow('UNIQUE constraint failed: groups.id');
  });

  test('a negative charge, and one for what was not answered', () => {
    expect(() => attemptSql(answer(OPEN, { spent: -1 }))).toThrow('CHECK constraint');
    expect(() => attemptSql(end(OPEN, 'unsold', { spent: 1 }))).toThrow('CHECK constraint');
  });

  test('a call that stands at nothing', () => {
    const unguarded = 'DROP TRIGGER calls_moved;';
    for (const cells of ['stands = NULL', 'state_number = 0', 'state_number = 3, stands = 1'])
      expect(() => attemptSql(unguarded + moved(cells, ANSWER)), cells).toThrow('CHECK constraint');
  });

  test('an entry in another table than that of its kind, and one of no kind', () => {
    const among = { call: OPEN, kind: "'answered'" };
    expect(() => attemptSql(first({ kind: "'reply'" }))).toThrow('CHECK constraint');
    expect(() => attemptSql(end(OPEN, 'look'))).toThrow('CHECK constraint');
    expect(() => attemptSql(reply(OPEN) + note('answered', OPEN, among))).toThrow('CHECK constraint');
    for (const kind of ['intent', 'reply', 'unsold', 'lost', 'x'])
      expect(() => attemptSql(note(kind, OPEN)), kind).toThrow('CHECK constraint');
  });

  test('a ledger without a name, and a second book', () => {
    expect(() => attemptSql('UPDATE book SET identity = NULL')).toThrow('NOT NULL constraint');
    expect(() => attemptSql("UPDATE book SET identity = 'x'")).toThrow('CHECK constraint');
    const second = 'INSERT INTO book SELECT 2, booked, unbooked, booking, identity FROM book';
    expect(() => attemptSql(second)).toThrow('CHECK constraint');
  });

  test('another list of moves', () => {
    for (const sql of [
      "INSERT INTO transitions VALUES ('intent', NULL, NULL, NULL, NULL, 'any')",
      'DELETE FROM transitions',
    ])
      expect(() => attemptSql(sql)).toThrow('cannot modify transitions because it is a view');
  });

  test.each([
    ['an attempt', first()],
    ['a call', call()],
    ['an end', end(OPEN, 'unsold')],
    ['a note', look(LOST)],
  ])('a commit with an entry that is not booked: %s', (_what, sql) => {
    database.exec(`BEGIN; ${sql}`);
    expect(() => database.exec('COMMIT')).toThrow('FOREIGN KEY constraint failed');
    database.exec('ROLLBACK');
    expect(database.prepare(`SELECT ${NEXT}`).pluck().get()).toBe(NEW);
  });

  test.each([
    ['forgotten', `${first()} UPDATE book SET unbooked = NULL;`],
    ['said to begin with a group that is there', `UPDATE book SET unbooked = booked; ${first()}`],
  ])('a commit where what is to be booked is %s, which would move no total', (_what, sql) => {
    const file = join(temporaryFolder(), 'copy.db');
    database.exec(`VACUUM INTO '${file}'`);
    const copy = new Database(file);
    onTestFinished(() => void copy.close());
    expect(() => copy.exec(`BEGIN; ${sql} COMMIT`)).toThrow(
      'what was written is booked before it is committed',
    );
    copy.exec(`ROLLBACK; DROP TRIGGER book_owing; BEGIN; ${sql} COMMIT`);
    expect(copy.prepare('SELECT max(a.id), b.booked FROM attempts a, book b').raw().get()).toEqual([
      NEW,
      NEW - 1,
    ]);
  });

  test('nothing that is in order: an answer dearer than reserved is booked', () => {
    attemptSql(answer(OPEN, { spent: 1000 }) + BOOK);
    attemptSql(retry() + BOOK);
    attemptSql(first({ reserved: 4 }) + BOOK);
  });

  test('nothing that is in order: a repeat under its key, a release, an answer bought anew, a word, a miss taken back', () => {
    attemptSql(ANSWERED_UNDER_KEY + freed(KEYED) + BOOK);
    attemptSql(release(KEYED) + attempt(KEYED) + BOOK);
    attemptSql(refresh(ANSWER, ANSWER) + BOOK);
    attemptSql(retry() + end(NEW, 'lost') + told(NEW) + counted(LOST, NEWEST) + BOOK);
    attemptSql(retraction(LAST_MISS) + attempt(LAST_MISS) + BOOK);
    attemptSql(insertion('payers', { attempt: ANSWER, row: 1 }));
  });

  test('each change by a guard with a sentence of its own', () => {
    const sentences = Array.from(GUARDS_OF_CHANGE.matchAll(/'money rule: ([^']+)'/g), ([, says]) => says);
    expect(sentences).toHaveLength(new Set(sentences).size);
    expect(sentences).toHaveLength(GUARDS_OF_CHANGE.split('CREATE TRIGGER').length - 1);
  });

  test('by every guard that there is, but for those of topics that have tests of their own', () => {
    const elsewhere = [CHANGES, ERASURES, PRICES];
    const here = elsewhere.reduce((script, topic) => script.replace(topic, ''), schema());
    const others = Object.values(ELSEWHERE).flat();
    expect(
      untested(database, REFUSED, here).filter((name) => !others.some((other) => other === name)),
    ).toEqual([]);
    expect(untested(database, [], schema())).toEqual(guardsOf(database));
  });
});

const attemptSql = (sql: string): void => tryOut(database, sql);
