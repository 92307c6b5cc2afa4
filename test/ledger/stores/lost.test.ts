import { cpSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { StoreOptions } from '../../../src/ledger/store.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { answered, batchNamed } from './book.ts';
import { freshPlace, openStore, temporaryFolder } from './places.ts';
import { startSpender } from './processes.ts';

/*
 * Goal: a store that was deleted, restored from an older copy, copied or taken away under a running process buys nothing
 * before a person says so (protocol, rule 2), and one that was only moved is not held up. What the commands say then is in
 * `test/faults/lost-stores.test.ts`.
 * Method: folders that are copied, deleted and put back by hand between openings and under an open ledger. What is known
 * outside of the stores is in a state folder of each test's own.
 */

beforeEach(() => {
  vi.stubEnv('XDG_STATE_HOME', temporaryFolder());
});

const LOST = { code: 'store_lost', exitCode: 2 };
const lostBecause = (words: string | RegExp) => ({
  ...LOST,
  message: typeof words === 'string' ? expect.stringContaining(words) : expect.stringMatching(words),
  next: 'Restore the newest store, or let a run continue without it by --accept store.',
});

/** Buys one call in the store and closes it. */
async function buy(place: string, word: string, options: Partial<StoreOptions> = {}): Promise<void> {
  const ledger = await openStore(sqlite, place, true, options);
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

async function expectLost(place: string, words: string | RegExp): Promise<void> {
  // Refused twice, because a refusal must not be what makes the next one forget.
  for (const _ of [1, 2]) await expect(openStore(sqlite, place)).rejects.toMatchObject(lostBecause(words));
}

/** Opens it, accepting what is lost. @returns what was said. */
async function accept(place: string): Promise<readonly string[]> {
  const told: string[] = [];
  await (await openStore(sqlite, place, true, { acceptLost: true, tell: (fact) => told.push(fact) })).close();
  return told;
}

async function expectOpens(place: string): Promise<void> {
  await (await openStore(sqlite, place)).close();
}

/** What somebody who only looks is told. */
async function toldWhenLooking(place: string): Promise<readonly string[]> {
  const told: string[] = [];
  await (await sqlite.look(place, (fact) => told.push(fact))).close();
  return told;
}

describe('a store that is restored from an older copy', () => {
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
});

describe('a store at two places', () => {
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
});

describe('what is known outside', () => {
  test('what is known outside is noted while the ledger is open: after a kill an older copy is not the newest', async () => {
    const place = freshPlace(sqlite);
    await buy(place, 'one');
    const copy = copyOf(place);
    const spender = startSpender(place, 'some', { ROWS: '3' });
    for (const line of ['open', '1', '2', '3']) expect(await spender.line()).toBe(line);
    await expect
      .poll(() => toldWhenLooking(copy))
      .toEqual([expect.stringContaining('is not the newest one')]);
    await spender.kill();
    await expectOpens(place);
    putBack(copy, place);
    await expectLost(place, 'is not the newest one');
  });
});
