/**
 * Goal: a ledger that an earlier Rowonce kept in another form is refused by one sentence, and what is in it stays.
 * Method: the real command over a file and over a real server, with tables of another Rowonce.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openDesk } from '../../cli/desk.ts';
import { temporaryFolder } from './places.ts';
import { postgresServer } from './postgres-server.ts';

/** Each makes such a store. @returns its place, and what is in it. */
const FORMER = {
  async folder() {
    const store = join(temporaryFolder(), 'store');
    mkdirSync(store, { mode: 0o700 });
    const file = join(store, 'ledger.db');
    const database = new Database(file);
    database.exec(`PRAGMA application_id = ${0x526f7758}; CREATE TABLE meta (name, value);
      INSERT INTO meta VALUES ('secret', 'x'); CREATE TABLE steps (number); INSERT INTO steps VALUES (1)`);
    database.close();
    return { store, content: async () => readFileSync(file) };
  },
  async database() {
    const server = await postgresServer();
    await server.createDatabase('versions_former');
    await server.query(
      'versions_former',
      `CREATE SCHEMA rowonce_ledger; CREATE TABLE rowonce_ledger.meta (name TEXT, value TEXT);
       CREATE TABLE rowonce_ledger.steps AS SELECT 1 AS number`,
    );
    const all = 'SELECT * FROM rowonce_ledger.steps, pg_namespace ORDER BY nspname';
    return { store: server.url('versions_former'), content: () => server.query('versions_former', all) };
  },
};

test.each(['folder', 'database'] as const)(
  'a ledger that an earlier Rowonce kept in another form, in a %s, is refused by what reads and what spends, and stays as it is',
  async (kind) => {
    const { store, content } = await FORMER[kind]();
    const before = await content();
    const desk = await openDesk();
    desk.list(1);
    // A folder has neither caps nor what is to be laid out.
    const more = ['caps', 'init'].map((name) => ['store', name, store]);
    for (const words of [['status'], ['serve'], desk.run(), ...(kind === 'folder' ? [] : more)]) {
      const named = words[0] === 'store' ? words : [...words, '--store', store];
      const { code, stderr } = await desk.type(named);
      const former = 'was made by an earlier Rowonce, which kept the ledger in another form.';
      expect({ code, stderr }, words.join(' ')).toEqual({ code: 2, stderr: expect.stringContaining(former) });
    }
    expect(await content()).toEqual(before);
    expect(await desk.requests()).toBe(0);
  },
);
