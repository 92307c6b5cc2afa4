import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { isUrl } from '../../src/ledger/store.ts';
import { some } from '../combinations.ts';
import { postgresServer, type Server } from '../ledger/stores/postgres-server.ts';
import type { Ended } from './program.ts';
import { domainsOf, type Order, Workplace } from './workplace.ts';

/*
 * Goal: a store that was copied is the same store elsewhere. Nothing is bought again there, every export is the same to the byte, and
 * what it was copied from buys nothing any more, wherever the copying was killed.
 * Method: the real command, in both directions, over a real server, with a database for each test. What was bought is read from the
 * vendor's book.
 */

const ROWS = 24;
const DOMAINS = domainsOf('copied', ROWS);

let server: Server;
beforeAll(async () => {
  server = await postgresServer();
});

type Kind = 'folder' | 'database';
let places = 0;

/** A place for a store, of which nobody else knows. */
async function freshPlace(place: Workplace, kind: Kind): Promise<string> {
  places += 1;
  if (kind === 'folder') return place.path(`store_${places}`);
  const name = `copy_${places}`;
  await server.createDatabase(name);
  return server.url(name);
}

const WAYS: readonly (readonly [Kind, Kind])[] = [
  ['folder', 'database'],
  ['folder', 'folder'],
  ['database', 'folder'],
];

async function openPlace(options: { readonly faults?: string; readonly concurrency?: number } = {}) {
  const place = await Workplace.open({ latencyMs: 5, ...options });
  place.writeList(DOMAINS);
  return place;
}

const copying = (from: string, to: string): readonly string[] => ['store', 'copy', from, to, '--json'];

async function copy(place: Workplace, from: string, to: string): Promise<void> {
  const { code, stderr } = await place.typeHere(copying(from, to));
  expect(code, stderr).toBe(0);
}

async function exported(place: Workplace, store: string, batch: string): Promise<Buffer> {
  places += 1;
  const name = `exported_${places}.csv`;
  const words = ['export', batch, '--store', store, '-o', place.path(name), '--json'];
  const { code, stderr } = await place.typeHere(words);
  expect(code, stderr).toBe(0);
  return readFileSync(place.path(name));
}

/** As an order names a store. */
const orderAt = (place: Workplace, store: string): Order => ({
  store: isUrl(store) ? store : store.slice(place.folder.length + 1),
});

async function ran(place: Workplace, store: string, codes: readonly number[] = [0]): Promise<Ended> {
  const ended = await place.runHere(orderAt(place, store));
  expect(codes, ended.stderr).toContain(ended.code);
  return ended;
}

const requestsOf = async ({ vendor }: Workplace): Promise<number> => (await vendor.book()).requests;

async function expectRefused(place: Workplace, store: string, copyAt: string): Promise<void> {
  const before = await requestsOf(place);
  const refused = await place.runHere({ ...orderAt(place, store), output: 'refused.csv' });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(`was copied to ${copyAt} on `);
  expect(refused.stderr).toContain(`--store ${copyAt}`);
  expect(await requestsOf(place)).toBe(before);
}

describe.each(some(WAYS, 1))('from a %s to a %s', (fromKind, toKind) => {
  test('exports are the same to the byte, nothing is bought again, and the former store buys nothing any more', async () => {
    await using place = await openPlace();
    const [from, to] = [await freshPlace(place, fromKind), await freshPlace(place, toKind)];
    const { report: { batch = '' } = {} } = await ran(place, from);
    const before = await exported(place, from, batch);
    await copy(place, from, to);
    expect(await exported(place, to, batch)).toEqual(before);
    expect(await exported(place, from, batch), 'what was copied is read as before').toEqual(before);
    const requests = await requestsOf(place);
    await ran(place, to);
    expect(await requestsOf(place), 'nothing is asked again').toBe(requests);
    await expectRefused(place, from, to);
    await copy(place, from, to);
    expect(await exported(place, to, batch), 'a copy that is there is left as it is').toEqual(before);
  });

  test.each(some(['copying:5', 'copying', 'copy-taken', 'copy-left'], 1))(
    'killed at %s, the same command goes on',
    async (crashAt) => {
      await using place = await openPlace();
      const [from, to] = [await freshPlace(place, fromKind), await freshPlace(place, toKind)];
      const { report: { batch = '' } = {} } = await ran(place, from);
      const before = await exported(place, from, batch);
      const killed = await place.type(copying(from, to), { ROWONCE_CRASH_AT: crashAt }).ended;
      expect(killed.signal, killed.stderr).toBe('SIGKILL');
      const atTo = await place.typeHere(['export', batch, '--store', to, '-o', place.path('early.csv')]);
      expect(atTo.code, 'what is not handed over is open to nobody').not.toBe(0);
      if (crashAt === 'copy-left') await expectRefused(place, from, to);
      else await ran(place, from);
      await copy(place, from, to);
      expect(await exported(place, to, batch)).toEqual(before);
      const requests = await requestsOf(place);
      await ran(place, to);
      expect(await requestsOf(place), 'nothing is asked again').toBe(requests);
      await expectRefused(place, from, to);
    },
  );
});

describe('nothing is copied', () => {
  test.each(some(['folder', 'database'] as const, 1))('to a %s that has a ledger', async (kind) => {
    await using place = await openPlace();
    const [from, to] = [await freshPlace(place, 'folder'), await freshPlace(place, kind)];
    await ran(place, from);
    await ran(place, to);
    const refused = await place.typeHere(copying(from, to));
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('has a ledger already');
    await ran(place, from);
  });

  test('from a place to itself', async () => {
    await using place = await openPlace();
    const from = await freshPlace(place, 'folder');
    const refused = await place.typeHere(copying(from, `${from}/../${from.split('/').at(-1)}`));
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('is named as both stores') });
  });
});
