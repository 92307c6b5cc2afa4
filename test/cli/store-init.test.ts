/**
 * Goal: the owner of a database lays it out by one command, as often as they like, and what it prints allows others just enough.
 * Method: the real command over a real server, with a role for each.
 */
import { beforeAll, expect, test } from 'vitest';
import { postgresServer, type Server } from '../ledger/stores/postgres-server.ts';
import { typedAt } from './typed.ts';

let server: Server;
beforeAll(async () => {
  server = await postgresServer();
});

test('what is printed can be run as it stands, and gives nobody the right to alter a schema or what was entered', async () => {
  await server.createDatabase('init grants');
  const { stdout } = await typedAt(['store', 'init', server.url('init grants')]);
  await server.query('init grants', stdout);
  const asRole = (role: string, text: string): Promise<unknown> =>
    server.query('init grants', `SET ROLE rowonce_${role}; SET search_path = rowonce_ledger; ${text}`);
  await asRole('worker', 'DELETE FROM files; UPDATE accounts SET paused_until = NULL');
  await asRole('reader', 'SELECT count(*) FROM attempts; SELECT count(*) FROM rowonce_queue.job');
  for (const refused of ['CREATE TABLE more ()', 'DROP TABLE rows', 'DELETE FROM attempts'])
    await expect(asRole('worker', refused), refused).rejects.toThrow(/permission denied|must be owner/);
  await expect(asRole('reader', 'DELETE FROM files')).rejects.toThrow('permission denied');
});

test('a folder needs not to be laid out', async () => {
  expect((await typedAt(['store', 'init', '/tmp/nowhere'])).stderr).toContain('does not need to be set up');
});
