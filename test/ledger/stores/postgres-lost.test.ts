import { beforeEach, expect, test, vi } from 'vitest';
import type { StoreOptions } from '../../../src/ledger/store.ts';
import postgres from '../../../src/ledger/stores/postgres.ts';
import { answered, batchNamed } from './book.ts';
import { freshPlace, openStore, temporaryFolder } from './places.ts';
import { postgresServer } from './postgres-server.ts';

/*
 * Goal: a database that was restored from an older copy, or laid out anew, buys nothing before a person accepts that (protocol, rule
 * 2), also where all processes begin after it was restored.
 * Method: databases that are copied and put in each other's place between openings. A host is a state folder.
 */

let here: string;
beforeEach(() => {
  here = temporaryFolder();
  onHost(here);
});

/** What is opened from now on runs there. */
function onHost(folder: string): void {
  vi.stubEnv('XDG_STATE_HOME', folder);
}

const LOST = { code: 'store_lost', exitCode: 2, answers: ['store'] };
const lostBecause = (words: RegExp) => ({
  ...LOST,
  message: expect.stringMatching(words),
  next: 'Restore the newest store, or let a run continue without it by --accept store.',
});

/** An empty database. */
async function freshDatabase() {
  const server = await postgresServer();
  const name = `lost_${freshPlace(postgres).slice('postgres://'.length).replaceAll('-', '_')}`;
  await server.createDatabase(name);
  const url = server.url(name);
  const open = (options: Partial<StoreOptions> = {}) => openStore(postgres, url, true, options);
  return {
    open,
    async buy(word: string, sandbox = false): Promise<void> {
      const ledger = await open();
      await answered(ledger, await batchNamed(ledger, 'a', { sandbox }), word);
      await ledger.close();
    },
    /** Accepts what is lost. @returns what was said. */
    async accept(): Promise<readonly string[]> {
      const told: string[] = [];
      await (await open({ acceptLost: true, tell: (fact) => told.push(fact) })).close();
      return told;
    },
    async opens(): Promise<void> {
      await (await open()).close();
    },
    /** What somebody who only looks is told. */
    async told(): Promise<readonly string[]> {
      const told: string[] = [];
      await (await postgres.look(url, (fact) => told.push(fact))).close();
      return told;
    },
    /** A copy as it is now, which `restore` puts in its place. */
    async copy(): Promise<() => Promise<void>> {
      const copy = `${name}_${freshPlace(postgres).replace(/.*-/, '')}`;
      await server.createDatabase(copy, name);
      return () => server.restore(name, copy);
    },
    /** As whoever makes it anew, and empty. */
    empty: () => server.restore(name, 'template1'),
  };
}

test('a database restored from an older copy buys nothing on any host until a person accepts that on one of them', async () => {
  const database = await freshDatabase();
  await database.buy('one');
  const older = await database.copy();
  await database.buy('two');
  const newest = await database.copy();
  await older();
  const isBehind =
    /^The store postgres:.* is not the newest one: requests were made with its ledger, the last known one at 20.*Z, and that one is missing\. What it bought after 20.*Z would be bought again\.$/;
  // Refused twice, because a refusal must not be what makes the next one forget.
  for (const _ of [1, 2]) await expect(database.open()).rejects.toMatchObject(lostBecause(isBehind));
  expect(await database.told()).toEqual([expect.stringContaining('is not the newest one')]);
  onHost(temporaryFolder());
  await expect(database.open(), 'who never knew it').rejects.toMatchObject(lostBecause(isBehind));
  expect(await database.accept()).toEqual([
    expect.stringMatching(/^Accepted with --accept store: .* is not/),
  ]);
  await database.buy('three');
  onHost(here);
  await database.opens();
  expect(await database.told()).toEqual([]);
  await newest();
  await expect(database.open()).rejects.toMatchObject(lostBecause(/ is not the newest one: /));
});
