import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  type AttemptId,
  type BatchId,
  closeAttempt,
  credits,
  type FinishedRow,
  type Ledger,
  recordReply,
} from '../../../src/ledger/ledger.ts';
import { Connection } from '../../../src/ledger/stores/sqlite/connection.ts';
import { GroupCommit } from '../../../src/ledger/stores/sqlite/group-commit.ts';
import { layOut } from '../../../src/ledger/stores/sqlite/identity.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { some } from '../../combinations.ts';
import {
  ACCOUNT,
  admit,
  admitted,
  answered,
  batchNamed,
  intentOf,
  MATCHED,
  NOON_MS,
  replyWith,
  settle,
  stateOf,
} from './book.ts';
import { freshLedger, freshPlace, temporaryFolder } from './places.ts';
import { startSpender } from './processes.ts';
import { first } from './raw.ts';

// Goal: what was promised is on the disk, and a group of writes is there whole or not at all.
// Method: commits of this process are counted; spenders in processes of their own are killed around and inside of them.

const markRow = (ledger: Ledger, batch: BatchId, row: number): Promise<void> => {
  const piece = { start: { row, byteOffset: row, lines: row }, digest: '0'.repeat(32) };
  return ledger.keepPieces(batch, { reading: 'any', pieces: [piece] });
};

/** @returns how many commits were made since. */
function countCommits(): () => number {
  const spy = vi.spyOn(Connection.prototype, 'commit');
  onTestFinished(() => spy.mockRestore());
  return () => spy.mock.calls.length;
}

test('writes of one turn share one commit, and those of the next turn have another', async () => {
  const place = freshPlace(sqlite);
  const ledger = await freshLedger(sqlite, place);
  const batch = await batchNamed(ledger, 'a');
  const commits = countCommits();
  await Promise.all(Array.from({ length: 50 }, (_, row) => markRow(ledger, batch, row)));
  expect(commits()).toBe(1);
  await markRow(ledger, batch, 100);
  await markRow(ledger, batch, 101);
  expect(commits()).toBe(3);
});

test('a budget that is set between two intents of one commit holds for the second', async () => {
  const ledger = await freshLedger(sqlite);
  const batch = await batchNamed(ledger, 'a');
  const undone = watchUndoing();
  const [before, , after] = await Promise.all([
    admit(ledger, batch, 'one'),
    ledger.changeBatch(batch, { budget: credits(1) }),
    admit(ledger, batch, 'two'),
  ]);
  expect([before.kind, after.kind]).toEqual(['admitted', 'wait']);
  // The code knows it, and not the database alone, which would have the commit done again.
  expect(undone).not.toHaveBeenCalled();
});

test('a budget counts what the same commit has admitted', async () => {
  const ledger = await freshLedger(sqlite);
  const batch = await batchNamed(ledger, 'a');
  await ledger.changeBatch(batch, { budget: credits(3) });
  await admit(ledger, batch, 'earlier');
  const undone = watchUndoing();
  const asked = await Promise.all(['one', 'two', 'three'].map((word) => admit(ledger, batch, word)));
  expect(asked.map(({ kind }) => kind)).toEqual(['admitted', 'admitted', 'wait']);
  expect(asked[2]).toMatchObject({ money: { cap: 3, spent: 0, reserved: 3, inDoubt: 0 } });
  expect(undone).not.toHaveBeenCalled();
});

test('a budget counts what the answers of the same commit cost more and less than they reserved', async () => {
  const ledger = await freshLedger(sqlite);
  const batch = await batchNamed(ledger, 'a');
  await ledger.changeBatch(batch, { budget: credits(3) });
  const [cheap, dear] = [await admitted(ledger, batch, 'cheap'), await admitted(ledger, batch, 'dear')];
  await Promise.all([cheap, dear].map((attempt) => recordReply(ledger, attempt, replyWith('x'))));
  const undone = watchUndoing();
  const found = { kind: 'answered', answer: 'found', why: 'status 200' } as const;
  const charging = (charged: number) => ({ ...found, charged: credits(charged) });
  const [, one, , two] = await Promise.all([
    closeAttempt(ledger, cheap, charging(0), NOON_MS),
    admit(ledger, batch, 'one'),
    closeAttempt(ledger, dear, charging(2), NOON_MS),
    admit(ledger, batch, 'two'),
  ]);
  expect([one.kind, two.kind]).toEqual(['admitted', 'wait']);
  expect(two).toMatchObject({ money: { cap: 3, spent: 2, reserved: 1, inDoubt: 0 } });
  expect(undone).not.toHaveBeenCalled();
});

test('writes that come turn after turn share commits', async () => {
  const place = freshPlace(sqlite);
  const ledger = await freshLedger(sqlite, place);
  const batch = await batchNamed(ledger, 'a');
  const commits = countCommits();
  const written: Promise<unknown>[] = [];
  for (let call = 0; call < 40; call += 1) {
    written.push(admit(ledger, batch, `call ${call}`));
    await nextTurn();
  }
  await Promise.all(written);
  expect(commits()).toBeLessThanOrEqual(20);
});

test('a settled row shares the commit of the write that comes next, and does not wait long where none comes', async () => {
  const place = freshPlace(sqlite);
  const ledger = await freshLedger(sqlite, place);
  const batch = await batchNamed(ledger, 'a');
  const commits = countCommits();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const first = settle(ledger, batch, 2, MATCHED);
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  expect(commits()).toBe(0);
  await Promise.all([first, admit(ledger, batch, 'acme')]);
  expect(commits()).toBe(1);
  const second = settle(ledger, batch, 3, MATCHED);
  vi.advanceTimersByTime(20);
  await second;
  expect(commits()).toBe(2);
});

test('rows that are finished together wait for the write that comes next as one does, unless they are many', async () => {
  const place = freshPlace(sqlite);
  const ledger = await freshLedger(sqlite, place);
  const batch = await batchNamed(ledger, 'a');
  const rows = (from: number, count: number): readonly FinishedRow[] =>
    Array.from({ length: count }, (_, at) => ({ batch, row: from + at, outcome: MATCHED, answers: [] }));
  const commits = countCommits();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const few = ledger.finishRows(rows(2, 3));
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  expect(commits()).toBe(0);
  await Promise.all([few, admit(ledger, batch, 'acme')]);
  expect(commits()).toBe(1);
  await ledger.finishRows(rows(10, 200));
  expect(commits()).toBe(2);
});

test('the end of an answered question waits for the write that comes next, and that of any other attempt for none', async () => {
  const place = freshPlace(sqlite);
  const ledger = await freshLedger(sqlite, place);
  const batch = await batchNamed(ledger, 'a');
  const [one, two, three] = await Promise.all(
    ['one', 'two', 'three'].map((word) => admitted(ledger, batch, word)),
  );
  for (const attempt of [one, two]) await recordReply(ledger, attempt as AttemptId, replyWith('{}'));
  const commits = countCommits();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const found = { kind: 'answered', answer: 'found', charged: credits(1), why: 'status 200' } as const;
  const first = closeAttempt(ledger, one as AttemptId, found, NOON_MS);
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  expect(commits()).toBe(0);
  await Promise.all([first, admit(ledger, batch, 'four')]);
  expect(commits()).toBe(1);
  const second = closeAttempt(ledger, two as AttemptId, found, NOON_MS);
  vi.advanceTimersByTime(20);
  await second;
  expect(commits()).toBe(2);
  await closeAttempt(ledger, three as AttemptId, { kind: 'in_doubt', why: 'no reply' }, NOON_MS);
  expect(commits()).toBe(3);
});

test('lists of one commit are one list: what one gives back is there for the intents of another', async () => {
  const place = freshPlace(sqlite);
  const ledger = await freshLedger(sqlite, place);
  const batch = await batchNamed(ledger, 'a');
  await ledger.changeBatch(batch, { budget: credits(1) });
  const attempt = await admitted(ledger, batch, 'open');
  const commits = countCommits();
  const unsent = { kind: 'not_sent', why: 'no connection' } as const;
  const [intents, ends] = await Promise.all([
    ledger.append([{ kind: 'intent', intent: intentOf(batch, 'next') }]),
    ledger.append([{ kind: 'end', attempt, closure: unsent, atMs: NOON_MS }]),
  ]);
  expect([intents, ends]).toMatchObject([[{ kind: 'admitted' }], [{ kind: 'written' }]]);
  expect(commits()).toBe(1);
});

test('lists are shared out among commits by their entries, and a list stays whole', async () => {
  const commits = countCommits();
  const { group } = groupAlone();
  const written: string[] = [];
  const add = group.together({
    work(entries: readonly string[]) {
      written.push(...entries);
      return entries;
    },
  });
  const append = (entries: readonly string[]) => new Promise((tell) => add(entries, tell));
  const list = (name: string, length: number): string[] => Array.from({ length }, (_, at) => `${name}${at}`);
  const lists = [list('a', 600), list('b', 600), list('c', 1), list('d', 2000)];
  expect(await Promise.all(lists.map(append))).toEqual(lists);
  expect(written).toEqual(lists.flat());
  expect(commits()).toBe(2);
});

describe('what refuses one of the writes of a commit leaves the others', () => {
  const outcomes = async (writes: readonly Promise<unknown>[]): Promise<readonly string[]> =>
    (await Promise.allSettled(writes)).map(({ status }) => status);
  const NOT_THE_SECOND = ['fulfilled', 'rejected', 'fulfilled'];

  test('intents', async () => {
    const ledger = await freshLedger(sqlite);
    const batch = await batchNamed(ledger, 'a');
    const nothing = { replaces: 77 as never };
    const asked = [{}, nothing, {}].map((options, at) => admitted(ledger, batch, `${at}`, options));
    expect(await outcomes(asked)).toEqual(NOT_THE_SECOND);
    expect(await ledger.batchMoney(batch)).toMatchObject({ reserved: 2 });
  });

  test('a second reply, after which the first one is closed as what it was', async () => {
    const ledger = await freshLedger(sqlite);
    const batch = await batchNamed(ledger, 'a');
    const attempt = await admitted(ledger, batch, 'acme');
    const came = [200, 404].map((status) => recordReply(ledger, attempt, replyWith('acme', status)));
    expect(await outcomes(came)).toEqual(['fulfilled', 'rejected']);
    const found = { kind: 'answered', answer: 'found', charged: credits(1), why: 'status 200' } as const;
    await closeAttempt(ledger, attempt, found, NOON_MS);
    expect(await stateOf(ledger, 'acme')).toMatchObject({ kind: 'answered', answer: { why: 'status 200' } });
  });

  test('rows that are finished together, all of which are refused', async () => {
    const place = freshPlace(sqlite);
    const ledger = await freshLedger(sqlite, place);
    const batch = await batchNamed(ledger, 'a');
    await settle(ledger, batch, 40, { kind: 'no_match', reason: 'nobody' });
    const commits = countCommits();
    const lists = [[38], [39, 40, 41], [42, 43]].map((rows) =>
      ledger.finishRows(rows.map((row) => ({ batch, row, outcome: MATCHED, answers: [] }))),
    );
    expect(await outcomes(lists)).toEqual(NOT_THE_SECOND);
    expect(commits()).toBe(1);
    expect((await ledger.rows(batch, 0, 100)).map(({ row }) => row)).toEqual([38, 40, 42, 43]);
  });
});

test('a promise is kept only after the commit that it speaks of', async () => {
  const place = freshPlace(sqlite);
  const ledger = await freshLedger(sqlite, place);
  const batch = await batchNamed(ledger, 'a');
  const commits = countCommits();
  const written = settle(ledger, batch, 2, MATCHED);
  await Promise.resolve();
  expect(commits()).toBe(0);
  expect(await ledger.counts(batch)).toEqual({});
  await written;
  expect(commits()).toBe(1);
});

test('thousands of writes of one turn are all written, in more than one commit', async () => {
  const place = freshPlace(sqlite);
  const ledger = await freshLedger(sqlite, place);
  const batch = await batchNamed(ledger, 'a');
  const commits = countCommits();
  await Promise.all(Array.from({ length: 2500 }, (_, row) => markRow(ledger, batch, row)));
  const kept = await Promise.all([0, 1000, 2499].map((row) => ledger.positionBefore(batch, row)));
  expect(kept.map((position) => position?.row)).toEqual([0, 1000, 2499]);
  expect(commits()).toBe(3);
});

test('a group that only holds refused writes hurts nobody after it', async () => {
  const ledger = await freshLedger(sqlite);
  const batch = await batchNamed(ledger, 'a');
  await answered(ledger, batch, 'acme');
  await expect(admit(ledger, batch, 'other', { replaces: 77 as never })).rejects.toThrow('money rule');
  await settle(ledger, batch, 2, MATCHED);
  expect(await ledger.batchMoney(batch)).toEqual({ spent: 1, reserved: 0, inDoubt: 0 });
});

// The spender's first commit makes its batch; the second is its group of a hundred rows.
test.each([
  { point: 'before-commit:2', rows: {} },
  { point: 'after-commit:2', rows: { matched: 100 } },
])('killed at $point, a group is there whole or not at all, and the store opens', async ({ point, rows }) => {
  const place = freshPlace(sqlite);
  const spender = startSpender(place, 'group', { ROWONCE_CRASH_AT: point });
  expect(await spender.rest()).toEqual(['open']);
  expect(await spender.ended()).toBe('SIGKILL');
  const ledger = await freshLedger(sqlite, place);
  const [batch] = await ledger.batches();
  expect(batch && (await ledger.counts(batch.id))).toEqual(rows);
});

test.each([
  { point: 'before-commit:2', states: ['open'], rows: 0 },
  { point: 'after-commit:2', states: ['open', 'superseded'], rows: 2000 },
])('killed at $point, a batch begins with its whole plan or not at all', async ({ point, states, rows }) => {
  const place = freshPlace(sqlite);
  const spender = startSpender(place, 'plan', { ROWONCE_CRASH_AT: point });
  expect(await spender.rest()).toEqual(['open']);
  expect(await spender.ended()).toBe('SIGKILL');
  const ledger = await freshLedger(sqlite, place);
  const batches = await ledger.batches();
  expect(batches.map(({ state }) => state)).toEqual(states);
  const [newest] = batches;
  expect(newest && (await ledger.plannedRows(newest.id, 0, 9999))).toHaveLength(rows);
});

test('killed at any moment, the store opens and holds every row that was promised', async () => {
  const place = freshPlace(sqlite);
  for (const lines of some([1, 7, 30], 2)) {
    const spender = startSpender(place, 'buy');
    await spender.line();
    for (let line = 0; line < lines; line += 1) await spender.line();
    await spender.kill();
    const promised = Number((await spender.rest()).at(-1) ?? lines);
    const ledger = await freshLedger(sqlite, place);
    const [batch] = await ledger.batches();
    if (batch === undefined) throw new Error('the batch is gone');
    const { matched = 0 } = await ledger.counts(batch.id);
    expect(matched).toBeGreaterThanOrEqual(promised);
    const open = await ledger.openAttempts();
    expect(open.length).toBeLessThanOrEqual(1);
    for (const { attempt } of open)
      await closeAttempt(ledger, attempt, { kind: 'in_doubt', why: 'killed' }, 0);
    await ledger.changeBatch(batch.id, { state: 'cancelled' });
    await ledger.close();
  }
});

test('a write that fails halfway leaves no half of itself beside the others of its turn', async () => {
  const { group, account, names } = groupAlone();
  const half = group.write(() => {
    account('half')();
    throw new Error('halfway');
  });
  const whole = group.write(account('whole'));
  await expect(half).rejects.toThrow('halfway');
  expect(await whole).toBe(1);
  expect(names()).toEqual(['whole']);
});

test('an attempt above a cap is refused when its commit is booked, and alone', async () => {
  const { connection, group } = groupAlone();
  connection.script(`
    INSERT INTO accounts (identity) VALUES ('a');
    INSERT INTO batches (id, ordinal, key, generation, lineage, state, account, account_name, sandbox, vendor, operation,
        input_path, input_sha256, input_rows, settings, created_at, budget)
      VALUES (7, 1, 'k', 1, 'l', 'open', 1, 'a', 0, 'provider', 'x', '/x', 's', 3, '{}', 0, 2)`);
  const asked = (reserved: number) => (): void => connection.script(first({ batch: 7, reserved, at: 0 }));
  const written = await Promise.allSettled([1, 2, 1].map((reserved) => group.write(asked(reserved))));
  expect(written.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(written[1]).toMatchObject({ reason: { message: 'money rule: above a cap' } });
  expect(connection.all('SELECT id, reserved FROM attempts')).toEqual([
    { id: 1, reserved: 1 },
    { id: 2, reserved: 1 },
  ]);
  expect(connection.all("SELECT reserved FROM totals WHERE scope = 'batch:7'")).toEqual([{ reserved: 2 }]);
});

test('answers of one commit count in their order: a miss after another answer begins a series', async () => {
  const ledger = await freshLedger(sqlite);
  const [one, two] = [await batchNamed(ledger, 'one'), await batchNamed(ledger, 'two')];
  const asked = [
    await admitted(ledger, one, 'missed'),
    await admitted(ledger, two, 'found'),
    await admitted(ledger, one, 'missed later'),
  ];
  await Promise.all(
    asked.map((attempt, at) => recordReply(ledger, attempt, replyWith('x', at === 1 ? 200 : 404))),
  );
  const why = { charged: credits(0), why: 'x' };
  await Promise.all(
    asked.map((attempt, at) =>
      closeAttempt(
        ledger,
        attempt,
        { kind: 'answered', answer: at === 1 ? 'found' : 'no_match', ...why },
        NOON_MS,
      ),
    ),
  );
  expect(await ledger.account(ACCOUNT)).toMatchObject({
    answers: 3,
    answersNot404: 1,
    found: 1,
    misses: { count: 1 },
  });
  expect(await ledger.metrics(one)).toEqual({ requests: 2, calls: 2 });
  // The first miss was on its way beside the answer that was found, and the second came after it.
  expect(await ledger.retractMisses(ACCOUNT)).toBe(2);
});

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Sees commits that are taken back, as one is that the database alone has refused. */
function watchUndoing() {
  const undone = vi.spyOn(Connection.prototype, 'rollBack');
  onTestFinished(() => undone.mockRestore());
  return undone;
}

/** A group commit over a ledger, without the rest of a store. */
function groupAlone() {
  const folder = temporaryFolder();
  const connection = new Connection(join(folder, 'ledger.db'), 'write');
  onTestFinished(() => connection.close());
  layOut(connection);
  const watch = { refusal: () => undefined, committed() {} };
  const group = new GroupCommit({ connection, folder, watch, makeRoom() {} });
  const account = (name: string) => () =>
    connection.run('INSERT INTO accounts (identity) VALUES (?)', name).changes;
  const names = () =>
    connection.all<{ identity: string }>('SELECT identity FROM accounts').map(({ identity }) => identity);
  return { connection, group, account, names };
}
