/**
 * Goal: what a vendor finds by an id alone is taken by a second call, and each of the two is bought once, whatever kills the
 * program and however many rows lead to the id. Of several no one is taken.
 * Method: the real command before a vendor on a real socket that searches and hands out, over SQLite and PostgreSQL.
 */
import { describe, expect, test } from 'vitest';
import { postgresServer } from '../ledger/stores/postgres-server.ts';
import { proof } from '../support/combinations.ts';
import { type Asked, type DeskBefore, deskBefore, type JsonResult } from './desk.ts';
import type { Ended } from './rowonce.ts';

const TAKING = { id: 'data.0.id', path: '/collect', fields: { id: 'ids.0' }, credits: { most: 2 } };
const finder = (taking: object = TAKING, more: object = {}) => ({
  operations: {
    'find-email': {
      method: 'POST',
      path: '/search',
      by: ['first_name+last_name+domain'],
      then: taking,
      gives: { email: 'person.email' },
      credits: { most: 1, found: 1, miss: 0 },
      ...more,
    },
  },
});

const PEOPLE = ['Ann,Lee,a.example', 'Bob,Poe,b.example', 'Cat,Roy,c.example'];
const listOf = (people: readonly string[]): string => `First,Last,Site\n${people.join('\n')}\n`;
const COLUMNS = { first_name: 'First', last_name: 'Last', domain: 'Site' };
const JOB = { account: 'data', columns: COLUMNS, operations: { 'find-email': { add: { Email: 'email' } } } };

interface ThenDesk extends DeskBefore {
  /** The ids that the vendor finds, by first names; one of its own for each where that is left out. */
  readonly ids: Record<string, readonly unknown[]>;
  readonly store: string | undefined;
  /** Of the commands that are started. */
  env: Record<string, string>;
  /** What it has for an id. */
  hands(id: string): ReturnType<DeskBefore['answer']>;
  run(...more: readonly string[]): Promise<Ended>;
  /** The people who were searched for, and the ids that were taken, sorted: several are under way at once. */
  bought(): { readonly searched: readonly string[]; readonly taken: readonly string[] };
  rows(name?: string): Promise<readonly string[]>;
  money(): Promise<JsonResult>;
}

const isTaking = ({ path }: Asked): boolean => path.endsWith('/collect');
const idOf = ({ body }: Asked): string => JSON.parse(body).ids[0];

/** @param store where it is another one than the folder of the desk. */
async function thenDesk({
  people = PEOPLE,
  dialect = finder(),
  job = {},
  account = {},
  store,
}: {
  people?: readonly string[];
  dialect?: object;
  job?: object;
  account?: object;
  store?: string | undefined;
} = {}): Promise<ThenDesk> {
  const before = await deskBefore((asked) => {
    if (isTaking(asked)) return at.hands(idOf(asked));
    const { email = '', first_name: name = email } = asked.input;
    return { data: (at.ids[name] ?? [`id-${name}`]).map((id) => ({ id })), total: 1 };
  }, account);
  const { desk, asked } = before;
  const where = store === undefined ? [] : ['--store', store];
  const at: ThenDesk = Object.assign(before, {
    ids: {} as Record<string, readonly unknown[]>,
    hands: (id: string): ReturnType<DeskBefore['answer']> => ({ person: { email: `${id}@found.example` } }),
    run: (...more: readonly string[]) => {
      const list = more[0]?.endsWith('.csv') === true ? [] : ['list.csv'];
      const budget = more.includes('--budget') ? [] : ['--budget', '900'];
      const words = ['run', 'job.yaml', ...list, ...more, '--yes', ...budget, '-o', 'out.csv', ...where];
      return desk.type(words, { env: at.env });
    },
    env: {},
    store,
    bought: () => ({
      searched: asked
        .filter((each) => !isTaking(each))
        .map(({ input }) => String(input.first_name))
        .toSorted(),
      taken: asked.filter(isTaking).map(idOf).toSorted(),
    }),
    rows: async (name = 'out.csv') => {
      const [, ...rows] = (await desk.read(name)).trim().split(/\r?\n/);
      return rows.map((row) => row.split(',').slice(3, 6).join(' ').trim());
    },
    money: async () => (await desk.json(['status', ...where])).batches[0].credits,
  });
  before.speak(dialect);
  if (store !== undefined) expect((await desk.type(['store', 'init', store])).code).toBe(0);
  await desk.write('job.yaml', JSON.stringify({ ...JOB, ...job }));
  await desk.write('list.csv', listOf(people));
  return at;
}

const NAMES = PEOPLE.map((row) => row.slice(0, 3));
const IDS = NAMES.map((name) => `id-${name}`);
const ALL_FOUND = IDS.map((id) => `${id}@found.example matched`);

async function postgresStore(name: string): Promise<string> {
  const server = await postgresServer();
  const database = `then_${name}_${process.pid}`;
  await server.createDatabase(database);
  return server.url(database);
}

describe.each([
  {
    name: 'SQLite',
    storeOf: async (): Promise<string | undefined> => undefined,
    points: ['after-keep', 'after-judge', 'after-end', 'before-intent:2', 'after-keep:2', 'before-row'],
    again: test,
  },
  { name: 'PostgreSQL', storeOf: postgresStore, points: ['after-end'], again: proof },
])('over $name', ({ storeOf, points, again }) => {
  test('what was found is taken by its id, each call is paid for once, and a second run and another list send nothing', async () => {
    const at = await thenDesk({ store: await storeOf('once') });
    expect((await at.run()).code).toBe(0);
    expect(at.bought()).toEqual({ searched: NAMES, taken: IDS });
    expect(await at.rows()).toEqual(ALL_FOUND);
    expect(await at.money()).toMatchObject({ spent: 9, in_doubt: 0, reserved: 0 });
    expect((await at.run()).code).toBe(0);
    await at.desk.write('other.csv', listOf(PEOPLE.toReversed()));
    expect((await at.run('other.csv')).code).toBe(0);
    expect(await at.rows()).toEqual(ALL_FOUND.toReversed());
    expect(at.bought()).toEqual({ searched: NAMES, taken: IDS });
  });

  again('a kill at any point between the two calls buys neither again', async () => {
    const at = await thenDesk({ people: PEOPLE.slice(0, 1), store: await storeOf('killed') });
    for (const point of points) {
      at.env = { ROWONCE_CRASH_AT: point };
      expect([null, 0, 3]).toContain((await at.run()).code);
    }
    at.env = {};
    expect((await at.run()).code).toBe(0);
    expect(at.bought()).toEqual({ searched: ['Ann'], taken: ['id-Ann'] });
    expect(await at.rows()).toEqual(['id-Ann@found.example matched']);
    expect(await at.money()).toMatchObject({ spent: 3, in_doubt: 0, reserved: 0 });
  });

  again('a taking whose answer is lost holds its row, and settling it finishes the row', async () => {
    const at = await thenDesk({ people: PEOPLE.slice(0, 1), store: await storeOf('doubt') });
    const { hands } = at;
    at.hands = () => undefined;
    expect((await at.run()).code).toBe(3);
    expect(await at.rows()).toEqual([expect.stringMatching(/^ *in_doubt/)]);
    expect(await at.money()).toMatchObject({ spent: 1, in_doubt: 2 });
    at.hands = hands;
    expect((await at.run()).code).toBe(3);
    expect(at.bought()).toEqual({ searched: ['Ann'], taken: ['id-Ann'] });
    const where = at.store === undefined ? [] : ['--store', at.store];
    const batch = (await at.desk.json(['status', ...where])).batches[0].batch;
    const settled = await at.desk.type(['settle', batch, '--retry', '--extra-credits', '9', ...where]);
    expect(settled.code, settled.stderr).toBe(0);
    expect((await at.run()).code).toBe(0);
    expect(at.bought()).toEqual({ searched: ['Ann'], taken: ['id-Ann', 'id-Ann'] });
    expect(await at.rows()).toEqual(['id-Ann@found.example matched']);
  });
});

test('two rows that lead to one id take it once', async () => {
  const at = await thenDesk();
  Object.assign(at.ids, { Ann: [7], Bob: ['7'] });
  expect((await at.run()).code).toBe(0);
  expect(at.bought()).toEqual({ searched: NAMES, taken: ['7', 'id-Cat'] });
  expect(await at.rows()).toEqual([
    '7@found.example matched',
    '7@found.example matched',
    'id-Cat@found.example matched',
  ]);
  expect(await at.money()).toMatchObject({ spent: 7 });
});

test('where several fit, nothing is taken and the row is refused, unless the dialect says that the first is meant', async () => {
  const at = await thenDesk();
  Object.assign(at.ids, { Bob: ['b1', 'b2', 'b3'] });
  const ended = await at.run();
  expect(ended.code, ended.stderr).toBe(3);
  expect(at.bought().taken).toEqual(['id-Ann', 'id-Cat']);
  expect((await at.rows())[1]).toBe('refused 3 people fit');
  expect(await at.money()).toMatchObject({ spent: 7 });
  at.speak(finder({ ...TAKING, first: true }));
  await at.desk.write('other.csv', listOf(PEOPLE.slice(1)));
  expect((await at.run('other.csv')).code).toBe(0);
  expect(at.bought()).toEqual({ searched: NAMES, taken: ['b1', 'id-Ann', 'id-Cat'] });
});

test.each([
  ['an empty list', []],
  ['a blank', ['']],
  ['nothing', [null]],
  ['no text', [{ number: 7, of: 'people' }]],
])('an answer with %s in the place of the id is a miss', async (__, ids) => {
  const dialect = finder(TAKING, { credits: { most: 2, found: 2, miss: 1 } });
  const at = await thenDesk({ people: PEOPLE.slice(0, 1), dialect });
  Object.assign(at.ids, { Ann: ids });
  expect((await at.run()).code).toBe(0);
  expect(at.bought().taken).toEqual([]);
  expect((await at.rows()).join()).toMatch(/^no_match/);
  expect(await at.money()).toMatchObject({ spent: 1 });
});

test('an id for which the vendor has nothing is a miss, and nothing of the first answer is shown', async () => {
  const at = await thenDesk({
    people: PEOPLE.slice(0, 1),
    job: { operations: undefined, operation: 'find-email' },
  });
  at.hands = () => Response.json({ error: 'not found' }, { status: 404 });
  const ended = await at.run();
  expect(ended.code, ended.stderr).toBe(0);
  expect((await at.desk.read('out.csv')).split('\n')[1]).toContain('a.example,no_match');
});

test('a budget that ends between the two calls stops there, and the next run takes what was found', async () => {
  const at = await thenDesk({ people: PEOPLE.slice(0, 2) });
  expect((await at.run('--budget', '4')).code).toBe(4);
  expect(at.bought()).toEqual({ searched: ['Ann', 'Bob'], taken: ['id-Ann'] });
  expect((await at.run('--budget', '6')).code).toBe(0);
  expect(at.bought()).toEqual({ searched: ['Ann', 'Bob'], taken: ['id-Ann', 'id-Bob'] });
  expect(await at.money()).toMatchObject({ spent: 6 });
});

test('the plan counts both calls, and the run counts a row once', async () => {
  const at = await thenDesk({
    people: [...PEOPLE, 'Dan,Moe,d.example'],
    job: {
      operations: {
        'find-email': { add: { Email: 'email' } },
        'enrich-company': { add: { Company: 'name' } },
      },
    },
    dialect: {
      operations: {
        ...finder().operations,
        'enrich-company': {
          method: 'POST',
          path: '/company',
          gives: { name: 'name' },
          credits: { most: 1, found: 1, exact: false },
        },
      },
    },
  });
  const answer = at.answer;
  at.answer = (asked, nth) =>
    asked.path === '/company' ? { name: `Inc ${asked.input.domain}`, about: nth } : answer(asked, nth);
  Object.assign(at.ids, { Dan: [] });
  const plan = await at.desk.json(['plan', 'job.yaml', 'list.csv']);
  expect(plan.credits).toEqual({ most: 16, expected: 16 });
  expect(plan.steps).toMatchObject([
    { operation: 'find-email', reached: 4, known: 0, most: 12 },
    { operation: 'enrich-company', reached: 4, known: 0, most: 4 },
  ]);
  const run = await at.desk.json(['run', 'job.yaml', 'list.csv', '--yes', '--budget', '90', '-o', 'out.csv']);
  expect(run.steps[0]).toMatchObject({
    operation: 'find-email',
    reached: 4,
    asked: 4,
    found: 3,
    missed: 1,
    credits: { spent: 9, for_misses: 0 },
    price: 3,
    price_by_rate: 4,
  });
});

test('cells and their source are of the account from which it was taken', async () => {
  const at = await thenDesk({
    people: PEOPLE.slice(0, 1),
    job: {
      account: undefined,
      operations: { 'find-email': { account: ['one', 'two'], add: { Email: 'email' } } },
    },
  });
  const { base_url: url } = JSON.parse(await at.desk.read('config/accounts.yaml')).accounts.data;
  const account = (id: string) => ({
    vendor: 'provider',
    id,
    base_url: `${url.replace(/\/$/, '')}/${id}`,
    key: 'k',
    dialect: 'ours.yaml',
    limits: { per_second: 2_000, concurrency: 1 },
  });
  at.desk.place.writeAccounts({ one: account('one'), two: account('two') });
  const { hands } = at;
  at.hands = (id) => (at.bought().taken.length === 1 ? { person: { email: '' } } : hands(id));
  expect((await at.run()).code).toBe(0);
  const paths = ['/one/search', '/one/collect', '/two/search', '/two/collect'];
  expect(at.asked.map(({ path }) => path)).toEqual(paths);
  const [header, ...rows] = (await at.desk.read('out.csv')).trim().split(/\r?\n/);
  expect(header).toContain('Email,Email_source,_status');
  expect(rows.map((row) => row.split(',').slice(3, 6))).toEqual([['id-Ann@found.example', 'two', 'matched']]);
});

const PHONES = {
  operations: {
    'find-phone': {
      method: 'POST',
      path: '/search',
      by: ['email'],
      then: TAKING,
      gives: { phone: 'phone' },
      credits: { most: 1, found: 1 },
    },
  },
};
const PHONE_JOB = { columns: { email: 'Site' }, operations: { 'find-phone': { add: { Phone: 'phone' } } } };

test('what was taken of a person who is forgotten is erased with the call that led to it', async () => {
  const at = await thenDesk({ people: ['Ann,Lee,ann@a.example'], dialect: PHONES, job: PHONE_JOB });
  at.hands = () => ({ phone: '+61 400 000 000' });
  const first = await at.run();
  expect(first.code, first.stderr).toBe(0);
  expect(await at.rows()).toEqual(['+61 400 000 000 matched']);
  const forgot = await at.desk.json(['forget', 'ann@a.example', '--yes']);
  expect(forgot.stores[0].requests).toBe(2);
  await at.desk.write('other.csv', listOf(['Ann,Lee,ann@a.example', 'Bob,Poe,bob@b.example']));
  expect((await at.run('other.csv')).code).toBe(0);
  expect(at.asked).toHaveLength(4);
});

test('what another list has taken of a person who is forgotten is erased with the call that led to it, and what was taken of others stays', async () => {
  const taking = { ...TAKING, first: true };
  const dialect = { operations: { 'find-phone': { ...PHONES.operations['find-phone'], then: taking } } };
  const at = await thenDesk({ people: ['Ann,Lee,ann@a.example'], dialect, job: PHONE_JOB });
  Object.assign(at.ids, { 'ann@a.example': [1, 2], 'bob@b.example': [2] });
  at.hands = () => ({ phone: '+61 400 000 000' });
  at.env = { ROWONCE_CRASH_AT: 'after-end' };
  expect((await at.run()).code).toBe(null);
  at.env = {};
  await at.desk.write('other.csv', listOf(['Bob,Poe,bob@b.example', 'Ann,Lee,ann@a.example']));
  expect((await at.run('other.csv')).code).toBe(0);
  expect(at.bought().taken).toEqual(['1', '2']);
  expect(at.asked).toHaveLength(4);
  const forgot = await at.desk.json(['forget', 'ann@a.example', '--yes']);
  expect(forgot.stores[0].requests).toBe(2);
});

test('what was taken of a person who is forgotten is erased as well where the program was killed before the row ended', async () => {
  const at = await thenDesk({ people: ['Ann,Lee,ann@a.example'], dialect: PHONES, job: PHONE_JOB });
  at.hands = () => ({ phone: '+61 400 000 000' });
  at.env = { ROWONCE_CRASH_AT: 'before-row' };
  expect((await at.run()).code).toBe(null);
  expect(at.asked).toHaveLength(2);
  at.env = {};
  const forgot = await at.desk.json(['forget', 'ann@a.example', '--yes']);
  expect(forgot.stores[0].requests).toBe(2);
});

test('a vendor that finds later is asked for what it found, which is then taken', async () => {
  const later = { id: 'job', path: '/results/{id}', every: '100ms', gives_up: '2h' };
  const at = await thenDesk({ people: PEOPLE.slice(0, 1), dialect: finder(TAKING, { later }) });
  const answer = at.answer;
  at.answer = (asked, nth) => {
    if (asked.path === '/search') return { job: 'job-1' };
    return asked.path === '/results/job-1' ? { data: [{ id: 'id-Ann' }] } : answer(asked, nth);
  };
  expect((await at.run()).code).toBe(0);
  expect(at.bought().taken).toEqual(['id-Ann']);
  expect(await at.rows()).toEqual(['id-Ann@found.example matched']);
});

test('a dialect that takes nothing by the id is refused', async () => {
  const at = await thenDesk({ dialect: finder({ ...TAKING, path: '/collect/{it}' }) });
  const ended = await at.desk.type(['plan', 'job.yaml', 'list.csv']);
  expect(ended.code).not.toBe(0);
  expect(ended.stderr).toContain('the path has {it}, but no call has such a field');
  at.speak({
    operations: {
      'check-email': {
        method: 'POST',
        path: '/check',
        then: TAKING,
        gives: { verdict: 'v' },
        verdicts: { valid: 'ok' },
        credits: { most: 1, found: 1 },
      },
    },
  });
  const other = await at.desk.type(['plan', 'job.yaml', 'list.csv']);
  expect(other.stderr).toContain('nothing is taken by an id in check-email');
});

test('a job by which a row may need more than twenty calls is refused by its plan, with the sum', async () => {
  const tiers = [
    ...['first_name+last_name+domain', 'full_name+domain', 'full_name+company', 'email', 'profile_url'],
    ...['first_name+last_name+company', 'email+domain', 'email+company', 'profile_url+domain'],
    ...['profile_url+company', 'email+full_name'],
  ];
  const at = await thenDesk({
    job: { operations: { 'find-email': { add: { Email: 'email' }, waterfall: tiers } } },
  });
  const ended = await at.desk.type(['plan', 'job.yaml', 'list.csv']);
  expect(ended.stderr).toContain('a row may need 22 calls, and the most is 20');
});
