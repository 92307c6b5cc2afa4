import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { NO_FINDINGS } from '../../src/core/finding.ts';
import { findErasable } from '../../src/ledger/erase.ts';
import { keptTables } from '../../src/ledger/schema.ts';
import sqlite from '../../src/ledger/stores/sqlite.ts';
import { personOf } from '../../src/operations/lookup/person.ts';
import { said } from '../support/told.ts';
import {
  answered,
  batchNamed,
  batchSpec,
  decide,
  invited,
  lookAt,
  lost,
  NOON_MS,
  replyWith,
  settle,
} from './stores/book.ts';
import { freshPlace, openStore } from './stores/places.ts';

/*
 * Goal: of a person who is forgotten nothing is left in any column of any table, nor a byte in any file of the store.
 * Method: a ledger that has rows in every table, whose texts are all made to name the person by hand.
 */

const KIM = 'kim@example.org';

/** What is written into the texts of a table: as they are, or at a place of their JSON. */
const NAMING: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  workers: { command: 'forget KIM', operator: 'KIM' },
  accounts: { facts: '{"ended":{"message":"KIM is unknown"}}' },
  batches: { facts: '$.inputPath', lineage: '/lists/KIM.csv', work_order: '{"job":{"to":"KIM"}}' },
  subjects: { name: 'KIM', facts: '{"email":"KIM"}' },
  notes: { words: 'KIM says so', facts: '{"body":"BASE64"}' },
  replies: { headers: '{"x-about":"KIM"}' },
  attempts: {
    asked: '$.parameters.email',
    request: '{"path":"/v1/KIM","body":"BASE64"}',
    why: '[{"code":"told","facts":{"words":"KIM was found"}}]',
    vendor_id: 'job-of-KIM',
  },
  rows: {
    findings: '[{"code":"told","facts":{"words":"KIM was invited"}}]',
    work: '{"kind":"work","work":{"email":"KIM"}}',
  },
  cells: { cells: '{"cells":["KIM"]}' },
  files: { path: '/lists/KIM.csv' },
};

/** Words of our own, names of operations, hashes and numbers: no one is named there. */
const OURS: Readonly<Record<string, readonly string[]>> = {
  meta: ['name', 'value'],
  workers: ['host', 'accounts'],
  accounts: ['identity', 'terms'],
  known_as: ['kind', 'value'],
  prices: ['operation'],
  budgets: ['kind', 'batch'],
  batches: ['id', 'key', 'operation', 'state'],
  batch_accounts: ['batch', 'name'],
  subjects: ['project', 'batch'],
  notes: ['kind', 'said', 'batch', 'who'],
  attempts: ['state', 'kind', 'operation', 'batch', 'said', 'later_path'],
  rows: ['batch', 'state', 'matched_by'],
  uses: ['batch'],
  cells: ['batch'],
  files: ['kind', 'sha256', 'batch', 'host'],
  // What is told outside has no personal data.
  notices: ['id', 'kind', 'target', 'body'],
};

const texts = keptTables().flatMap(({ table, columns }) =>
  Object.entries(columns).flatMap(([column, type]) => (type === 'text' ? [`${table}.${column}`] : [])),
);

test('every text of every table may name a person, or is known to name nobody', () => {
  const known = (all: Readonly<Record<string, object>>, namesOf: (each: object) => readonly string[]) =>
    Object.entries(all).flatMap(([table, each]) => namesOf(each).map((column) => `${table}.${column}`));
  const listed = [...known(NAMING, Object.keys), ...known(OURS, Object.values)];
  expect(listed.toSorted()).toEqual(texts.toSorted());
});

/** A ledger with an answer, a change, a doubt that was looked at, one that was told about, a plan, a pause and a file. */
async function usedStore(): Promise<string> {
  const place = freshPlace(sqlite);
  const ledger = await openStore(sqlite, place, true, { operator: 'ann' });
  const batch = await batchNamed(ledger, 'a');
  await ledger.submitRows(batch, [{ row: 2, cells: ['x'] }]);
  await settle(ledger, batch, 2, { kind: 'matched', matchedBy: 'email', findings: NO_FINDINGS }, [
    await answered(ledger, batch, 'one'),
  ]);
  await invited(ledger, batch);
  const looked = await lost(ledger, batch, 'looked');
  await ledger.look(lookAt(looked, 'unclear'));
  await decide(ledger, batch, 'looked', 'told', replyWith('{"name":"Kim"}'));
  await lost(ledger, batch, 'told');
  await decide(ledger, batch, 'told', 'told', replyWith('{"name":"Kim"}'));
  const plan = [{ row: 2, kind: 'work', work: { to: 'viewer' } }] as const;
  const planned = (await ledger.beginBatch(batchSpec({ key: 'p', lineage: 'p' }), false, plan)).batch.id;
  await settle(ledger, planned, 2, { kind: 'applied', findings: said('it was invited') });
  await ledger.notePause(batchSpec().accountIdentity, {
    fromMs: 1,
    untilMs: 2,
    why: 'too fast',
    asked: true,
  });
  const kim = { batch: planned, row: 2, subject: { name: 'kim' }, after: 0, atMs: NOON_MS } as const;
  const { accountIdentity } = batchSpec();
  await ledger.noteLearned([{ ...kim, accountIdentity, leaves: { state: 'member' } }], 'a list says so');
  await ledger.noteWritten('/lists/out.csv', ['a'.repeat(64)], batch);
  for (const id of [batch, planned]) await ledger.changeBatch(id, { state: 'finished' });
  await ledger.close();
  return place;
}

function nameEverywhere(place: string): void {
  const database = new Database(join(place, 'ledger.db'));
  for (const [table, columns] of Object.entries(NAMING))
    for (const [column, words] of Object.entries(columns)) {
      const named = words.replaceAll('KIM', KIM).replace('BASE64', Buffer.from(KIM).toString('base64'));
      const [value, to] = words.startsWith('$')
        ? [`json_set(${column}, '${words}', ?)`, KIM]
        : [table === 'subjects' && column === 'name' ? "id || ' ' || ?" : '?', named];
      database.prepare(`UPDATE OR IGNORE ${table} SET ${column} = ${value}`).run(to);
      expect(database.prepare(`SELECT count(*) AS n FROM ${table}`).get(), table).not.toEqual({ n: 0 });
    }
  database.prepare('UPDATE notes SET facts = ? WHERE attempt IS NULL').run(JSON.stringify({ why: KIM }));
  database.close();
}

const FORMS = [KIM, Buffer.from(KIM).toString('base64'), encodeURIComponent(KIM)];

function leftIn(place: string): readonly string[] {
  const database = new Database(join(place, 'ledger.db'), { readonly: true });
  const left = keptTables().flatMap(({ table }) =>
    database
      .prepare<[], Record<string, unknown>>(`SELECT * FROM ${table}`)
      .all()
      .flatMap((row) =>
        Object.entries(row).map(([column, cell]) => [`${table}.${column}`, String(cell)] as const),
      )
      .flatMap(([name, cell]) => (FORMS.some((form) => cell.includes(form)) ? [name] : [])),
  );
  database.close();
  const isIn = (name: string): boolean =>
    FORMS.some((form) => readFileSync(join(place, name)).includes(form));
  return [...new Set(left), ...readdirSync(place).filter(isIn)];
}

test('nothing is left of who is forgotten, in no table and in no file', async () => {
  const place = await usedStore();
  nameEverywhere(place);
  expect(leftIn(place)).toEqual(
    expect.arrayContaining(['attempts.asked', 'rows.work', 'workers.operator', 'ledger.db']),
  );
  const options = { waitForLockMs: 0, clock: systemClock, command: 'forget' };
  await sqlite.alone(place, options, async (alone) => {
    const found = await findErasable(alone, { kind: 'person', person: personOf(KIM) });
    expect(found.unsettled).toEqual([]);
    expect(await found.erase([], NOON_MS)).toBeUndefined();
  });
  expect(leftIn(place)).toEqual([]);
  expect(await sqlite.check(place)).toMatchObject({ broken: [], wrong: [] });
});
