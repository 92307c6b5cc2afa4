import { writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Ended } from '../../cli/rowonce.ts';
import { typedAt } from '../../cli/typed.ts';
import { CERTIFICATE as ANOTHER_AUTHORITY } from '../../client/transport/certificate.ts';
import { Workplace } from '../../faults/workplace.ts';
import { AUTHORITY, CERTIFICATE, CERTIFICATE_KEY } from './postgres-certificate.ts';
import { anotherServer, type Server } from './postgres-server.ts';

/*
 * Goal: a store is only ever on a server of this machine, or on one that has proven who it is; and whatever else is wrong with its URL, its
 * server or its role is one sentence that says what to do.
 * Method: the real command over a real server that has a certificate. It is reached as 127.1, which the system takes for 127.0.0.1 and the
 * program for a name that may be anywhere.
 */

let server: Server;
let place: Workplace;
beforeAll(async () => {
  server = await anotherServer({ certificate: CERTIFICATE, key: CERTIFICATE_KEY });
  place = await Workplace.open();
  const files = { authority: AUTHORITY, another: ANOTHER_AUTHORITY };
  for (const [name, pem] of Object.entries(files)) writeFileSync(place.path(`${name}.pem`), pem);
  place.writeList(['acme.example']);
  for (const name of ['away', 'bare']) await server.createDatabase(name);
  await server.query('postgres', 'CREATE ROLE stranger LOGIN; CREATE ROLE known LOGIN PASSWORD $$right$$');
  await server.createDatabase('locked');
  await server.query('postgres', `CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
  return () => place[Symbol.asyncDispose]();
});

/** A database under a name that may be another machine's. */
const away = (database: string, query = ''): string =>
  server.url(database).replace('127.0.0.1', '127.1') + query.replaceAll('FILES', place.folder);

const PROVEN = '?sslmode=verify-full&sslrootcert=FILES/authority.pem';

const typed = (words: readonly string[], env = {}): Promise<Ended> =>
  typedAt(words, { env: { ...place.environment, ...env } });

function expectRefused(
  { code, stderr }: Pick<Ended, 'stderr'> & { readonly code: number | null },
  fact: string,
  advice: string,
): void {
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(fact) });
  expect(stderr).toContain(advice);
  expect(stderr).not.toMatch(/bug|\n {4}at /);
}

describe('a server that may be on another machine', () => {
  test.each([
    ['postgres://me@db.example/name', {}],
    ['postgres://me@db.example/name?sslmode=require', {}],
    ['postgres://me@127.0.0.1/name?host=db.example', {}],
    ['postgres:///name', { PGHOST: 'db.example' }],
  ])('%s with %j is refused where nobody proves who is there', async (url, env) => {
    expectRefused(await typed(['store', 'init', url], env), 'is on another machine', 'sslmode=verify-full');
  });

  test('a server elsewhere is a store like any, for runs and for workers, once it has proven who it is', async () => {
    const store = away('away', PROVEN);
    const laidOut = await typed(['store', 'init', store]);
    expect(laidOut.code, laidOut.stderr).toBe(0);
    const submitted = await place.runHere({ store, more: ['--detach'] });
    expect(submitted.code, submitted.stderr).toBe(0);
    const worker = place.type(['worker', '--store', store, '--json']);
    await worker.said(/ done, 1 row finished here/);
    const connected = `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE datname = 'away'`;
    expect(await server.query('postgres', connected)).toEqual([{ ssl: true }]);
    worker.signal('SIGTERM');
    expect((await worker.ended).code).toBe(143);
    const finished = await place.runHere({ store });
    expect(finished.code, finished.stderr).toBe(0);
    expect(place.statuses()).toEqual(['matched']);
    const { username: PGUSER, port: PGPORT } = new URL(store);
    const status = ['status', '--store', `postgres:///away${new URL(store).search}`];
    const byEnvironment = await typed(status, { PGHOST: '127.1', PGPORT, PGUSER });
    expect(byEnvironment.code, byEnvironment.stderr).toBe(0);
  });

  test.each([
    ['by another authority', 'away', '?sslmode=verify-full&sslrootcert=FILES/another.pem', 'certificate'],
    ['by no authority that is known', 'away', '?sslmode=verify-full', 'certificate'],
    ['under another name', 'localhost', PROVEN, 'localhost'],
  ])(
    'a server elsewhere is refused where it is proven %s, also where the environment would take anybody',
    async (_, name, query, fact) => {
      const url = name === 'away' ? away(name, query) : away('away', query).replace('127.1', name);
      for (const env of [{}, { NODE_TLS_REJECT_UNAUTHORIZED: '0' }])
        expectRefused(await typed(['status', '--store', url], env), fact, 'sslrootcert');
    },
  );
});

describe('one sentence says what to do about', () => {
  const commands = (store: string): readonly (readonly string[])[] => [
    ['store', 'init', store],
    ['status', '--store', store],
    place.words({ store }),
  ];

  async function expectEach(store: string, fact: string, advice: string, env = {}): Promise<void> {
    for (const words of commands(store)) expectRefused(await typed(words, env), fact, advice);
    // A process of its own: one that waits for ever is to end with its test.
    expectRefused(await place.type(['worker', '--store', store, '--json'], env).ended, fact, advice);
  }

  test.each<readonly [string, () => string, string, string]>([
    ['cannot hold every letter', () => server.url('latin'), 'LATIN1', 'UTF8'],
    [
      'has more in its URL',
      () => `${server.url('bare')}?options=-c%20search_path%3Dpublic`,
      'options',
      'Leave it out',
    ],
    ['gives the role no rights', () => server.url('bare', 'stranger'), 'stranger', 'store init'],
    ['is not there', () => server.url('nowhere'), 'database "nowhere" does not exist', 'URL'],
    ['knows no such role', () => server.url('bare', 'nobody'), 'role "nobody" does not exist', 'URL'],
  ])('a database that %s', async (_, store, fact, advice) => {
    await expectEach(store(), fact, advice);
  });

  test('a URL with a password, which is not shown, and a server that is away', async () => {
    const ended = await typed(['status', '--store', 'postgres://me:secret@127.0.0.1:1/name']);
    expectRefused(ended, 'came with a password', 'PGPASSFILE');
    expect(ended.stderr).not.toContain('secret');
    const away = await typed(['status', '--store', 'postgres://me@127.0.0.1:1/name']);
    expectRefused(away, 'cannot be reached', 'Check that the server runs');
  });

  test('a password that is wrong, or missing', async () => {
    const store = server.url('locked', 'known');
    await expectEach(store, 'password authentication failed', 'PGPASSWORD', { PGPASSWORD: 'wrong' });
    await expectEach(store, 'password', 'PGPASSWORD');
    const { code, stderr } = await typed(['store', 'init', server.url('locked', 'known')], {
      PGPASSWORD: 'right',
    });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('permission denied') });
  });
});
