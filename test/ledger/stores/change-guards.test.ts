import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHANGES } from '../../../src/ledger/stores/sqlite/schema/changes.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { batchNamed, batchSpec, NOON_MS } from './book.ts';
import { admittedChange, changed, changeOf, decideChange, INVITED, KIM, lostChange } from './changes.ts';
import { openStore, temporaryFolder } from './places.ts';
import { endingOf, expectRefusal, type Refusal, tryOut, untested } from './refusals.ts';

/**
 * Goal: the database itself refuses a change of what has moved or may be moving, and one whose effect is not kept,
 * whatever the code does. Method: raw SQL on the file, around the code, as in `guards.test.ts`.
 */
let database: Database.Database;

const named = (name: string) => ({ ...KIM, name });

beforeAll(async () => {
  const place = temporaryFolder(afterAll);
  const ledger = await openStore(sqlite, place);
  const plan = [{ row: 2, kind: 'work', work: { to: 'viewer' } }] as const;
  const { batch } = await ledger.beginBatch(batchSpec({ key: 'key-a', rowsBeyond: 1 }), false, plan);
  await batchNamed(ledger, 'foreign', { accountIdentity: 'another' });
  await changed(ledger, batch.id, changeOf('create-invite', 0, named('settled')), { left: INVITED });
  await admittedChange(ledger, batch.id, changeOf('create-invite', 0, named('open')));
  const lost = changeOf('delete-invite', 0, named('lost'));
  await lostChange(ledger, batch.id, lost);
  await decideChange(ledger, batch.id, lost, 'repeat');
  const missed = { answer: 'no_match', status: 404 } as const;
  await changed(ledger, batch.id, changeOf('delete-invite', 0, named('missed')), missed);
  const attempt = await admittedChange(ledger, batch.id, changeOf('create-invite', 0, named('fresh')));
  await ledger.closeAttempt(attempt, { kind: 'not_sent', why: 'no connection' }, NOON_MS);
  await ledger.close();
  database = new Database(join(place, 'ledger.db'));
  database.pragma('recursive_triggers = ON');
  afterAll(() => void database.close());
});

// Calls, attempts and subjects are numbered in the order in which they were made above.
const [SETTLED, OPEN, LOST, MISSED, FRESH] = [1, 2, 3, 4, 5];
const REPEAT = 1;
const BATCH = "(SELECT id FROM batches WHERE key = 'key-a')";

/** A call with the number 9. */
const call = (subject: number | string, after: number | string = 0, account = '1'): string =>
  `INSERT INTO calls (id, key, account, operation, own, subject, after, checksum)
    VALUES (9, randomblob(32), ${account}, 'x', '{}', ${subject}, ${after}, 0)`;

const attempt = (callNumber: number, id = 99, decision: number | string = 'NULL'): string =>
  `INSERT INTO attempts (id, call_behind, batch, row, reserved, intent_at, decision, checksum)
    VALUES (${id}, ${id} - ${callNumber}, ${BATCH}, 2, 0, ${NOON_MS}, ${decision}, 0)`;

const entry = (attemptNumber: number, subject: number, sequence = 1): string =>
  `INSERT INTO changes (attempt, subject, sequence, checksum) VALUES (${attemptNumber}, ${subject}, ${sequence}, 0)`;

const reply = (attemptNumber: number, status = 200): string =>
  `INSERT INTO replies (attempt, status, headers, received_at, checksum, body)
    VALUES (${attemptNumber}, ${status}, '{}', 0, 0, x'')`;

const closure = (attemptNumber: number, kind: string, answer = 'NULL'): string =>
  `INSERT INTO closures (attempt, ending, charged, said, closed_at, checksum)
    VALUES (${attemptNumber}, ${endingOf(kind, answer)}, 0, 'x', 0, 0)`;

const settled = (attemptNumber: number): string =>
  `${reply(attemptNumber)}; ${closure(attemptNumber, 'settled', "'found'")}`;

const decision = (callNumber: number, doubt: number, kind: string): string =>
  `INSERT INTO decisions (id, call, doubt, batch, kind, decided_by, why, at, checksum)
    VALUES (9, ${callNumber}, ${doubt}, ${BATCH}, '${kind}', 'person', 'x', 0, 0)`;

const told = (attemptNumber: number): string =>
  `INSERT INTO told (attempt, decision, charged, status, headers, received_at, checksum, body)
    VALUES (${attemptNumber}, 9, 0, 200, '{}', 0, 0, x'')`;

const planned = (batch: string, row = 3): string =>
  `INSERT INTO planned (batch, row, planned, checksum) VALUES (${batch}, ${row}, '{}', 0)`;

const batch = (rows: number): string =>
  `INSERT INTO batches (id, ordinal, key, generation, lineage, state, account, account_name, sandbox, vendor, operation,
     input_path, input_sha256, input_rows, settings, created_at, planned_rows)
   VALUES (77, 77, 'x', 1, 'x', 'open', 1, 'x', 0, 'service', 'x', 'x', 'x', 1, '{}', 0, ${rows})`;

const REFUSED: readonly Refusal[] = [
  ['adding to the plan of a batch that has begun', 'planned_planning', planned(BATCH)],
  ['a batch that begins with less than its plan', 'batches_planned', `${planned('77')}; ${batch(2)}`],
  ['a batch that begins with more than its plan', 'batches_planned', `${planned('77')}; ${batch(0)}`],
  ['a plan that grows afterwards', 'batches_plan_kept', 'UPDATE batches SET planned_rows = 9'],
  ['rows beyond the input that are left out', 'batches_plan_kept', 'UPDATE batches SET rows_beyond = NULL'],
  ['changing what was planned', 'planned_no_update', "UPDATE planned SET planned = '{}'"],
  ['deleting what was planned', 'planned_no_delete', 'DELETE FROM planned'],
  ['a change of what belongs to another account', 'calls_changing', call(FRESH, 0, '2')],
  [
    'a change that alters another subject afterwards',
    'calls_change_kept',
    `UPDATE calls SET subject = ${FRESH}`,
  ],
  ['a change that was planned later afterwards', 'calls_change_kept', 'UPDATE calls SET after = 7'],
  ['a change of what has moved', 'attempts_changing', `${call(SETTLED)}; ${attempt(9)}`],
  ['a change of what is not there yet', 'attempts_changing', `${call(FRESH, 1)}; ${attempt(9)}`],
  ['a change while another is under way', 'attempts_changing', `${call(OPEN)}; ${attempt(9)}`],
  ['a change while another is in doubt', 'attempts_changing', `${call(LOST)}; ${attempt(9)}`],
  ['a change that is settled without what it left', 'closures_changing', settled(OPEN)],
  [
    'a change that left something and was lost',
    'closures_changing',
    `${entry(OPEN, OPEN)}; ${closure(OPEN, 'in_doubt')}`,
  ],
  [
    'a change that is told about without what it left',
    'told_changing',
    `${decision(LOST, LOST, 'told')}; ${told(LOST)}`,
  ],
  ['what a change left of another subject', 'changes_logging', entry(OPEN, FRESH)],
  [
    'what a change left elsewhere than where it was planned',
    'changes_logging',
    `DROP TRIGGER subjects_moving; ${entry(OPEN, OPEN, 2)}`,
  ],
  ['what a lost change left, of which nobody told', 'changes_logging', entry(LOST, LOST)],
  ['what a change left that was not sent', 'changes_logging', entry(FRESH, FRESH)],
  [
    'a sequence that jumps with an entry',
    'subjects_moving',
    `DROP TRIGGER changes_logging; ${entry(OPEN, OPEN, 2)}`,
  ],
  [
    'a sequence that moves without an entry',
    'subjects_moving',
    `UPDATE subjects SET sequence = 1 WHERE id = ${OPEN}`,
  ],
  ['a sequence that goes back', 'subjects_moving', `UPDATE subjects SET sequence = 0 WHERE id = ${SETTLED}`],
  [
    'a subject that begins as if it had been changed',
    'subjects_beginning',
    "INSERT INTO subjects (account, project, name, sequence, checksum) VALUES (1, 'p', 'x', 1, 0)",
  ],
  [
    'giving a subject another name',
    'subjects_unchanged',
    `UPDATE subjects SET name = 'x' WHERE id = ${FRESH}`,
  ],
  [
    'taking back the answer to a change',
    'retractions_changing',
    `UPDATE accounts SET answers_not_404 = 0; INSERT INTO retractions VALUES (${MISSED})`,
  ],
  [
    'changing what a change left',
    'changes_no_update',
    `UPDATE changes SET role = 'admin' WHERE attempt = ${SETTLED}`,
  ],
  ['deleting what a change left', 'changes_no_delete', `DELETE FROM changes WHERE attempt = ${SETTLED}`],
  [
    'replacing what a change left',
    'changes_no_delete',
    `DROP TRIGGER changes_logging; DROP TRIGGER subjects_moving;
     REPLACE INTO changes SELECT attempt, subject, sequence, NULL, NULL, NULL, NULL, NULL, NULL, 0 FROM changes
      WHERE attempt = ${SETTLED}`,
  ],
  [
    'deleting a subject',
    'subjects_no_delete',
    `INSERT INTO subjects (id, account, project, name, checksum) VALUES (9, 1, 'p', 'x', 0);
     DELETE FROM subjects WHERE id = 9`,
  ],
];

describe('the database refuses', () => {
  test.each(REFUSED)('%s (%s)', (_promise, guard, sql) => expectRefusal(database, guard, sql));

  test('two entries of one change, and two changes that left a subject at the same place', () => {
    const unguarded = 'DROP TRIGGER changes_logging; DROP TRIGGER subjects_moving';
    for (const second of [entry(SETTLED, OPEN), entry(OPEN, SETTLED)])
      expect(() => tryOut(database, `${unguarded}; ${second}`)).toThrow('UNIQUE constraint failed: changes.');
  });

  test('a call that says what it changes and not after what, or the other way round', () => {
    expect(() => tryOut(database, call(FRESH, 'NULL'))).toThrow('CHECK constraint');
    expect(() => tryOut(database, call('NULL', 0))).toThrow('CHECK constraint');
  });

  test('to commit what a change left while it is open, and a plan without a batch', () => {
    for (const orphan of [entry(OPEN, OPEN), planned('77')]) {
      database.exec(`BEGIN; ${orphan}`);
      expect(() => database.exec('COMMIT')).toThrow('FOREIGN KEY constraint failed');
      database.exec('ROLLBACK');
    }
  });

  test('nothing that is in order: an answer, a repeat, a word of a person, another change, a batch with its plan', () => {
    tryOut(database, `${entry(OPEN, OPEN)}; ${settled(OPEN)}; ${call(OPEN, 1)}; ${attempt(9)}`);
    tryOut(database, `${attempt(LOST, 99, REPEAT)}; ${entry(99, LOST)}; ${settled(99)}`);
    tryOut(database, `${decision(LOST, LOST, 'told')}; ${entry(LOST, LOST)}; ${told(LOST)}`);
    tryOut(database, `${call(SETTLED, 1)}; ${attempt(9)}; ${attempt(FRESH, 100)}`);
    tryOut(database, `${planned('77')}; ${batch(1)}`);
  });

  test('by every guard of changes that there is', () => {
    expect(untested(database, CHANGES, REFUSED)).toEqual([]);
  });
});
