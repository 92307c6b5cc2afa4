import { cpSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import type { Store } from '../../../src/ledger/store.ts';
import postgres from '../../../src/ledger/stores/postgres.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { answered, batchNamed } from './book.ts';
import { freshPlace, openStore, temporaryFolder } from './places.ts';
import { postgresServer } from './postgres-server.ts';
import { startSpender } from './processes.ts';

/*
 * Goal: a store that was deleted, restored from an older copy, copied or taken away under a running process buys nothing
 * before a person says so (protocol, rule 2), and one that was only moved is not held up. What the commands say then is in
 * `test/faults/lost-stores.test.ts`.
 * Method: folders and databases that are copied, deleted and put back between openings and under an open ledger. What is known
 * outside of the stores is in a state folder of each test's own; for a database a host is such a folder.
 */

beforeEach(() => {
  vi.stubEnv('XDG_STATE_HOME', temporaryFolder());
});

const lostBecause = (words: string | RegExp) => ({
  code: 'store_lost',
  exitCode: 2,
  message: typeof words === 'string' ? expect.stringContaining(words) : expect.stringMatching(words),
  next: 'Restore the newest store, or let a run continue without it by --accept store.',
});

/** Buys one call in the store and closes it. */
async function buy(place: string, word: string, store: Store = sqlite): Promise<void> {
  const ledger = await openStore(store, place);
  await answered(ledger, await batchNamed(ledger, 'a'), word);
  await ledger.close();
}

/** A copy of the folder as it is now, which `putBack` puts in the place of the folder. */
function copyOf(place: string): string {
  const copy = join(temporaryFolder(), 'copy');
  cpSync(place, copy, { recursive: true });
  return copy;
}

function putBack(copy: string, place: string): void {
  rmSync(place, { recursive: true, force: true });
  cpSync(copy, place, { recursive: true });
}

async function expectLost(place: string, words: string | RegExp, store: Store = sqlite): Promise<void> {
  // Refused twice, because a refusal must not be what makes the next one forget.
  for (const _ of [1, 2]) await expect(openStore(store, place)).rejects.toMatchObject(lostBecause(words));
}

/** Opens it, accepting what is lost. @returns what was said. */
async function accept(place: string, store: Store = sqlite): Promise<readonly string[]> {
  const told: string[] = [];
  await (
    await openStore(store, place, true, { acceptOutdated: true, tell: (fact) => told.push(fact) })
  ).close();
  return told;
}

async function expectOpens(place: string, store: Store = sqlite): Promise<void> {
  await (await openStore(store, place)).close();
}

/** What somebody who only looks is told. */
async function toldWhenLooking(store: Store, place: string): Promise<readonly string[]> {
  const told: string[] = [];
  await (await store.look(place, (fact) => told.push(fact))).close();
  return told;
}

test('a restored store is missed as before when an older or the newest copy takes the place of the accepted one', async () => {
  const place = freshPlace(sqlite);
  await buy(place, 'one');
  const older = copyOf(place);
  await buy(place, 'two');
  const newest = copyOf(place);
  putBack(older, place);
  await accept(place);
  await buy(place, 'three');
  putBack(older, place);
  await expectLost(place, 'is not the newest one');
  putBack(newest, place);
  await expectLost(place, 'is not the newest one');
});

test('a store at two places that was moved is taken at the new one, and a new store at the old one, too', async () => {
  const [place, other] = [freshPlace(sqlite), freshPlace(sqlite)];
  await buy(place, 'one');
  renameSync(place, other);
  await buy(other, 'two');
  await buy(place, 'three');
  await expectOpens(other);
});

test('a store at two places that was copied buys in one of them only; accepted, each goes on by itself', async () => {
  const [place, copy] = [freshPlace(sqlite), freshPlace(sqlite)];
  await buy(place, 'one');
  cpSync(place, copy, { recursive: true });
  await buy(copy, 'two');
  await expectLost(place, `were made with its ledger in ${copy}`);
  await accept(place);
  await buy(place, 'three');
  await buy(copy, 'four');
  await expectOpens(place);
});

test('what is known outside is noted while the ledger is open: after a kill an older copy is not the newest', async () => {
  const place = freshPlace(sqlite);
  await buy(place, 'one');
  const copy = copyOf(place);
  const spender = startSpender(place, 'some', { ROWS: '3' });
  for (const line of ['open', '1', '2', '3']) expect(await spender.line()).toBe(line);
  await expect
    .poll(() => toldWhenLooking(sqlite, copy))
    .toEqual([expect.stringContaining('is not the newest one')]);
  await spender.kill();
  await expectOpens(place);
  putBack(copy, place);
  await expectLost(place, 'is not the newest one');
});

test('a database restored from an older copy buys nothing on any host until a person accepts that on one of them', async () => {
  const here = process.env.XDG_STATE_HOME;
  const onHost = (folder: string | undefined) => void vi.stubEnv('XDG_STATE_HOME', folder);
  const server = await postgresServer();
  const url = server.url('lost');
  await server.createDatabase('lost');
  await buy(url, 'one', postgres);
  await server.createDatabase('lost_older', 'lost');
  await buy(url, 'two', postgres);
  await server.createDatabase('lost_newest', 'lost');
  await server.restore('lost', 'lost_older');
  const isBehind =
    /^The store postgres:.* is not the newest one: requests were made with its ledger, the last known one at 20.*Z, and that one is missing\. What it bought after 20.*Z would be bought again\.$/;
  await expectLost(url, isBehind, postgres);
  expect(await toldWhenLooking(postgres, url)).toEqual([expect.stringContaining('is not the newest one')]);
  onHost(temporaryFolder());
  await expectLost(url, isBehind, postgres);
  expect(await accept(url, postgres)).toEqual([
    expect.stringMatching(/^Accepted with --accept store: .* is not/),
  ]);
  await buy(url, 'three', postgres);
  onHost(here);
  await expectOpens(url, postgres);
  expect(await toldWhenLooking(postgres, url)).toEqual([]);
  await server.restore('lost', 'lost_newest');
  await expectLost(url, / is not the newest one: /, postgres);
});
