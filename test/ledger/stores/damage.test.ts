import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { openStore, temporaryFolder } from './places.ts';

// Goal: a file that is none of ours stays as it is. Method: real files.

function alter(place: string, sql: string): void {
  const database = new Database(join(place, 'ledger.db'));
  database.pragma('foreign_keys = OFF');
  database.exec(sql);
  database.close();
}

const laidOutAs = (layout: number): string =>
  `PRAGMA application_id = ${0x526f7758}; CREATE TABLE meta (name, value); INSERT INTO meta VALUES ('secret', 'x');
   CREATE TABLE steps (number); INSERT INTO steps VALUES (${layout})`;

describe('a file that is not ours', () => {
  test.each([
    [
      'of an earlier Rowonce',
      laidOutAs(1),
      'was made by an earlier Rowonce, which kept the ledger in another form.',
    ],
    ['of a newer Rowonce', laidOutAs(99), 'was made by a newer Rowonce (schema 99; this one knows 4).'],
  ])('a ledger %s is refused in one sentence, and left as it is', async (_what, tables, fact) => {
    const place = temporaryFolder();
    const file = join(place, 'ledger.db');
    alter(place, tables);
    chmodSync(place, 0o700);
    const before = readFileSync(file);
    const refusal = {
      code: 'store_version',
      message: `The store ${place} ${fact} Nothing in it was changed.`,
    };
    await expect(openStore(sqlite, place)).rejects.toMatchObject(refusal);
    await expect(sqlite.look(place)).rejects.toMatchObject(refusal);
    expect(readFileSync(file)).toEqual(before);
  });
});
