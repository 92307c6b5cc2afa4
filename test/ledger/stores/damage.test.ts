import {
  copyFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addReading, credits, type Ledger, recordLook, recordReply } from '../../../src/ledger/ledger.ts';
import { APPLICATION_ID, SCHEMA } from '../../../src/ledger/stores/sqlite/identity.ts';
import { sumOfText } from '../../../src/ledger/stores/sqlite/table.ts';
import { CALLS_TABLE, ENDS_TABLE, REPLIES_TABLE } from '../../../src/ledger/stores/sqlite/tables.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { proof, some } from '../../combinations.ts';
import {
  admitted,
  answered,
  batchNamed,
  batchSpec,
  DAY_MS,
  decide,
  keyNamed,
  lookAt,
  lost,
  MATCHED,
  NOON_MS,
  released,
  replyWith,
  requestUnder,
  settle,
  stateOf,
} from './book.ts';
import { changed, changeOf, INVITED, known, LEE, lostChange, MEMBER } from './changes.ts';
import { freshLedger, freshPlace, madeOnce, openStore, temporaryFolder } from './places.ts';
import { startSpender } from './processes.ts';
import { pastGuards } from './refusals.ts';

// Goal: a store that lost or altered anything stops the program before it sends. Method: files damaged by hand after use.

const DAMAGED = { code: 'store_damaged', exitCode: 2 };

/** A store with an entry in every table of money, ended in order. */
const usedStore = madeOnce(async () => {
  const place = freshPlace(sqlite);
  const ledger = await openStore(sqlite, place);
  const batch = await batchNamed(ledger, 'a');
  for (let number = 0; number < 200; number += 1) void answered(ledger, batch, `call${number}`);
  const attempt = await answered(ledger, batch, 'acme');
  const reading = { answer: 'found', charged: credits(2), why: 'x', dialect: 1, atMs: NOON_MS } as const;
  await addReading(ledger, { ...reading, attempt });
  await settle(ledger, batch, 2, MATCHED, [attempt]);
  await admitted(ledger, batch, 'open');
  await lost(ledger, batch, 'lost');
  await decide(ledger, batch, 'lost', 'hold');
  await lost(ledger, batch, 'told');
  await decide(ledger, batch, 'told', 'told', replyWith('told'));
  const request = requestUnder('key-1');
  await lost(ledger, batch, 'repeated', { reserve: 2, request });
  const late = await batchNamed(ledger, 'late', { freshSince: { foundMs: NOON_MS + DAY_MS } });
  const decision = await decide(ledger, late, 'repeated', 'repeat');
  await answered(ledger, late, 'repeated', { reserve: 0, request, decision, atMs: NOON_MS + DAY_MS });
  await released(ledger, await lost(ledger, batch, 'released'));
  await answered(ledger, late, 'acme', { replaces: attempt, receivedAtMs: NOON_MS + DAY_MS });
  await useChanges(ledger);
  await ledger.noteHold(late, true, NOON_MS);
  await ledger.noteAgreement({ sha256: 'a'.repeat(64), shown: 'POST /tags', agreedAtMs: NOON_MS });
  await ledger.close();
  return place;
});

/** A batch with a plan, a person who was changed twice, and one whose change was lost. */
async function useChanges(ledger: Ledger): Promise<void> {
  const plan = [2, 3].map((row) => ({ row, kind: 'work', work: { to: 'viewer' } }) as const);
  const { batch } = await ledger.beginBatch(batchSpec({ key: 'key-team', lineage: 'team' }), false, plan);
  await changed(ledger, batch.id, changeOf('create-invite', 0), { left: INVITED });
  await changed(ledger, batch.id, changeOf('update-user', 1), { left: MEMBER });
  await lostChange(ledger, batch.id, changeOf('create-invite', 0, LEE));
}

/** The newest attempt of a call of `usedStore`, and the call itself. */
const attemptOf = (word: string): string => `(SELECT max(id) FROM attempts WHERE call = ${callOf(word)})`;
const callOf = (word: string): string => `(SELECT id FROM calls WHERE parameters LIKE '%${word}.example%')`;

/** So few that SQLite does not fold the log into the database meanwhile: what is cut off the log is its newest commits. */
const BOUGHT = 25;

/** A store whose spender was killed, with its newest commits in the log only. */
async function killedStore(): Promise<string> {
  const place = freshPlace(sqlite);
  const spender = startSpender(place, 'some', { ROWS: String(BOUGHT) });
  expect(await spender.line()).toBe('open');
  for (let row = 1; row <= BOUGHT; row += 1) await spender.line();
  await spender.kill();
  expect(statSync(join(place, 'ledger.db-wal')).size).toBeGreaterThan(100_000);
  return place;
}

function alter(place: string, sql: string): void {
  const database = new Database(join(place, 'ledger.db'));
  database.pragma('foreign_keys = OFF');
  database.exec(sql);
  database.close();
}

/** Changes bytes of a file in place. */
function flip(file: string, offset: number, length = 1): void {
  const bytes = readFileSync(file);
  for (let at = offset; at < offset + length; at += 1) bytes[at] = (bytes[at] ?? 0) ^ 0b100;
  writeFileSync(file, bytes);
}

async function expectDamage(place: string, message: string): Promise<void> {
  const damage = { ...DAMAGED, message: expect.stringContaining(message) };
  await expect(openStore(sqlite, place)).rejects.toMatchObject(damage);
  // The refusal itself has changed nothing and holds nothing.
  await expect(openStore(sqlite, place)).rejects.toMatchObject(damage);
}

proof('a killed store that was checked to be read is checked again once its files are others', async () => {
  const place = await killedStore();
  for (let time = 0; time < 3; time += 1) await (await sqlite.look(place)).close();
  alter(place, 'DROP TRIGGER totals_moved; UPDATE totals SET spent = spent + 1');
  for (let time = 0; time < 2; time += 1)
    await expect(sqlite.look(place)).rejects.toMatchObject({ code: 'store_damaged' });
});

test('a store that was ended in order, without it, or killed, opens with everything that it had', async () => {
  const ended = await freshLedger(sqlite, await usedStore());
  expect(await stateOf(ended, 'acme')).toMatchObject({ kind: 'answered' });
  const place = await killedStore();
  const reader = await sqlite.look(place);
  const [seen] = await reader.batches();
  expect(seen && (await reader.counts(seen.id)).matched).toBe(BOUGHT);
  await reader.close();
  const unclean = await usedStore();
  alter(unclean, 'UPDATE book SET clean = 0');
  expect(await stateOf(await freshLedger(sqlite, unclean), 'repeated')).toMatchObject({ kind: 'answered' });
  const killed = await freshLedger(sqlite, place);
  const [batch] = await killed.batches();
  expect(batch && (await killed.counts(batch.id)).matched).toBe(BOUGHT);
});

describe('an altered entry', () => {
  test('of an answer is noticed before a run, and by whoever only looks when it is read', async () => {
    const place = await usedStore();
    const file = join(place, 'ledger.db');
    // The body comes last in its row, so this is not the request id in front of it.
    flip(file, readFileSync(file).lastIndexOf('call42') + 'call42'.length - 1);
    await expect(openStore(sqlite, place)).rejects.toMatchObject({
      ...DAMAGED,
      message: expect.stringContaining('the reply to attempt'),
    });
    const reader = await sqlite.look(place);
    onTestFinished(() => reader.close());
    await expect(reader.find([keyNamed('call42')])).rejects.toMatchObject(DAMAGED);
    expect(await reader.find([keyNamed('call43')])).toMatchObject([{ kind: 'answered' }]);
  });

  test.each([
    ['call', 'calls_unchanged', "calls SET operation = 'x'", true],
    ['attempt', 'attempts_no_update', 'attempts SET reserved = 9', true],
    ['end', 'ends_no_update', 'ends SET spent = 0', true],
    ['words of an end', 'ends_no_update', "ends SET words = 'x'", true],
    ['time of a reply', 'replies_no_update', 'replies SET at = at - 1', true],
    ['what was told', 'notes_no_update', 'notes SET at = at - 1', true],
    ['words of what was told', 'notes_no_update', "notes SET words = 'x'", true],
    ['body that was told', 'notes_no_update', "notes SET body = x'00'", true],
    ['body of a reply', 'replies_no_update', "replies SET body = x'00'", false],
  ])(
    'is noticed before a row ends by it, but for what came, which is looked at when it is read: %s',
    async (what, guard, change, isNoticed) => {
      const place = freshPlace(sqlite);
      const ledger = await openStore(sqlite, place);
      const batch = await batchNamed(ledger, 'a');
      if (what.includes('told')) {
        await lost(ledger, batch, 'acme');
        await decide(ledger, batch, 'acme', 'told', replyWith('told'));
      } else await answered(ledger, batch, 'acme');
      await ledger.close();
      const reader = await freshLedger(sqlite, place);
      alter(place, `DROP TRIGGER ${guard}; UPDATE ${change}`);
      const ending = reader.find([keyNamed('acme')], { detail: 'checked' });
      if (isNoticed) await expect(ending).rejects.toMatchObject(DAMAGED);
      else expect(await ending).toMatchObject([{ kind: 'answered', answer: { kind: 'found' } }]);
      await expect(reader.find([keyNamed('acme')])).rejects.toMatchObject(DAMAGED);
    },
  );

  test.each([
    ['request', 'requests', "path = '/v2'", 'the request of attempt'],
    ['word of a vendor', 'notes', "said = 'not_happened'", '(look) was altered'],
  ])('of a doubt is noticed before anything follows from it: %s', async (_what, table, change, message) => {
    const place = freshPlace(sqlite);
    const ledger = await openStore(sqlite, place);
    const batch = await batchNamed(ledger, 'a');
    const attempt = await lost(ledger, batch, 'acme', { request: requestUnder('key-1') });
    await recordLook(ledger, lookAt(attempt, 'happened'));
    await ledger.close();
    const reader = await freshLedger(sqlite, place);
    alter(place, `DROP TRIGGER ${table}_no_update; UPDATE ${table} SET ${change}`);
    const damage = { ...DAMAGED, message: expect.stringContaining(message) };
    await expect(reader.history(batch, 2)).rejects.toMatchObject(damage);
    if (table === 'requests') await expect(reader.doubts(batch)).rejects.toMatchObject(damage);
  });

  test('keeps nobody from reading the other attempts at the same question', async () => {
    const place = freshPlace(sqlite);
    const ledger = await openStore(sqlite, place);
    const first = await answered(ledger, await batchNamed(ledger, 'a'), 'acme');
    const late = await batchNamed(ledger, 'late', { freshSince: { foundMs: NOON_MS + DAY_MS } });
    const next = await answered(ledger, late, 'acme', { replaces: first, receivedAtMs: NOON_MS + DAY_MS });
    await ledger.close();
    const reader = await freshLedger(sqlite, place);
    alter(place, `DROP TRIGGER replies_no_update; UPDATE replies SET body = x'00' WHERE of = ${first}`);
    expect(await reader.attempts([next])).toMatchObject([{ attempt: next, replaces: first }]);
    await expect(reader.attempts([first])).rejects.toMatchObject(DAMAGED);
  });

  test('of an earlier reply hides no doubt, on which money hangs', async () => {
    const place = freshPlace(sqlite);
    const ledger = await openStore(sqlite, place);
    const batch = await batchNamed(ledger, 'a');
    const first = await lost(ledger, batch, 'acme');
    await recordReply(ledger, first, replyWith('late'));
    const decision = await decide(ledger, batch, 'acme', 'retry');
    const attempt = await lost(ledger, batch, 'acme', { decision });
    await ledger.close();
    const reader = await freshLedger(sqlite, place);
    alter(place, "DROP TRIGGER replies_no_update; UPDATE replies SET body = x'00'");
    expect(await reader.doubts(batch)).toMatchObject([{ attempt, atRisk: 2 }]);
    await expect(reader.attempts([first])).rejects.toMatchObject(DAMAGED);
  });

  test('by which a question was sent again is missed by whoever reads of it', async () => {
    const place = freshPlace(sqlite);
    const ledger = await openStore(sqlite, place);
    const batch = await batchNamed(ledger, 'a');
    await lost(ledger, batch, 'acme');
    const decision = await decide(ledger, batch, 'acme', 'retry');
    const again = await answered(ledger, batch, 'acme', { decision });
    await ledger.close();
    const reader = await freshLedger(sqlite, place);
    alter(place, `DROP TRIGGER notes_no_delete; DELETE FROM notes WHERE id = ${decision}`);
    const message = expect.stringContaining(`note ${decision} is missing`);
    await expect(reader.attempts([again])).rejects.toMatchObject({ ...DAMAGED, message });
  });

  test('of what is under way that is gone stops whoever would end it', async () => {
    const place = freshPlace(sqlite);
    const ledger = await openStore(sqlite, place);
    const attempt = await admitted(ledger, await batchNamed(ledger, 'a'), 'acme');
    await ledger.close();
    const later = await freshLedger(sqlite, place);
    expect(await later.openAttempts()).toMatchObject([{ attempt }]);
    alter(place, 'DROP TRIGGER attempts_no_delete; DELETE FROM attempts');
    const message = expect.stringContaining(`attempt ${attempt} is missing`);
    await expect(later.openAttempts()).rejects.toMatchObject({ ...DAMAGED, message });
  });

  test.each([
    ['subject', 'subjects_unchanged', "UPDATE subjects SET name = name || 'x'"],
    ['change', 'changes_no_update', "UPDATE changes SET role = 'viewer'"],
    ['change that is missing', 'changes_no_delete', 'DELETE FROM changes WHERE sequence = 2'],
    ['planned row', 'planned_no_update', "UPDATE planned SET planned = '{}'"],
  ])('of what changes left is noticed before anything is planned on it: %s', async (_what, guard, sql) => {
    const place = freshPlace(sqlite);
    const ledger = await openStore(sqlite, place);
    await useChanges(ledger);
    await ledger.close();
    const reader = await freshLedger(sqlite, place);
    alter(place, `DROP TRIGGER ${guard}; ${sql}`);
    const team = await firstBatch(reader);
    const read = () => (guard.startsWith('planned') ? reader.plannedRows(team.id, 0, 9) : known(reader));
    await expect(read()).rejects.toMatchObject(DAMAGED);
  });

  /** A loss that is over, or the opposite. */
  const LOSS = ['losses_ending', 'losses_no_delete', 'losses_adding'];
  /** The calls have right sums again, as after a program that wrote something wrong. */
  const RESUMMED = `UPDATE calls SET sum = sum_of(${CALLS_TABLE.listInSql('calls')}, NULL)`;
  const ALTERED: readonly [what: string, guards: readonly string[], sql: string, message: string][] = [
    [
      'call that is missing',
      ['calls_no_delete'],
      `DELETE FROM calls WHERE id = ${callOf('call7')}`,
      'the total of',
    ],
    [
      'call',
      ['calls_unchanged'],
      `UPDATE calls SET parameters = '{}' WHERE id = ${callOf('call7')}`,
      'call 8 was altered',
    ],
    [
      'reserve',
      ['attempts_no_update'],
      'UPDATE attempts SET reserved = 9 WHERE id = 4',
      'attempt 4 was altered',
    ],
    [
      'owner',
      ['attempts_no_update'],
      'UPDATE attempts SET call = call + 1 WHERE id = 4',
      'attempt 4 was altered',
    ],
    [
      'reading',
      ['notes_no_update'],
      "UPDATE notes SET said = 'refused' WHERE kind = 'reading'",
      '(reading) was altered',
    ],
    [
      'dialect of an answer',
      ['ends_no_update'],
      `UPDATE ends SET dialect = 7 WHERE of = ${attemptOf('call7')}`,
      'the end of attempt 8 was altered',
    ],
    [
      'price',
      ['ends_no_update'],
      `UPDATE ends SET spent = 0 WHERE of = ${attemptOf('call7')}`,
      'the end of attempt 8 was altered',
    ],
    ['reason', ['ends_no_update'], "UPDATE ends SET words = 'x' WHERE kind = 'lost'", 'the end of attempt'],
    [
      'decision',
      ['notes_no_update'],
      "UPDATE notes SET said = 'retry' WHERE kind = 'decided'",
      '(decided) was altered',
    ],
    ['word', ['notes_no_update'], "UPDATE notes SET status = 404 WHERE kind = 'told'", '(told) was altered'],
    [
      'what was told',
      ['notes_no_update'],
      "UPDATE notes SET body = x'00' WHERE kind = 'told'",
      '(told) was altered',
    ],
    [
      'facts of a note',
      ['notes_no_update'],
      "UPDATE notes SET facts = '{}' WHERE kind = 'told'",
      '(told) was altered',
    ],
    [
      'total',
      ['totals_moved'],
      "UPDATE totals SET spent = 0 WHERE scope LIKE 'day%'",
      'the total of day:1:2026-11-20',
    ],
    [
      'total that is missing',
      ['totals_no_delete'],
      "DELETE FROM totals WHERE scope LIKE 'batch%'",
      'the total of batch:',
    ],
    [
      'total that nothing adds up to',
      ['totals_added'],
      "INSERT INTO totals VALUES ('batch:7', 0, 0, 0)",
      'the total of batch:7',
    ],
    [
      'group',
      ['groups_no_update'],
      'UPDATE groups SET sum = 1 WHERE id = (SELECT max(id) FROM groups)',
      'the group of entries that ends with',
    ],
    [
      'group that is missing',
      ['groups_no_delete'],
      'DELETE FROM groups WHERE id = (SELECT min(id) FROM groups WHERE id > 0)',
      'the group of entries that ends with',
    ],
    [
      'newest group that is missing',
      ['groups_no_delete'],
      'DELETE FROM groups WHERE id = (SELECT max(id) FROM groups)',
      'entries are booked',
    ],
    ['end of the book', ['book_booked'], 'UPDATE book SET booked = booked - 1', 'the book ends with entry'],
    [
      'entry that is to be booked',
      ['book_owing'],
      'UPDATE book SET unbooked = 1',
      'the book ends with entry',
    ],
    [
      'entry that is missing',
      ['notes_no_delete'],
      "DELETE FROM notes WHERE kind = 'look'",
      'entries of the book are not the',
    ],
    [
      'group that is being booked',
      ['book_booking'],
      'UPDATE book SET booking = 1',
      'the book ends with entry',
    ],
    [
      'answer that is missing',
      ['calls_moved'],
      `UPDATE calls SET state_number = 0, stands = NULL WHERE id = ${callOf('call7')}`,
      'call 8 does not stand where its entries left it',
    ],
    [
      'newest entry of a call',
      ['calls_moved'],
      `UPDATE calls SET head = head - 1 WHERE id = ${callOf('call7')}`,
      'call 8 does not stand where its entries left it',
    ],
    [
      'attempt that is not open any more',
      ['calls_moved'],
      `UPDATE calls SET open = NULL WHERE id = ${callOf('open')}`,
      'does not stand where its entries left it',
    ],
    [
      'reply to an attempt that was lost',
      ['replies_move'],
      `INSERT INTO replies (of, call, at, status, sum, headers, content_sum, body)
       SELECT ${attemptOf('lost')}, ${callOf('lost')}, at, status, sum, headers, content_sum, body
         FROM replies LIMIT 1`,
      'the reply to attempt',
    ],
    [
      'reply that is missing',
      ['replies_no_delete'],
      `DELETE FROM replies WHERE of = ${attemptOf('call7')}`,
      'call 8 does not stand where its entries left it',
    ],
    [
      'doubt',
      ['calls_moved'],
      `UPDATE calls SET state_number = 2, stands = id WHERE id = ${callOf('call7')}`,
      'call 8 does not stand where its entries left it',
    ],
    [
      'doubt that is missing',
      ['calls_moved'],
      `UPDATE calls SET state_number = 0, stands = NULL WHERE id = ${callOf('lost')}`,
      'does not stand where its entries left it',
    ],
    [
      'older answer that came back',
      ['calls_moved'],
      `UPDATE calls SET stands = id WHERE id = ${callOf('acme')}`,
      'does not stand where its entries left it',
    ],
    ['request', ['requests_no_update'], "UPDATE requests SET path = '/v2'", 'the request of attempt'],
    [
      'body of a request',
      ['requests_no_update'],
      "UPDATE requests SET body = x'00'",
      'the request of attempt',
    ],
    [
      'word of a vendor',
      ['notes_no_update'],
      "UPDATE notes SET said = 'happened' WHERE kind = 'look'",
      '(look) was altered',
    ],
    [
      'release',
      ['notes_no_update'],
      "UPDATE notes SET words = 'x' WHERE kind = 'released'",
      '(released) was altered',
    ],
    [
      'release that is missing',
      ['notes_no_delete'],
      "DELETE FROM notes WHERE kind = 'released'",
      'entries of the book are not the',
    ],
    [
      'request that is missing',
      ['requests_no_delete'],
      `DELETE FROM requests WHERE attempt = ${attemptOf('repeated')}`,
      'was given back for another request',
    ],
    [
      'request of the attempt that was lost, which is missing',
      ['requests_no_delete'],
      `DELETE FROM requests WHERE attempt = ${callOf('repeated')}`,
      'was given back for another request',
    ],
    [
      'money that was not given back',
      LOSS,
      `UPDATE losses SET ended = NULL WHERE attempt IN (SELECT id FROM attempts WHERE call = ${callOf('repeated')})`,
      'is not what its entries say',
    ],
    [
      'loss that is missing',
      LOSS,
      `DELETE FROM losses WHERE attempt = ${attemptOf('lost')}`,
      'is not what its entries say',
    ],
    [
      'loss that holds less',
      LOSS,
      `UPDATE losses SET holds = 0 WHERE attempt = ${attemptOf('lost')}`,
      'is not what its entries say',
    ],
    [
      'money that was given back without a reason',
      LOSS,
      `UPDATE losses SET ended = 1 WHERE attempt = ${attemptOf('lost')}`,
      'is not what its entries say',
    ],
    [
      'loss of nothing',
      LOSS,
      `INSERT INTO losses VALUES (${attemptOf('call7')}, ${callOf('call7')}, 1, NULL)`,
      'is not what its entries say',
    ],
    ['subject', ['subjects_unchanged'], "UPDATE subjects SET project = 'x'", 'subject 1 was altered'],
    ['change', ['changes_no_update'], "UPDATE changes SET user_id = 'x'", 'the change by attempt'],
    ['plan', ['planned_no_update'], "UPDATE planned SET planned = '{}'", 'planned row 2 was altered'],
    [
      'planned row that is missing',
      ['planned_no_delete'],
      'DELETE FROM planned WHERE row = 3',
      'is not whole',
    ],
    [
      'change that is missing',
      ['changes_no_delete'],
      'DELETE FROM changes WHERE sequence = 2',
      'subject 1 is not where its changes left it',
    ],
    [
      'change that is missing, as if it had not been made',
      ['changes_no_delete', 'subjects_moving'],
      'DELETE FROM changes WHERE sequence = 2; UPDATE subjects SET sequence = 1 WHERE id = 1',
      'nothing says what it left',
    ],
    [
      'sequence that moved',
      ['subjects_moving'],
      'UPDATE subjects SET sequence = 3 WHERE id = 1',
      'subject 1 is not where its changes left it',
    ],
    [
      'place that a change was planned at',
      ['calls_unchanged'],
      `UPDATE calls SET after = 5 WHERE state = 'doubt' AND subject IS NOT NULL; ${RESUMMED}`,
      'is a change that was overtaken',
    ],
    [
      'change that became one of somebody else',
      ['calls_unchanged'],
      `UPDATE calls SET subject = 2 WHERE subject = 1 AND after = 1; ${RESUMMED}`,
      'is not what its call says',
    ],
    [
      'lost change that became one of somebody else',
      ['calls_unchanged'],
      `UPDATE calls SET subject = 1, after = 2 WHERE subject = 2; ${RESUMMED}`,
      'is a change of something else than it says',
    ],
    [
      'lost change that became a call like any other',
      ['calls_unchanged'],
      `UPDATE calls SET subject = NULL, after = NULL WHERE subject = 2; ${RESUMMED}`,
      'is a change of something else than it says',
    ],
  ];

  /** So many that they are checked in several blocks. */
  const MANY = 700;
  const storeOfMany = madeOnce(async () => {
    const place = freshPlace(sqlite);
    const ledger = await openStore(sqlite, place);
    const batch = await batchNamed(ledger, 'a');
    const calls = Array.from({ length: MANY }, (_, number) => answered(ledger, batch, `call${number}`));
    const attempts = await Promise.all(calls);
    const rows = attempts.map((attempt, at) => settle(ledger, batch, at + 2, MATCHED, [attempt]));
    await Promise.all(rows);
    await ledger.close();
    return place;
  });
  const summed = (table: typeof ENDS_TABLE | typeof REPLIES_TABLE): string =>
    `UPDATE ${table.name} SET sum = sum_of(${table.listInSql(table.name)}, NULL)`;

  test.each([
    ['an end', 'ends_no_update', 'UPDATE ends SET said = NULL WHERE of = 600', 'the end of attempt 600'],
    [
      'words of an end',
      'ends_no_update',
      "UPDATE ends SET words = 'x' WHERE of = 1",
      'the end of attempt 1 ',
    ],
    [
      'no words',
      'ends_no_update',
      'UPDATE ends SET words = NULL, content_sum = 0 WHERE of = 600',
      'the end of attempt 600',
    ],
    ['a number', 'rows_final', 'UPDATE rows SET row = 1 << 60 WHERE row = 600', 'row 1152921504606847000 of'],
    [
      'the call of an end',
      'ends_no_update',
      `UPDATE ends SET call = 5 WHERE of = 600; ${summed(ENDS_TABLE)}`,
      'is about an attempt of another call',
    ],
    [
      'the call of a reply',
      'replies_no_update',
      `UPDATE replies SET call = 5 WHERE of = 600; ${summed(REPLIES_TABLE)}`,
      'entry 600 is about an attempt of another call',
    ],
    [
      'where a call stands',
      'calls_moved',
      'UPDATE calls SET stands = 5 WHERE id = 600',
      'call 600 does not stand where its entries left it',
    ],
  ])('is found among many after an end that was not orderly: %s', async (_what, guard, sql, message) => {
    const place = await storeOfMany();
    const database = new Database(join(place, 'ledger.db'));
    database.function('sum_of', (list, body) => sumOfText(list as string, body as Buffer | null));
    pastGuards(database, [guard], `${sql}; UPDATE book SET clean = 0`);
    database.close();
    await expectDamage(place, message);
  });

  test.each(some(ALTERED, 20))(
    'is found after an end that was not orderly: %s',
    async (_what, guards, sql, message) => {
      const place = await usedStore();
      const database = new Database(join(place, 'ledger.db'));
      database.pragma('foreign_keys = OFF');
      database.function('sum_of', (list, body) => sumOfText(list as string, body as Buffer | null));
      pastGuards(database, guards, `${sql}; UPDATE book SET clean = 0`);
      database.close();
      await expectDamage(place, message);
    },
  );

  test('a flipped bit in the index of the call keys is found, which would have bought a call again', async () => {
    const place = await usedStore();
    const file = join(place, 'ledger.db');
    const key = Buffer.from(keyNamed('call42'), 'hex');
    alter(place, 'UPDATE book SET clean = 0');
    const bytes = readFileSync(file);
    const beginning = key.subarray(0, 4);
    const first = bytes.indexOf(beginning);
    const second = bytes.indexOf(beginning, first + 1);
    expect(second).toBeGreaterThan(first);
    // The table has the whole key, and the index its beginning alone.
    flip(file, bytes.indexOf(key) === first ? second : first);
    await expectDamage(place, 'SQLite says');
  });
});

describe('a log', () => {
  test('with flipped bytes in it has lost commits, which is noticed', async () => {
    const place = await killedStore();
    const log = join(place, 'ledger.db-wal');
    flip(log, Math.floor(statSync(log).size / 2), 64);
    await expectDamage(place, 'commits were made, but the ledger knows only');
  });

  test('that was cut short is noticed', async () => {
    const place = await killedStore();
    const log = join(place, 'ledger.db-wal');
    truncateSync(log, Math.floor(statSync(log).size * 0.9));
    await expectDamage(place, 'commits were made, but the ledger knows only');
  });

  test('that was deleted is noticed, by onlookers too', async () => {
    const place = await killedStore();
    rmSync(join(place, 'ledger.db-wal'));
    await expect(sqlite.look(place)).rejects.toMatchObject(DAMAGED);
    await expect(openStore(sqlite, place)).rejects.toMatchObject(DAMAGED);
  });
});

test.each(['match_rates', 'tallies', 'booking', 'totals'])(
  'an answer that was on its way is kept where the table %s is gone, of which every group of entries is booked',
  async (table) => {
    const place = freshPlace(sqlite);
    const ledger = await openStore(sqlite, place);
    const batch = await batchNamed(ledger, 'a');
    const attempts = [await admitted(ledger, batch, 'one'), await admitted(ledger, batch, 'two')];
    alter(place, `DROP TABLE ${table}`);
    for (const attempt of attempts) await recordReply(ledger, attempt, replyWith('bought'));
    await expect(admitted(ledger, batch, 'later')).rejects.toMatchObject(DAMAGED);
    await ledger.close();
    await expectDamage(place, 'is damaged');
  },
);

describe('the ledger and its watermark', () => {
  test('an older copy of the ledger does not pass for the newest', async () => {
    const place = await usedStore();
    const copy = join(temporaryFolder(), 'ledger.db');
    copyFileSync(join(place, 'ledger.db'), copy);
    const ledger = await openStore(sqlite, place);
    await settle(ledger, (await firstBatch(ledger)).id, 3, MATCHED);
    await ledger.close();
    copyFileSync(copy, join(place, 'ledger.db'));
    await expectDamage(place, 'commits were made, but the ledger knows only');
    await expect(sqlite.look(place)).rejects.toMatchObject(DAMAGED);
  });

  test('a ledger that is missing, empty or something else is not replaced by a new one', async () => {
    const place = await usedStore();
    const file = join(place, 'ledger.db');
    writeFileSync(file, '');
    await expectDamage(place, 'ledger.db is empty');
    writeFileSync(file, 'no database at all'.repeat(1000));
    await expectDamage(place, 'ledger.db is no longer a ledger');
    rmSync(file);
    await expectDamage(place, 'ledger.db is missing');
    await expect(openStore(sqlite, place, false)).rejects.toMatchObject(DAMAGED);
    await expect(sqlite.look(place)).rejects.toMatchObject(DAMAGED);
  });

  test('a watermark that is missing or unreadable is damage once something was written', async () => {
    const place = await usedStore();
    const mark = join(place, 'watermark');
    writeFileSync(mark, 'what?');
    await expectDamage(place, 'the watermark cannot be read');
    writeFileSync(mark, '');
    await expectDamage(place, 'the watermark is missing');
    rmSync(mark);
    await expectDamage(place, 'the watermark is missing');
  });

  test('a watermark behind the ledger is what a kill leaves, and harmless', async () => {
    const place = await usedStore();
    writeFileSync(join(place, 'watermark'), '0000000000000001\n');
    const ledger = await freshLedger(sqlite, place);
    await settle(ledger, (await firstBatch(ledger)).id, 3, MATCHED);
    const { commits } = readCommits(place);
    expect(Number(readFileSync(join(place, 'watermark'), 'utf8'))).toBe(commits);
  });

  test('a start that was killed before the first commit is begun again', async () => {
    const place = freshPlace(sqlite);
    await (await openStore(sqlite, place)).close();
    writeFileSync(join(place, 'watermark'), '');
    await (await openStore(sqlite, place)).close();
    rmSync(join(place, 'watermark'));
    await (await openStore(sqlite, place)).close();
    rmSync(join(place, 'ledger.db'));
    const ledger = await freshLedger(sqlite, place);
    expect(await ledger.batches()).toEqual([]);
  });
});

describe('a file that is not ours', () => {
  /** A Rowonce of before its first release had another mark in the header, and numbers from 1 on. */
  const BEFORE = 0x526f576f;

  test.each([
    ['before the first release', BEFORE, 1],
    ['before the first release', BEFORE, 12],
    ['a Rowonce of which nothing is known, before the first release', BEFORE, SCHEMA + 98],
    ['a newer Rowonce', APPLICATION_ID, SCHEMA + 1],
  ])(
    'a ledger of %s (%i, schema %i) is refused in one sentence, and left as it is',
    async (_what, id, schema) => {
      const place = await usedStore();
      alter(place, `PRAGMA application_id = ${id}; PRAGMA user_version = ${schema}`);
      const before = filesIn(place);
      const fact =
        id === BEFORE
          ? 'was made by Rowonce before its first release, which kept the ledger in another form.'
          : `was made by a newer Rowonce (schema ${schema}; this one knows ${SCHEMA}).`;
      const refusal = {
        code: 'store_version',
        message: `The store ${place} ${fact} Nothing in it was changed.`,
      };
      await expect(openStore(sqlite, place)).rejects.toMatchObject(refusal);
      await expect(sqlite.look(place)).rejects.toMatchObject(refusal);
      expect(filesIn(place)).toEqual(before);
    },
  );

  test("another program's SQLite file, or no SQLite file, is refused and left as it is", async () => {
    const place = temporaryFolder();
    const file = join(place, 'ledger.db');
    const other = new Database(file);
    other.exec('CREATE TABLE ledger (id INTEGER); INSERT INTO ledger VALUES (1)');
    other.close();
    for (const content of [readFileSync(file), Buffer.from('name;email\n'.repeat(500))]) {
      writeFileSync(file, content);
      const refusal = { code: 'store', message: expect.stringContaining('is not a ledger of Rowonce') };
      await expect(openStore(sqlite, place)).rejects.toMatchObject(refusal);
      await expect(sqlite.look(place)).rejects.toMatchObject(refusal);
      expect(readFileSync(file)).toEqual(content);
    }
  });
});

/** The bytes of every file of a store. */
const filesIn = (place: string): Readonly<Record<string, Buffer>> =>
  Object.fromEntries(readdirSync(place).map((name) => [name, readFileSync(join(place, name))]));

async function firstBatch(ledger: Ledger) {
  const [batch] = await ledger.batches();
  if (batch === undefined) throw new Error('there is no batch');
  return batch;
}

function readCommits(place: string): { commits: number } {
  const database = new Database(join(place, 'ledger.db'), { readonly: true });
  onTestFinished(() => void database.close());
  return database.prepare<[], { commits: number }>('SELECT commits FROM book').get() ?? { commits: -1 };
}
