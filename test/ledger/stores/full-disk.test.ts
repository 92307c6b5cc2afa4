import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { personOf } from '../../../src/operations/lookup/person.ts';
import { eraseIn } from '../../../src/run/erase.ts';
import { fillUpTo, smallFileSystem } from '../../support/small-disk.ts';
import { answered, batchNamed, stateOf } from './book.ts';
import { freshLedger, freshPlace, openStore } from './places.ts';
import { startSpender } from './processes.ts';

// Goal: a full disk stops everything but the answers to what is already in flight, and an erasure that lacks room stops no one.
// Method: a spender in its own process fills its disk with 40 requests in flight, and then lets their answers arrive. For
// erasures a small file system is filled up to some megabytes.

test('on a full disk nothing new is admitted, and what is in flight is still written', async () => {
  const place = freshPlace(sqlite);
  await expectInFlightKept(place, { ROWONCE_FULL_AT_PAGES: '400' });
  await expectAnswersThere(place);
});

async function expectInFlightKept(place: string, env: NodeJS.ProcessEnv = {}): Promise<void> {
  const spender = startSpender(place, 'fill', env);
  expect(await spender.line()).toBe('open');
  expect(JSON.parse((await spender.line()) ?? '')).toEqual({
    filling: 'disk_full',
    kept: 40,
    admission: 'disk_full',
    row: 'disk_full',
  });
  expect(await spender.ended()).toBe(0);
  expect(existsSync(join(place, 'reserve'))).toBe(false);
}

async function expectAnswersThere(place: string): Promise<void> {
  const ledger = await freshLedger(sqlite, place);
  expect(await ledger.openAttempts()).toEqual([]);
  for (let number = 0; number < 40; number += 1) {
    expect(await stateOf(ledger, `flying${number}`)).toMatchObject({ kind: 'answered' });
  }
  expect(await stateOf(ledger, 'new')).toEqual({ kind: 'unknown' });
}

const KIM = { kind: 'person', person: personOf('kim@example.org') } as const;

/** Six megabytes of answers, one of them about Kim, on a file system of thirty-two. */
async function roomyStore(): Promise<{ readonly mounted: string; readonly place: string } | undefined> {
  const mounted = smallFileSystem(32);
  if (mounted === undefined) return undefined;
  const place = join(mounted, 'store');
  const ledger = await openStore(sqlite, place);
  const batch = await batchNamed(ledger, 'a');
  for (let word = 0; word < 60; word += 1)
    await answered(ledger, batch, `w${word}`, { body: randomBytes(25_000).toString('hex') });
  await answered(ledger, batch, 'kim', { body: '{"contact":"kim@example.org","name":"Acme"}' });
  await ledger.close();
  return { mounted, place };
}

const isKept = (place: string): boolean => readFileSync(join(place, 'ledger.db')).includes('kim@example.org');

function forget(place: string) {
  return eraseIn(place, KIM, { waitForLockMs: 0, clock: systemClock, command: 'test', dryRun: false });
}

test('who is forgotten on a full disk is emptied at once, and overwritten by the next command that has the room', async ({
  skip,
}) => {
  const { mounted, place } = (await roomyStore()) ?? skip('mounting a small file system needs root on Linux');
  const filler = fillUpTo(mounted, 3_400_000);
  const lacks = expect.stringMatching(/needs \d+\.\d MB of free space\. Free some/);
  expect(await forget(place)).toMatchObject({ cut: 1, due: lacks });
  const told: string[] = [];
  const tell = (fact: string) => told.push(fact);
  const ledger = await openStore(sqlite, place, true, { tell });
  await answered(ledger, await batchNamed(ledger, 'b'), 'bought all the same');
  await ledger.close();
  expect(told).toEqual([lacks]);
  rmSync(filler);
  await (await openStore(sqlite, place, true, { tell })).close();
  expect(told).toHaveLength(1);
  expect(isKept(place)).toBe(false);
});
