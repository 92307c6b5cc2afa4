import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { isUrl } from '../../src/ledger/store.ts';
import { postgresServer, type Server } from '../ledger/stores/postgres-server.ts';
import { some } from '../support/combinations.ts';
import { domainsOf, type Order, Workplace } from './workplace.ts';

/*
 * Goal: a store that was copied is the same store elsewhere. Nothing is bought again there, every export is the same to the byte, and
 * what it was copied from buys nothing any more, wherever the copying was killed.
 * Method: the real command, in both directions, over a real server, with a database for each test. What was bought is read from the
 * vendor's book.
 */

const DOMAINS = domainsOf('copied', 24);

let server: Server;
beforeAll(async () => {
  server = await postgresServer();
});

type Kind = 'folder' | 'database';
let places = 0;

/** A user with two places for stores, the first of which has bought a list. */
async function openCopier(kinds: readonly [from: Kind, to: Kind]) {
  const place = await Workplace.open({ latencyMs: 5 });
  onTestFinished(() => place[Symbol.asyncDispose]());
  place.writeList(DOMAINS);
  const freshPlace = async (kind: Kind): Promise<string> => {
    places += 1;
    if (kind === 'folder') return place.path(`store_${places}`);
    await server.createDatabase(`copy_${places}`);
    return server.url(`copy_${places}`);
  };
  const [from, to] = [await freshPlace(kinds[0]), await freshPlace(kinds[1])];
  /** As an order names a store. */
  const orderAt = (store: string): Order => ({
    store: isUrl(store) ? store : store.slice(place.folder.length + 1),
  });
  const ran = async (store: string) => {
    const ended = await place.runHere(orderAt(store));
    expect(ended.code, ended.stderr).toBe(0);
    return ended.report?.batch ?? '';
  };
  const exporting = (store: string, path = place.path('early.csv')) =>
    place.typeHere(['export', batch, '--store', store, '-o', path]);
  const exported = async (store: string): Promise<Buffer> => {
    places += 1;
    const path = place.path(`exported_${places}.csv`);
    const { code, stderr } = await exporting(store, path);
    expect(code, stderr).toBe(0);
    return readFileSync(path);
  };
  const batch = await ran(from);
  const words = ['store', 'copy', from, to, '--json'];
  return {
    place,
    from,
    to,
    words,
    ran,
    exporting,
    exported,
    bought: await exported(from),
    copy: async (): Promise<void> => {
      const { code, stderr } = await place.typeHere(words);
      expect(code, stderr).toBe(0);
    },
    expectNothingAsked: async (): Promise<void> =>
      expect((await place.vendor.book()).requests).toBe(DOMAINS.length),
    expectLeft: async (): Promise<void> => {
      const { code, stderr } = await place.runHere({ ...orderAt(from), output: 'refused.csv' });
      expect(code).toBe(2);
      expect(stderr).toContain(`was copied to ${to} on `);
      expect(stderr).toContain(`--store ${to}`);
    },
  };
}

const WAYS: readonly (readonly [Kind, Kind])[] = [
  ['folder', 'database'],
  ['folder', 'folder'],
  ['database', 'folder'],
];

describe.each(some(WAYS, 1))('from a %s to a %s', (...kinds) => {
  test('exports are the same to the byte, nothing is bought again, and the former store buys nothing any more', async () => {
    const at = await openCopier(kinds);
    await at.copy();
    for (const store of [at.to, at.from]) expect(await at.exported(store)).toEqual(at.bought);
    await at.ran(at.to);
    await at.expectLeft();
    await at.copy();
    expect(await at.exported(at.to), 'a copy that is there is left as it is').toEqual(at.bought);
    await at.expectNothingAsked();
  });

  test.each(some(['copying:5', 'copying', 'copy-taken', 'copy-left'], 1))(
    'a copy killed at %s: the same command goes on',
    async (crashAt) => {
      const at = await openCopier(kinds);
      const killed = await at.place.type(at.words, { ROWONCE_CRASH_AT: crashAt }).ended;
      expect(killed.signal, killed.stderr).toBe('SIGKILL');
      expect((await at.exporting(at.to)).code, 'what is not handed over is open to nobody').not.toBe(0);
      if (crashAt === 'copy-left') await at.expectLeft();
      else await at.ran(at.from);
      await at.copy();
      expect(await at.exported(at.to)).toEqual(at.bought);
      await at.ran(at.to);
      await at.expectLeft();
      await at.expectNothingAsked();
    },
  );
});

test.each(some(['folder', 'database'] as const, 1))(
  'nothing is copied to a %s that has a ledger',
  async (kind) => {
    const at = await openCopier(['folder', kind]);
    await at.ran(at.to);
    expect(await at.place.typeHere(at.words)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has a ledger already'),
    });
    await at.ran(at.from);
  },
);

test('nothing is copied from a place to itself', async () => {
  const { place, from } = await openCopier(['folder', 'folder']);
  const itself = `${from}/../${from.split('/').at(-1)}`;
  expect(await place.typeHere(['store', 'copy', from, itself])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is named as both stores'),
  });
});
