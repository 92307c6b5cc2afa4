/**
 * Goal: a row that is bought costs the store few statements, so that the ledger is no brake.
 * Method: statements are counted where `better-sqlite3` runs them, over rows that are bought side by side as a run does it.
 * Work is counted and not time, so the figure is the same on every machine.
 */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { addReading, credits } from '../../../src/ledger/ledger.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { answered, batchNamed, keyNamed, MATCHED, NOON_MS, settle } from './book.ts';
import { freshLedger, freshPlace, openStore } from './places.ts';
import { attempt, BOOK, batchKeyed, call, end, insertion, reply } from './raw.ts';

const ROWS = 500;

/** Counts the statements from here on, by their text. */
function countStatements(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const statement: object = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1'));
  for (const name of ['run', 'get', 'all', 'iterate'] as const) {
    const method = Reflect.get(statement, name) as (...values: unknown[]) => unknown;
    const counting = function (this: Database.Statement, ...values: unknown[]): unknown {
      counts.set(this.source, (counts.get(this.source) ?? 0) + 1);
      return method.apply(this, values);
    };
    Reflect.set(statement, name, counting);
    onTestFinished(() => {
      Reflect.set(statement, name, method);
    });
  }
  return counts;
}

const words = Array.from({ length: ROWS }, (_, row) => `word${row}`);

/** What was run more often than once in ten rows, and how many statements a row that makes. */
function often(counts: ReadonlyMap<string, number>): { statements: string[]; aRow: number } {
  const statements = [...counts].filter(([, count]) => count > ROWS / 10).map(([text]) => text);
  const sum = [...counts.values()].reduce((all, count) => all + count, 0);
  return { statements: statements.sort(), aRow: sum / ROWS };
}

test('a bought row is one look for its call, and its part of statements that write many rows', async () => {
  const ledger = await freshLedger(sqlite);
  const batch = await batchNamed(ledger, 'a');
  await ledger.changeBatch(batch, { budget: credits(ROWS) });
  const counts = countStatements();
  await Promise.all(
    words.map(async (word, row) => {
      await ledger.find([keyNamed(word)], { batch });
      const attempt = await answered(ledger, batch, word, { row });
      await settle(ledger, batch, row, MATCHED, [attempt]);
    }),
  );
  const { statements, aRow } = often(counts);
  expect(statements.map((text) => text.trim().split(/\s+/).slice(0, 3).join(' ')).sort()).toEqual([
    'SELECT * FROM',
  ]);
  expect(aRow).toBeLessThan(1.4);
});

test('a bought row fires these triggers, each of them as often as is said here', async () => {
  const place = freshPlace(sqlite);
  const ledger = await openStore(sqlite, place);
  await ledger.changeBatch(await batchNamed(ledger, 'a'), { budget: credits(ROWS) });
  await ledger.close();
  const database = new Database(join(place, 'ledger.db'));
  onTestFinished(() => void database.close());
  let fired: string[] = [];
  database.function('fired', (name) => fired.push(String(name)));
  const triggers = database
    .prepare<[], { name: string; sql: string }>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    .all();
  for (const { name, sql } of triggers)
    database.exec(`DROP TRIGGER ${name}; ${sql.replace(/\bBEGIN\b/, `BEGIN SELECT fired('${name}');`)}`);
  const firedBy = (sql: string): readonly string[] => {
    fired = [];
    database.exec(sql);
    return fired.sort();
  };
  database.exec('BEGIN');
  const settled = { batch: batchKeyed('key-a'), row: 2, outcome: "'no_match'", answers: "'[1]'", sum: 0 };
  // Each entry moves its call, but for the attempt that it begins with, and a reply, which is there and nothing else. All others
  // look whether a rule is broken, or count.
  expect(firedBy(call())).toEqual(['calls_beginning', 'calls_one_key_insert']);
  expect(firedBy(attempt(1))).toEqual([
    ...['attempts_account', 'attempts_alone', 'attempts_batch', 'attempts_beginning', 'attempts_confirmed'],
    ...['attempts_dated', 'attempts_day', 'attempts_first', 'attempts_planned', 'attempts_price'],
  ]);
  expect(firedBy(reply(1))).toEqual(['replies_move']);
  expect(firedBy(end(1, 'answered'))).toEqual([
    ...['calls_moved', 'ends_answering', 'ends_move', 'ends_no_miss', 'ends_paying'],
  ]);
  expect(firedBy(insertion('rows', settled))).toEqual(['rows_pointing_insert', 'rows_settled']);
  // Once for all rows of a group, and for each batch, day and scope of theirs; what begins and what ends is filled in apart.
  expect(firedBy(BOOK)).toEqual([
    ...[
      'book_booking',
      'book_booking',
      'booking_filled',
      'booking_filled',
      'groups_booked',
      'groups_booking',
    ],
    ...[
      'groups_calls',
      'groups_changes',
      'groups_told',
      'groups_under_key',
      'totals_added',
      'totals_added',
      'totals_added',
    ],
  ]);
  database.exec('COMMIT');
});

test('rows that end by what another batch has bought are written together, and nobody looks for who paid', async () => {
  const ledger = await freshLedger(sqlite);
  const [bought, batch] = [await batchNamed(ledger, 'a'), await batchNamed(ledger, 'b')];
  const answers = await Promise.all(words.map((word, row) => answered(ledger, bought, word, { row })));
  const counts = countStatements();
  await ledger.finishRows(
    answers.map((answer, row) => ({ batch, row, outcome: MATCHED, answers: [answer] })),
  );
  expect([...counts.keys()].filter((text) => text.includes('INTO payers'))).toEqual([]);
  expect(often(counts).aRow).toBeLessThan(0.1);
});

test('a row that is read back is itself, its answer, and no look for readings that nobody made', async () => {
  const ledger = await freshLedger(sqlite);
  const batch = await batchNamed(ledger, 'a');
  await Promise.all(
    words.map(async (word, row) => {
      await settle(ledger, batch, row, MATCHED, [await answered(ledger, batch, word, { row })]);
    }),
  );
  const counts = countStatements();
  expect(await ledger.rows(batch, 0, ROWS)).toHaveLength(ROWS);
  expect(often(counts).aRow).toBeLessThan(0.1);
});

test('answers that another dialect read are found and read back together with all others', async () => {
  const ledger = await freshLedger(sqlite);
  const batch = await batchNamed(ledger, 'a');
  const reading = { answer: 'found', charged: credits(1), why: 'found', dialect: 7, atMs: NOON_MS } as const;
  await Promise.all(
    words.map(async (word, row) => {
      const attempt = await answered(ledger, batch, word, { row });
      await addReading(ledger, { ...reading, attempt });
      await settle(ledger, batch, row, MATCHED, [attempt]);
    }),
  );
  const counts = countStatements();
  const keys = words.map((word) => keyNamed(word));
  for (const detail of ['kind', 'checked', 'whole'] as const)
    expect(await ledger.find(keys, { detail })).toMatchObject(words.map(() => ({ answer: { dialect: 7 } })));
  const rows = await ledger.rows(batch, 0, ROWS);
  expect(rows).toMatchObject(words.map(() => ({ answers: [{ kind: 'found' }] })));
  expect(often(counts).aRow).toBeLessThan(0.1);
});
