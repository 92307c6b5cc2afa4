/**
 * Goal: what the door to PostgreSQL promises the ledger: a group is one message and one commit, one process writes at a time, and whatever
 * is cut off, stopped or restarted, a group is written once.
 * Method: doors over a real server, through a way on which the test decides what becomes of each message.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { stop } from '../../../src/core/errors.ts';
import { openPostgres, type PostgresDb } from '../../../src/ledger/db/postgres.ts';
import { each, eachWriting, type GroupPart, groupPart, SCHEMA } from '../../../src/ledger/db.ts';
import type { Patience } from '../../../src/lib/postgres-server.ts';
import { anotherServer, postgresServer, type Server } from '../stores/postgres-server.ts';
import { CUTS, cutNext, Way } from './way.ts';

const FOR_EVER: Patience = { longestMs: undefined, signal: undefined };

const LAID_OUT = `
CREATE SCHEMA ${SCHEMA};
CREATE TABLE workers (id {int} PRIMARY KEY, newest_group {int} NOT NULL DEFAULT 0);
CREATE TABLE purse (id {int} PRIMARY KEY, spent {int} NOT NULL, CONSTRAINT "a budget holds" CHECK (spent <= 10));
CREATE TABLE calls (id {int} PRIMARY KEY, what TEXT, body {bytes});
INSERT INTO workers (id) VALUES (1), (2);
INSERT INTO purse VALUES (1, 0);`;

let databases = 0;

async function database(server: Server): Promise<string> {
  databases += 1;
  const name = `door_${databases}`;
  await server.createDatabase(name);
  const door = await openPostgres(server.url(name));
  await door.script(LAID_OUT);
  await door.close();
  return name;
}

interface Opened {
  readonly worker?: number;
  readonly patience?: Patience;
  readonly told?: string[];
}

async function opened(
  url: string,
  { worker = 1, patience = FOR_EVER, told }: Opened = {},
): Promise<PostgresDb> {
  const tell = (fact: string): void => void told?.push(fact);
  const door = await openPostgres(url, { riding: { ...patience, clock: systemClock, tell } });
  // One that is held up for good, where a promise is broken, would never be closed.
  onTestFinished(() => void door.close());
  door.workAs(worker, async () => stop('store_lost', 'it was put back', 'restore it'));
  return door;
}

const COLUMNS = { id: 'int', what: 'text', body: 'bytes' } as const;
interface Call {
  readonly id: number;
  readonly what: string | null;
  readonly body: Uint8Array | null;
}

const BEGUN = eachWriting(COLUMNS, 'id')(
  'INSERT INTO calls (id, what, body) SELECT v.id, v.what, v.body FROM v',
  'SELECT c.id FROM v JOIN calls c ON c.id = v.id',
);
const BOOKED = each(COLUMNS)('UPDATE purse SET spent = purse.spent + (SELECT count(*) FROM v) WHERE id = 1');
const SAID = each(COLUMNS)<Call>(
  'SELECT c.id, c.what, c.body FROM v JOIN calls c ON c.id = v.id ORDER BY c.id',
);

const call = (id: number): Call => ({ id, what: `call ${id}`, body: null });
const groupOf = (...records: readonly Call[]): readonly GroupPart[] => [
  groupPart([BEGUN, BOOKED, SAID], records),
];

interface Books {
  readonly calls: number;
  readonly spent: number;
}

async function booksOf(server: Server, name: string): Promise<Books> {
  const ask = `SELECT (SELECT count(*) FROM ${SCHEMA}.calls)::int AS calls, spent::int AS spent FROM ${SCHEMA}.purse`;
  return (await server.query(name, ask))[0] as never;
}

async function place(): Promise<[Server, string, Way]> {
  const server = await postgresServer();
  const name = await database(server);
  return [server, name, await Way.to(server.url(name))];
}

test('what is refused by a rule of the tables leaves nothing, names the rule, and what follows is written', async () => {
  const [server, name, way] = await place();
  const door = await opened(way.url(name));
  const eleven = Array.from({ length: 11 }, (_, id) => call(id));
  const broken = door.write([...groupOf(call(100)), ...groupOf(...eleven)]);
  await expect(broken).rejects.toThrow('money rule: a budget holds');
  const ofItsOwn = door.transaction(async (sql) => {
    await sql.each(BEGUN, [call(1)]);
    throw new Error('of its own');
  });
  await expect(ofItsOwn).rejects.toThrow('of its own');
  expect(await booksOf(server, name)).toEqual({ calls: 0, spent: 0 });
  await door.write(groupOf(call(1)));
  expect(await booksOf(server, name)).toEqual({ calls: 1, spent: 1 });
});

test('two processes never write at the same time, by groups or by hand', async () => {
  const [server, name] = await place();
  const doors = await Promise.all([1, 2].map((worker) => opened(server.url(name), { worker })));
  const more = (door: PostgresDb): Promise<unknown> =>
    door.transaction(async (sql) => {
      const [{ spent } = { spent: 0 }] = await sql.rows<{ spent: number }>('SELECT spent FROM purse');
      // So long that another one would come in between.
      await delay(20);
      await sql.rows('UPDATE purse SET spent = ?', [spent + 1]);
    });
  await Promise.all(
    doors.flatMap((door, at) => [more(door), door.write(groupOf(call(at))), more(door), more(door)]),
  );
  expect(await booksOf(server, name)).toEqual({ calls: 2, spent: 8 });
});

describe('a COMMIT whose answer is lost is neither lost nor done twice', () => {
  test.for(Object.entries(CUTS))('a COMMIT cut off %s the database has it', async ([, cut]) => {
    const [server, name, way] = await place();
    const door = await opened(way.url(name));
    cutNext(way, cut);
    const said = await door.write(groupOf(call(1)));
    expect(said).toEqual([[{ id: 1 }], [], [call(1)]]);
    expect(await booksOf(server, name)).toEqual({ calls: 1, spent: 1 });
    cutNext(way, cut);
    const result = await door.transaction(async (sql) => {
      await sql.each(BOOKED, [call(2)]);
      return 'done';
    });
    expect(result).toBe('done');
    expect(await booksOf(server, name)).toEqual({ calls: 1, spent: 2 });
    await door.write(groupOf(call(2)));
    expect(await booksOf(server, name)).toEqual({ calls: 2, spent: 3 });
  });

  test('a COMMIT is not done twice, though it comes to the database when it was written anew already', async () => {
    const [server, name, way] = await place();
    const door = await opened(way.url(name));
    const refused = new Promise<void>((resolve) => {
      cutNext(way, (link, chunk) => {
        way.answered = (of, answer) => {
          if (of === link && answer.includes('division by zero')) resolve();
          of.toClient(answer);
        };
        void written.then(() => link.toDatabase(chunk));
        link.cutClient();
      });
    });
    const written = door.write(groupOf({ ...call(1), what: null }));
    await Promise.all([written, refused]);
    expect(await booksOf(server, name)).toEqual({ calls: 1, spent: 1 });
  });
});

describe('a process that is stopped does not hold the others for ever', () => {
  test('a process that stops between two statements holds nobody up; when it goes on, its work is done anew', async () => {
    const [server, name, way] = await place();
    const [stopped, other] = [await opened(way.url(name)), await opened(server.url(name), { worker: 2 })];
    const { promise: goesOn, resolve: goOn } = Promise.withResolvers<void>();
    const { promise: hasBegun, resolve: begun } = Promise.withResolvers<void>();
    const late = stopped.transaction(async (sql) => {
      await sql.each(BOOKED, [call(1)]);
      begun();
      await goesOn;
      await sql.each(BEGUN, [call(1)]);
    });
    await hasBegun;
    await other.write(groupOf(call(2)));
    expect(await booksOf(server, name)).toEqual({ calls: 1, spent: 1 });
    goOn();
    await late;
    expect(await booksOf(server, name)).toEqual({ calls: 2, spent: 2 });
  }, 30_000);
});

describe('while the database is away', () => {
  test('what is asked for waits, which is told once, and so is that it is back', async () => {
    const server = await anotherServer();
    onTestFinished(() => server.stopAtOnce());
    const name = await database(server);
    const told: string[] = [];
    const door = await opened(server.url(name), { told });
    await server.stopAtOnce();
    const [written, read] = [door.write(groupOf(call(1))), door.rows('SELECT 1 AS one')];
    await expect.poll(() => told).toHaveLength(1);
    await server.startAgain();
    await Promise.all([written, read]);
    expect(await booksOf(server, name)).toEqual({ calls: 1, spent: 1 });
    expect(told).toEqual([
      expect.stringMatching(/^postgres:.* Nothing is sent until it can be reached again/),
      expect.stringMatching(/^postgres:.* answers again after /),
    ]);
  });
});
