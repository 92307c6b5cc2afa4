/**
 * Goal: a ledger in PostgreSQL that another version laid out is refused by one sentence, and what is in it stays.
 * Method: the real command over a real server, with tables of another Rowonce.
 */
import { beforeAll, expect, test } from 'vitest';
import { openDesk } from '../../cli/desk.ts';
import { postgresServer, type Server } from './postgres-server.ts';

let server: Server;
beforeAll(async () => {
  server = await postgresServer();
});

test('a ledger that an earlier Rowonce kept in another form is refused by what reads and what spends, and stays as it is', async () => {
  await server.createDatabase('versions_former');
  const store = server.url('versions_former');
  const former = (): Promise<unknown> =>
    server.query('versions_former', 'SELECT * FROM rowonce_ledger.steps, pg_namespace ORDER BY nspname');
  await server.query(
    'versions_former',
    `CREATE SCHEMA rowonce_ledger; CREATE TABLE rowonce_ledger.meta (name TEXT, value TEXT);
     CREATE TABLE rowonce_ledger.steps AS SELECT 1 AS number`,
  );
  const before = await former();
  const desk = await openDesk();
  desk.list(1);
  for (const words of [
    ['status'],
    desk.run(),
    ['serve'],
    ['store', 'caps', store],
    ['store', 'init', store],
  ]) {
    const { code, stderr } = await desk.type([...words, ...(words[0] === 'store' ? [] : ['--store', store])]);
    expect({ code, stderr }, words.join(' ')).toEqual({
      code: 2,
      stderr: expect.stringContaining(
        'was made by an earlier Rowonce, which kept the ledger in another form.',
      ),
    });
  }
  expect(await former()).toEqual(before);
  expect(await desk.requests()).toBe(0);
});
