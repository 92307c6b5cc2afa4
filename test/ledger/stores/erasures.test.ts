/**
 * Goal: after an erasure the ledger is as sound as before: its own checks pass, its money and counts are the same, and
 * what was not erased is found as before.
 * Method: a store with purchases, changes, a plan and doubts that are settled, erased and then checked in full.
 */
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/core/clock.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { type ErasureOrder, eraseIn } from '../../../src/run/erase.ts';
import { said } from '../../support/told.ts';
import { ACCOUNT, answered, batchNamed, DAY_MS, IN_DOUBT, lost, MATCHED, NOON_MS, settle } from './book.ts';
import { openStore, temporaryFolder } from './places.ts';

function erase(place: string, order: ErasureOrder, dryRun = false, clock: Clock = systemClock) {
  return eraseIn(place, order, { waitForLockMs: 0, clock, command: 'test', dryRun });
}

function isIn(place: string, text: string): boolean {
  return readFileSync(join(place, 'ledger.db')).toString('latin1').includes(text);
}

const clockAt = (wallMs: number): Clock => ({ ...systemClock, wallMs: () => wallMs });

/** A store in which three companies were bought at noon. */
async function boughtAtNoon(): Promise<string> {
  const place = temporaryFolder();
  const ledger = await openStore(sqlite, place);
  const batch = await batchNamed(ledger, 'a', { createdAtMs: NOON_MS });
  for (const name of ['ann', 'bob', 'cat'])
    await answered(ledger, batch, name, { atMs: NOON_MS, endedAtMs: NOON_MS });
  await ledger.changeBatch(batch, { state: 'finished' });
  await ledger.close();
  return place;
}

/** The time that an answer told an account. */
async function tell(place: string, atMs: number, account = ACCOUNT): Promise<void> {
  const ledger = await openStore(sqlite, place);
  await ledger.keepAgreedTime(account, atMs);
  await ledger.close();
}

const OLDER_THAN_30_DAYS = { kind: 'age', ageMs: 30 * DAY_MS, accountIdentity: ACCOUNT } as const;
const OLDER_IN_ALL = { kind: 'age', ageMs: 30 * DAY_MS } as const;
const LATE_MS = NOON_MS + 60 * DAY_MS;

describe('for its age', () => {
  test('nothing goes for a clock that is ahead, and the store says why', async () => {
    const place = await boughtAtNoon();
    const ordered = (order: ErasureOrder, dryRun = false) => erase(place, order, dryRun, clockAt(LATE_MS));
    const untold = expect.stringMatching(/^Nothing is erased because of its age: .* clock says 2027-01-19/);
    await expect(ordered(OLDER_IN_ALL)).rejects.toMatchObject({ code: 'clock', message: untold });
    await tell(place, NOON_MS);
    for (const order of [OLDER_THAN_30_DAYS, OLDER_IN_ALL])
      for (const dryRun of [true, false])
        await expect(ordered(order, dryRun)).rejects.toMatchObject({
          code: 'clock',
          message: expect.stringContaining('gave 2026-11-20'),
        });
    const young = { ...OLDER_THAN_30_DAYS, ageMs: 90 * DAY_MS };
    expect(await ordered(young), 'no clock makes that old').toMatchObject({ requests: 0 });
    const day = { kind: 'old', beforeMs: NOON_MS + DAY_MS } as const;
    expect(await ordered(day), 'a person names the day').toMatchObject({ requests: 3 });
  });

  test('an age goes by what its vendor told, or of all accounts by the newest that any vendor told; a sandbox is none', async () => {
    const place = await boughtAtNoon();
    const ledger = await openStore(sqlite, place);
    const others = { play: { accountIdentity: 'play', sandbox: true }, other: { accountIdentity: 'other' } };
    for (const [name, spec] of Object.entries(others)) await batchNamed(ledger, name, spec);
    await ledger.close();
    const ordered = (order: ErasureOrder, dryRun = false) => erase(place, order, dryRun, clockAt(LATE_MS));
    await tell(place, LATE_MS, 'play');
    await expect(ordered(OLDER_IN_ALL)).rejects.toMatchObject({ code: 'clock' });
    await tell(place, LATE_MS, 'other');
    await expect(ordered(OLDER_THAN_30_DAYS)).rejects.toMatchObject({ code: 'clock' });
    expect(await ordered(OLDER_IN_ALL, true)).toMatchObject({ requests: 3 });
    await tell(place, LATE_MS);
    await tell(place, NOON_MS);
    const early = clockAt(NOON_MS);
    const another = { ...OLDER_THAN_30_DAYS, accountIdentity: 'another' };
    expect(await erase(place, another, false, early)).toMatchObject({ requests: 0 });
    expect(await erase(place, OLDER_THAN_30_DAYS, false, early)).toMatchObject({ requests: 3 });
  });

  test('what is old stays as long as a batch goes on with it, or has a row in doubt that rests on it', async () => {
    const place = temporaryFolder();
    const ledger = await openStore(sqlite, place);
    const open = await batchNamed(ledger, 'open');
    await settle(ledger, open, 2, MATCHED, [await answered(ledger, open, 'bought')]);
    await ledger.submitRows(open, [{ row: 3, cells: [] }]);
    const answers = [await answered(ledger, open, 'half', { row: 3 })];
    await ledger.finishRows([], [{ batch: open, row: 3, answers, fills: answers }]);
    const doubtful = await batchNamed(ledger, 'doubtful');
    const steps = [await answered(ledger, doubtful, 'first'), await lost(ledger, doubtful, 'second')];
    await settle(ledger, doubtful, 3, IN_DOUBT, steps);
    await answered(ledger, doubtful, 'nobody', { row: 4 });
    await ledger.changeBatch(doubtful, { state: 'finished' });
    await ledger.close();
    const old = { kind: 'old', beforeMs: NOON_MS + DAY_MS } as const;
    expect(await erase(place, old)).toMatchObject({ requests: 1 });
    const later = await openStore(sqlite, place);
    await later.changeBatch(open, { state: 'cancelled' });
    await later.close();
    expect(await erase(place, old)).toMatchObject({ requests: 2, rows: 2 });
    expect(await erase(place, old), 'what the doubt rests on').toMatchObject({ requests: 0 });
  });

  test('the reason of a row, and a list, stay for as long as a batch may need them', async () => {
    const place = temporaryFolder();
    const ledger = await openStore(sqlite, place);
    const inputPath = join(place, 'undo', '1317b977.csv');
    mkdirSync(join(place, 'undo'));
    writeFileSync(inputPath, 'email\nlee@example.org\n');
    utimesSync(inputPath, 0, 0);
    const batch = await batchNamed(ledger, 'a', { inputPath, createdAtMs: NOON_MS });
    await settle(ledger, batch, 2, { kind: 'invalid', findings: said('"kim@example" is no address') });
    await answered(ledger, batch, 'ann', { atMs: NOON_MS, endedAtMs: NOON_MS });
    await ledger.changeBatch(batch, { state: 'finished' });
    await ledger.close();
    await tell(place, NOON_MS + 29 * DAY_MS);
    expect(await erase(place, OLDER_THAN_30_DAYS, false, clockAt(NOON_MS))).toMatchObject({
      rows: 0,
      files: [],
    });
    await tell(place, NOON_MS + 31 * DAY_MS);
    expect(await erase(place, OLDER_THAN_30_DAYS, false, clockAt(NOON_MS))).toMatchObject({
      rows: 1,
      files: [inputPath],
    });
    expect([isIn(place, 'kim@example'), isIn(place, 'lee@example')]).toEqual([false, false]);
  });
});
