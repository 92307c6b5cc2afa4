import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { isUrl } from '../../src/ledger/store.ts';
import { postgresServer, type Server } from '../ledger/stores/postgres-server.ts';
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

let places = 0;

/** A place for a store, of which nobody else knows. */
async function freshPlace(place: Workplace, kind: 'folder' | 'database'): Promise<string> {
  places += 1;
  if (kind === 'folder') return place.path(`store_${places}`);
  const name = `copy_${places}`;
  await server.createDatabase(name);
  return server.url(name);
}

const WAYS = [
  ['folder', 'database'],
  ['database', 'folder'],
  ['folder', 'folder'],
] as const;

async function openPlace(): Promise<Workplace> {
  const place = await Workplace.open({ latencyMs: 5 });
  place.writeList(DOMAINS);
  return place;
}

const copying = (from: string, to: string): readonly string[] => ['store', 'copy', from, to, '--json'];

async function exported(place: Workplace, store: string, batch: string, name: string): Promise<Buffer> {
  const words = ['export', batch, '--store', store, '-o', place.path(name), '--json'];
  const { code, stderr } = await place.type(words).ended;
  expect(code, stderr).toBe(0);
  return readFileSync(place.path(name));
}

/** As an order names a store. */
const orderAt = (place: Workplace, store: string): Order => ({
  store: isUrl(store) ? store : store.slice(place.folder.length + 1),
});

describe.each(WAYS)('from a %s to a %s', (fromKind, toKind) => {
  test('exports are the same to the byte, nothing is bought again, and the former store buys nothing any more', async () => {
    await using place = await openPlace();
    const [from, to] = [await freshPlace(place, fromKind), await freshPlace(place, toKind)];
    const first = await place.run(orderAt(place, from));
    expect(first.code, first.stderr).toBe(0);
    const batch = first.report?.batch ?? '';
    const before = await exported(place, from, batch, 'before.csv');
    const done = await place.type(copying(from, to)).ended;
    expect(done.code, done.stderr).toBe(0);
    expect(await exported(place, to, batch, 'after.csv')).toEqual(before);
    expect(await exported(place, from, batch, 'still.csv'), 'what was copied is read as before').toEqual(
      before,
    );
    const { requests } = await place.vendor.book();
    const again = await place.run({ ...orderAt(place, to), output: 'again.csv' });
    expect(again.code, again.stderr).toBe(0);
    expect((await place.vendor.book()).requests, 'nothing is asked again').toBe(requests);
    const refused = await place.run({ ...orderAt(place, from), output: 'refused.csv' });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`was copied to ${to}`);
    expect((await place.vendor.book()).requests).toBe(requests);
  });
});
