/**
 * Goal: a ledger in PostgreSQL that another version laid out is refused by one sentence, and what is in it stays.
 * Method: the real command over a real server, whose ledger says another number of its tables.
 */
import { beforeAll, expect, test } from 'vitest';
import { openDesk } from '../../cli/desk.ts';
import { typedAt } from '../../cli/typed.ts';
import { postgresServer, type Server } from './postgres-server.ts';

let server: Server;
beforeAll(async () => {
  server = await postgresServer();
});

/** A database with a ledger of that version. */
async function laidOutBy(name: string, version: number): Promise<string> {
  await server.createDatabase(name);
  expect(await typedAt(['store', 'init', server.url(name)])).toMatchObject({ code: 0 });
  await server.query(name, `UPDATE rowonce.ledger SET version = ${version}`);
  return server.url(name);
}

test('an earlier ledger is refused by what reads and what spends, and stays as it is', async () => {
  const store = await laidOutBy('versions_refused', 1);
  const before = await server.everyRow('versions_refused');
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
      stderr: expect.stringContaining('set up by an earlier Rowonce (schema 1;'),
    });
  }
  expect(await server.everyRow('versions_refused')).toEqual(before);
  expect(await desk.requests()).toBe(0);
});

test('a newer ledger is refused, too', async () => {
  const newer = await laidOutBy('versions_newer', 99);
  for (const words of [
    ['status', '--store', newer],
    ['store', 'init', newer],
  ])
    expect(await typedAt(words)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('set up by a newer Rowonce (schema 99'),
    });
});
