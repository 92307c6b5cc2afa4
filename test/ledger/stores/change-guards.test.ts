import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, test } from 'vitest';
import { closeAttempt } from '../../../src/ledger/ledger.ts';
import { CHANGES } from '../../../src/ledger/stores/sqlite/schema/changes-sql.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { batchNamed, batchSpec, NOON_MS } from './book.ts';
import { admittedChange, changed, changeOf, decideChange, INVITED, KIM, lostChange } from './changes.ts';
import { openStore, temporaryFolder } from './places.ts';
import { answer, attempt, BOOK, batchKeyed, call as callOf, end, insertion, NEXT, note } from './raw.ts';
import { ELSEWHERE, expectRefusal, type Refusal, tryOut, untested } from './refusals.ts';

/**
 * Goal: the database itself refuses a change of what has moved or may be moving, and one whose effect is not kept,
 * whatever the code does. Method: raw SQL on the file, around the code, as in `guards.test.ts`.
 */
const named = (name: string) => ({ ...KIM, name });

const place = temporaryFolder(afterAll);
const ledger = await openStore(sqlite, place);
const work = [{ row: 2, kind: 'work', work: { to: 'viewer' } }] as const;
const begun = (await ledger.beginBatch(batchSpec({ key: 'key-a', rowsBeyond: 1 }), false, work)).batch.id;
await batchNamed(ledger, 'foreign', { accountIdentity: 'another' });
const settledChange = changeOf('create-invite', 0, named('answered'));
const SETTLED = await changed(ledger, begun, settledChange, { left: INVITED });
const OPEN = await admittedChange(ledger, begun, changeOf('create-invite', 0, named('open')));
const lostOne = changeOf('delete-invite', 0, named('lost'));
const LOST = await lostChange(ledger, begun, lostOne);
const REPEAT = await decideChange(ledger, begun, lostOne, 'repeat');
const missed = { answer: 'no_match', status: 404 } as const;
const MISSED = await changed(ledger, begun, changeOf('delete-invite', 0, named('missed')), missed);
const FRESH = await admittedChange(ledger, begun, changeOf('create-invite', 0, named('fresh')));
await closeAttempt(ledger, FRESH, { kind: 'not_sent', why: 'no connection' }, NOON_MS);
await ledger.close();
const database = new Database(join(place, 'ledger.db'));
database.pragma('recursive_triggers = ON');
afterAll(() => void database.close());

/** Whom each of them changes. Subjects are numbered in the order in which they were made above. */
const WHOM = { settled: 1, open: 2, lost: 3, fresh: 5 };
const NEW = database.prepare<[], number>(`SELECT ${NEXT}`).pluck().get() ?? 0;
const BATCH = batchKeyed('key-a');

const call = (subject: number | string, after: number | string = 0, account = 1): string =>
  callOf({ subject, after, account });

/** The first attempt of a new call. */
const next = (subject: number, after = 0): string => call(subject, after) + attempt(NEXT, { reserved: 0 });

const repeat = attempt(LOST, { kind: "'repeat'", sees: REPEAT, reserved: 0 });

/** What a change left. */
const entry = (attemptNumber: number, subject: number, sequence = 1): string =>
  insertion('changes', { attempt: attemptNumber, subject, sequence, sum: 0 });

const settled = (attemptNumber: number): string => answer(attemptNumber, { spent: 0 });

const told = (attemptNumber: number): string => note('told', attemptNumber, { batch: BATCH, said: "'told'" });

const planned = (of: string, row = 3): string =>
  insertion('planned', { batch: of, row, planned: "'{}'", sum: 0 });

const batch = (rows: number): string =>
  `INSERT INTO batches (id, ordinal, key, generation, lineage, state, account, account_name, sandbox, vendor, operation,
     input_path, input_sha256, input_rows, settings, created_at, planned_rows)
   VALUES (77, 77, 'x', 1, 'x', 'open', 1, 'x', 0, 'service', 'x', 'x', 'x', 1, '{}', 0, ${rows})`;

const REFUSED: readonly Refusal[] = [
  ['adding to the plan of a batch that has begun', 'planned_planning', planned(BATCH)],
  ['a batch that begins with less than its plan', 'batches_planned', planned('77') + batch(2)],
  ['a batch that begins with more than its plan', 'batches_planned', planned('77') + batch(0)],
  ['a plan that grows afterwards', 'batches_plan_kept', 'UPDATE batches SET planned_rows = 9'],
  ['rows beyond the input that are left out', 'batches_plan_kept', 'UPDATE batches SET rows_beyond = NULL'],
  ['changing what was planned', 'planned_no_update', "UPDATE planned SET planned = '{}'"],
  ['deleting what was planned', 'planned_no_delete', 'DELETE FROM planned'],
  ['a change of what belongs to another account', 'calls_changing', call(WHOM.fresh, 0, 2)],
  [
    'a change that alters another subject afterwards',
    'calls_unchanged',
    `UPDATE calls SET subject = ${WHOM.fresh}`,
  ],
  ['a change that was planned later afterwards', 'calls_unchanged', 'UPDATE calls SET after = 7'],
  ['a change of what has moved', 'attempts_planned', next(WHOM.settled)],
  ['a change of what is not there yet', 'attempts_planned', next(WHOM.fresh, 1)],
  ['a change while another is under way', 'attempts_alone', next(WHOM.open)],
  ['a change while another is in doubt', 'attempts_alone', next(WHOM.lost)],
  ['a change that is settled without what it left', 'groups_changes', settled(OPEN) + BOOK],
  [
    'a change that left something and was lost',
    'changes_logging',
    entry(OPEN, WHOM.open) + end(OPEN, 'lost'),
  ],
  ['a change that is told about without what it left', 'groups_changes', told(LOST) + BOOK],
  ['what a change left of another subject', 'changes_following', settled(OPEN) + entry(OPEN, WHOM.fresh)],
  [
    'what a change left elsewhere than where it was planned',
    'changes_following',
    `DROP TRIGGER subjects_moving; ${settled(OPEN)} ${entry(OPEN, WHOM.open, 2)}`,
  ],
  ['what a change left before it was answered', 'changes_logging', entry(OPEN, WHOM.open) + settled(OPEN)],
  ['what a lost change left, of which nobody told', 'changes_logging', entry(LOST, WHOM.lost)],
  ['what a change left that was not sent', 'changes_logging', entry(FRESH, WHOM.fresh)],
  [
    'a sequence that jumps with an entry',
    'subjects_moving',
    `DROP TRIGGER changes_following; ${settled(OPEN)} ${entry(OPEN, WHOM.open, 2)}`,
  ],
  [
    'a sequence that moves without an entry',
    'subjects_moving',
    `UPDATE subjects SET sequence = 1 WHERE id = ${WHOM.open}`,
  ],
  [
    'a sequence that goes back',
    'subjects_moving',
    `UPDATE subjects SET sequence = 0 WHERE id = ${WHOM.settled}`,
  ],
  [
    'a subject that begins as if it had been changed',
    'subjects_beginning',
    "INSERT INTO subjects (account, project, name, sequence, sum) VALUES (1, 'p', 'x', 1, 0)",
  ],
  [
    'giving a subject another name',
    'subjects_unchanged',
    `UPDATE subjects SET name = 'x' WHERE id = ${WHOM.fresh}`,
  ],
  ['taking back the answer to a change', 'notes_retracting_change', note('retracted', MISSED)],
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
    `INSERT INTO subjects (id, account, project, name, sum) VALUES (9, 1, 'p', 'x', 0);
     DELETE FROM subjects WHERE id = 9`,
  ],
];

describe('the database refuses', () => {
  test.each(REFUSED)('%s (%s)', (_promise, guard, sql) => expectRefusal(database, guard, sql));

  test('two entries of one change, and two changes that left a subject at the same place', () => {
    const guards = ['changes_logging', 'changes_following', 'subjects_moving'];
    const unguarded = guards.map((guard) => `DROP TRIGGER ${guard};`).join(' ');
    for (const second of [entry(SETTLED, WHOM.open), entry(OPEN, WHOM.settled)])
      expect(() => tryOut(database, unguarded + second)).toThrow('UNIQUE constraint failed: changes.');
  });

  test('a call that says what it changes and not after what, or the other way round', () => {
    expect(() => tryOut(database, call(WHOM.fresh, 'NULL'))).toThrow('CHECK constraint');
    expect(() => tryOut(database, call('NULL', 0))).toThrow('CHECK constraint');
  });

  test('to commit a plan without a batch', () => {
    database.exec(`BEGIN; ${planned('77')}`);
    expect(() => database.exec('COMMIT')).toThrow('FOREIGN KEY constraint failed');
    database.exec('ROLLBACK');
  });

  test('nothing that is in order: an answer, a repeat, a word of a person, another change, a batch with its plan', () => {
    tryOut(database, settled(OPEN) + entry(OPEN, WHOM.open) + BOOK + next(WHOM.open, 1) + BOOK);
    tryOut(database, repeat + settled(NEW) + entry(NEW, WHOM.lost) + BOOK);
    tryOut(database, told(LOST) + entry(LOST, WHOM.lost) + BOOK);
    tryOut(database, next(WHOM.settled, 1) + attempt(FRESH, { reserved: 0 }) + BOOK);
    tryOut(database, planned('77') + batch(1));
  });

  test('by every guard of changes that there is', () => {
    expect(untested(database, REFUSED, CHANGES, ELSEWHERE.changes)).toEqual([]);
  });
});
