import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Connection } from '../../../src/ledger/db/sqlite.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { batchNamed, MATCHED, settle } from './book.ts';
import { freshLedger, freshPlace, openStore, temporaryFolder } from './places.ts';

// Goal: no one else reads what was bought, and a commit is a commit. Method: modes of real files, pragmas of real connections.

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

function withUmask(umask: number): void {
  const before = process.umask(umask);
  onTestFinished(() => void process.umask(before));
}

describe('files', () => {
  test.each([0o000, 0o022, 0o277])(
    'files of a store are for its owner alone, whatever the umask (%o)',
    async (umask) => {
      const place = join(temporaryFolder(), 'deep', 'store');
      mkdirSync(join(place, '..'));
      withUmask(umask & 0o077);
      const ledger = await freshLedger(sqlite, place);
      const batch = await batchNamed(ledger, 'a');
      await settle(ledger, batch, 2, MATCHED);
      expect(modeOf(place)).toBe('700');
      const names = readdirSync(place).sort();
      expect(names).toEqual([
        'ledger.db',
        'ledger.db-shm',
        'ledger.db-wal',
        'lock.db',
        'lock.db-journal',
        'reserve',
        'spender.json',
      ]);
      for (const name of names) expect([name, modeOf(join(place, name))]).toEqual([name, '600']);
    },
  );

  test('an empty folder, or a store that was opened up, is closed to others', async () => {
    const place = temporaryFolder();
    for (const mode of [0o777, 0o755]) {
      chmodSync(place, mode);
      await (await openStore(sqlite, place)).close();
      expect(modeOf(place)).toBe('700');
    }
  });

  test('a folder of other files that others can reach is refused and left as it is', async () => {
    const place = temporaryFolder();
    writeFileSync(join(place, 'shared.txt'), '');
    chmodSync(place, 0o755);
    await expect(openStore(sqlite, place)).rejects.toMatchObject({ code: 'store' });
    expect(modeOf(place)).toBe('755');
    expect(readdirSync(place)).toEqual(['shared.txt']);
  });
});

describe('every connection', () => {
  test('every connection waits for the disk, checks foreign keys and trusts no schema', () => {
    const connection = new Connection(join(temporaryFolder(), 'x.db'), 'write');
    onTestFinished(() => void connection.raw.close());
    connection.pragma('journal_mode = WAL');
    const pragmas = ['synchronous', 'foreign_keys', 'recursive_triggers', 'trusted_schema'];
    expect(Object.fromEntries(pragmas.map((name) => [name, connection.pragma(name)]))).toEqual({
      synchronous: 2,
      foreign_keys: 1,
      recursive_triggers: 1,
      trusted_schema: 0,
    });
  });

  test('a ledger is in WAL mode, and its log is folded in when it is closed', async () => {
    const place = freshPlace(sqlite);
    const ledger = await openStore(sqlite, place);
    await batchNamed(ledger, 'a');
    await ledger.close();
    expect(readdirSync(place).sort()).toEqual(['ledger.db', 'lock.db', 'reserve']);
    const database = new Database(join(place, 'ledger.db'), { readonly: true });
    onTestFinished(() => void database.close());
    expect(database.pragma('journal_mode', { simple: true })).toBe('wal');
  });
});
