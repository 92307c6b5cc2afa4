/**
 * Goal: a reader of a large store whose run was killed checks it once for each state of its files, beside everything else
 * that its process does, and finds what the check of a spender finds.
 * Method: real stores that are copied while their spender has them open, as a kill leaves them.
 */
import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { checkedOnce } from '../../../src/ledger/stores/sqlite/checks.ts';
import { storeFolder } from '../../../src/ledger/stores/sqlite/folder.ts';
import { checkIntegrity } from '../../../src/ledger/stores/sqlite/integrity.ts';
import { problemOf } from '../../../src/ledger/stores/sqlite/thread-problem.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { proof } from '../../combinations.ts';
import { batchNamed } from './book.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rowonce-checked-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** @returns where a store lies whose run was killed. @param sql is done to it by somebody else. */
async function killedStore(sql: string): Promise<string> {
  const options = { clock: systemClock, waitForLockMs: 0, create: true, command: 'test' };
  const ledger = await sqlite.open(join(folder, 'store'), options);
  await batchNamed(ledger, 'a');
  const killed = join(folder, 'killed');
  cpSync(join(folder, 'store'), killed, { recursive: true });
  await ledger.close();
  // It names this process, which lives.
  rmSync(storeFolder(killed).spender, { force: true });
  const database = new Database(join(killed, 'ledger.db'));
  // What a user has added is ignored, and makes the store large.
  database.exec(`CREATE TABLE mine (x); INSERT INTO mine VALUES (zeroblob(6000000)); ${sql}`);
  database.close();
  return killed;
}

proof('a large store is checked in a thread, and what is wrong is told as always', async () => {
  const sound = await sqlite.look(await killedStore(''));
  expect(await sound.batchLines()).toHaveLength(1);
  await sound.close();
  rmSync(join(folder, 'killed'), { recursive: true });
  rmSync(join(folder, 'store'), { recursive: true });
  await expect(sqlite.look(await killedStore('DROP TRIGGER rows_settled'))).rejects.toMatchObject({
    code: 'store_damaged',
    message: expect.stringContaining('its definition of rows_settled was altered'),
  });
});

test("SQLite's check of a large store has begun before ours keep this thread busy", async () => {
  const { ledger, path } = storeFolder(await killedStore(''));
  const ports = (): number =>
    process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;
  const before = ports();
  const checked = checkIntegrity({ path: ledger, folder: path, withReplies: false });
  expect(ports() - before, 'a thread that runs has a port').toBeGreaterThan(0);
  await checked;
});

test('one check is enough for all who come meanwhile and after it, until the files change', async () => {
  const place = storeFolder(await killedStore(''));
  const begun = Promise.withResolvers<void>();
  let checks = 0;
  const check = (): Promise<void> => {
    checks += 1;
    return begun.promise;
  };
  const all = [checkedOnce(place, check), checkedOnce(place, check)];
  begun.resolve();
  await Promise.all(all);
  await checkedOnce(place, check);
  expect(checks).toBe(1);
  appendFileSync(place.log, 'another run');
  await checkedOnce(place, check);
  expect(checks).toBe(2);
  appendFileSync(place.log, 'and another');
  await expect(checkedOnce(place, () => Promise.reject(new Error('damaged')))).rejects.toThrow('damaged');
  await checkedOnce(place, check);
  expect(checks, 'a check that failed is done again').toBe(3);
});

test('a check that cannot open the ledger says so in words for a person', async () => {
  const path = join(folder, 'ledger.db');
  expect(await problemOf({ path, folder }, () => {})).toMatchObject({
    code: 'store',
    message: expect.stringContaining(`The store ${folder} cannot be used`),
  });
});
