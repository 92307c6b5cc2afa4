import { expect, onTestFinished } from 'vitest';
import { typedAt } from '../cli/typed.ts';
import { postgresServer, type Server } from '../ledger/stores/postgres-server.ts';
import { Workplace, type WorkplaceOptions } from './workplace.ts';

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
  return {
    ...{ place, server, store: server.url(database, 'rowonce_worker'), owners: server.url(database) },
    query: (sql) => server.query(database, `SET search_path = rowonce_ledger; ${sql}`),
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
