/**
 * Goal: who opens the ledger with `sqlite3` or `psql` finds the tables and moves that `docs/internals/ledger.md` says, and the questions
 * there have the answers that they should.
 * Method: the real command fills a ledger with a lost answer, another dialect, and a process that is
 * killed; each SQL block of the page is run over it, in both databases, in the words that the page gives for each.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CALL_MOVES, keptTables, ROW_MOVES } from '../../src/ledger/schema.ts';
import { accountsOf } from '../faults/ways.ts';
import { Workplace } from '../faults/workplace.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/internals/ledger.md'), 'utf8');

/** Each question, which is the paragraph before it, with the SQL that answers it. */
const QUESTIONS = [...PAGE.matchAll(/\n\n([^\n]+(?:\n[^\n]+)*)\n\n```sql\n([^`]+)\n```/g)].map(
  ([, question = '', sql = '']) => ({ question, sql }),
);

/** The cells of each line of a table of the page. */
const tableUnder = (heading: string): readonly (readonly string[])[] =>
  [...(PAGE.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '').matchAll(/^\| (.*) \|$/gm)]
    .map(([, line = '']) => line.split(' | '))
    .slice(1);

function movesUnder(heading: string, states: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const to = new Map<string, Set<string>>();
  for (const [from = '', into = ''] of tableUnder(heading))
    for (const state of from.split(', '))
      for (const next of into === 'any' ? states.filter((other) => other !== state) : into.split(', '))
        if (next !== '–') to.set(state, (to.get(state) ?? new Set()).add(next));
  return Object.fromEntries(states.map((state) => [state, [...(to.get(state) ?? [])].toSorted()]));
}

const sorted = (moves: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(Object.entries(moves).map(([from, to]) => [from, [...to].toSorted()]));

test('the page has the moves of the tables, and no other', () => {
  expect(movesUnder('How a call moves', Object.keys(CALL_MOVES))).toEqual(sorted(CALL_MOVES));
  expect(movesUnder('How a row moves', Object.keys(ROW_MOVES))).toEqual(sorted(ROW_MOVES));
});

test('the page has all tables and their columns', () => {
  const told = tableUnder('Tables').map(([table = '', , columns = '']) => [
    table,
    ...columns.matchAll(/`(\w+)`/g),
  ]);
  const names = told.map(([table, ...columns]) => [table, ...columns.map(([, name]) => name)].join(' '));
  const kept = keptTables().map(({ table, columns }) => [`\`${table}\``, ...Object.keys(columns)].join(' '));
  expect(names.toSorted()).toEqual(kept.toSorted());
});

const ABN = '51824753556';

type Answer = Readonly<Record<string, unknown>>;
type Asking = (sql: string) => Promise<readonly Answer[]>;

/** Lists of two people; a lost answer; another dialect; and a run that is killed. */
async function fill(place: Workplace, store: string): Promise<string> {
  const { vendor } = place;
  const accounts = (dialect?: string) => ({
    ...accountsOf('direct', vendor.url, {
      limits: { per_second: 2_000, concurrency: 1 },
      ...(dialect && { dialect }),
    }),
  });
  place.writeDialect({
    answers: [{ status: [200], body: { path: 'name', matches: 'unknown' }, means: 'no_match' }],
  });
  place.writeAccounts(accounts());
  place.writeList(['a.example', 'b.example', 'c.example']);
  const first = await place.runHere({ store, more: ['--as', 'kim'] });
  expect(first.code, first.stderr).toBe(3);
  place.writeAccounts(accounts('dialect.yaml'));
  place.writeList([ABN], 'abn.csv', 'ABN');
  const second = await place.runHere({
    store,
    input: 'abn.csv',
    output: 'abn.out.csv',
    more: ['--as', 'lee'],
  });
  expect(second.code, second.stderr).toBe(0);
  place.writeList(['d.example'], 'killed.csv');
  const killed = place.start({
    store,
    input: 'killed.csv',
    output: 'killed.out.csv',
    crashAt: 'after-intent',
  });
  expect((await killed.ended).signal).toBe('SIGKILL');
  return first.report?.batch ?? '';
}

async function inSqlite(place: Workplace): Promise<{ store: string; ask: Asking; spoil: () => void }> {
  const path = place.path('store/ledger.db');
  const asking = (sql: string): readonly Answer[] => {
    const database = new Database(path);
    try {
      const statement = database.prepare<[], Answer>(sql);
      if (statement.reader) return statement.all();
      statement.run();
      return [];
    } finally {
      database.close();
    }
  };
  return { store: 'store', ask: async (sql) => asking(sql), spoil: () => void asking(SPOIL) };
}

const SPOIL = `UPDATE budgets SET spent = spent + 1 WHERE scope LIKE 'batch:%' AND spent = 2`;

/** The driver gives whole numbers of 64 bits as text. */
const inNumbers = ([name, cell]: readonly [string, unknown]): readonly [string, unknown] => [
  name,
  name !== 'id' && name !== 'batch' && typeof cell === 'string' && /^\d+$/.test(cell) ? Number(cell) : cell,
];

async function inPostgres(): Promise<{ store: string; ask: Asking; spoil: () => Promise<unknown> }> {
  const server = await (await import('./stores/postgres-server.ts')).postgresServer();
  await server.createDatabase('questions');
  const ask: Asking = async (sql) => {
    const own = sql.replaceAll(/datetime\(([\w.]+) \/ 1000, 'unixepoch'\)/g, 'to_timestamp($1 / 1000)');
    const found = await server.query('questions', `SET search_path = rowonce_ledger; ${own}`);
    return found.map((row) => Object.fromEntries(Object.entries(row).map(inNumbers)));
  };
  return { store: server.url('questions'), ask, spoil: () => ask(SPOIL) };
}

describe.each(['sqlite', 'postgres'] as const)('in %s', (name) => {
  let place: Workplace;
  let batch: string;
  let ask: Asking;
  let spoil: () => unknown;

  beforeAll(async () => {
    place = await Workplace.open({ faults: 'charged-reset:x1' });
    const opened = await (name === 'sqlite' ? inSqlite(place) : inPostgres());
    ({ ask, spoil } = opened);
    batch = await fill(place, opened.store);
  });

  afterAll(() => place[Symbol.asyncDispose]());

  const answersTo = (begins: string): Promise<readonly Answer[]> => {
    const { sql } = QUESTIONS.find(({ question }) => question.startsWith(begins)) ?? {};
    if (sql === undefined) throw new Error(`the page asks nothing that begins "${begins}"`);
    return ask(sql);
  };

  test('what each list spent and holds', async () => {
    const lists = await answersTo('What did each list spend');
    expect(lists).toHaveLength(3);
    expect(lists.find(({ id }) => id === batch)).toMatchObject({
      ...{ operation: 'enrich-company', state: 'finished', path: place.path('list.csv') },
      ...{ spent: 2, held: 1, cap: 1_000_000 },
    });
  });

  test('which rows are in doubt', async () => {
    expect(await answersTo('Which rows are in doubt')).toMatchObject([
      { batch, row: 2, operation: 'enrich-company', reserved: 1 },
    ]);
  });

  test('whether the books add up, and which one does not', async () => {
    expect(await answersTo('Do the books add up')).toEqual([]);
    await spoil();
    expect(await answersTo('Do the books add up')).toMatchObject([
      { scope: `batch:${batch}`, spent: 3, added: 2, held: 1, holds: 1 },
    ]);
  });
});
