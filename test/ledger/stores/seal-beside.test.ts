import { copyFileSync, cpSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, expect, test, vi } from 'vitest';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { admitted, batchNamed } from './book.ts';
import { freshLedger, openStore, temporaryFolder } from './places.ts';
import { pastGuards } from './refusals.ts';
import { buy, closedStore, DAMAGED, flip, isSealed, killed, writeBeside } from './sealed.ts';

/**
 * Goal: what was not written by a spender is never taken for sound, whenever it was written and whatever becomes of the log.
 * Method: a second connection of SQLite stands for another program; kills are copies of the files as they are at that moment.
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
