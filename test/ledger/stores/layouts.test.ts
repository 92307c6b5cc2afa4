/**
 * Goal: a ledger of an earlier release becomes one of this release with all that was bought, whole or not at all, and nobody
 * spends from it by other tables meanwhile.
 * Method: a newer layout is invented here. A list is bought by the real command, which does not know it, and then the stores, which know both, open what it left, over SQLite and over a real server of PostgreSQL.
 */
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { LAYOUT_STEPS, type LayoutStep, layoutNow } from '../../../src/ledger/layouts.ts';
import type { Store } from '../../../src/ledger/store.ts';
import postgres from '../../../src/ledger/stores/postgres.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { type Desk, openDesk } from '../../cli/desk.ts';
import { openStore } from './places.ts';
import { postgresServer, type Server } from './postgres-server.ts';

let server: Server;
beforeAll(async () => {
  server = await postgresServer();
});

/** Each batch gets a colour: a column, a table, what stands in both, and what the two databases say otherwise. */
const COLOURS: LayoutStep = (name) => `
CREATE TABLE colours (
  id {id},
  name TEXT NOT NULL
) {strict};
INSERT INTO colours (name) VALUES ('${name}');
ALTER TABLE batches ADD COLUMN colour {int} REFERENCES colours;
UPDATE batches SET colour = (SELECT id FROM colours);`;

const BROKEN: LayoutStep = (name) => `${COLOURS(name)} UPDATE batches SET hue = 1;`;

/** This program knows the layout as well, for the rest of the test. */
function knowing(step: LayoutStep): void {
  const steps = LAYOUT_STEPS as LayoutStep[];
  steps.push(step);
  onTestFinished(() => void steps.pop());
}

interface Place {
  readonly desk: Desk;
  readonly store: Store;
  readonly location: string;
  query(text: string): Promise<readonly unknown[]>;
}

async function bought(desk: Desk, location: string): Promise<void> {
  desk.list(3);
  expect(await desk.type(desk.run('--store', location))).toMatchObject({ code: 0 });
  expect(await desk.requests()).toBe(3);
}

async function inFolder(): Promise<Place> {
  const desk = await openDesk();
  const location = desk.place.path('store');
  await bought(desk, location);
  const query = async (text: string): Promise<readonly unknown[]> => {
    const database = new Database(desk.place.path('store/ledger.db'), { readonly: true });
    try {
      return database.prepare(text).all();
    } finally {
      database.close();
    }
  };
  return { desk, store: sqlite, location, query };
}

let databases = 0;

async function inDatabase(): Promise<Place> {
  databases += 1;
  const name = `layouts_${process.pid}_${databases}`;
  await server.createDatabase(name);
  const desk = await openDesk();
  const location = server.url(name);
  expect(await desk.type(['store', 'init', location])).toMatchObject({ code: 0 });
  await bought(desk, location);
  const query = (text: string) => server.query(name, `SET search_path = rowonce_ledger; ${text}`);
  return { desk, store: postgres, location, query };
}

const PLACES = [
  ['a folder', inFolder],
  ['a database', inDatabase],
] as const;

/** What brings it on: who spends from a folder, and from a database its owner, before anybody spends. */
async function bringOn({ store, location }: Place): Promise<void> {
  if (store.name === 'postgres') await store.init(location);
  else await (await openStore(store, location, false)).close();
}

const LAYOUTS = 'SELECT number FROM steps ORDER BY number';
/** The layout of the real command, which knows none of those that are invented here. */
const KNOWN = layoutNow();
const OF_KNOWN = [{ number: KNOWN }];

describe.each(PLACES)('a ledger of an earlier layout in %s', (_, open) => {
  test('a ledger of an earlier layout is brought on once, keeps what was bought, and is none of the earlier program any more', async () => {
    const place = await open();
    const { desk, store, location, query } = place;
    const before = await query('SELECT id, key, state, charged FROM attempts ORDER BY id');
    knowing(COLOURS);
    await bringOn(place);
    await bringOn(place);
    expect(await query(LAYOUTS)).toEqual([...OF_KNOWN, { number: KNOWN + 1 }]);
    expect(await query('SELECT c.name FROM batches b JOIN colours c ON c.id = b.colour')).toEqual([
      { name: store.name },
    ]);
    expect(await query('SELECT id, key, state, charged FROM attempts ORDER BY id')).toEqual(before);
    const ledger = await openStore(store, location, false);
    expect(await ledger.batches()).toMatchObject([{ state: 'finished' }]);
    await ledger.close();
    const { code, stderr } = await desk.type(desk.run('--store', location));
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`(schema ${KNOWN + 1}; this one knows ${KNOWN}).`),
    });
    expect(await desk.requests()).toBe(3);
  });

  test('a ledger of an earlier layout whose step fails stays as it was, and the earlier program goes on with it', async () => {
    const place = await open();
    const { desk, location, query } = place;
    knowing(BROKEN);
    await expect(bringOn(place)).rejects.toThrow('hue');
    expect(await query(LAYOUTS)).toEqual(OF_KNOWN);
    await expect(query('SELECT * FROM colours')).rejects.toThrow('colours');
    expect(await desk.type(desk.run('--store', location))).toMatchObject({ code: 0 });
    expect(await desk.requests()).toBe(3);
  });

  test('a ledger of an earlier layout is left alone by who may not bring it on, and that one is told who may', async () => {
    const { store, location, query } = await open();
    knowing(COLOURS);
    const refusal = {
      code: 'store_version',
      message: expect.stringMatching(/kept the ledger in another form\. Nothing in it was changed\.$/),
      next: expect.stringMatching(
        store.name === 'postgres'
          ? /^Let its owner stop all who work with it, then run: .*rowonce store init postgres:/
          : /^The next command that writes into it brings it to the new form\.$/,
      ),
    };
    await expect(store.look(location)).rejects.toMatchObject(refusal);
    if (store.name === 'postgres') await expect(openStore(store, location)).rejects.toMatchObject(refusal);
    expect(await query(LAYOUTS)).toEqual(OF_KNOWN);
  });
});
