import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { credits } from '../../../src/ledger/ledger.ts';
import { AGREEMENTS } from '../../../src/ledger/stores/sqlite/schema/agreements.ts';
import { CHANGES } from '../../../src/ledger/stores/sqlite/schema/changes.ts';
import { ERASURES } from '../../../src/ledger/stores/sqlite/schema/erasures.ts';
import { ESTIMATES } from '../../../src/ledger/stores/sqlite/schema/estimates.ts';
import { HOLDS } from '../../../src/ledger/stores/sqlite/schema/holds.ts';
import { PRICES } from '../../../src/ledger/stores/sqlite/schema/prices.ts';
import { READINGS } from '../../../src/ledger/stores/sqlite/schema/readings.ts';
import { TIME } from '../../../src/ledger/stores/sqlite/schema/time.ts';
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
import { BOOK, endingOf, expectRefusal, type Refusal, tryOut, untested } from './refusals.ts';

/**
 * Goal: the database itself refuses what would lose or spend money, whatever the code does.
 * Method: raw SQL on the file, around the code. Each statement is refused by the guard that is named; with that guard
 * taken out the same statement goes through, so nothing else is what refuses it.
 */
let database: Database.Database;

beforeAll(async () => {
  const place = temporaryFolder(afterAll);
  const ledger = await openStore(sqlite, place);
  const batch = await batchNamed(ledger, 'a');
  const superseded = (await begin(ledger, { key: 'old', lineage: 'sheet' })).batch.id;
  await begin(ledger, { key: 'new', lineage: 'sheet' });
  expect((await ledger.batch(superseded))?.state).toBe('superseded');
  await batchNamed(ledger, 'foreign', { accountIdentity: 'another' });
  const answer = await answered(ledger, batch, 'answered');
  await admitted(ledger, batch, 'open');
  await lost(ledger, batch, 'lost');
  await decide(ledger, batch, 'lost', 'hold');
  await decide(ledger, batch, 'lost', 'retry');
  const missed = await answered(ledger, batch, 'missed', { kind: 'no_match', charged: 0, status: 404 });
  const keyed = await lost(ledger, batch, 'keyed', { request: requestUnder('key-1') });
  await decide(ledger, batch, 'keyed', 'repeat');
  await ledger.recordLook(lookAt(keyed, 'not_happened'));
  const late = await batchNamed(ledger, 'late', { freshSince: { foundMs: NOON_MS + DAY_MS } });
  const refreshed = await answered(ledger, batch, 'refreshed');
  await answered(ledger, late, 'refreshed', { replaces: refreshed });
  const tried = await answered(ledger, batch, 'tried');
  await lost(ledger, late, 'tried', { replaces: tried, atMs: NOON_MS + 2 * DAY_MS });
  await answered(ledger, batch, 'unknown', { kind: 'no_match', charged: 0, status: 404 });
  await settle(ledger, batch, 2, MATCHED, [answer]);
  await settle(ledger, batch, 3, { kind: 'no_match', reason: 'none' }, [missed]);
  await ledger.changeBatch(batch, { budget: credits(10) });
  await ledger.setAccountCaps(ACCOUNT, { perDay: credits(20), perMonth: credits(30) });
  await ledger.close();
  database = new Database(join(place, 'ledger.db'));
  // As on every connection of ours: without it, REPLACE deletes behind the triggers' back.
  database.pragma('recursive_triggers = ON');
  afterAll(() => void database.close());
});

// Attempts and decisions are numbered in the order in which they were made above, and calls as their first attempts.
const CALL = { answered: 1, open: 2, lost: 3, missed: 4, keyed: 5, refreshed: 6, tried: 8, unknown: 10 };
const [ANSWER, OPEN, LOST, MISSED, KEYED, OLD_ANSWER, NEW_ANSWER, TRIED, LAST_MISS] = [
  1, 2, 3, 4, 5, 6, 7, 8, 10,
];
const [HOLD, RETRY, REPEAT] = [1, 2, 3];
const BATCH = "(SELECT id FROM batches WHERE key = 'key-a')";
const SUPERSEDED = "(SELECT id FROM batches WHERE key = 'old')";
const LATE = "(SELECT id FROM batches WHERE key = 'key-late')";
const FOREIGN = "(SELECT id FROM batches WHERE key = 'key-foreign')";

const BATCH_COLUMNS = `key, lineage, state, account, account_name, sandbox, vendor, operation, input_path, input_sha256,
  input_rows, settings, created_at`;

/** Possible only for a miss after which the account answered nothing else. */
const RETRACT = `INSERT INTO retractions VALUES (${LAST_MISS})`;

const NEW_CALL = `INSERT INTO calls (id, key, account, operation, own, checksum)
  VALUES (9, randomblob(32), (SELECT account FROM batches WHERE key = 'key-a'), 'x', '{}', 0);`;

function attempt(values: Partial<Record<string, number | string>> = {}): string {
  const { id = 50, call = 9, ...others } = values;
  const row = {
    id,
    call_behind: `${id} - ${call}`,
    batch: BATCH,
    row: 2,
    reserved: 1,
    intent_at: NOON_MS,
    checksum: 0,
    ...others,
  };
  return `INSERT INTO attempts (${Object.keys(row).join(', ')}) VALUES (${Object.values(row).join(', ')})`;
}

function closure(attemptNumber: number, kind: string, answer = 'NULL', charged = 0): string {
  return `INSERT INTO closures (attempt, ending, charged, said, closed_at, checksum)
    VALUES (${attemptNumber}, ${endingOf(kind, answer)}, ${charged}, 'x', 0, 0)`;
}

const reply = (attemptNumber: number): string =>
  `INSERT INTO replies (attempt, status, headers, received_at, checksum, body) VALUES (${attemptNumber}, 200, '{}', 0, 0, x'')`;

function decision(call: number, doubt: number, batch = BATCH, kind = 'retry', id = 9): string {
  return `INSERT INTO decisions (id, call, doubt, batch, kind, decided_by, why, at, checksum)
    VALUES (${id}, ${call}, ${doubt}, ${batch}, '${kind}', 'person', 'x', 0, 0)`;
}

/** The request that was lost with the call `keyed`, or a variation of it. */
function request(attemptNumber: number, columns: Partial<Record<string, string>> = {}): string {
  const kept = {
    idempotency_key: 'idempotency_key',
    method: 'method',
    path: 'path',
    body: 'body',
    ...columns,
  };
  return `INSERT INTO requests (attempt, ${Object.keys(kept).join(', ')}, first_sent_at, checksum)
    SELECT ${attemptNumber}, ${Object.values(kept).join(', ')}, first_sent_at, 0 FROM requests WHERE attempt = ${KEYED}`;
}

/** The call `keyed` is sent again, as the rule says. */
const repeat = (values: Partial<Record<string, number | string>> = {}): string =>
  attempt({ id: 99, call: CALL.keyed, decision: REPEAT, reserved: 0, ...values });

const look = (attemptNumber: number, said = 'not_happened'): string =>
  `INSERT INTO looks (attempt, kind, said, why, status, at, checksum, body)
    VALUES (${attemptNumber}, 'usage', '${said}', 'x', 200, 0, 0, x'')`;

const release = (attemptNumber: number): string =>
  `INSERT INTO releases (attempt, why, at, checksum) VALUES (${attemptNumber}, 'x', 0, 0)`;

const told = (attemptNumber: number, decisionNumber: number, charged = 1): string =>
  `INSERT INTO told (attempt, decision, charged, status, headers, received_at, checksum, body)
    VALUES (${attemptNumber}, ${decisionNumber}, ${charged}, 200, '{}', 0, 0, x'')`;

/** What must not be possible, the guard that refuses it, and how. */
const REFUSED: readonly Refusal[] = [
  ['two open attempts of a call', 'attempts_open', attempt({ call: CALL.open })],
  ['an attempt of an answered call', 'attempts_admission', attempt({ call: CALL.answered })],
  [
    'an attempt that replaces another answer than the call has',
    'attempts_admission',
    attempt({ call: CALL.refreshed, batch: LATE, replaces: ANSWER }),
  ],
  [
    'an attempt that replaces an answer that is not there',
    'attempts_admission',
    `${NEW_CALL} ${attempt({ batch: LATE, replaces: ANSWER })}`,
  ],
  [
    'an answer bought anew for a batch that takes all',
    'attempts_refresh',
    attempt({ call: CALL.answered, batch: "(SELECT id FROM batches WHERE key = 'new')", replaces: ANSWER }),
  ],
  [
    'an answer bought anew that is not of the kind that is too old',
    'attempts_refresh',
    attempt({ call: CALL.missed, batch: LATE, replaces: MISSED }),
  ],
  [
    'an answer bought anew by the batch that bought it',
    'attempts_refresh',
    attempt({ call: CALL.refreshed, batch: LATE, replaces: NEW_ANSWER }),
  ],
  [
    'an answer bought anew where that was tried before and got lost',
    'attempts_refresh',
    attempt({ call: CALL.tried, batch: LATE, replaces: TRIED }),
  ],
  [
    'that an answer ends in the doubt about what should have been bought in its place',
    'calls_answered',
    `UPDATE calls SET answer_behind = NULL, doubt = ${TRIED} + 1 WHERE id = ${CALL.tried}`,
  ],
  [
    'letting answers grow too old for a batch afterwards',
    'batches_fresh',
    `UPDATE batches SET fresh_no_match = ${NOON_MS} WHERE id = ${LATE}`,
  ],
  [
    'going back to an older answer',
    'calls_refreshed',
    `UPDATE calls SET answer_behind = ${OLD_ANSWER} - id WHERE id = ${CALL.refreshed}`,
  ],
  [
    'a request that is kept with an attempt that has ended',
    'requests_keeping',
    request(LOST, { idempotency_key: "'k'" }),
  ],
  [
    'an idempotency key of two calls',
    'requests_keeping',
    `${NEW_CALL} ${attempt({ id: 99, reserved: 0 })}; ${request(99)}`,
  ],
  ...Object.entries({ method: "'GET'", path: "'/v2'", body: "x''" }).map(
    ([column, other]): Refusal => [
      `another ${column} under the same idempotency key`,
      'requests_keeping',
      `${repeat()}; ${request(99, { [column]: other })}`,
    ],
  ),
  [
    'a repeat under another key',
    'requests_keeping',
    `${repeat()}; ${request(99, { idempotency_key: "'k'" })}`,
  ],
  ['a repeat that holds its money twice', 'requests_keeping', `${repeat({ reserved: 1 })}; ${request(99)}`],
  ['a look at an attempt that was not lost', 'looks_looking', look(ANSWER)],
  ['a release of what nobody looked at', 'releases_releasing', release(LOST)],
  ['a release of what may have happened', 'releases_releasing', `${look(LOST, 'unclear')}; ${release(LOST)}`],
  ['a release while the call is being sent again', 'releases_releasing', `${repeat()}; ${release(KEYED)}`],
  [
    'a release of what a call is not in doubt about',
    'releases_releasing',
    `${attempt({ id: 99, call: CALL.lost, decision: RETRY })}; ${closure(99, 'in_doubt')}; ${look(LOST)}; ${release(LOST)}`,
  ],
  [
    'an attempt whose money was given back before it left',
    'attempts_holding',
    `${NEW_CALL} ${attempt({ freed_by: LOST })}`,
  ],
  [
    'giving money back without a reason',
    'attempts_freeing',
    `UPDATE attempts SET freed_by = ${LOST} WHERE id = ${LOST}`,
  ],
  [
    'giving money back for an answer under no key of its own',
    'attempts_freeing',
    `UPDATE attempts SET freed_by = ${MISSED} WHERE id = ${LOST}`,
  ],
  [
    'giving money back twice',
    'attempts_freeing',
    `${release(KEYED)}; UPDATE attempts SET freed_by = ${KEYED} WHERE id = ${KEYED}`,
  ],
  [
    'taking money back that was given back',
    'attempts_freeing',
    `${release(KEYED)}; UPDATE attempts SET freed_by = NULL WHERE id = ${KEYED}`,
  ],
  [
    'charging what was given back',
    'told_held',
    `${decision(CALL.lost, LOST, BATCH, 'repeat', 98)}; ${attempt({ id: 99, call: CALL.lost, decision: 98 })};
     ${closure(99, 'in_doubt')}; ${look(99)}; ${release(99)};
     ${decision(CALL.lost, LOST, BATCH, 'told')}; ${told(99, 9)}`,
  ],
  ['an attempt of a call in doubt without a decision', 'attempts_admission', attempt({ call: CALL.lost })],
  [
    'an attempt of a call in doubt by a decision to hold',
    'attempts_admission',
    attempt({ call: CALL.lost, decision: HOLD }),
  ],
  [
    'a decision used by another batch',
    'attempts_admission',
    attempt({ call: CALL.lost, decision: RETRY, batch: "(SELECT id FROM batches WHERE key = 'new')" }),
  ],
  ['a decision used for another call', 'attempts_admission', `${NEW_CALL} ${attempt({ decision: RETRY })}`],
  [
    'a decision used twice',
    'attempts_admission',
    `${attempt({ id: 99, call: CALL.lost, decision: RETRY })}; ${closure(99, 'in_doubt')};  ${attempt({ call: CALL.lost, decision: RETRY })}`,
  ],
  ['an attempt that begins closed', 'attempts_admission', `${NEW_CALL} ${attempt({ open: 0 })}`],
  ['an attempt of a superseded batch', 'attempts_admission', `${NEW_CALL} ${attempt({ batch: SUPERSEDED })}`],
  ['an attempt paid by another account', 'attempts_admission', `${NEW_CALL} ${attempt({ batch: FOREIGN })}`],
  [
    "an attempt above the batch's budget",
    'unbooked_booking',
    `${NEW_CALL} ${attempt({ reserved: 8 })}; ${BOOK}`,
  ],
  [
    "an attempt above the account's day",
    'unbooked_booking',
    `UPDATE batches SET budget = NULL; ${NEW_CALL} ${attempt({ reserved: 18 })}; ${BOOK}`,
  ],
  [
    "an attempt above the account's month",
    'unbooked_booking',
    `UPDATE batches SET budget = NULL; ${NEW_CALL} ${attempt({ reserved: 28, intent_at: NOON_MS + 86_400_000 })}; ${BOOK}`,
  ],
  [
    'a retry above the extra credits',
    'unbooked_booking',
    `UPDATE batches SET extra_credits = 1; ${attempt({ call: CALL.lost, decision: RETRY, reserved: 2 })}; ${BOOK}`,
  ],
  [
    'an attempt above what an answer of another operation has left of the budget in the same transaction',
    'unbooked_booking',
    `${reply(OPEN)}; ${closure(OPEN, 'settled', "'found'", 9)}; ${NEW_CALL.replace("'x'", "'a'")} ${attempt()}; ${BOOK}`,
  ],
  ['a reply to an attempt that is closed', 'replies_recording', reply(LOST)],
  ['an answer without its raw reply', 'closures_closing', closure(OPEN, 'settled', "'refused'")],
  ['a decision about a call that is not in doubt', 'decisions_deciding', decision(CALL.answered, ANSWER)],
  ['a decision about another loss', 'decisions_deciding', decision(CALL.lost, ANSWER)],
  ['a decision by a batch of another account', 'decisions_deciding', decision(CALL.lost, LOST, FOREIGN)],
  ['telling about an attempt by a decision that does not', 'told_telling', told(LOST, HOLD)],
  [
    'telling about an attempt that was answered',
    'told_telling',
    `${decision(CALL.lost, LOST, BATCH, 'told')}; ${told(MISSED, 9, 0)}`,
  ],
  [
    'telling another price than was at risk',
    'told_telling',
    `${decision(CALL.lost, LOST, BATCH, 'told')}; ${told(LOST, 9, 0)}`,
  ],
  [
    'forgetting what an account answered otherwise, so that earlier misses could be taken back',
    'accounts_last_other',
    'UPDATE accounts SET last_other = 0',
  ],
  [
    'calling a miss younger than it is',
    'attempts_newest',
    `UPDATE attempts SET newest = 99 WHERE id = ${MISSED}`,
  ],
  [
    'calling a match a miss',
    'attempts_newest',
    `UPDATE attempts SET newest = (SELECT max(id) FROM attempts) WHERE id = ${ANSWER}`,
  ],
  [
    'an attempt without its number',
    'attempts_admission',
    `${NEW_CALL} ${attempt({ id: 'NULL', call_behind: 2 })}`,
  ],
  ['beginning an attempt that has missed', 'attempts_no_newest', `${NEW_CALL} ${attempt({ newest: 9 })}`],
  [
    'taking back an answer that was found',
    'retractions_retracting',
    `INSERT INTO retractions VALUES (${ANSWER})`,
  ],
  [
    'taking back a miss while a later answer is not booked',
    'retractions_retracting',
    `${NEW_CALL} ${attempt({ id: 99 })}; ${RETRACT}`,
  ],
  [
    'taking back a miss after which the account answered otherwise',
    'retractions_retracting',
    `INSERT INTO retractions VALUES (${MISSED})`,
  ],
  [
    'a row of an attempt that is not there',
    'rows_pointing_insert',
    `INSERT INTO rows (batch, row, ended, reason, settled_by) VALUES (${BATCH}, 9, 5, 'x', '[1, 99]')`,
  ],
  [
    'a row of an attempt that is still on its way',
    'rows_pointing_insert',
    `INSERT INTO rows (batch, row, ended, reason, settled_by) VALUES (${BATCH}, 9, 5, 'x', '[${ANSWER}, ${OPEN}]')`,
  ],
  [
    'a row in doubt that comes to wait for an attempt that is not there',
    'rows_pointing_update',
    `INSERT INTO rows (batch, row, ended, reason, settled_by) VALUES (${BATCH}, 9, 6, 'x', '[]');
     UPDATE rows SET settled_by = 99 WHERE row = 9`,
  ],
  ['changing a final outcome', 'rows_final', 'UPDATE rows SET ended = 6, matched_by = NULL WHERE row = 2'],
  ['moving a row', 'rows_final', 'UPDATE rows SET row = 99 WHERE row = 2'],
  ['deleting a row', 'rows_kept', 'DELETE FROM rows WHERE row = 3'],
  [
    'replacing a row',
    'rows_kept',
    `REPLACE INTO rows (batch, row, ended, reason, settled_by) VALUES (${BATCH}, 3, 4, 'x', '[]')`,
  ],
  [
    'changing what an attempt reserved',
    'attempts_unchanged',
    `UPDATE attempts SET reserved = 0 WHERE id = ${OPEN}`,
  ],
  [
    'moving an attempt to another batch',
    'attempts_unchanged',
    `UPDATE attempts SET batch = ${SUPERSEDED} WHERE id = ${OPEN}`,
  ],
  [
    'closing an attempt without saying how',
    'attempts_closed',
    `UPDATE attempts SET open = 0 WHERE id = ${OPEN}`,
  ],
  ['opening an attempt again', 'attempts_closed', `UPDATE attempts SET open = 1 WHERE id = ${MISSED}`],
  [
    'letting a higher row pay',
    'attempts_paid_row',
    `UPDATE attempts SET paid_behind = -99 WHERE id = ${ANSWER}`,
  ],
  ['changing what a call asks', 'calls_unchanged', "UPDATE calls SET own = '{}' WHERE id = 1"],
  ['changing the key of a call', 'calls_unchanged', 'UPDATE calls SET key = randomblob(32) WHERE id = 1'],
  [
    'a second call under a key',
    'calls_one_key_insert',
    `INSERT INTO calls (id, key, account, operation, own, checksum)
       SELECT 9, key, account, 'x', '{}', 0 FROM calls WHERE id = 1`,
  ],
  [
    "a call that begins with another call's answer",
    'calls_beginning',
    `INSERT INTO calls (id, key, account, operation, own, checksum, answer_behind)
       SELECT 9, randomblob(32), account, 'x', '{}', 0, answer_behind + id - 9 FROM calls WHERE id = ${CALL.answered}`,
  ],
  [
    "giving a call another call's key",
    'calls_one_key_update',
    `DROP TRIGGER calls_unchanged; UPDATE calls SET key = (SELECT key FROM calls WHERE id = 2) WHERE id = 1`,
  ],
  ['changing what many calls ask', 'shapes_no_update', 'UPDATE shapes SET checksum = 0'],
  [
    'deleting what many calls ask',
    'shapes_no_delete',
    "INSERT INTO shapes (id, text, checksum) VALUES (9, '{}', 0); DELETE FROM shapes WHERE id = 9",
  ],
  [
    'forgetting an answer',
    'calls_answered',
    `UPDATE calls SET answer_behind = NULL WHERE id = ${CALL.answered}`,
  ],
  [
    "giving a call another call's answer",
    'calls_answered',
    `UPDATE calls SET answer_behind = ${MISSED} - id WHERE id = ${CALL.answered}`,
  ],
  ['forgetting a doubt', 'calls_doubted', `UPDATE calls SET doubt = NULL WHERE id = ${CALL.lost}`],
  [
    'going back to an older doubt',
    'calls_doubted',
    `${attempt({ id: 99, call: CALL.lost, decision: RETRY })}; ${closure(99, 'in_doubt')};
     UPDATE calls SET doubt = ${LOST} WHERE id = ${CALL.lost}`,
  ],
  [
    'a doubt about what was given back',
    'calls_doubted',
    `${release(KEYED)}; UPDATE calls SET doubt = ${KEYED} WHERE id = ${CALL.keyed}`,
  ],
  [
    'a doubt about an attempt that was not lost',
    'calls_doubted',
    `UPDATE calls SET doubt = ${OPEN} WHERE id = ${CALL.open}`,
  ],
  ['changing what a batch is', 'batches_unchanged', "UPDATE batches SET key = 'x' WHERE key = 'old'"],
  ['reviving a superseded batch', 'batches_ended', "UPDATE batches SET state = 'open' WHERE key = 'old'"],
  [
    'two open batches over the same content',
    'batches_open',
    `INSERT INTO batches (id, ordinal, generation, ${BATCH_COLUMNS}) SELECT 77, 77, 77, ${BATCH_COLUMNS}
       FROM batches WHERE key = 'key-a'`,
  ],
  ['changing a reply', 'replies_no_update', "UPDATE replies SET body = x'00'"],
  ['changing what was charged', 'closures_no_update', 'UPDATE closures SET charged = 0'],
  ['changing a decision', 'decisions_no_update', "UPDATE decisions SET kind = 'retry'"],
  [
    'changing what was told',
    'told_no_update',
    `${decision(CALL.lost, LOST, BATCH, 'told')}; ${told(LOST, 9)}; UPDATE told SET status = 1`,
  ],
  [
    'changing what was taken back',
    'retractions_no_update',
    `${RETRACT}; UPDATE retractions SET attempt = ${ANSWER}`,
  ],
  ['changing a request', 'requests_no_update', "UPDATE requests SET path = '/'"],
  ['changing what a vendor said', 'looks_no_update', "UPDATE looks SET said = 'happened'"],
  ['changing a release', 'releases_no_update', `${release(KEYED)}; UPDATE releases SET why = 'y'`],
  ['deleting a request', 'requests_no_delete', 'DELETE FROM requests'],
  ['deleting what a vendor said', 'looks_no_delete', 'DELETE FROM looks'],
  ['deleting a release', 'releases_no_delete', `${release(KEYED)}; DELETE FROM releases`],
  ['deleting a reply', 'replies_no_delete', 'DELETE FROM replies'],
  ['deleting a closure', 'closures_no_delete', 'DELETE FROM closures'],
  [
    'replacing a closure',
    'closures_no_delete',
    `REPLACE INTO closures (attempt, ending, charged, said, closed_at, checksum, dialect)
    SELECT attempt, ending, 0, said, closed_at, checksum, dialect FROM closures WHERE attempt = ${LOST}`,
  ],
  ['deleting a decision', 'decisions_no_delete', `DELETE FROM decisions WHERE id = ${HOLD}`],
  [
    'deleting what was told',
    'told_no_delete',
    `${decision(CALL.lost, LOST, BATCH, 'told')}; ${told(LOST, 9)}; DELETE FROM told`,
  ],
  ['deleting what was taken back', 'retractions_no_delete', `${RETRACT}; DELETE FROM retractions`],
  [
    'deleting an attempt',
    'attempts_no_delete',
    `${NEW_CALL} ${attempt({ id: 99 })}; DELETE FROM attempts WHERE id = 99`,
  ],
  ['deleting a call', 'calls_no_delete', `${NEW_CALL} DELETE FROM calls WHERE id = 9`],
  ['deleting a batch', 'batches_no_delete', "DELETE FROM reads; DELETE FROM batches WHERE key = 'new'"],
  [
    'deleting an account',
    'accounts_no_delete',
    "INSERT INTO accounts (identity) VALUES ('x'); DELETE FROM accounts WHERE identity = 'x'",
  ],
  ['deleting a total', 'money_no_delete', 'DELETE FROM money'],
  ['deleting the count of commits', 'ledger_no_delete', 'DELETE FROM ledger'],
  ['setting the count of commits back', 'ledger_counting', 'UPDATE ledger SET commits = commits - 1'],
  ['leaving commits out of the count', 'ledger_counting', 'UPDATE ledger SET commits = commits + 2'],
  ['a ledger without a name', 'ledger_named', 'UPDATE ledger SET identity = NULL'],
];

describe('the database refuses', () => {
  test.each(REFUSED)('%s (%s)', (_promise, guard, sql) => expectRefusal(database, guard, sql));

  test('an attempt closed twice', () => {
    expect(() => attemptSql(closure(ANSWER, 'in_doubt'))).toThrow(
      'UNIQUE constraint failed: closures.attempt',
    );
  });

  test('a negative charge, and one for what was not settled', () => {
    expect(() => attemptSql(`${reply(OPEN)}; ${closure(OPEN, 'settled', "'found'", -1)}`)).toThrow(
      'CHECK constraint',
    );
    expect(() => attemptSql(closure(OPEN, 'not_sent', 'NULL', 1))).toThrow('CHECK constraint');
  });

  test('a commit with an entry that is not booked', () => {
    database.exec(`BEGIN; ${NEW_CALL} ${attempt()}`);
    expect(() => database.exec('COMMIT')).toThrow('FOREIGN KEY constraint failed');
    expect(() => database.exec('UPDATE unbooked SET booked = 1')).toThrow('CHECK constraint failed');
    database.exec('ROLLBACK');
    expect(database.prepare('SELECT count(*) FROM unbooked').pluck().get()).toBe(0);
  });

  test('nothing that is in order: an answer dearer than reserved is booked', () => {
    attemptSql(`${reply(OPEN)}; ${closure(OPEN, 'settled', "'found'", 1000)}; ${BOOK}`);
    attemptSql(`${attempt({ call: CALL.lost, decision: RETRY })}; ${BOOK}`);
    attemptSql(`${NEW_CALL} ${attempt({ reserved: 4 })}; ${BOOK}`);
  });

  test('nothing that is in order: a repeat under its key, a release, an answer bought anew', () => {
    attemptSql(`${repeat()}; ${request(99)}; ${reply(99)}; ${closure(99, 'settled', "'found'", 2)}; ${BOOK}`);
    attemptSql(`${release(KEYED)}; ${attempt({ call: CALL.keyed })}; ${BOOK}`);
    attemptSql(`${attempt({ call: CALL.answered, batch: LATE, replaces: ANSWER })}; ${BOOK}`);
  });

  test('by every guard that there is, but for those of topics that have tests of their own', () => {
    const elsewhere = [AGREEMENTS, CHANGES, ERASURES, ESTIMATES, HOLDS, PRICES, READINGS, TIME];
    const here = elsewhere.reduce((script, topic) => script.replace(topic, ''), schema());
    expect(untested(database, here, REFUSED)).toEqual([]);
    expect(untested(database, schema(), [])).toEqual(untested(database, undefined, []));
  });
});

const attemptSql = (sql: string): void => tryOut(database, sql);
