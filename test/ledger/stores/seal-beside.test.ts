import { copyFileSync, cpSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { admitted, batchNamed, MATCHED, settle, stateOf } from './book.ts';
import { freshLedger, freshPlace, openStore, temporaryFolder } from './places.ts';
import { startSpender } from './processes.ts';
import { pastGuards } from './refusals.ts';
import {
  buy,
  closedStore,
  DAMAGED,
  flip,
  isSealed,
  killed,
  type Ledger,
  placesOf,
  writeBeside,
} from './sealed.ts';

/**
 * Goal: what was not written by a spender is never taken for sound, whenever it was written and whatever becomes of the log.
 * Method: a second connection of SQLite stands for another program; kills are copies of the files as they are at that moment, or
 * SIGKILL where that program keeps the ledger open.
 */

afterEach(() => vi.restoreAllMocks());

const FOREIGN: readonly [
  when: string,
  how: { before: number; checkpoint?: 'TRUNCATE' | 'PASSIVE'; after: number },
][] = [
  ['right after the start, with the log emptied', { before: 0, checkpoint: 'TRUNCATE', after: 3 }],
  ['right after the start, with the log moved', { before: 0, checkpoint: 'PASSIVE', after: 3 }],
  ['between two commits', { before: 3, after: 3 }],
  ['between two commits, with the log emptied', { before: 3, checkpoint: 'TRUNCATE', after: 3 }],
  ['behind the last commit', { before: 3, after: 0 }],
  ['behind the last commit, with the log emptied', { before: 3, checkpoint: 'TRUNCATE', after: 0 }],
];

test.each(FOREIGN)(
  'what another program wrote %s is checked in full, after a kill and after an orderly end',
  async (_when, { before, checkpoint, after }) => {
    const place = await closedStore(20);
    const ledger = await openStore(sqlite, place);
    if (before > 0) await buy(ledger, await batchNamed(ledger, 'b'), 'before', before);
    writeBeside(place, checkpoint);
    if (after > 0) await buy(ledger, await batchNamed(ledger, 'c'), 'later', after);
    await expect(openStore(sqlite, killed(place))).rejects.toMatchObject(DAMAGED);
    await ledger.close();
    await expect(openStore(sqlite, place)).rejects.toMatchObject(DAMAGED);
  },
);

test('so is as much as a run had committed last, in a log that was begun anew', async () => {
  const place = await closedStore(20);
  const ledger = await freshLedger(sqlite, place);
  const batch = await batchNamed(ledger, 'b');
  const other = new Database(join(place, 'ledger.db'));
  const commits = () => other.prepare<[], number>('SELECT commits FROM book').pluck().get() ?? 0;
  const before = commits();
  await admitted(ledger, batch, 'last');
  const own = commits() - before;
  other.pragma('wal_checkpoint(TRUNCATE)');
  for (let each = 1; each < own; each += 1)
    pastGuards(other, ['totals_moved'], 'UPDATE totals SET spent = spent + 1');
  // After that the log has every page, so nothing of the ledger is held against its seal.
  other.exec('UPDATE tallies SET count = count + 1; VACUUM');
  const copy = killed(place);
  other.close();
  await expect(openStore(sqlite, copy)).rejects.toMatchObject(DAMAGED);
});

test.each([
  ['is held against its seal', 'prepare', 'SELECT commits, clean FROM book'],
  ['is checked in full', 'exec', 'DROP TABLE temp.happened'],
] as const)(
  'what another program writes while the ledger %s ends that start, and the next one checks it',
  async (_what, method, last) => {
    const place = await closedStore(20);
    if (method === 'exec') truncateSync(join(place, 'seal'), 0);
    const original = Database.prototype[method] as (...given: unknown[]) => never;
    let hasWritten = false;
    vi.spyOn(Database.prototype, method).mockImplementation(function (this: unknown, ...given: unknown[]) {
      if (given[0] === last && !hasWritten) {
        hasWritten = true;
        writeBeside(place);
      }
      return original.call(this, ...given);
    });
    await expect(openStore(sqlite, place)).rejects.toMatchObject({ code: 'busy' });
    expect(hasWritten).toBe(true);
    await expect(openStore(sqlite, place)).rejects.toMatchObject(DAMAGED);
  },
);

test('what another program wrote in a ledger that it left without a log is found by a start and by a look', async () => {
  const place = await closedStore(20);
  const other = opened(place);
  other.exec('UPDATE tallies SET count = count + 1');
  other.pragma('journal_mode = DELETE');
  other.close();
  await expect(sqlite.look(place)).rejects.toMatchObject(DAMAGED);
  await expect(openStore(sqlite, place)).rejects.toMatchObject(DAMAGED);
});

test('a bit that flips in the log, of a page that was committed, is not sealed when the log is moved', async () => {
  const place = await closedStore(20);
  const ledger = await openStore(sqlite, place);
  await buy(ledger, await batchNamed(ledger, 'b'), 'logged', 10);
  const log = readFileSync(join(place, 'ledger.db-wal'));
  flip(place, 'ledger.db-wal', log.lastIndexOf('"logged3') + 2);
  await ledger.close();
  expect(await isSealed(place)).toBe(false);
});

test('a journal that another program left is taken back by SQLite, whatever the ledger was before', async () => {
  const place = await closedStore(60);
  const sound = join(temporaryFolder(), 'sound');
  cpSync(place, sound, { recursive: true });
  const other = new Database(join(place, 'ledger.db'));
  other.pragma('journal_mode = DELETE');
  other.exec('UPDATE tallies SET count = count + 1');
  other.pragma('cache_size = 5');
  other.exec(`BEGIN IMMEDIATE; UPDATE tallies SET count = count + 1; CREATE TABLE filler (x);
    INSERT INTO filler WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) SELECT randomblob(500) FROM n`);
  copyFileSync(join(place, 'ledger.db-journal'), join(sound, 'ledger.db-journal'));
  other.close();
  await expect(openStore(sqlite, sound)).rejects.toMatchObject(DAMAGED);
});

test('a seal of an absurd size costs a full check and nothing else', async () => {
  const place = await closedStore(5);
  for (const [file, bytes] of [
    ['seal', 60e9],
    ['seal-since', 3e9],
  ] as const) {
    const ledger = await freshLedger(sqlite, place);
    const copy = killed(place);
    await ledger.close();
    truncateSync(join(copy, file), bytes);
    await (await openStore(sqlite, copy)).close();
    expect(await isSealed(copy)).toBe(true);
  }
});

describe('where another program has kept the ledger open over a kill, SQLite checks no sum of its log, and', () => {
  /** @returns what it sees of one of the calls that were bought. */
  async function killedBeside(): Promise<{
    place: string;
    other: Database.Database;
    word: string;
    key: Buffer;
  }> {
    const place = freshPlace(sqlite);
    // So few that the log does not begin anew.
    const spender = startSpender(place, 'some', { ROWS: '4' });
    for (const _ of ['open', 1, 2, 3, 4]) await spender.line();
    const other = opened(place);
    await spender.kill();
    const word = `call${spender.process.pid}-3`;
    const key = other
      .prepare<[], Buffer>(`SELECT key FROM calls WHERE parameters LIKE '%${word}.%'`)
      .pluck()
      .get();
    return { place, other, word, key: key ?? expect.fail('the call is there') };
  }

  /** How often a start finds what flipped in a copy of the key. SQLite leaves copies behind that it does not read. */
  async function foundIn(place: string, word: string, key: Buffer): Promise<number> {
    let found = 0;
    for (const at of placesOf(place, key.subarray(0, 4))) {
      flip(place, 'ledger.db', at + 2);
      const start = await openStore(sqlite, place).catch((error: unknown) => error);
      if (start instanceof Error) {
        expect(start).toMatchObject(DAMAGED);
        found += 1;
      } else {
        expect(await stateOf(start as Ledger, word)).toMatchObject({ kind: 'answered' });
        await (start as Ledger).close();
      }
      flip(place, 'ledger.db', at + 2);
    }
    return found;
  }

  test('a bit that flipped in what was moved out of it is found', async () => {
    const { place, other, word, key } = await killedBeside();
    other.pragma('wal_checkpoint(PASSIVE)');
    // One is the table's and one the index's.
    expect(await foundIn(place, word, key)).toBe(2);
    await (await openStore(sqlite, place)).close();
  });

  test('a bit that flipped in it is found, also where all of it was noted and could not be moved', async () => {
    const place = freshPlace(sqlite);
    const spender = startSpender(place, 'some', { ROWS: '60' });
    await spender.line();
    opened(place).exec('BEGIN; SELECT commits FROM book');
    for (let row = 1; row <= 60; row += 1) await spender.line();
    await spender.kill();
    expect(await isSealed(place)).toBe(true);
    const frames = (statSync(join(place, 'ledger.db-wal')).size - 32) / 4120;
    expect(frames).toBeGreaterThan(1000);
    for (let frame = frames - 5; frame < frames; frame += 1) {
      const at = 32 + frame * 4120 + 4100;
      flip(place, 'ledger.db-wal', at);
      expect(await isSealed(place)).toBe(false);
      flip(place, 'ledger.db-wal', at);
    }
  });
});

test('what another program wrote and moved out of the log before the first commit of a run is checked in full, also after a kill at that commit', async () => {
  const closed = await closedStore(20);
  const first = await freshLedger(sqlite, closed);
  const batch = await batchNamed(first, 'b');
  const place = killed(closed);
  // Its log is gone when the next run begins, which has nothing to commit at first.
  opened(place).close();
  const ledger = await freshLedger(sqlite, place);
  writeBeside(place, 'TRUNCATE');
  const left = killedBehindCommit(place);
  await settle(ledger, batch, 9, MATCHED);
  await expect(openStore(sqlite, left())).rejects.toMatchObject(DAMAGED);
});

test('what another program wrote after a kill at a commit is checked in full, where the log could not begin anew before and does so then', async () => {
  const place = await closedStore(20);
  const ledger = await freshLedger(sqlite, place);
  const batch = await batchNamed(ledger, 'b');
  const reader = opened(place);
  reader.exec('BEGIN; SELECT commits FROM book');
  await buy(ledger, batch, 'more than fits into the log ', 60);
  const left = killedBehindCommit(place);
  await settle(ledger, batch, 90, MATCHED);
  const other = opened(left());
  other.exec('UPDATE tallies SET count = count + 1');
  expect(other.prepare('PRAGMA wal_checkpoint(PASSIVE)').get()).toMatchObject({ busy: 0 });
  // After that the log has every page, and as many commits as the run had noted nothing of.
  other.exec('VACUUM');
  await expect(openStore(sqlite, killed(left()))).rejects.toMatchObject(DAMAGED);
});

test.each([
  ['when its log is moved at the end', 'pragma', 'wal_checkpoint(TRUNCATE)'],
  ['when it is closed', 'close', undefined],
] as const)(
  'what another program writes in a large ledger %s is checked in full',
  async (_when, method, first) => {
    const place = await closedStore(5);
    const filler = opened(place);
    filler.exec(`CREATE TABLE filler (x); INSERT INTO filler WITH RECURSIVE n(i) AS
      (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 70) SELECT zeroblob(1000000) FROM n`);
    filler.close();
    const ledger = await openStore(sqlite, place);
    const original = Database.prototype[method] as (...given: unknown[]) => never;
    vi.spyOn(Database.prototype, method).mockImplementation(function (this: unknown, ...given: unknown[]) {
      if (given[0] !== first) return original.call(this, ...given);
      vi.restoreAllMocks();
      writeBeside(place);
      const done = original.call(this, ...given);
      untilTick(place);
      return done;
    });
    await ledger.close();
    expect(vi.isMockFunction(Database.prototype[method])).toBe(false);
    await expect(openStore(sqlite, place)).rejects.toMatchObject(DAMAGED);
  },
);

/** What a kill leaves right behind the next commit, before anything is noted of it. */
function killedBehindCommit(place: string): () => string {
  const pragma = Database.prototype.pragma as (...given: unknown[]) => never;
  let left: string | undefined;
  vi.spyOn(Database.prototype, 'pragma').mockImplementation(function (this: unknown, ...given: unknown[]) {
    if (given[0] === 'data_version') left ??= killed(place);
    return pragma.call(this, ...given);
  });
  return () => left ?? expect.fail('the run asked whether it was alone');
}

/** Another program with the ledger open, until the test ends. */
function opened(place: string): Database.Database {
  const database = new Database(join(place, 'ledger.db'));
  onTestFinished(() => void database.close());
  database.prepare('SELECT commits FROM book').get();
  return database;
}

/** Until the clock of the file system has gone on since the last write to the ledger. */
function untilTick(place: string): void {
  const file = join(temporaryFolder(), 'now');
  do writeFileSync(file, '');
  while (statSync(file).mtimeMs <= statSync(join(place, 'ledger.db')).ctimeMs);
}
