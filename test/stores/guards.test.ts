import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { credits } from '../../src/ledger.ts';
import sqlite from '../../src/stores/sqlite.ts';
import {
  ACCOUNT,
  admitted,
  answered,
  batchNamed,
  begin,
  decide,
  lost,
  MATCHED,
  NOON_MS,
  settle,
} from './book.ts';
import { openStore, temporaryFolder } from './places.ts';

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

// Calls, attempts and decisions are numbered in the order in which they were made above.
const CALL = { answered: 1, open: 2, lost: 3, missed: 4 };
const [ANSWER, OPEN, LOST, MISSED] = [1, 2, 3, 4];
const [HOLD, RETRY] = [1, 2];
const BATCH = "(SELECT id FROM batches WHERE key = 'key-a')";
const SUPERSEDED = "(SELECT id FROM batches WHERE key = 'old')";
const FOREIGN = "(SELECT id FROM batches WHERE key = 'key-foreign')";

const NEW_CALL = `INSERT INTO calls (id, key, account, operation, call, checksum)
  VALUES (9, randomblob(32), (SELECT account FROM batches WHERE key = 'key-a'), 'x', '{}', 0);`;

function attempt(values: Partial<Record<string, number | string>> = {}): string {
  const row = {
    call: 9,
    batch: BATCH,
    row: 2,
    reserved: 1,
    intent_at: NOON_MS,
    checksum: 0,
    paid_row: 2,
    ...values,
  };
  return `INSERT INTO attempts (${Object.keys(row).join(', ')}) VALUES (${Object.values(row).join(', ')})`;
}

function closure(attemptNumber: number, kind: string, answer = 'NULL', charged = 0): string {
  return `INSERT INTO closures (attempt, kind, answer, charged, why, closed_at, checksum)
    VALUES (${attemptNumber}, '${kind}', ${answer}, ${charged}, 'x', 0, 0)`;
}

const reply = (attemptNumber: number): string =>
  `INSERT INTO replies (attempt, status, headers, received_at, checksum, body) VALUES (${attemptNumber}, 200, '{}', 0, 0, x'')`;

function decision(call: number, doubt: number, batch = BATCH, kind = 'retry'): string {
  return `INSERT INTO decisions (id, call, doubt, batch, kind, decided_by, why, at, checksum)
    VALUES (9, ${call}, ${doubt}, ${batch}, '${kind}', 'person', 'x', 0, 0)`;
}

const told = (attemptNumber: number, decisionNumber: number, charged = 1): string =>
  `INSERT INTO told (attempt, decision, charged, status, headers, received_at, checksum, body)
    VALUES (${attemptNumber}, ${decisionNumber}, ${charged}, 200, '{}', 0, 0, x'')`;

/** What must not be possible, the guard that refuses it, and how. */
const REFUSED: readonly [promise: string, guard: string, sql: string][] = [
  ['two open attempts of a call', 'attempts_open', attempt({ call: CALL.open })],
  ['an attempt of an answered call', 'attempts_admission', attempt({ call: CALL.answered })],
  [
    'an attempt that replaces another answer than the call has',
    'attempts_admission',
    attempt({ call: CALL.answered, replaces: MISSED }),
  ],
  [
    'an attempt that replaces an answer that is not there',
    'attempts_admission',
    `${NEW_CALL} ${attempt({ replaces: MISSED })}`,
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
    `${attempt({ id: 9, call: CALL.lost, decision: RETRY })}; ${closure(9, 'in_doubt')};  ${attempt({ call: CALL.lost, decision: RETRY })}`,
  ],
  ['an attempt that begins closed', 'attempts_admission', `${NEW_CALL} ${attempt({ open: 0 })}`],
  ['an attempt of a superseded batch', 'attempts_admission', `${NEW_CALL} ${attempt({ batch: SUPERSEDED })}`],
  ['an attempt paid by another account', 'attempts_admission', `${NEW_CALL} ${attempt({ batch: FOREIGN })}`],
  ["an attempt above the batch's budget", 'attempts_reserve', `${NEW_CALL} ${attempt({ reserved: 8 })}`],
  [
    "an attempt above the account's day",
    'attempts_reserve',
    `UPDATE batches SET budget = NULL; ${NEW_CALL} ${attempt({ reserved: 18 })}`,
  ],
  [
    "an attempt above the account's month",
    'attempts_reserve',
    `UPDATE batches SET budget = NULL; ${NEW_CALL} ${attempt({ reserved: 28, intent_at: NOON_MS + 86_400_000 })}`,
  ],
  [
    'a retry above the extra credits',
    'attempts_reserve',
    `UPDATE batches SET extra_credits = 1; ${attempt({ call: CALL.lost, decision: RETRY, reserved: 2 })}`,
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
    'taking back an answer that was found',
    'retractions_retracting',
    `INSERT INTO retractions VALUES (${ANSWER})`,
  ],
  [
    'taking back a miss of an account that answered',
    'retractions_retracting',
    `INSERT INTO retractions VALUES (${MISSED})`,
  ],
  [
    'a row of an attempt that is not there',
    'rows_pointing_insert',
    `INSERT INTO rows (batch, row, kind, reason, answers) VALUES (${BATCH}, 9, 'refused', 'x', '[1, 99]')`,
  ],
  [
    'a row in doubt that comes to wait for an attempt that is not there',
    'rows_pointing_update',
    `INSERT INTO rows (batch, row, kind, reason, answers) VALUES (${BATCH}, 9, 'in_doubt', 'x', '[]');
     UPDATE rows SET answers = '[99]' WHERE row = 9`,
  ],
  [
    'changing a final outcome',
    'rows_final',
    "UPDATE rows SET kind = 'in_doubt', matched_by = NULL WHERE row = 2",
  ],
  ['moving a row', 'rows_final', 'UPDATE rows SET row = 99 WHERE row = 2'],
  ['deleting a row', 'rows_kept', 'DELETE FROM rows WHERE row = 3'],
  [
    'replacing a row',
    'rows_kept',
    `REPLACE INTO rows (batch, row, kind, reason, answers) VALUES (${BATCH}, 3, 'invalid', 'x', '[]')`,
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
  ['letting a higher row pay', 'attempts_paid_row', `UPDATE attempts SET paid_row = 99 WHERE id = ${ANSWER}`],
  ['changing what a call asks', 'calls_unchanged', "UPDATE calls SET call = '{}' WHERE id = 1"],
  ['changing the key of a call', 'calls_unchanged', 'UPDATE calls SET key = randomblob(32) WHERE id = 1'],
  ['forgetting an answer', 'calls_answered', `UPDATE calls SET answer = NULL WHERE id = ${CALL.answered}`],
  [
    "giving a call another call's answer",
    'calls_answered',
    `UPDATE calls SET answer = ${MISSED} WHERE id = ${CALL.answered}`,
  ],
  ['forgetting a doubt', 'calls_doubted', `UPDATE calls SET doubt = NULL WHERE id = ${CALL.lost}`],
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
    `INSERT INTO batches SELECT 77, 77, key, 77, lineage, state, account,
    account_name, sandbox, vendor, operation, input_path, input_sha256, input_rows, settings, created_at, budget, extra_credits,
    output_path, output_sha256, command FROM batches WHERE key = 'key-a'`,
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
    `${RETRACT()}; UPDATE retractions SET attempt = ${ANSWER}`,
  ],
  ['deleting a reply', 'replies_no_delete', 'DELETE FROM replies'],
  ['deleting a closure', 'closures_no_delete', 'DELETE FROM closures'],
  [
    'replacing a closure',
    'closures_no_delete',
    `REPLACE INTO closures
    SELECT attempt, kind, answer, 0, why, closed_at, checksum FROM closures WHERE attempt = ${MISSED}`,
  ],
  ['deleting a decision', 'decisions_no_delete', `DELETE FROM decisions WHERE id = ${HOLD}`],
  [
    'deleting what was told',
    'told_no_delete',
    `${decision(CALL.lost, LOST, BATCH, 'told')}; ${told(LOST, 9)}; DELETE FROM told`,
  ],
  ['deleting what was taken back', 'retractions_no_delete', `${RETRACT()}; DELETE FROM retractions`],
  [
    'deleting an attempt',
    'attempts_no_delete',
    `${NEW_CALL} ${attempt({ id: 9 })}; DELETE FROM attempts WHERE id = 9`,
  ],
  ['deleting a call', 'calls_no_delete', `${NEW_CALL} DELETE FROM calls WHERE id = 9`],
  ['deleting a batch', 'batches_no_delete', "DELETE FROM batches WHERE key = 'new'"],
  [
    'deleting an account',
    'accounts_no_delete',
    "INSERT INTO accounts (identity) VALUES ('x'); DELETE FROM accounts WHERE identity = 'x'",
  ],
  ['deleting a total', 'money_no_delete', 'DELETE FROM money'],
  ['deleting the count of commits', 'ledger_no_delete', 'DELETE FROM ledger'],
];

/** Possible only for an account that never said anything but 404. */
function RETRACT(): string {
  return `UPDATE accounts SET answers_not_404 = 0; INSERT INTO retractions VALUES (${MISSED})`;
}

describe('the database refuses', () => {
  test.each(REFUSED)('%s (%s)', (_promise, guard, sql) => {
    expect(() => attemptSql(sql)).toThrow(/money rule|UNIQUE constraint/);
    const kind = guard.endsWith('_open') ? 'INDEX' : 'TRIGGER';
    attemptSql(`DROP ${kind} ${guard}; ${sql}`);
  });

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

  test('nothing that is in order: an answer dearer than reserved is booked', () => {
    attemptSql(`${reply(OPEN)}; ${closure(OPEN, 'settled', "'found'", 1000)}`);
    attemptSql(attempt({ call: CALL.lost, decision: RETRY }));
    attemptSql(`${NEW_CALL} ${attempt({ reserved: 7 })}`);
  });

  test('by every guard that there is', () => {
    const guards = database
      .prepare<[], { name: string }>(
        "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '%RAISE%'",
      )
      .all()
      .map(({ name }) => name);
    const tested = new Set(REFUSED.map(([, guard]) => guard));
    expect(guards.filter((name) => !tested.has(name))).toEqual([]);
  });
});

/** Leaves nothing behind, so that each test finds the same ledger with all of its guards. */
function attemptSql(sql: string): void {
  database.exec('BEGIN');
  try {
    database.exec(sql);
  } finally {
    database.exec('ROLLBACK');
  }
}
