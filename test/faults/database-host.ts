import { expect, onTestFinished } from 'vitest';
import { typedAt } from '../cli/typed.ts';
import { postgresServer, type Server } from '../ledger/stores/postgres-server.ts';
import type { Program } from './program.ts';
import { type Order, Workplace, type WorkplaceOptions } from './workplace.ts';

/** A user's folder, and a database that its owner has laid out as `store init` says, so that others work on it under a role of theirs. */
export interface Host {
  readonly place: Workplace;
  readonly server: Server;
  /** The URL for who works there, and for the owner. */
  readonly store: string;
  readonly owners: string;
  query(sql: string): Promise<readonly Record<string, unknown>[]>;
  /** What sessions begin with from now on. */
  setting(words: string): Promise<unknown>;
  /** Leaves the list to workers. @returns its batch. */
  detach(order?: Omit<Order, 'crashAt' | 'env'>): Promise<string>;
  /** Starts a worker. It has ended when the place is gone. */
  startWorker(more?: readonly string[], env?: Readonly<Record<string, string>>): Program;
  /** Resolves when so many rows have ended. */
  ended(rows: number): Promise<void>;
  /** Each of these companies was asked about once, and none was charged twice. */
  expectAskedOnce(domains: readonly string[]): Promise<void>;
}

let databases = 0;
let laidOut: Promise<string> | undefined;

/** A host of the running test alone. */
export async function openHost(options: WorkplaceOptions = {}): Promise<Host> {
  const server = await postgresServer();
  laidOut ??= layOut(server);
  databases += 1;
  const database = `host_${process.pid}_${databases}`;
  // A copy takes a fraction of laying one out.
  await server.createDatabase(database, await laidOut);
  const place = await Workplace.open(options);
  onTestFinished(() => place[Symbol.asyncDispose]());
  const store = server.url(database, 'rowonce_worker');
  const query: Host['query'] = (sql) => server.query(database, `SET search_path = rowonce_ledger; ${sql}`);
  return {
    place,
    server,
    store,
    owners: server.url(database),
    query,
    detach: async (order = {}) => {
      const more = ['--detach', ...(order.more ?? [])];
      const { code, stderr, report } = await place.runHere({ store, ...order, more });
      expect(code, stderr).toBe(0);
      return report?.batch ?? '';
    },
    startWorker: (more = [], env = {}) => place.type(['worker', '--store', store, '--json', ...more], env),
    ended: async (rows) => {
      const left = "SELECT count(*)::int AS rows FROM rows WHERE state <> 'pending'";
      await expect.poll(() => query(left), { interval: 100 }).toEqual([{ rows }]);
    },
    setting: (words) => server.query(database, `ALTER DATABASE ${database} SET ${words}`),
    expectAskedOnce: async (domains) => {
      const asked = place.vendor.requests().map(({ body }) => body.domain);
      expect(asked.toSorted()).toEqual([...new Set(domains)].toSorted());
      expect((await place.vendor.book()).charged_twice).toEqual([]);
    },
  };
}

async function layOut(server: Server): Promise<string> {
  const database = `laid_out_${process.pid}`;
  await server.createDatabase(database);
  const { code, stdout, stderr } = await typedAt(['store', 'init', server.url(database)]);
  expect(code, stderr).toBe(0);
  await server.query(database, stdout);
  return database;
}
