import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { typedAt } from '../cli/typed.ts';
import { postgresServer, type Server } from '../ledger/stores/postgres-server.ts';
import type { Program } from './program.ts';
import { domainsOf, Workplace, type WorkplaceOptions } from './workplace.ts';

/*
 * Goal: a list that one process submits is worked on by others that have neither the list nor its job, whatever is killed, cut off or
 * typed again: each company is asked about once, and the output is the one that a run with a folder writes.
 * Method: the real command in processes of their own over a real server. What was bought is read from the vendor's book, what is kept
 * from the database.
 */

const LAID_OUT = 'workers';

let server: Server;
beforeAll(async () => {
  server = await postgresServer();
  await server.createDatabase(LAID_OUT);
  expect(await typedAt(['store', 'init', server.url(LAID_OUT)])).toMatchObject({ code: 0 });
});

let databases = 0;

interface Host extends AsyncDisposable {
  readonly place: Workplace;
  readonly store: string;
  readonly database: string;
}

/** A place with a database that was laid out. */
async function openHost(options: WorkplaceOptions = {}): Promise<Host> {
  databases += 1;
  const database = `workers_${databases}`;
  await server.createDatabase(database, LAID_OUT);
  const place = await Workplace.open(options);
  return {
    place,
    database,
    store: server.url(database),
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

const DETACHED = ['--detach'];

/** Starts a worker. It has ended when its place is gone. */
function startWorker({ place, store }: Host, ...more: readonly string[]): Program {
  return place.type(['worker', '--store', store, '--json', ...more]);
}

async function detach({ place, store }: Host, order: object = {}): Promise<string> {
  const { code, stderr, report } = await place.run({ store, more: DETACHED, ...order });
  expect(code, stderr).toBe(0);
  return report?.batch ?? '';
}

const rowsOf = async ({ database }: Host, sql: string): Promise<readonly Record<string, unknown>[]> =>
  server.query(database, `SET search_path = rowonce; ${sql}`);

/** Resolves when so many rows have ended. */
async function ended(host: Host, rows: number): Promise<void> {
  const count = async (): Promise<unknown> =>
    (await rowsOf(host, 'SELECT count(*)::int AS count FROM rows'))[0]?.count;
  await expect.poll(count, { timeout: 60_000, interval: 100 }).toBe(rows);
}

/** Each of these companies was asked about once. */
async function expectAskedOnce({ place }: Host, domains: readonly string[]): Promise<void> {
  const asked = place.vendor.requests().map(({ body }) => body.domain);
  expect(asked.toSorted()).toEqual([...new Set(domains)].toSorted());
  expect((await place.vendor.book()).charged_twice).toEqual([]);
}

/** An output without the times of its answers. */
const outputOf = (place: Workplace, name: string): string =>
  readFileSync(place.path(name), 'utf8').replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');

test('a list that is left to workers is finished by another process, and its output is that of a run with a folder, to the byte', async () => {
  await using host = await openHost();
  const { place, store } = host;
  const domains = domainsOf('left', 120);
  const list = [...domains, ...domains.slice(0, 20), 'no domain at all', ''];
  place.writeList(list);
  const submitted = await place.run({ store, more: DETACHED });
  expect(submitted.code, submitted.stderr).toBe(0);
  expect(submitted.report).toMatchObject({ counts: {}, output: null, stopped: null });
  const batch = submitted.report?.batch ?? '';
  expect(submitted.stderr).toContain(`status ${batch} --store ${store}`);
  expect(place.vendor.requests()).toEqual([]);
  // The worker has another folder, and no list.
  mkdirSync(place.path('elsewhere'));
  const worker = place.type(['worker', '--store', store, '--json'], { HOME: place.path('elsewhere') });
  await ended(host, list.length);
  expect(await rowsOf(host, 'SELECT cells FROM listed'), 'cells are gone once their rows have ended').toEqual(
    [],
  );
  worker.signal('SIGTERM');
  const { code, stderr } = await worker.ended;
  expect(code, stderr).toBe(143);
  await expectAskedOnce(host, domains);
  const exported = await place.typeHere([
    'export',
    batch,
    '--store',
    store,
    '-o',
    place.path('exported.csv'),
  ]);
  expect(exported.code, exported.stderr).toBe(0);
  const finished = await place.run({ store });
  expect(finished.code, finished.stderr).toBe(3);
  expect(finished.report?.counts).toMatchObject({ matched: 140, invalid: 2 });
  await expectAskedOnce(host, domains);
  const other = await Workplace.open();
  await using _ = other;
  other.writeList(list);
  await other.run();
  expect(outputOf(place, 'out.csv')).toBe(outputOf(other, 'out.csv'));
  expect(outputOf(place, 'exported.csv')).toBe(outputOf(other, 'out.csv'));
});
