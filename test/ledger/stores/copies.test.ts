import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { leaveTo } from '../../../src/ledger/copy.ts';
import type { AnyRecord, Cell, Db } from '../../../src/ledger/db.ts';
import { findErasable } from '../../../src/ledger/erase.ts';
import type { Act, BatchId, Ledger } from '../../../src/ledger/ledger.ts';
import { keptTables } from '../../../src/ledger/schema.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { times } from '../../combinations.ts';
import { answered, batchNamed, decide, lost, MATCHED, NOON_MS, settle } from './book.ts';
import { changed, changeOf, INVITED } from './changes.ts';
import { anyStep, everything, take } from './histories.ts';
import { freshPlace, openStore } from './places.ts';
import { expectSound, type Side, sideOf } from './sides.ts';

/*
 * Goal: whatever a ledger holds, its copy in another store says the same, and stands the full check there.
 * Method: random histories, of which what is under way is ended first; the copy, and the copy of the copy in the first store, say all
 * that the ledger says.
 */

const options = { clock: systemClock, waitForLockMs: 0, command: 'store copy' };

/** Copies what is at a place to a place of its own. @param changed what the copy is made of instead. */
async function copyAt(at: string, changed = (db: Db) => db): Promise<string> {
  const place = freshPlace(sqlite);
  await sqlite.alone(at, options, async (source) => {
    const target = await sqlite.copyTo(place, options);
    const identity = randomBytes(16).toString('hex');
    await target.take(changed(source.db), identity);
    await leaveTo(source, { identity, place: target.place, atMs: NOON_MS });
    await target.arrive(identity);
    await target.close();
  });
  return place;
}

/** The same side in another store. */
async function copyOf(side: Side): Promise<Side> {
  const place = await copyAt(side.place);
  return { ...side, place, ledger: await openStore(sqlite, place, false) };
}

/** Ends what is under way, which only a ledger that is opened anew takes for left. */
async function ended(side: Side): Promise<Side> {
  await side.ledger.close();
  const ledger = await openStore(sqlite, side.place, false);
  for (const [at, { attempt }] of (await ledger.openAttempts()).entries())
    await ledger.end(attempt, { kind: at % 2 === 0 ? 'in_doubt' : 'not_sent', why: 'w' }, NOON_MS);
  return { ...side, ledger };
}

const RUNS = Number(process.env.HISTORIES ?? times(1, 12));

test('a copy says what its ledger says, and so does the copy of the copy', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 15, maxLength: 60 }), async (steps) => {
      const began = await sideOf(sqlite);
      for (const each of steps) await take(began, each);
      const side = await ended(began);
      const said = await everything(side);
      await side.ledger.close();
      const copy = await copyOf(side);
      expect(await everything(copy)).toEqual(said);
      await copy.ledger.close();
      const back = await copyOf(copy);
      expect(await everything(back)).toEqual(said);
      await back.ledger.close();
      for (const { place } of [copy, back]) await expectSound(sqlite, place);
    }),
    { numRuns: RUNS },
  );
});

// Goal: who did what goes with the ledger, and whoever works on in the copy is told apart. Method: several people work one after the
// other, before the copy and in it.
test('who was at work is known in the copy, and each of what was bought there', async () => {
  const place = freshPlace(sqlite);
  await by('ann', place, async (ledger, batch) => {
    await answered(ledger, batch, 'one', { reserve: 2, charged: 2 });
    await ledger.noteHold(batch, true, NOON_MS);
  });
  await by('bob', place, async (ledger, batch) => {
    await lost(ledger, batch, 'two');
    await decide(ledger, batch, 'two', 'skip');
  });
  await erase(place);
  const said = await toldOf(place);
  expect(said).toMatchObject({ acts: ['begun ann', 'paused ann', 'gone_on bob'], erasures: ['erased cy'] });
  const there = await copyAt(place);
  expect(await toldOf(there)).toEqual(said);
  await by('dee', there, async (ledger, batch) => {
    await answered(ledger, batch, 'three', { reserve: 5, charged: 5 });
  });
  const { spent, acts } = await toldOf(there);
  expect(spent).toEqual([...said.spent, ['dee', 5]]);
  const back = await copyAt(there);
  expect(await toldOf(back)).toMatchObject({ spent, acts });
});

async function by(
  operator: string,
  place: string,
  work: (ledger: Ledger, batch: BatchId) => Promise<void>,
): Promise<void> {
  const ledger = await openStore(sqlite, place, true, { operator });
  await work(ledger, await batchNamed(ledger, 'a'));
  await ledger.close();
}

/** Orders an erasure of what is old, of which there is nothing. */
async function erase(place: string): Promise<void> {
  await sqlite.alone(place, { ...options, operator: 'cy' }, async (alone) => {
    const found = await findErasable(alone, { kind: 'old', beforeMs: 1 });
    await found.erase([], NOON_MS);
  });
}

async function toldOf(place: string) {
  const ledger = await sqlite.look(place);
  onTestFinished(() => ledger.close());
  const [batch] = await ledger.batches();
  const acts = batch === undefined ? [] : await ledger.acts(batch.id);
  const words = (list: readonly Act[]) => list.map(({ kind, operator }) => `${kind} ${operator}`);
  const spent: [operator: string | undefined, spent: number][] = [];
  for await (const part of ledger.spentBetween(0, Number.MAX_SAFE_INTEGER))
    spent.push([part.operator, part.spent]);
  return { acts: words(acts), spent: spent.sort(), erasures: words(await ledger.erasures()) };
}

test('every row of every table is in the copy, as it was', async () => {
  const place = freshPlace(sqlite);
  await by('ann', place, async (ledger, batch) => {
    const rows = [2, 3, 4].map((row) => ({ row, cells: [`row-${row}.example`] }));
    await ledger.submitRows(batch, [...rows, { row: 5, cells: ['"'], unreadable: 'a stray quote' }]);
    await ledger.keepOrder(batch, { job: { name: 'j' }, dialect: { name: 'd' }, rangeRows: 2 });
    await settle(ledger, batch, 2, MATCHED, [await answered(ledger, batch, 'one')]);
    await changed(ledger, batch, changeOf('invite', 0), { left: INVITED });
    await ledger.notices.keep({ id: 'n1', kind: 'end', target: '{}', body: '{}', atMs: NOON_MS });
    await ledger.noteWritten('/lists/out.csv', ['a'.repeat(64)], batch);
  });
  const tablesAt = (at: string) => {
    const database = new Database(join(at, 'ledger.db'), { readonly: true });
    onTestFinished(() => void database.close());
    // What is said of the place, and of who copies it.
    const only: Readonly<Record<string, string>> = {
      meta: `name NOT IN ('identity', 'copied_to')`,
      workers: `operator = 'ann'`,
    };
    return keptTables().map(({ table }) => {
      const rows = database.prepare(`SELECT * FROM ${table} WHERE ${only[table] ?? '1 = 1'}`).all();
      return [table, rows.map((row) => JSON.stringify(row)).sort()] as const;
    });
  };
  const there = await copyAt(place);
  const was = tablesAt(place);
  const empty = was.filter(([, rows]) => rows.length === 0).map(([table]) => table);
  expect(empty).toEqual(['prices']);
  expect(tablesAt(there)).toEqual(was);
});

// Goal: a worker with a lower number may have sent again what another one had lost, and that one sent it again. Method: a copy of three
// such calls whose numbers are exchanged: the first has the greatest, and the second, which names it, the least.
test('a call that names one with a greater number is copied with it', async () => {
  const place = freshPlace(sqlite);
  await by('ann', place, async (ledger, batch) => {
    await lost(ledger, batch, 'two');
    for (const _ of [1, 2]) {
      const decision = await decide(ledger, batch, 'two', 'retry');
      await lost(ledger, batch, 'two', { decision });
    }
  });
  const exchanged = (db: Db): Db => ({
    ...db,
    async rows<Row>(sql: string, params?: readonly Cell[]) {
      const ids = (await db.rows<{ id: number }>('SELECT id FROM calls ORDER BY id')).map(({ id }) => id);
      const other = (cell: Cell): Cell => ids.at(ids.indexOf(Number(cell)) - 1) ?? null;
      const rows = await db.rows<AnyRecord>(sql, params);
      const turned = rows.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, cell]) => {
            const isCall =
              name === 'call' || (/FROM calls/.test(sql) && ['id', 'prior', 'reply'].includes(name));
            return [name, isCall && cell !== null ? other(cell) : cell];
          }),
        ),
      );
      return turned.toSorted((one, two) => Number(one.id) - Number(two.id)) as Row[];
    },
  });
  await expectSound(sqlite, await copyAt(place, exchanged));
});
