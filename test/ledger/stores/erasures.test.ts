/**
 * Goal: after an erasure the ledger is as sound as before: its own checks pass, its money and counts are the same, and
 * what was not erased is found as before.
 * Method: a store with purchases, changes, a plan and doubts that are settled, erased and then checked in full.
 */
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ZipFile } from 'yazl';
import { callKeyOf } from '../../../src/core/call-key.ts';
import { type Clock, systemClock } from '../../../src/core/clock.ts';
import type { Call } from '../../../src/core/operation.ts';
import { credits, type Ledger } from '../../../src/ledger/ledger.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { type ErasureOrder, eraseIn, personOf } from '../../../src/run/tasks/erase.ts';
import { proof } from '../../combinations.ts';
import {
  ACCOUNT,
  answered,
  batchNamed,
  batchSpec,
  DAY_MS,
  intentOf,
  MATCHED,
  NOON_MS,
  replyWith,
  settle,
} from './book.ts';
import { changed, changeOf, decideChange, INVITED, KIM, known, LEE, lostChange, MEMBER } from './changes.ts';
import { openStore, temporaryFolder } from './places.ts';

const KIM_ORDER = { kind: 'person', person: personOf('kim@example.org') } as const;

function erase(place: string, order: ErasureOrder, dryRun = false, clock: Clock = systemClock) {
  return eraseIn(place, order, { waitForLockMs: 0, clock, command: 'test', dryRun });
}

async function checkedInFull(place: string): Promise<Ledger> {
  expect(await sqlite.check(place)).toMatchObject({ broken: [], wrong: [] });
  const ledger = await openStore(sqlite, place);
  onTestFinished(() => ledger.close());
  return ledger;
}

function isIn(place: string, text: string): boolean {
  return readFileSync(join(place, 'ledger.db')).toString('latin1').includes(text);
}

test('memberships, plans and purchases of a person are emptied, and the ledger passes its own checks', async () => {
  const place = temporaryFolder();
  const ledger = await openStore(sqlite, place);
  const plan = [{ row: 2, kind: 'work', work: { email: 'kim@example.org' } }] as const;
  const changes = (await ledger.beginBatch(batchSpec({ key: 'c', operation: 'onboard' }), false, plan)).batch
    .id;
  await changed(ledger, changes, changeOf('invite', 0), { left: INVITED });
  const again = changeOf('change-role', 1);
  await lostChange(ledger, changes, again);
  await decideChange(ledger, changes, again, 'told', { reply: replyWith('kim@example.org'), left: MEMBER });
  await changed(ledger, changes, changeOf('invite', 0, LEE), { left: { ...INVITED, email: LEE.name } });
  await settle(ledger, changes, 2, { kind: 'applied', reason: 'kim@example.org was invited' });
  await ledger.changeBatch(changes, { state: 'finished', command: 'rowonce undo kim@example.org' });
  const lookups = await batchNamed(ledger, 'lookups', { outputPath: '/home/user/out.csv' } as object);
  const body = JSON.stringify({ data: { name: 'Acme', contact: 'kim@example.org', founded: 1990 } });
  const company = await answered(ledger, lookups, 'acme', { body });
  await settle(ledger, lookups, 3, MATCHED, [company]);
  const moneyBefore = await ledger.batchMoney(lookups);
  await ledger.close();

  const found = await erase(place, KIM_ORDER, true);
  expect(found).toMatchObject({ calls: 2, cut: 1, rows: 1, memberships: 1, unsettled: [] });
  expect(isIn(place, 'kim@example.org')).toBe(true);
  expect(await erase(place, KIM_ORDER)).toEqual(found);
  expect(isIn(place, 'kim@example.org')).toBe(false);
  expect(isIn(place, 'lee@example.org')).toBe(true);

  const after = await checkedInFull(place);
  expect(await after.batchMoney(lookups)).toEqual(moneyBefore);
  expect(await after.counts(changes)).toEqual({ applied: 1 });
  expect(await known(after, KIM)).toBeUndefined();
  expect(await known(after, LEE)).toMatchObject({ sequence: 1 });
  expect(await after.subjects(ACCOUNT)).toHaveLength(1);
  const [row] = await after.rows(lookups, 3, 1);
  expect(JSON.parse(String(row?.answers[0]?.body))).toEqual({
    data: { name: 'Acme', contact: null, founded: 1990 },
  });
  expect(await after.plannedRows(changes, 2, 1)).toMatchObject([{ kind: 'end' }]);
});

test('a person who comes back is invited anew, as somebody who was never known', async () => {
  const place = temporaryFolder();
  const ledger = await openStore(sqlite, place);
  const batch = await batchNamed(ledger, 'a');
  await changed(ledger, batch, changeOf('invite', 0), { left: INVITED });
  await ledger.close();
  await erase(place, KIM_ORDER);
  const after = await checkedInFull(place);
  await changed(after, batch, changeOf('invite', 0), { left: INVITED });
  expect(await known(after, KIM)).toMatchObject({ sequence: 1, facts: INVITED });
});

const PERSON_CALL: Call = {
  operation: 'enrich-person',
  parameters: { email: 'kim@example.org' },
  ifLost: 'hold',
};

test('a call that was erased is found by its own key', async () => {
  const place = temporaryFolder();
  const ledger = await openStore(sqlite, place);
  const batch = await batchNamed(ledger, 'a');
  const key = callKeyOf(ACCOUNT, PERSON_CALL);
  const intent = { key, accountIdentity: ACCOUNT, call: PERSON_CALL, batch, row: 2, atMs: NOON_MS };
  const admission = await ledger.intent({ ...intent, reserve: (await ledger.batchMoney(batch)).spent });
  if (admission.kind !== 'admitted') expect.fail('not admitted');
  await ledger.keep(admission.attempt, replyWith('{"email":"kim@example.org"}'));
  const { spent: charged } = await ledger.batchMoney(batch);
  const closure = { kind: 'answered', answer: 'found', charged, why: 'x' } as const;
  await ledger.end(admission.attempt, closure, NOON_MS);
  await ledger.close();
  await erase(place, KIM_ORDER);

  const reader = await sqlite.look(place);
  expect(await reader.find([key])).toMatchObject([
    { kind: 'answered', answer: { erasedAtMs: expect.any(Number) } },
  ]);
  expect(await reader.find([key], { detail: 'kind' })).toMatchObject([
    { kind: 'answered', answer: { erasedAtMs: expect.any(Number), answeredAtMs: expect.any(Number) } },
  ]);
  await reader.close();
});

test('a change that was lost and then skipped holds its person back no longer, and the ledger passes its own checks', async () => {
  const place = temporaryFolder();
  const ledger = await openStore(sqlite, place);
  const batch = await batchNamed(ledger, 'a');
  await lostChange(ledger, batch, changeOf('invite', 0));
  await ledger.changeBatch(batch, { state: 'finished' });
  await ledger.close();
  expect((await erase(place, KIM_ORDER, true)).unsettled).toHaveLength(1);
  const again = await openStore(sqlite, place);
  await decideChange(again, batch, changeOf('invite', 0), 'skip');
  await again.close();
  expect(await erase(place, KIM_ORDER)).toMatchObject({ calls: 1, memberships: 1, unsettled: [] });
  expect(isIn(place, 'kim@example.org')).toBe(false);
  const after = await checkedInFull(place);
  expect(await after.doubts(batch)).toEqual([]);
  await changed(after, batch, changeOf('invite', 0), { left: INVITED });
  expect(await known(after, KIM)).toMatchObject({ sequence: 1, facts: INVITED });
});

test('what is only named after a person is found and renamed, however the name is written', async () => {
  const place = temporaryFolder();
  const ledger = await openStore(sqlite, place);
  const settings = { path: 'people/kim%40example.org/notes' };
  const batch = await batchNamed(ledger, 'a', { settings });
  await ledger.noteWritten('/home/user/kim@example.org.people.csv', ['a'.repeat(64)]);
  await ledger.close();
  expect(await erase(place, KIM_ORDER, true)).toMatchObject({ calls: 0, rows: 0, names: 2 });
  await erase(place, KIM_ORDER);
  expect(isIn(place, 'kim@example.org')).toBe(false);
  expect(isIn(place, 'kim%40example.org')).toBe(false);
  expect(await erase(place, KIM_ORDER)).toMatchObject({ names: 0 });
  const after = await checkedInFull(place);
  expect((await after.batch(batch))?.settings).toEqual({ path: 'people/erased/notes' });
});

const clockAt = (wallMs: number): Clock => ({ ...systemClock, wallMs: () => wallMs });

/** A store in which three companies were bought at noon. @param told the times that answers told the account afterwards. */
async function boughtAtNoon(...told: readonly number[]): Promise<string> {
  const place = temporaryFolder();
  const ledger = await openStore(sqlite, place);
  const batch = await batchNamed(ledger, 'a', { createdAtMs: NOON_MS });
  for (const name of ['ann', 'bob', 'cat'])
    await answered(ledger, batch, name, { atMs: NOON_MS, closedAtMs: NOON_MS });
  await ledger.changeBatch(batch, { state: 'finished' });
  await ledger.close();
  await tell(place, ...told);
  return place;
}

async function tell(place: string, ...told: readonly number[]): Promise<void> {
  const ledger = await openStore(sqlite, place);
  for (const atMs of told) await ledger.keepTold(ACCOUNT, atMs);
  await ledger.close();
}

const OLDER_THAN_30_DAYS = { kind: 'age', ageMs: 30 * DAY_MS, accountIdentity: ACCOUNT } as const;
const OLDER_IN_ALL = { kind: 'age', ageMs: 30 * DAY_MS } as const;
const LATE_MS = NOON_MS + 60 * DAY_MS;

describe('for its age', () => {
  test('nothing goes for a clock that is ahead, and the store says why', async () => {
    const place = await boughtAtNoon(NOON_MS);
    for (const order of [OLDER_THAN_30_DAYS, OLDER_IN_ALL])
      for (const dryRun of [true, false])
        await expect(erase(place, order, dryRun, clockAt(LATE_MS))).rejects.toMatchObject({
          code: 'clock',
          message: expect.stringMatching(
            /^Nothing is erased because of its age: .* clock says 2027-01-19.* gave 2026-11-20/,
          ),
        });
    const young = { ...OLDER_THAN_30_DAYS, ageMs: 90 * DAY_MS };
    expect(await erase(place, young, false, clockAt(LATE_MS)), 'no clock makes that old').toMatchObject({
      calls: 0,
    });
  });

  test('it goes by what its vendor told, whatever the clock says then', async () => {
    const place = await boughtAtNoon(LATE_MS, NOON_MS);
    const another = { ...OLDER_THAN_30_DAYS, accountIdentity: 'another' };
    expect(await erase(place, another, false, clockAt(NOON_MS))).toMatchObject({ calls: 0 });
    expect(await erase(place, OLDER_THAN_30_DAYS, false, clockAt(NOON_MS))).toMatchObject({ calls: 3 });
  });

  test('nothing goes where no answer has told the time, but before a day that a person names', async () => {
    const place = await boughtAtNoon();
    await expect(erase(place, OLDER_IN_ALL, false, clockAt(LATE_MS))).rejects.toMatchObject({
      code: 'clock',
    });
    const day = { kind: 'old', beforeMs: NOON_MS + DAY_MS } as const;
    expect(await erase(place, day, false, clockAt(LATE_MS))).toMatchObject({ calls: 3 });
  });

  test('of all accounts it goes by the newest that any vendor told, and a sandbox is none', async () => {
    const place = await boughtAtNoon(NOON_MS);
    const ledger = await openStore(sqlite, place);
    const others = { play: { accountIdentity: 'play', sandbox: true }, other: { accountIdentity: 'other' } };
    for (const [name, spec] of Object.entries(others)) await batchNamed(ledger, name, spec);
    await ledger.keepTold('play', LATE_MS);
    await ledger.close();
    await expect(erase(place, OLDER_IN_ALL, false, clockAt(LATE_MS))).rejects.toMatchObject({
      code: 'clock',
    });
    const again = await openStore(sqlite, place);
    await again.keepTold('other', LATE_MS);
    await again.close();
    await expect(erase(place, OLDER_THAN_30_DAYS, false, clockAt(LATE_MS))).rejects.toThrow(
      'because of its age',
    );
    expect(await erase(place, OLDER_IN_ALL, false, clockAt(LATE_MS))).toMatchObject({ calls: 3 });
  });

  test('the reason of a row, and a list, stay for as long as a batch may need them', async () => {
    const place = temporaryFolder();
    const ledger = await openStore(sqlite, place);
    const inputPath = join(place, 'undo', '1317b977.csv');
    mkdirSync(join(place, 'undo'));
    writeFileSync(inputPath, 'email\nlee@example.org\n');
    utimesSync(inputPath, 0, 0);
    const batch = await batchNamed(ledger, 'a', { inputPath, createdAtMs: NOON_MS });
    await settle(ledger, batch, 2, { kind: 'invalid', reason: '"kim@example" is no address' });
    await answered(ledger, batch, 'ann', { atMs: NOON_MS, closedAtMs: NOON_MS });
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

test('a person goes wherever a call and its answer name them, also as the name of a field', async () => {
  const place = temporaryFolder();
  const ledger = await openStore(sqlite, place);
  const batch = await batchNamed(ledger, 'a');
  const kim = 'kim@example.org';
  const calls: readonly Call[] = [
    { operation: 'search', parameters: { [kim]: 1 }, ifLost: 'hold' },
    { operation: 'search', parameters: { q: kim, more: [kim] }, ifLost: 'hold' },
  ];
  for (const [row, call] of calls.entries()) {
    const intent = { ...intentOf(batch, kim, { row }), key: callKeyOf(ACCOUNT, call), call };
    const admission = await ledger.intent(intent);
    if (admission.kind !== 'admitted') throw new Error('the call was not admitted');
    const headers = {
      'x-request-id': kim,
      'content-type': `text/plain; for=${kim}`,
      ...(row === 0 ? {} : { [kim]: '1' }),
    };
    await ledger.keep(admission.attempt, { ...replyWith('x'), headers });
    const closure = { kind: 'answered', answer: 'found', charged: credits(1), why: `found ${kim}` } as const;
    await ledger.end(admission.attempt, closure, NOON_MS);
  }
  await ledger.close();
  expect(isIn(place, kim)).toBe(true);
  expect(await erase(place, KIM_ORDER)).toMatchObject({ calls: 2 });
  expect(isIn(place, kim)).toBe(false);
  await checkedInFull(place);
});

proof('a log that somebody is reading is overwritten by the next command that writes', async () => {
  const place = temporaryFolder();
  const ledger = await openStore(sqlite, place);
  await changed(ledger, await batchNamed(ledger, 'a'), changeOf('invite', 0), { left: INVITED });
  await ledger.close();
  const reading = new Database(join(place, 'ledger.db'));
  onTestFinished(() => void reading.close());
  reading.exec('BEGIN');
  expect(reading.prepare('SELECT count(*) AS n FROM calls').get()).toEqual({ n: 1 });
  expect(await erase(place, KIM_ORDER)).toMatchObject({ calls: 1, cleaning: { isDue: true } });
  expect(isIn(place, 'kim@example.org')).toBe(true);
  reading.exec('COMMIT');
  await (await openStore(sqlite, place)).close();
  expect(isIn(place, 'kim@example.org')).toBe(false);
  expect(reading.prepare("SELECT facts FROM notes WHERE kind = 'erased'").all(), 'it has ended').toEqual([
    { facts: null },
  ]);
});

test('lists that are kept in the store go when they name the person, also in a workbook, unless they are needed', async () => {
  const place = temporaryFolder();
  const ledger = await openStore(sqlite, place);
  const spool = join(place, 'spool');
  mkdirSync(spool);
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from('<t>Kim@example.org</t>'), 'xl/sharedStrings.xml');
  zip.end();
  const lists: Readonly<Record<string, Buffer>> = {
    'a.csv': Buffer.from('\uFEFFKIM@example.org', 'utf16le'),
    'b.csv': Buffer.from('email\nkim@example.org\n'),
    'c.xlsx': await buffer(zip.outputStream),
    'd.csv': Buffer.from('hakim@example.org'),
  };
  for (const [name, bytes] of Object.entries(lists)) writeFileSync(join(spool, name), bytes);
  const needed = join(spool, 'b.csv');
  const { batch } = await ledger.beginBatch(batchSpec({ inputPath: needed }));
  await ledger.close();
  expect(await erase(place, KIM_ORDER)).toMatchObject({ needed: { lists: 1, by: [batch.id] } });
  expect(readdirSync(spool)).toHaveLength(4);
  const again = await openStore(sqlite, place);
  await again.changeBatch(batch.id, { state: 'cancelled' });
  await again.close();
  expect((await erase(place, KIM_ORDER)).files).toHaveLength(3);
  expect(readdirSync(spool)).toEqual(['d.csv']);
});
