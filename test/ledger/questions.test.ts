/**
 * Goal: who opens the ledger with `sqlite3` or `psql` finds the tables and moves that `docs/internals/ledger.md` says, and the questions
 * there have the answers that they should.
 * Method: the real command fills a ledger with a lost answer, another dialect, a person who is invited and removed, and a process that is
 * killed; each SQL block of the page is run over it, in both databases, in the words that the page gives for each.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CALL_MOVES, keptTables, ROW_MOVES } from '../../src/ledger/schema.ts';
import { TeamWorkplace } from '../faults/team-workplace.ts';
import { accountsOf } from '../faults/ways.ts';
import type { Workplace } from '../faults/workplace.ts';

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

test('ten questions are asked', () => {
  expect(QUESTIONS).toHaveLength(10);
});

const ABN = '51824753556';
const JO = 'jo@team.example';

type Answer = Readonly<Record<string, unknown>>;
type Asking = (sql: string) => Promise<readonly Answer[]>;

/** What the page gives its readers as examples, in place of what is so here. */
interface Named {
  readonly batch: string;
  readonly month: number;
}

const monthNow = (): number => Number(new Date().toISOString().slice(0, 7).replace('-', ''));

/** Lists of two people; a lost answer; another dialect; and a run that is killed. */
async function fill(team: TeamWorkplace, store: string): Promise<Named> {
  const { place, vendor } = team;
  const accounts = (dialect?: string) => ({
    ...accountsOf('direct', vendor.url, {
      limits: { per_second: 2_000, concurrency: 1 },
      ...(dialect && { dialect }),
    }),
    team: {
      vendor: 'service',
      base_url: vendor.url,
      organization_id: 'org-1',
      project_id: 'proj-1',
      key: 'key-1',
    },
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
  if (store === 'store') await change(team);
  place.writeList(['d.example'], 'killed.csv');
  const killed = place.start({
    store,
    input: 'killed.csv',
    output: 'killed.out.csv',
    crashAt: 'after-intent',
  });
  expect((await killed.ended).signal).toBe('SIGKILL');
  return { batch: first.report?.batch ?? '', month: monthNow() };
}

/** Only a ledger in a folder takes changes. */
async function change(team: TeamWorkplace): Promise<void> {
  team.writeJob({ remove_missing: true, guards: { max_removals: '100%' } });
  for (const [operator, person] of [
    ['kim', JO],
    ['lee', 'mo@team.example'],
  ] as const) {
    team.writeSheet([{ email: person, role: 'viewer' }]);
    const more = ['--account', 'team', '--as', operator];
    const ended = await team.runHere({ output: `${operator}.csv`, more });
    expect(ended.code, ended.stderr).toBe(0);
  }
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

const IN_PSQL: readonly (readonly [RegExp, string])[] = [
  [/datetime\(([\w.]+) \/ 1000, 'unixepoch'\)/g, 'to_timestamp($1 / 1000)'],
  [/CAST\(p\.body AS TEXT\)/g, "convert_from(p.body, 'UTF8')"],
];

/** The driver gives whole numbers of 64 bits as text. */
const inNumbers = ([name, cell]: readonly [string, unknown]): readonly [string, unknown] => [
  name,
  name !== 'id' && name !== 'batch' && typeof cell === 'string' && /^\d+$/.test(cell) ? Number(cell) : cell,
];

async function inPostgres(): Promise<{ store: string; ask: Asking; spoil: () => Promise<unknown> }> {
  const server = await (await import('./stores/postgres-server.ts')).postgresServer();
  await server.createDatabase('questions');
  const ask: Asking = async (sql) => {
    const own = IN_PSQL.reduce((text, [from, to]) => text.replaceAll(from, to), sql);
    const found = await server.query('questions', `SET search_path = rowonce_ledger; ${own}`);
    return found.map((row) => Object.fromEntries(Object.entries(row).map(inNumbers)));
  };
  return { store: server.url('questions'), ask, spoil: () => ask(SPOIL) };
}

describe.each(['sqlite', 'postgres'] as const)('in %s', (name) => {
  let team: TeamWorkplace;
  let named: Named;
  let ask: Asking;
  let spoil: () => unknown;

  beforeAll(async () => {
    team = await TeamWorkplace.open({ faults: 'charged-reset:x1' });
    const opened = await (name === 'sqlite' ? inSqlite(team.place) : inPostgres());
    ({ ask, spoil } = opened);
    named = await fill(team, opened.store);
  });

  afterAll(() => team[Symbol.asyncDispose]());

  const answersTo = (begins: string): Promise<readonly Answer[]> => {
    const { sql } = QUESTIONS.find(({ question }) => question.startsWith(begins)) ?? {};
    if (sql === undefined) throw new Error(`the page asks nothing that begins "${begins}"`);
    return ask(sql.replaceAll('00c0ffee', named.batch).replaceAll('202611', String(named.month)));
  };

  test('what each list spent and holds', async () => {
    const lists = await answersTo('What did each list spend');
    expect(lists).toHaveLength(name === 'sqlite' ? 5 : 3);
    expect(lists.find(({ id }) => id === named.batch)).toMatchObject({
      ...{ operation: 'enrich-company', state: 'finished', path: team.place.path('list.csv') },
      ...{ spent: 2, held: 1, cap: 1_000_000 },
    });
  });

  test('which rows are in doubt', async () => {
    expect(await answersTo('Which rows are in doubt')).toMatchObject([
      { batch: named.batch, row: 2, operation: 'enrich-company', reserved: 1 },
    ]);
  });

  test('whether an ABN was bought', async () => {
    const bought = await answersTo('Was this ABN ever bought');
    expect(bought).toMatchObject([
      { row: 2, kind: 'first', state: 'answered', said: 'found', operator: 'lee' },
    ]);
    expect(new Date(`${bought[0]?.sent}`).getFullYear()).toBe(new Date().getFullYear());
  });

  test('what came back for a row', async () => {
    const [reply] = await answersTo('What came back');
    expect(reply).toMatchObject({ status: 200 });
    expect(JSON.parse(String(reply?.body))).toMatchObject({ domain: 'b.example' });
    expect(JSON.parse(String(reply?.headers))).toHaveProperty('x-credits-charged', '1');
  });

  test('how full the budgets of today are', async () => {
    const [ofTeam, ofData] = [
      { spent: 0, held: 0 },
      { spent: 3, held: 2, cap: null, overrun: 0 },
    ];
    const full = await answersTo('How full are the budgets');
    expect(full).toMatchObject(name === 'sqlite' ? [ofData, ofData, ofTeam, ofTeam] : [ofData, ofData]);
    expect(full[1]).toMatchObject({ scope: `month:1:${named.month}` });
  });

  test('who invited and who removed a person', async () => {
    const [invited, removed] = [
      { operation: 'create-invite', state: 'answered', operator: 'kim', row: 2 },
      { operation: 'delete-invite', state: 'answered', operator: 'lee', row: 3 },
    ];
    expect(await answersTo('Who changed this person')).toMatchObject(
      name === 'sqlite' ? [invited, removed] : [],
    );
  });

  test('what each operator spent', async () => {
    const spent = await answersTo('What did each operator spend');
    expect(spent.find(({ operator }) => operator === 'kim')).toMatchObject({
      spent: 2,
      held: 1,
    });
    expect(spent.reduce((sum, { held }) => sum + Number(held), 0)).toBe(2);
  });

  test('what is open', async () => {
    const open = await answersTo('What is open right now');
    expect(open).toMatchObject([{ row: 2, operation: 'enrich-company', reserved: 1 }]);
    expect(open[0]?.batch).not.toBe(named.batch);
  });

  test('which answers are of another dialect', async () => {
    expect(await answersTo('Which answers were read by another dialect')).toMatchObject([
      { batch: named.batch, row: 3, said: 'found' },
      { batch: named.batch, row: 4, said: 'found' },
    ]);
  });

  test('whether the books add up, and which one does not', async () => {
    expect(await answersTo('Do the books add up')).toEqual([]);
    await spoil();
    expect(await answersTo('Do the books add up')).toMatchObject([
      { scope: `batch:${named.batch}`, spent: 3, added: 2, held: 1, holds: 1 },
    ]);
  });
});
