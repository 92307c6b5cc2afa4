/**
 * Goal: the rows of a list are kept for processes that do not have it, whole and once, however often a submit is repeated, and are gone
 * with the final outcome of each. Ranges are offered while rows of them are left.
 * Method: a ledger over a real server; what is left in the tables is read beside it.
 */
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import type { BatchId, Ledger, ListedRow, ListedRows } from '../../../src/ledger/ledger.ts';
import { connect, type Database } from '../../../src/ledger/stores/postgres/connection.ts';
import { erase } from '../../../src/ledger/stores/postgres/emptying.ts';
import { erasureOf } from '../../../src/ledger/stores/postgres/erasable.ts';
import { postgresLedger } from '../../../src/ledger/stores/postgres/postgres-ledger.ts';
import { layOut } from '../../../src/ledger/stores/postgres/schema-laid-out.ts';
import { personOf } from '../../../src/run/tasks/erase/person.ts';
import { ACCOUNT, batchNamed, begin, IN_DOUBT, lost, MATCHED, NOON_MS, settle } from './book.ts';
import { postgresServer } from './postgres-server.ts';

const ORDER = { job: { operation: 'enrich-company' }, dialect: { name: 'acme' }, rangeRows: 10 };
let databases = 0;

interface Place {
  readonly ledger: Ledger;
  readonly lists: ListedRows;
  readonly database: Database;
  /** All that is kept of cells, as text. */
  kept(): Promise<string>;
}

async function openPlace(command = 'test'): Promise<Place> {
  const server = await postgresServer();
  databases += 1;
  const name = `listed_${process.pid}_${databases}`;
  await server.createDatabase(name);
  const database = await connect(server.url(name));
  await layOut(database);
  const ledger = postgresLedger(database, {
    clock: systemClock,
    worker: 1,
    command,
  });
  onTestFinished(() => ledger.close());
  const { listed: lists } = ledger;
  if (lists === undefined) throw new Error('this store keeps lists');
  const kept = async () =>
    (await database.rows<{ cells: unknown }>('SELECT cells FROM listed ORDER BY row'))
      .map(({ cells }) => JSON.stringify(cells))
      .join('\n');
  return { ledger, lists, database, kept };
}

const rowNamed = (row: number): ListedRow => ({
  row,
  input: row * 7,
  cells: { domain: `row-${row}.example` },
});
const rowsOf = (count: number): readonly ListedRow[] =>
  Array.from({ length: count }, (_, at) => rowNamed(at + 2));

test('rows come back as they were kept, in order and by range, also odd ones', async () => {
  const { ledger, lists } = await openPlace();
  const batch = await batchNamed(ledger, 'a');
  const odd: readonly ListedRow[] = [
    { row: 2, input: 2 ** 48 - 1, cells: { domain: 'a\u0000b "quoted" {x}', 'of two words': '' } },
    { row: 3, input: 0, cells: {} },
    { row: 5, input: 9, unreadable: 'line 5 has 3 cells, and the header has 2' },
  ];
  await lists.keepListed(batch, odd.toReversed());
  await lists.keepListed(await batchNamed(ledger, 'b'), rowsOf(3));
  expect(await lists.tasksOf(batch, 0, 100)).toEqual(odd);
  expect(await lists.tasksOf(batch, 3, 5)).toEqual([odd[1]]);
});

test('a submit that is repeated changes nothing, and brings back nothing of what has ended', async () => {
  const { ledger, lists, kept } = await openPlace();
  const batch = await batchNamed(ledger, 'a');
  await lists.keepListed(batch, rowsOf(4));
  await settle(ledger, batch, 3, MATCHED);
  await lists.keepListed(batch, [...rowsOf(6), { row: 2, input: 1, cells: { domain: 'other.example' } }]);
  expect((await lists.tasksOf(batch, 0, 100)).map(({ row }) => row)).toEqual([2, 4, 5, 6, 7]);
  expect(await lists.tasksOf(batch, 2, 3)).toEqual([rowNamed(2)]);
  expect(await kept()).not.toContain('row-3.example');
});

test('a submit that is repeated while workers finish its rows leaves no cells of finished rows', async () => {
  const { ledger, lists, kept } = await openPlace();
  const batch = await batchNamed(ledger, 'a');
  const rows = rowsOf(300);
  await lists.keepListed(batch, rows);
  const finishing = Array.from({ length: 30 }, (_, at) =>
    ledger.finishRows(
      rows.slice(at * 10, at * 10 + 10).map(({ row }) => ({ batch, row, outcome: MATCHED, answers: [] })),
    ),
  );
  await Promise.all([...finishing, ...Array.from({ length: 8 }, () => lists.keepListed(batch, rows))]);
  expect(await kept()).toBe('');
});

test('cells are gone once their row has a final outcome; those of a row in doubt stay until its batch goes on no more', async () => {
  const { ledger, lists, kept } = await openPlace();
  const batch = await batchNamed(ledger, 'a');
  await lists.keepListed(batch, rowsOf(3));
  const doubt = await lost(ledger, batch, 'row-2', { row: 2 });
  await settle(ledger, batch, 2, IN_DOUBT, [doubt]);
  await settle(ledger, batch, 3, { kind: 'no_match', reason: 'nobody' });
  await settle(ledger, batch, 4, { kind: 'invalid', reason: 'no identifier' });
  await ledger.changeBatch(batch, { state: 'finished' });
  expect(await kept()).toBe('{"domain":"row-2.example"}');
  expect((await lists.tasksOf(batch, 0, 100)).map(({ row }) => row)).toEqual([2]);
  await ledger.changeBatch(batch, { state: 'cancelled' });
  expect(await kept()).toBe('');
  const old = await begin(ledger, { key: 'one', lineage: 'same' });
  await lists.keepListed(old.batch.id, rowsOf(3));
  await begin(ledger, { key: 'other', lineage: 'same' });
  expect(await kept(), 'of a batch that another one has followed').toBe('');
});

test('ranges are offered of batches that are kept whole and may go on, as long as rows of them are left', async () => {
  const { ledger, lists } = await openPlace();
  const batch = await batchNamed(ledger, 'a');
  await lists.keepListed(batch, rowsOf(25));
  expect(await lists.rangesLeft(), 'the submit was cut off here').toEqual([]);
  await lists.keepOrder(batch, ORDER);
  const range = (fromRow: number, left: number) => ({
    ...{ batch, accountIdentity: ACCOUNT, fromRow, beforeRow: fromRow + 10, left },
  });
  expect(await lists.rangesLeft()).toEqual([range(2, 10), range(12, 10), range(22, 5)]);
  for (let row = 2; row < 12; row += 1) await settle(ledger, batch, row, MATCHED);
  await settle(ledger, batch, 12, IN_DOUBT, [await lost(ledger, batch, 'row-12', { row: 12 })]);
  expect(await lists.rangesLeft()).toEqual([range(12, 9), range(22, 5)]);
  for (let row = 13; row < 22; row += 1) await settle(ledger, batch, row, MATCHED);
  expect(await lists.rangesLeft(), 'nobody but a person sends a doubt again').toEqual([range(22, 5)]);
  expect(await lists.rangesLeft(batch)).toEqual([range(12, 1), range(22, 5)]);
  await ledger.noteHold(batch, true, NOON_MS);
  expect(await lists.rangesLeft()).toEqual([]);
  await ledger.noteHold(batch, false, NOON_MS);
  await ledger.changeBatch(batch, { state: 'finished' });
  expect(await lists.rangesLeft()).toEqual([]);
});

test('a batch is worked on by the newest job and dialect, and its ranges stay as they were', async () => {
  const { ledger, lists } = await openPlace();
  const batch = await batchNamed(ledger, 'a');
  expect(await lists.workOrder(batch)).toBeUndefined();
  await lists.keepOrder(batch, ORDER);
  await lists.keepOrder(batch, { job: { operation: 'x' }, dialect: { n: 'a\u0000b' }, rangeRows: 500 });
  expect(await lists.workOrder(batch)).toEqual({
    job: { operation: 'x' },
    dialect: { n: 'a\u0000b' },
    rangeRows: 10,
  });
  expect(await lists.workOrder('none' as BatchId)).toBeUndefined();
});

test('a person in a kept row is not forgotten before that row has ended, and nothing of them is kept then', async () => {
  const { ledger, lists, database } = await openPlace();
  const batch = await batchNamed(ledger, 'a');
  await lists.keepListed(batch, [rowNamed(2), { row: 3, input: 1, cells: { email: 'Kim@Acme.example' } }]);
  const target = { kind: 'person', person: personOf('kim@acme.example') } as const;
  const unsettled = async () => (await database.snapshot((sql) => erasureOf(sql, target))).report.unsettled;
  expect(await unsettled()).toEqual([{ batch, row: 3 }]);
  await settle(ledger, batch, 3, { kind: 'no_match', reason: 'nobody' });
  expect(await unsettled()).toEqual([]);
});

// Goal: once a person is forgotten, nothing in the database names them. Method: whatever people and vendors said is kept where workers
// share it, and every table is read as text.
test('no job that workers go by, no worker and no word of a vendor names a person who was forgotten', async () => {
  const { ledger, lists, database } = await openPlace('run enrich-company kim@acme.example.csv');
  const batch = await batchNamed(ledger, 'a');
  const settings = { note: 'for kim@acme.example' };
  await lists.keepOrder(batch, { ...ORDER, job: { ...ORDER.job, settings } });
  const words = 'kim@acme.example asked too often';
  const pause = { leftMs: 60_000, why: words, asked: true };
  const end = { code: 'key', message: words, next: 'Ask them.' } as const;
  const said = { account: ACCOUNT, quotas: [], wants: true, inFlight: 0, sends: 0, batches: [batch] };
  await ledger.spenders?.beat({ accounts: [{ ...said, pause, end }] });
  const target = { kind: 'person', person: personOf('kim@acme.example') } as const;
  const { found } = await database.snapshot((sql) => erasureOf(sql, target));
  expect(found.names).toBe(3);
  const order = { target, found, atMs: NOON_MS, secret: Buffer.alloc(32), by: undefined };
  await database.write((sql) => erase(sql, order));
  expect(await namedIn(database, 'kim@acme')).toEqual([]);
  expect(await lists.workOrder(batch)).toMatchObject({ job: { operation: 'enrich-company' } });
  const heard = await ledger.spenders?.beat({ accounts: [said] });
  expect(heard?.accounts).toMatchObject([{ pause: { asked: true }, end: { code: 'key' } }]);
});

/** The tables that have the text. */
async function namedIn(database: Database, text: string): Promise<readonly string[]> {
  const tables = await database.rows<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'rowonce' AND table_type = 'BASE TABLE'",
  );
  const named: string[] = [];
  for (const { name } of tables) {
    const rows = await database.rows(`SELECT 1 FROM ${name} t WHERE strpos(to_jsonb(t)::text, $1) > 0`, [
      text,
    ]);
    if (rows.length > 0) named.push(name);
  }
  return named;
}
