/**
 * Goal: several vendors are asked for one list in the order of the job, until one has what a row lacks. What the ledger
 * knows of any of them is never bought again, and one that ends, pauses or loses an answer costs nothing at another.
 * Method: the real command before one vendor on a real socket that answers for three accounts, each at a path of its own.
 */
import { existsSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Answer, type Asked, type DeskBefore, deskBefore } from './desk.ts';

const FINDER = {
  operations: {
    'find-email': {
      method: 'POST',
      path: '/find',
      by: ['first_name+last_name+domain'],
      gives: { email: 'data.email' },
      credits: { most: 1, found: 1 },
    },
    'check-email': {
      method: 'POST',
      path: '/check',
      gives: { verdict: 'state' },
      credits: { most: 1, found: 1 },
      verdicts: { valid: 'ok', accept_all: 'catchall', invalid: 'bad', unknown: 'unknown' },
    },
    'enrich-person': {
      method: 'POST',
      path: '/person',
      by: ['email', 'profile_url'],
      gives: { job_title: 'title' },
      credits: { most: 2, found: 2 },
    },
  },
};

const PEOPLE = ['Ann,Lee,a.example,', 'Bob,Poe,b.example,', 'Cat,Roy,c.example,'];
const listOf = (...rows: readonly string[]): string => `First,Last,Site,Email\n${rows.join('\n')}\n`;

const JOB = {
  columns: { first_name: 'First', last_name: 'Last', domain: 'Site' },
  operations: { 'find-email': { account: ['one', 'two', 'three'], add: { Email: 'email' } } },
  on_existing: 'fill',
  budget: { credits: 99 },
};

const NOTHING = (): Response => Response.json({ error: 'No match' }, { status: 404 });
const LOST = (): undefined => undefined;
const found = (first: string, by: string): object => ({ data: { email: `${first}@${by}.example` } });
/** An account that knows these people. */
const knows =
  (by: string, ...names: readonly string[]): Answer =>
  ({ input }) =>
    names.includes(String(input.first_name)) ? found(String(input.first_name), by) : NOTHING();

interface Several extends DeskBefore {
  /** `one: Ann`, in order. */
  said(): readonly string[];
  /** What the accounts answer from now on. */
  answers(now: Readonly<Record<string, Answer>>): void;
}

/** @param answers what each account answers. */
async function deskOf(answers: Readonly<Record<string, Answer>>, job: object = {}): Promise<Several> {
  const account = (path: string): string => /^\/(\w+)/.exec(path)?.[1] ?? '';
  const at = await deskBefore((asked, nth) => answers[account(asked.path)]?.(asked, nth));
  const { base_url: url } = JSON.parse(await at.desk.read('config/accounts.yaml')).accounts.data;
  const entries = Object.keys(answers).map((name) => [
    name,
    {
      vendor: 'provider',
      id: name,
      base_url: `${url.replace(/\/$/, '')}/${name}`,
      key: 'a-test-key',
      // The second vendor is asked in a dialect of its own.
      dialect: name === 'two' ? 'two.yaml' : 'ours.yaml',
      limits: { per_second: 2_000, concurrency: 1 },
    },
  ]);
  at.desk.place.writeAccounts(Object.fromEntries(entries));
  at.speak(FINDER);
  at.desk.place.writeDialect({ ...FINDER, answers: [{ status: [418], means: 'no_match' }] }, 'two.yaml');
  await at.desk.write('job.yaml', JSON.stringify({ ...JOB, ...job }));
  await at.desk.write('list.csv', listOf(...PEOPLE));
  const said = () =>
    at.asked.map(({ path, input }: Asked) => `${account(path)}: ${input.first_name ?? input.email}`);
  return Object.assign(at, {
    said,
    answers: (now: Readonly<Record<string, Answer>>) => {
      at.answer = (asked, nth) => now[account(asked.path)]?.(asked, nth);
    },
  });
}

const RUN = ['run', 'job.yaml', 'list.csv', '-o', 'out.csv', '--yes', '--max-pause', '20s'];
const run = (at: Several, ...more: string[]) => at.desk.type([...RUN, ...more]);
const cells = ({ desk }: Several, ...columns: string[]): string[] =>
  desk.place.rows().map((row) => columns.map((column) => row[column] ?? '').join(' | '));

test('each account is asked only for what none before it has', async () => {
  const at = await deskOf({ one: knows('one', 'Ann'), two: knows('two', 'Bob'), three: knows('three') });
  expect((await run(at)).code).toBe(0);
  expect(at.said().toSorted()).toEqual([
    ...['one: Ann', 'one: Bob', 'one: Cat', 'three: Cat', 'two: Bob', 'two: Cat'],
  ]);
  expect(cells(at, 'Email', 'Email_source', '_status', '_credits')).toEqual([
    'Ann@one.example | one | matched | 1',
    'Bob@two.example | two | matched | 1',
    ' |  | no_match | 0',
  ]);
  const again = await run(at);
  expect(again.code).toBe(0);
  expect(at.said().length).toBe(6);
  expect(again.stderr).not.toContain('reads differently');
});

test('what a killed run has left open at any account is settled before it is decided about', async () => {
  const at = await deskOf(
    { one: knows('one'), two: NOTHING },
    {
      operations: {
        'find-email': { account: 'one', add: { Email: 'email' } },
        'enrich-person': { account: 'two', add: { Title: 'job_title' } },
      },
      columns: { first_name: 'First', last_name: 'Last', domain: 'Site', email: 'Email' },
    },
  );
  await at.desk.write('list.csv', listOf('Ann,Lee,a.example,ann@a.example'));
  await at.desk.type(RUN, { env: { ROWONCE_CRASH_AT: 'after-keep' } });
  expect(await at.desk.json(['settle', 'last'])).toMatchObject({ open: 0, in_doubt: [] });
  expect((await run(at)).code).toBe(0);
  expect(at.said()).toEqual(['two: ann@a.example']);
});

test('plan, run and report say what each account is asked, finds and costs, also for misses', async () => {
  const at = await deskOf({ one: knows('one', 'Ann'), two: knows('two', 'Bob'), three: knows('three') });
  const dear = { ...FINDER.operations['find-email'], credits: { most: 4, found: 4, miss: 1 } };
  at.desk.place.writeDialect({ operations: { ...FINDER.operations, 'find-email': dear } }, 'two.yaml');
  const { credits, steps: planned } = await at.desk.json(['plan', 'job.yaml', 'list.csv']);
  // The second account may be paid for a miss before the third one finds the address.
  expect(credits.most).toBe(3 * (4 + 1));
  // As is a request that it refuses at the price of a match, whatever a miss costs.
  const refusal = {
    status: [200],
    body: { path: 'status', equals: 'CANCELED' },
    means: 'refused',
    charged: true,
  };
  const strict = { ...dear, credits: { most: 4, found: 4, miss: 0 }, answers: [refusal] };
  at.desk.place.writeDialect({ operations: { ...FINDER.operations, 'find-email': strict } }, 'two.yaml');
  expect((await at.desk.json(['plan', 'job.yaml', 'list.csv'])).credits.most).toBe(3 * (4 + 1));
  at.desk.place.writeDialect({ operations: { ...FINDER.operations, 'find-email': dear } }, 'two.yaml');
  expect(planned.map((step: object) => Object.values(step).join())).toEqual([
    'find-email,one,3,0,3,,false',
    'find-email,two,3,0,12,,true',
    'find-email,three,3,0,3,,false',
  ]);
  const ran = (await at.desk.json(RUN)).steps;
  expect(ran).toMatchObject([
    { account: 'one', reached: 3, known: 0, asked: 3, found: 1, missed: 2, price_by_rate: 3 },
    {
      account: 'two',
      reached: 2,
      found: 1,
      missed: 1,
      credits: { spent: 5, for_misses: 1 },
      price_by_rate: 8,
    },
    { account: 'three', reached: 1, found: 0, missed: 1, credits: { spent: 0 }, price_by_rate: null },
  ]);
  const { stdout } = await run(at);
  expect(stdout).toContain(
    '  find-email at two: 1 of 2 rows found, at most 5 credits, 1 for misses; at most 5 credits each\n',
  );
  expect(stdout).toContain('\n  find-email by price ÷ match rate, the cheapest first: one (3), two (8)\n');
  const report = (await at.desk.read('out.report.html')).replaceAll(/<[^>]+>/g, ' ');
  expect(report).toMatch(
    /Who found it[\s\S]+two: e-mail addresses +1 of 2, 50.%; at most 5 credits, 1 for misses; at most 5 credits each /,
  );
  expect((await at.desk.json(['spend'])).groups).toMatchObject([
    { name: 'two', spent: 5, for_misses: 1 },
    { name: 'one', spent: 1, for_misses: 0 },
    { name: 'three', spent: 0, for_misses: 0 },
  ]);
});

test('what one account has found or lost is not bought at another, whatever their order is next month', async () => {
  const one: Answer = (asked, nth) =>
    asked.input.first_name === 'Dan' ? LOST() : knows('one', 'Ann')(asked, nth);
  const at = await deskOf({ one, two: knows('two', 'Bob'), three: knows('three') });
  await at.desk.write('list.csv', listOf(...PEOPLE, 'Dan,May,d.example,'));
  await run(at);
  const before = at.said().length;
  const operations = { 'find-email': { account: ['three', 'two', 'one'], add: { Email: 'email' } } };
  await at.desk.write('job.yaml', JSON.stringify({ ...JOB, operations }));
  await at.desk.write('list.csv', listOf(...PEOPLE, 'Dan,May,d.example,', 'Ann,Lee,a.example,'));
  expect(await at.desk.json(['plan', 'job.yaml', 'list.csv'])).toMatchObject({
    to_buy: 0,
    bought_before: 3,
    in_doubt: 1,
  });
  expect((await run(at)).code).toBe(3);
  expect(at.said().length).toBe(before);
  expect(cells(at, 'Email', 'Email_source')[0]).toBe('Ann@one.example | one');
});

test('a row whose cell the list has filled is asked nowhere, and a plan says what the others cost at most', async () => {
  const at = await deskOf({ one: knows('one'), two: knows('two'), three: knows('three') });
  await at.desk.write('list.csv', listOf('Ann,Lee,a.example,ann@list.example', 'Bob,Poe,b.example,n/a'));
  const plan = await at.desk.json(['plan', 'job.yaml', 'list.csv']);
  expect(plan).toMatchObject({ rows: 2, skipped: 1, to_buy: 1, credits: { most: 1 } });
  await run(at);
  expect(at.said()).toEqual(['one: Bob', 'two: Bob', 'three: Bob']);
  expect(cells(at, 'Email', 'Email_source', '_status')[0]).toBe('ann@list.example | list | skipped');
});

const DEAD = (): Response => Response.json({ error: 'invalid api key' }, { status: 401 });
const BROKE = (): Response => Response.json({ error: 'no credits left' }, { status: 402 });

test.each([
  ['a dead key', DEAD, 77],
  ['used-up credits', BROKE, 4],
])(
  'after %s the rows go on to the next account, and one that no other fills waits for the first',
  async (_, ends, code) => {
    const at = await deskOf({ one: ends, two: knows('two', 'Ann', 'Bob'), three: knows('three') });
    expect((await run(at)).code).toBe(code);
    expect(cells(at, 'Email', '_status')).toEqual([
      'Ann@two.example | matched',
      'Bob@two.example | matched',
      ' | pending',
    ]);
    at.answers({ one: knows('one', 'Cat'), two: NOTHING, three: NOTHING });
    const before = at.said().length;
    expect((await run(at)).code).toBe(0);
    expect(at.said().slice(before)).toEqual(['one: Cat']);
    expect(cells(at, 'Email', '_status')[2]).toBe('Cat@one.example | matched');
  },
);

const slowFor = (seconds: number) => (): Response =>
  Response.json({ error: 'slow down' }, { status: 429, headers: { 'retry-after': String(seconds) } });

test.each([
  ['a dead key before used-up credits', { one: BROKE, two: DEAD, three: NOTHING }, 77],
  ['used-up credits before a pause', { one: BROKE, two: slowFor(60), three: NOTHING }, 4],
])('a run that several accounts ended says %s', async (_, answers, code) => {
  expect((await run(await deskOf(answers))).code).toBe(code);
});

test('an account whose share of the budget is used up leaves its rows to the next one', async () => {
  const budget = { credits: 99, accounts: { one: 1 } };
  const everybody = ['Ann', 'Bob', 'Cat'];
  const at = await deskOf(
    { one: knows('one', ...everybody), two: knows('two', 'Bob'), three: knows('three') },
    { budget },
  );
  await changeAccounts(at, { one: { budget: { per_day: 2 } } });
  // The others are asked for the rest, so that nothing is said of rows.
  const { stdout } = await at.desk.type(['plan', 'job.yaml', 'list.csv']);
  expect(stdout).toContain('  budget         one has 2 of 2 credits left today (UTC)\n');
  await changeAccounts(at, { one: { budget: undefined } });
  const ended = await run(at);
  expect(ended).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('Raise budget.accounts.one in the job'),
  });
  const filled = ['Ann@one.example | matched', 'Bob@two.example | matched', ' | pending'];
  expect(cells(at, 'Email', '_status')).toEqual(filled);
  await at.desk.write('job.yaml', JSON.stringify({ ...JOB, budget: { credits: 99, accounts: { one: 3 } } }));
  expect((await run(at)).code).toBe(0);
  expect(cells(at, 'Email').every((cell) => cell !== '')).toBe(true);
});

test('a row waits for an account that is paused, and a row that needs nothing of that account goes on', async () => {
  const slow = slowFor(60);
  const one: Answer = ({ input }) => (input.first_name === 'Ann' ? NOTHING() : slow());
  const at = await deskOf({ one, two: knows('two', 'Ann', 'Bob'), three: knows('three') });
  expect((await run(at, '--max-pause', '1s')).code).toBe(75);
  expect(at.said().filter((each) => !each.startsWith('one'))).toEqual(['two: Ann']);
  expect(cells(at, '_status')).toEqual(['matched', 'pending', 'pending']);
});

test('an account that is asked wrongly stops the run, and no other is paid in its place', async () => {
  const moved = (): Response =>
    new Response(null, { status: 301, headers: { location: 'https://other.example' } });
  const at = await deskOf({ one: moved, two: knows('two', 'Ann'), three: knows('three') });
  expect((await run(at)).code).toBe(2);
  expect(at.said().filter((each) => !each.startsWith('one'))).toEqual([]);
});

const TWO = { operations: { 'find-email': { account: ['one', 'two'], add: { Email: 'email' } } } };

test('equal matches of a further account stop another list that the store knows wholly, until a person accepts', async () => {
  const at = await deskOf({ one: NOTHING, two: () => found('info', 'two') }, TWO);
  const rows = ['Ann', 'Bob', 'Cat', 'Dan', 'Eve'].map((name) => `${name},Lee,a.example,`);
  await at.desk.write('list.csv', listOf(...rows));
  expect((await run(at)).code).toBe(2);
  const asked = at.said().length;
  await at.desk.write('list.csv', listOf(...rows.toReversed()));
  expect(await run(at)).toMatchObject({ code: 2, stderr: expect.stringContaining('same-answers') });
  expect(cells(at, 'Email', '_status')).toEqual(rows.map(() => ' | pending'));
  expect((await run(at, '--accept', 'same-answers')).code).toBe(0);
  expect(cells(at, 'Email')).toEqual(rows.map(() => 'info@two.example'));
  expect(at.said().length).toBe(asked);
});

test('an answer of a further account that is none any more is bought again where a person agrees', async () => {
  const wrong = (): object => ({ data: { email: 'slow@two.example' } });
  const at = await deskOf({ one: NOTHING, two: wrong }, TWO);
  await at.desk.write('list.csv', listOf('Ann,Lee,a.example,'));
  await run(at);
  const rule = { status: [200], body: { path: 'data.email', matches: 'slow' }, means: 'rate_limited' };
  at.desk.place.writeDialect({ ...FINDER, answers: [rule] }, 'two.yaml');
  at.answers({ one: NOTHING, two: knows('two', 'Ann') });
  expect(await at.desk.json(['plan', 'job.yaml', 'list.csv'])).toMatchObject({ to_buy: 1 });
  expect((await run(at)).code).toBe(0);
  expect(at.said()).toEqual(['one: Ann', 'two: Ann', 'two: Ann']);
  expect(cells(at, 'Email', '_status')).toEqual(['Ann@two.example | matched']);
});

test('an answer that is lost holds its row at that account, until a person says what came of it', async () => {
  const at = await deskOf({
    one: (asked) => (asked.input.first_name === 'Ann' ? LOST() : NOTHING()),
    two: knows('two', 'Ann'),
    three: NOTHING,
  });
  expect((await run(at)).code).toBe(3);
  expect(at.said()).not.toContain('two: Ann');
  expect(cells(at, 'Email', '_status')[0]).toBe(' | in_doubt');
  await run(at);
  expect(at.said()).not.toContain('two: Ann');
  expect((await at.desk.type(['settle', 'last'])).stdout).toMatch(/^row 2, one, first_name Ann.*: in doubt/m);
  expect((await at.desk.type(['status', 'last', '2'])).stdout).toMatch(/: one, find-email, first_name Ann/);
  expect((await at.desk.type(['status', 'last'])).stdout).toContain(
    ', find-email with accounts one, two, three\n',
  );
  await at.desk.type(['settle', 'last', '2', '--answer', 'no_match']);
  expect((await run(at)).code).toBe(0);
  expect(cells(at, 'Email', 'Email_source', '_credits')[0]).toBe('Ann@two.example | two | 2');
});

test.each([
  ['a person', {}, 1, true],
  ['the step', { in_doubt: 'skip' }, 2, false],
])('where %s leaves out the lost call, the next account is asked', async (_, entry, most, isSettled) => {
  const step = { account: ['one', 'two'], add: { Email: 'email' }, ...entry };
  const at = await deskOf({ one: LOST, two: knows('two', 'Ann') }, { operations: { 'find-email': step } });
  await at.desk.write('list.csv', listOf('Ann,Lee,a.example,'));
  expect((await at.desk.json(['plan', 'job.yaml', 'list.csv'])).credits.most).toBe(most);
  await run(at);
  if (isSettled) {
    expect(at.said()).toEqual(['one: Ann']);
    await at.desk.type(['settle', 'last', '2', '--skip']);
    await run(at);
  }
  expect(at.said()).toEqual(['one: Ann', 'two: Ann']);
  expect(cells(at, 'Email', '_status')).toEqual(['Ann@two.example | matched']);
});

test('a lost call that its account cannot send again within its share holds its row', async () => {
  const budget = { credits: 99, accounts: { one: 1 } };
  const at = await deskOf(
    { one: LOST, two: knows('two', 'Ann'), three: NOTHING },
    { budget, in_doubt: { retry: { extra_credits: 9 } } },
  );
  await at.desk.write('list.csv', listOf('Ann,Lee,a.example,'));
  expect((await run(at)).code).toBe(4);
  expect(at.said()).toEqual(['one: Ann']);
  expect(cells(at, 'Email', '_status')).toEqual([' | in_doubt']);
});

test('a row that another account fills is of that account, whatever comes of the call that was left out', async () => {
  const step = { account: ['one', 'two'], add: { Email: 'email' }, in_doubt: 'skip' };
  const at = await deskOf({ one: LOST, two: knows('two', 'Ann') }, { operations: { 'find-email': step } });
  await at.desk.write('list.csv', listOf('Ann,Lee,a.example,'));
  await run(at);
  const filled = cells(at, 'Email', '_as_of');
  expect((await at.desk.type(['settle', 'last', '2', '--answer', 'no_match'])).code).toBe(0);
  expect((await at.desk.type(['export', 'last'])).code).toBe(0);
  expect(cells(at, 'Email', '_as_of')).toEqual(filled);
});

test.each([
  ['between two accounts', 'before-intent:2', ['one: Ann']],
  ['with an answer of the second one', 'after-keep:2', ['one: Ann', 'two: Ann']],
])('after a process that dies %s no account is asked again', async (_, crash, said) => {
  const at = await deskOf({ one: NOTHING, two: knows('two', 'Ann'), three: NOTHING });
  await at.desk.write('list.csv', listOf('Ann,Lee,a.example,'));
  const killed = await at.desk.type(RUN, { env: { ROWONCE_CRASH_AT: crash } });
  expect({ code: killed.code, said: at.said() }).toEqual({ code: null, said });
  expect((await run(at)).code).toBe(0);
  expect(at.said()).toEqual(['one: Ann', 'two: Ann']);
  expect(cells(at, 'Email', '_status')).toEqual(['Ann@two.example | matched']);
});

const STEPS = {
  columns: { ...JOB.columns, email: 'Email' },
  operations: {
    'find-email': { account: ['one', 'two'], add: { Email: 'email' } },
    'enrich-person': { account: 'three', add: { Title: 'job_title' } },
  },
};

test('a later step asks by the cell of the list, or by what an earlier step found', async () => {
  const three: Answer = ({ input }) => ({ title: `Chief of ${input.email}` });
  const at = await deskOf({ one: knows('one', 'Ann'), two: LOST, three }, STEPS);
  await at.desk.write(
    'list.csv',
    listOf('Ann,Lee,a.example,', 'Bob,Poe,b.example,bob@list.example', 'Cat,Roy,c.example,'),
  );
  expect((await at.desk.json(['plan', 'job.yaml', 'list.csv'])).credits.most).toBe(1 + 2 + 2 + 1 + 2);
  await run(at);
  // What is in doubt may fill the cell yet, so no one is asked by another one.
  expect(
    at
      .said()
      .filter((each) => each.startsWith('three'))
      .toSorted(),
  ).toEqual([...['three: ann@one.example', 'three: bob@list.example']]);
  expect(cells(at, 'Email_source', 'Title', 'Title_source', '_status')).toEqual([
    'one | Chief of ann@one.example | three | matched',
    'list | Chief of bob@list.example | three | matched',
    ' |  |  | in_doubt',
  ]);
});

test.each([
  ['before', ['find-email', 'enrich-person']],
  ['after', ['enrich-person', 'find-email']],
] as const)(
  'who is forgotten is asked of no other step and account, also where that step comes %s',
  async (_, order) => {
    const at = await deskOf({ one: NOTHING, two: knows('Ann', 'Ann'), three: () => ({ title: 'Chief' }) });
    const person = { ...FINDER.operations['enrich-person'], by: ['first_name+last_name+domain'] };
    at.speak({ operations: { ...FINDER.operations, 'enrich-person': person } });
    const finding = { 'find-email': STEPS.operations['find-email'] };
    await at.desk.write('job.yaml', JSON.stringify({ ...JOB, operations: finding }));
    await run(at);
    expect((await at.desk.type(['forget', 'Ann@Ann.example', '--yes'])).code).toBe(0);
    const operations = Object.fromEntries(order.map((name) => [name, STEPS.operations[name]]));
    await at.desk.write('job.yaml', JSON.stringify({ ...JOB, operations }));
    await at.desk.write('list.csv', listOf('Ann,Lee,a.example,', 'Bob,Poe,b.example,'));
    const before = at.said().length;
    const plan = await at.desk.json(['plan', 'job.yaml', 'list.csv']);
    expect(plan).toMatchObject({ to_buy: 1, credits: { most: 2 } });
    expect((await run(at)).code).toBe(0);
    expect(at.said().slice(before)).toEqual(['three: Bob']);
    expect(cells(at, 'Email', 'Title', '_status', '_reason')[0]).toMatch(
      /^ \| {2}\| skipped \| erased on [\d-]+$/,
    );
    await run(at, '--refresh');
    expect(cells(at, 'Email', 'Title')[0]).toBe('Ann@Ann.example | Chief');
  },
);

test('a later step may read a column that only an earlier step adds', async () => {
  const three: Answer = ({ input }) => ({ title: `Chief of ${input.email}` });
  const at = await deskOf(
    { one: knows('one', 'Ann'), two: NOTHING, three },
    { ...STEPS, on_existing: undefined },
  );
  await at.desk.write('list.csv', 'First,Last,Site\nAnn,Lee,a.example\nBob,Poe,b.example\n');
  expect((await run(at)).code).toBe(0);
  expect(cells(at, 'Email', 'Title')).toEqual(['Ann@one.example | Chief of ann@one.example', ' | ']);
});

test('a match ends a step where it has one of the columns of the step', async () => {
  const adding = (add: object): object => ({
    columns: { email: 'Email' },
    operations: { 'enrich-person': { account: ['one', 'two'], add } },
  });
  const at = await deskOf(
    { one: () => ({ title: 'Chief' }), two: () => ({ title: 'Chief', city: 'Perth' }) },
    adding({ City: 'city' }),
  );
  await at.desk.write('list.csv', listOf('Ann,Lee,a.example,ann@a.example'));
  expect((await at.desk.json(['plan', 'job.yaml', 'list.csv'])).credits.most).toBe(4);
  await run(at);
  expect(cells(at, 'City', 'City_source', '_credits')).toEqual(['Perth | two | 4']);
  await at.desk.write('job.yaml', JSON.stringify({ ...JOB, ...adding({ Title: 'title' }) }));
  await run(at);
  expect(at.said()).toHaveLength(2);
  expect(cells(at, 'Title', 'Title_source')).toEqual(['Chief | one']);
});

test('what several accounts find is written also where the job names no column', async () => {
  const at = await deskOf(
    { one: NOTHING, two: () => ({ title: 'Chief' }) },
    {
      columns: { email: 'Email' },
      on_existing: undefined,
      operations: { 'enrich-person': { account: ['one', 'two'] } },
    },
  );
  await at.desk.write('list.csv', listOf('Ann,Lee,a.example,ann@a.example'));
  expect((await run(at)).code).toBe(0);
  expect(await at.desk.read('out.csv')).toContain('Chief');
});

/** Finds the address of a person, and the title of an address. */
const findsBoth: Answer = ({ path, input }) =>
  path.endsWith('person') ? { title: 'Boss' } : found(String(input.first_name), 'one');

const TWO_STEPS = {
  'find-email': { account: 'one', add: { Email: 'email' } },
  'enrich-person': { account: 'one', add: { Title: 'title' } },
};

test('a list that was filled, and comes again under on_existing: replace, is asked anew', async () => {
  const at = await deskOf(
    { one: findsBoth },
    { columns: { ...JOB.columns, email: 'Email' }, operations: TWO_STEPS },
  );
  await at.desk.write('list.csv', listOf('Ann,Lee,a.example,ann@list.example'));
  await run(at);
  expect(cells(at, 'Email', 'Title')).toEqual(['ann@list.example | Boss']);
  const job = JSON.parse(await at.desk.read('job.yaml'));
  await at.desk.write('job.yaml', JSON.stringify({ ...job, on_existing: 'replace' }));
  expect((await run(at)).code).toBe(0);
  expect(cells(at, 'Email', 'Title')).toEqual(['Ann@one.example | Boss']);
});

test('under on_existing: replace the source of a cell that stays, because nobody has another, is the list', async () => {
  const at = await deskOf(
    { one: knows('one', 'Ann'), two: NOTHING, three: NOTHING },
    { on_existing: 'replace' },
  );
  await at.desk.write(
    'list.csv',
    listOf('Ann,Lee,a.example,ann@list.example', 'Bob,Poe,b.example,bob@list.example'),
  );
  expect((await run(at)).code).toBe(0);
  expect(cells(at, 'Email', 'Email_source')).toEqual(['Ann@one.example | one', 'bob@list.example | list']);
});

test('a step is not asked whose columns on_existing: keep leaves as they are', async () => {
  const columns = { ...JOB.columns, profile_url: 'Profile' };
  const at = await deskOf({ one: findsBoth }, { columns, operations: TWO_STEPS, on_existing: 'keep' });
  const profile = 'https://linkedin.com/in/ann';
  await at.desk.write('list.csv', `First,Last,Site,Email,Profile\nAnn,Lee,a.example,,${profile}\n`);
  expect((await run(at)).code).toBe(0);
  expect(at.asked.map(({ path }) => path)).toEqual(['/one/person']);
  expect(cells(at, 'Email', 'Title', '_status')).toEqual([' | Boss | matched']);
});

test('status reads the answer of each account in the dialect of that account', async () => {
  const three: Answer = () => ({ person: { mail: 'ann@three.example' } });
  const at = await deskOf({ one: () => ({ data: {} }), three });
  const step = { account: ['one', 'three'], add: { Email: 'email' } };
  await at.desk.write('job.yaml', JSON.stringify({ ...JOB, operations: { 'find-email': step } }));
  const find = { ...FINDER.operations['find-email'], gives: { email: 'person.mail' } };
  at.desk.place.writeDialect({ operations: { 'find-email': find } }, 'three.yaml');
  await changeAccounts(at, { three: { dialect: 'three.yaml' } });
  await at.desk.write('list.csv', listOf('Ann,Lee,a.example,'));
  expect((await run(at)).code).toBe(0);
  const { attempts } = await at.desk.json(['status', 'last', '2']);
  expect(attempts).toMatchObject([
    { account: 'one', rule: { means: 'no_match' } },
    { account: 'three', rule: { means: 'found' } },
  ]);
});

test('plan and run list the accounts of each step in the order in which it asks them', async () => {
  const operations = {
    'find-email': { account: ['two', 'three'], add: { Email: 'email' } },
    'enrich-person': { account: ['one', 'three', 'two'], add: { Title: 'job_title' } },
  };
  const at = await deskOf({ one: NOTHING, two: NOTHING, three: NOTHING }, { ...STEPS, operations });
  await at.desk.write('list.csv', listOf('Ann,Lee,a.example,', 'Bob,Poe,b.example,bob@list.example'));
  const order = (steps: readonly { readonly operation: string; readonly account: string }[]): string[] =>
    steps.map(({ operation, account }) => `${operation} ${account}`);
  const asked = [
    ...['find-email two', 'find-email three'],
    ...['enrich-person one', 'enrich-person three', 'enrich-person two'],
  ];
  expect(order((await at.desk.json(['plan', 'job.yaml', 'list.csv'])).steps)).toEqual(asked);
  expect(order((await at.desk.json(RUN)).steps)).toEqual(asked);
});

const CHECKED = {
  operations: {
    'find-email': {
      account: ['one', 'two'],
      add: { Email: 'email' },
      check: { account: 'three', accept: ['valid', 'accept_all'] },
    },
  },
};
const STATES: Readonly<Record<string, string>> = {
  'ann@one.example': 'ok',
  'bob@one.example': 'bad',
  'bob@two.example': 'catchall',
};
const checker: Answer = ({ input }) => ({ state: STATES[String(input.email)] ?? 'unknown' });

test('a found address is checked once, and where it fails the next account is asked', async () => {
  const at = await deskOf(
    { one: knows('one', 'Ann', 'Bob', 'Cat'), two: knows('two', 'Bob'), three: checker },
    CHECKED,
  );
  expect((await at.desk.json(['plan', 'job.yaml', 'list.csv'])).credits.most).toBe(3 * 4);
  const { figures } = await at.desk.json(RUN);
  // Nothing is found by a check.
  expect(figures.identifiers).toEqual([{ name: 'first_name+last_name+domain', asked: 3, found: 2 }]);
  expect(cells(at, 'Email', 'Email_source', '_status', '_credits')).toEqual([
    'Ann@one.example | one | matched | 2',
    'Bob@two.example | two | matched | 4',
    ' |  | no_match | 2',
  ]);
  expect(cells(at, '_reason')[2]).toContain('one: its address is unknown by three');
  const before = at.said().length;
  const check = { account: 'three' };
  const step = { ...CHECKED.operations['find-email'], check };
  await at.desk.write('job.yaml', JSON.stringify({ ...JOB, operations: { 'find-email': step } }));
  await run(at);
  // A check accepts only a valid address where the job says nothing else.
  expect(cells(at, 'Email')).toEqual(['Ann@one.example', '', '']);
  await at.desk.write('list.csv', listOf(...PEOPLE, 'Cat,Roy,c.example,'));
  await run(at);
  expect(at.said().length).toBe(before);
});

test('what the first verifier does not know is asked of the second one, and nothing else is', async () => {
  const second: Answer = ({ input }) => ({ state: input.email === 'cat@one.example' ? 'ok' : 'bad' });
  const step = {
    ...CHECKED.operations['find-email'],
    account: 'one',
    check: { account: ['three', 'four'], accept: ['valid'] },
  };
  const at = await deskOf(
    { one: knows('one', 'Ann', 'Bob', 'Cat', 'Dan'), three: checker, four: second },
    { operations: { 'find-email': step } },
  );
  await at.desk.write('list.csv', listOf(...PEOPLE, 'Dan,Fox,d.example,'));
  expect((await at.desk.json(['plan', 'job.yaml', 'list.csv'])).credits.most).toBe(4 * 3);
  await run(at);
  expect(cells(at, 'Email', '_status', '_credits')).toEqual([
    ...['Ann@one.example | matched | 2', ' | no_match | 2'],
    ...['Cat@one.example | matched | 3', ' | no_match | 3'],
  ]);
  expect(cells(at, '_reason').slice(1)).toEqual([
    expect.stringContaining('its address is invalid by three'),
    '',
    expect.stringContaining('its address is invalid by four'),
  ]);
  expect(at.said().filter((said) => said.startsWith('four'))).toEqual([
    'four: cat@one.example',
    'four: dan@one.example',
  ]);
  const asked = at.said().length;
  await at.desk.write('list.csv', listOf(...PEOPLE, 'Dan,Fox,d.example,', 'Ann,Lee,a.example,'));
  await run(at);
  expect(at.said().length).toBe(asked);
});

test('a list of addresses is checked by the second account where the first one does not know', async () => {
  const step = { account: ['three', 'four'], add: { Verdict: 'verdict' } };
  const job = { columns: { email: 'Email' }, operations: { 'check-email': step } };
  const four: Answer = ({ input }) => ({ state: input.email === 'x@b.example' ? 'catchall' : 'unknown' });
  const at = await deskOf({ three: checker, four }, job);
  await at.desk.write('list.csv', listOf('A,A,,ann@one.example', 'B,B,,x@b.example', 'C,C,,y@b.example'));
  expect((await at.desk.json(['plan', 'job.yaml', 'list.csv'])).credits.most).toBe(3 * 2);
  await run(at);
  expect(cells(at, 'Verdict', 'Verdict_source', '_status', '_credits')).toEqual([
    ...['valid | three | matched | 1', 'accept_all | four | matched | 2', 'unknown | three | matched | 2'],
  ]);
  expect(at.said()).toHaveLength(5);
});

test('an address that the check of the only finder refuses is not written', async () => {
  const step = { account: 'one', add: { Email: 'email' }, check: { account: 'three' } };
  const at = await deskOf(
    { one: knows('one', 'Bob'), three: checker },
    { operations: { 'find-email': step } },
  );
  await at.desk.write('list.csv', listOf('Bob,Poe,b.example,'));
  await run(at);
  expect(cells(at, 'Email', 'Email_source', '_status')).toEqual([' |  | no_match']);
});

test('where the check itself is refused the row says so, and the next account is not asked', async () => {
  const three: Answer = () => Response.json({ error: 'email is malformed' }, { status: 422 });
  const at = await deskOf({ one: knows('one', 'Ann'), two: knows('two', 'Ann'), three }, CHECKED);
  await at.desk.write('list.csv', listOf('Ann,Lee,a.example,'));
  await run(at);
  expect(at.said()).toEqual(['one: Ann', 'three: ann@one.example']);
  expect(cells(at, 'Email', '_status')).toEqual([' | refused']);
  expect(cells(at, '_reason')[0]).toMatch(/three refuses to check its address: .*malformed/i);
});

test('the plan counts steps that wait for what is found, with their checks', async () => {
  const step = { account: ['one', 'two'], add: { Email: 'email' }, check: { account: 'three' } };
  const person: Answer = ({ path }) =>
    path.endsWith('person') ? { title: 'Boss', site: 'a.example' } : NOTHING();
  const bad: Answer = ({ path }) =>
    path.endsWith('check') ? { state: 'bad' } : found('Ann', path.slice(1, 4));
  const at = await deskOf(
    {
      one: (asked, nth) => (asked.path.endsWith('person') ? person(asked, nth) : bad(asked, nth)),
      two: bad,
      three: bad,
    },
    {
      columns: { ...JOB.columns, profile_url: 'Profile' },
      operations: { 'enrich-person': { account: 'one', add: { Site: 'site' } }, 'find-email': step },
    },
  );
  await at.desk.write('list.csv', 'First,Last,Site,Email,Profile\nAnn,Lee,,,https://linkedin.com/in/ann\n');
  expect((await at.desk.json(['plan', 'job.yaml', 'list.csv'])).credits.most).toBe(2 + 2 * 2);
  await run(at);
  expect(cells(at, 'Site', 'Email', '_credits')).toEqual(['a.example |  | 6']);
});

test('a plan counts what is asked after a check, also where an address counts whose verdict is unknown', async () => {
  const three: Answer = ({ input }) => ({ state: input.email === 'ann@one.example' ? 'bad' : 'ok' });
  const at = await deskOf({ one: knows('one', 'Ann'), two: knows('two', 'Ann'), three });
  await at.desk.write('list.csv', listOf('Ann,Lee,a.example,'));
  const finding = { 'find-email': { account: 'one', add: { Email: 'email' } } };
  await at.desk.write('job.yaml', JSON.stringify({ ...JOB, operations: finding }));
  await run(at);
  const { 'find-email': step } = CHECKED.operations;
  const check = { ...step.check, accept: ['valid', 'unknown'] };
  const operations = { 'find-email': { ...step, check } };
  await at.desk.write('job.yaml', JSON.stringify({ ...JOB, operations }));
  expect((await at.desk.json(['plan', 'job.yaml', 'list.csv'])).credits.most).toBe(3);
  await run(at);
  expect(at.said()).toEqual(['one: Ann', 'three: ann@one.example', 'two: Ann', 'three: ann@two.example']);
});

test('a plan counts a check of each address that is known, because each may be refused', async () => {
  const at = await deskOf(
    { one: knows('one', 'Ann'), two: knows('two', 'Ann'), three: checker, four: checker },
    CHECKED,
  );
  await at.desk.write('list.csv', listOf('Ann,Lee,a.example,'));
  const checkedBy = (account: string, accept: string): string => {
    const step = { ...CHECKED.operations['find-email'], check: { account, accept: [accept] } };
    return JSON.stringify({ ...JOB, operations: { 'find-email': step } });
  };
  await at.desk.write('job.yaml', checkedBy('three', 'accept_all'));
  await run(at);
  await at.desk.write('job.yaml', checkedBy('four', 'valid'));
  expect((await at.desk.json(['plan', 'job.yaml', 'list.csv'])).credits.most).toBe(2);
});

test('after a person was forgotten, the answers of one account are not read in the dialect of another one', async () => {
  const at = await deskOf({ one: knows('one', 'Bob'), two: NOTHING });
  const dear = { ...FINDER.operations['find-email'], credits: { most: 1, found: 1, miss: 1 } };
  at.desk.place.writeDialect({ operations: { ...FINDER.operations, 'find-email': dear } }, 'two.yaml');
  const finding = (account: string): string =>
    JSON.stringify({ ...JOB, operations: { 'find-email': { account, add: { Email: 'email' } } } });
  await at.desk.write('job.yaml', finding('one'));
  await run(at);
  const [before] = (await at.desk.json(['status'])).batches;
  expect((await at.desk.type(['forget', 'Bob@one.example', '--yes'])).code).toBe(0);
  await at.desk.write('job.yaml', finding('two'));
  await at.desk.write('list.csv', listOf('Ann,Lee,a.example,'));
  await run(at);
  const after = (await at.desk.json(['status', before.batch])).credits;
  expect([before.credits.spent, after.spent]).toEqual([1, 1]);
});

test('the same address from another account is not checked again, and not believed', async () => {
  const same: Answer = ({ input }) => found(String(input.first_name), 'one');
  const at = await deskOf({ one: same, two: same, three: () => ({ state: 'bad' }) }, CHECKED);
  await at.desk.write('list.csv', listOf('Ann,Lee,a.example,'));
  await run(at);
  expect(at.said()).toEqual(['one: Ann', 'three: ann@one.example', 'two: Ann']);
  expect(cells(at, 'Email', '_status')).toEqual([' | no_match']);
});

/** A run whose check does not end, by an account that may spend so much. @returns the desk, and the code of the run. */
async function checkedBy(three: Answer, share: number): Promise<readonly [Several, number | null]> {
  const at = await deskOf(
    { one: knows('one', 'Ann'), two: knows('two', 'Ann'), three },
    { ...CHECKED, budget: { credits: 99, accounts: { three: share } } },
  );
  await at.desk.write('list.csv', listOf('Ann,Lee,a.example,'));
  return [at, (await run(at, '--max-pause', '1s')).code];
}

test.each<readonly [what: string, three: Answer, code: number, status: string, share: number]>([
  ['whose answer is lost', LOST, 3, 'in_doubt', 9],
  ['whose account has a dead key', DEAD, 77, 'pending', 9],
  ['whose account has used up its share of the budget', checker, 4, 'pending', 0],
])('a check %s holds its row, and the next account is not asked', async (_, three, code, status, share) => {
  const [at, ended] = await checkedBy(three, share);
  expect(ended).toBe(code);
  expect(at.said()).toEqual(share === 0 ? ['one: Ann'] : ['one: Ann', 'three: ann@one.example']);
  expect(cells(at, 'Email', '_status')).toEqual([` | ${status}`]);
  at.answers({ one: NOTHING, two: NOTHING, three: () => ({ state: 'ok' }) });
  if (status === 'in_doubt') await at.desk.type(['settle', 'last', '2', '--not-done']);
  await at.desk.write('job.yaml', JSON.stringify({ ...JOB, ...CHECKED }));
  await run(at);
  expect(cells(at, 'Email', 'Email_source', '_status')).toEqual(['Ann@one.example | one | matched']);
});

test('a check whose account is paused holds its row, and the next account is not asked', async () => {
  const [at, ended] = await checkedBy(slowFor(3_600), 9);
  expect(ended).toBe(75);
  expect(at.said()).toEqual(['one: Ann', 'three: ann@one.example']);
  expect(cells(at, 'Email', '_status')).toEqual([' | pending']);
});

test.each([
  ['valid', 'Ann@one.example | one | matched | 2', ['one: Ann', 'three: ann@one.example']],
  ['invalid', 'Ann@two.example | two | matched | 4', ['two: Ann', 'three: ann@two.example']],
])('a person settles a lost check with the verdict %s', async (verdict, row, lastAsked) => {
  const at = await deskOf({ one: knows('one', 'Ann'), two: knows('two', 'Ann'), three: LOST }, CHECKED);
  const check = {
    ...FINDER.operations['check-email'],
    gives: { verdict: 'data.result' },
    verdicts: { valid: 'safe', accept_all: 'any', invalid: 'bounces' },
  };
  at.desk.place.writeDialect({ operations: { 'check-email': check } }, 'three.yaml');
  await changeAccounts(at, { three: { dialect: 'three.yaml' } });
  await at.desk.write('list.csv', listOf('Ann,Lee,a.example,'));
  expect((await run(at)).code).toBe(3);
  const settle = (answer: string) => at.desk.type(['settle', 'last', '2', '--answer', answer]);
  for (const other of ['email=x', 'find-email.email=x', 'verdict=unknown', 'verdict=maybe'])
    expect(await settle(other)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/Use one of these: .*valid, .*accept_all, .*invalid\.\n/),
    });
  expect((await settle(`verdict=${verdict}`)).code).toBe(0);
  at.answers({ one: NOTHING, two: knows('two', 'Ann'), three: () => ({ data: { result: 'safe' } }) });
  expect((await run(at)).code).toBe(0);
  expect(cells(at, 'Email', 'Email_source', '_status', '_credits')).toEqual([row]);
  expect(at.said().slice(-2)).toEqual(lastAsked);
});

test('settle --all-like reads the answers of each account in the dialect of that account', async () => {
  const odd: Answer = ({ input }, nth) => ({
    error: `${input.first_name === 'Cat' ? 'none' : 'half'} ${nth}`,
  });
  const at = await deskOf({ one: NOTHING, two: odd });
  const { 'enrich-person': person } = FINDER.operations;
  at.desk.place.writeDialect({ operations: { 'enrich-person': person } }, 'one.yaml');
  await changeAccounts(at, { one: { dialect: 'one.yaml' } });
  const columns = { first_name: 'First', last_name: 'Last', domain: 'Site', profile_url: 'Profile' };
  const operations = {
    'enrich-person': { account: 'one', add: { Title: 'job_title' } },
    'find-email': { account: 'two', add: { Found: 'email' } },
  };
  await at.desk.write('job.yaml', JSON.stringify({ columns, operations, budget: { credits: 99 } }));
  const rows = PEOPLE.map((row) => `${row},https://linkedin.com/in/${row.slice(0, 3)}`);
  await at.desk.write('list.csv', `First,Last,Site,Email,Profile\n${rows.join('\n')}\n`);
  expect((await run(at)).code).toBe(3);
  expect(await at.desk.type(['settle', 'last', '--all-like', '2', '--skip'])).toMatchObject({
    code: 0,
    stdout: 'Noted for 2 calls: skip.\n',
  });
});

const ADDED_TWICE = {
  operations: {
    'find-email': { account: 'one', add: { Email: 'email' } },
    'enrich-person': { account: 'two', add: { email: 'email' } },
  },
};
const finder = (entry: object): object => ({ operations: { 'find-email': entry } });

test.each<readonly [what: string, job: object, said: RegExp]>([
  [
    'an account that is not there',
    finder({ account: ['one', 'tow'] }),
    /^job\.yaml:1:\d{3}: there is no account "tow" in .*accounts\.yaml\.\n.*two/,
  ],
  [
    'an account that is not there, for all steps',
    { operation: 'find-email', operations: undefined, account: ['one', 'tow'] },
    /^job\.yaml:1:\d{3}: there is no account "tow"/,
  ],
  [
    'an account of the service',
    finder({ account: ['one', 'sandbox-service'] }),
    /^job\.yaml:1:\d{3}: the account sandbox-service is a service account, but this needs a provider account\./,
  ],
  [
    'an account that is not there, for a check',
    finder({ account: 'one', check: { account: 'tow' }, add: { Email: 'email' } }),
    /^job\.yaml:1:\d{3}: there is no account "tow"/,
  ],
  [
    'a check of a column that is not added',
    finder({ account: 'one', check: { account: 'two' }, add: { Phone: 'phone' } }),
    /find-email adds no column of the address that is checked/,
  ],
  [
    'an account that is named twice',
    finder({ account: ['one', 'one'] }),
    /job\.yaml:1:\d+: the account "one" is here twice/,
  ],
  [
    'a budget of another account',
    { budget: { credits: 9, accounts: { three: 1, tree: 1 } } },
    /no step asks the account "tree"/,
  ],
  [
    'a column that two steps add',
    { ...ADDED_TWICE, on_existing: undefined },
    /job\.yaml:1:\d+: find-email adds the column "email" as well/,
  ],
  [
    'a column that two steps add to fill it',
    ADDED_TWICE,
    /job\.yaml:1:\d+: find-email adds the column "email" as well/,
  ],
  [
    'a step without any input',
    { ...STEPS, columns: { ...STEPS.columns, domain: '' } },
    /^job\.yaml:1:\d+: A row is looked up by first name \+ last name \+ web domain, and the list has no column for the web domain\.\n/,
  ],
  [
    'a step that reads what a later one adds',
    {
      columns: { email: 'Email' },
      operations: {
        'enrich-person': { account: 'one' },
        'find-email': { account: 'two', add: { Email: 'email' } },
      },
    },
    /enrich-person\.email is read from "Email", which find-email adds later/,
  ],
  [
    'more calls than a row may need',
    {
      columns: { domain: 'Site' },
      operations: { 'enrich-company': { account: ['one', 'two', 'three', 'four', 'five', 'six'] } },
    },
    /a row may need 24 calls, and the most is 20/,
  ],
])('%s is refused before anything is sent', async (_, job, said) => {
  const at = await deskOf({ one: NOTHING, two: NOTHING, three: NOTHING }, job);
  expect(await at.desk.type(['plan', 'job.yaml', 'list.csv'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(said),
  });
});

test.each([
  ['a step without any input', 'one', /^job\.yaml:4:5: A row is looked up by /],
  ['an account that is not there', 'tow', /^job\.yaml:5:10: there is no account "tow"/],
])('%s is refused with its line where the steps are a list', async (_, account, said) => {
  const at = await deskOf({ one: NOTHING }, {});
  const columns = 'columns: { first_name: First, last_name: Last, find-email.domain: Site }';
  const steps = 'operations:\n  - find-email\n  - enrich-person';
  await at.desk.write('job.yaml', `${columns}\n${steps}\naccount: ${account}\n`);
  expect(await at.desk.type(['plan', 'job.yaml', 'list.csv'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(said),
  });
});

test('a step that a shipped dialect leaves out is refused before anything is sent', async () => {
  const operations = { 'find-email': { account: 'one' }, 'enrich-person': { account: ['one', 'two'] } };
  const at = await deskOf(
    { one: NOTHING, two: NOTHING },
    { columns: { ...JOB.columns, email: 'Email' }, operations },
  );
  await changeAccounts(at, { two: { dialect: 'datagma' } });
  expect(await at.desk.type(['plan', 'job.yaml', 'list.csv'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /job\.yaml:1:\d{3}: the dialect datagma of the provider has no operation enrich-person/,
    ),
  });
});

/** Other entries of accounts from now on, by their names. */
async function changeAccounts({ desk }: Several, entries: Readonly<Record<string, object>>): Promise<void> {
  const { accounts } = JSON.parse(await desk.read('config/accounts.yaml'));
  for (const [name, entry] of Object.entries(entries)) Object.assign(accounts[name], entry);
  desk.place.writeAccounts(accounts);
}

test('each account needs a limit: that of one says nothing about what another may spend', async () => {
  const at = await deskOf({ one: NOTHING, two: NOTHING, three: NOTHING }, { budget: undefined });
  const budget = { per_day: 9 };
  await changeAccounts(at, { one: { budget } });
  const unlimited = ['run', 'job.yaml', 'list.csv', '-o', 'out.csv'];
  expect(await at.desk.type(unlimited)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      'up to 3 credits, and no budget of the run or the day limits it at two and three.\n',
    ),
  });
  expect(at.said()).toEqual([]);
  await at.desk.write('job.yaml', JSON.stringify({ ...JOB, inbox: './inbox', budget: undefined }));
  expect(await at.desk.type(['nightly', 'job.yaml'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('account two has none per day'),
  });
  await changeAccounts(at, { two: { budget }, three: { budget } });
  expect((await at.desk.type(unlimited)).code).toBe(0);
});

test.each(['--yes', '--plan'] as const)(
  'a run with %s spends no more than its plan says at most, although each account may spend more in a day',
  async (flag) => {
    // Each of the accounts is paid for a mask, and none of them fills the cell.
    const masked: Answer = ({ input }) => ({ data: { email: `${input.first_name?.at(0)}***@x.example` } });
    const at = await deskOf({ one: masked, two: masked, three: masked }, { budget: undefined });
    const budget = { per_day: 99 };
    await changeAccounts(at, { one: { budget }, two: { budget }, three: { budget } });
    const { id, credits } = await at.desk.json(['plan', 'job.yaml', 'list.csv']);
    expect(credits.most).toBe(3);
    const ran = await run(at, ...(flag === '--plan' ? [flag, id] : [flag]));
    expect(ran).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('The budget of this batch is reached'),
    });
    expect(at.said()).toHaveLength(credits.most);
  },
);

test('export and nightly find the batch of a job with several accounts, also where the second has moved', async () => {
  const at = await deskOf({ one: DEAD, two: knows('two', 'Ann'), three: NOTHING }, { inbox: './inbox' });
  expect((await run(at)).code).toBe(77);
  expect((await at.desk.type(['export', 'job.yaml', 'list.csv'])).stdout).toContain('out.csv');
  await changeAccounts(at, { two: { id: 'moved' } });
  expect((await run(at, '--accept', 'same-account')).code).toBe(77);
  expect((await at.desk.type(['export', 'job.yaml', 'list.csv'])).stdout).toContain('out.csv');
  at.answers({ one: knows('one', 'Bob', 'Cat'), two: NOTHING, three: NOTHING });
  expect(await at.desk.json(['nightly', 'job.yaml'])).toMatchObject({ left: [], counts: { matched: 3 } });
  expect(cells(at, 'Email_source')).toEqual(['two', 'one', 'one']);
});

test('an account beside a job whose steps name their own is refused, and not passed over', async () => {
  const at = await deskOf({ one: NOTHING, two: NOTHING, three: NOTHING }, STEPS);
  expect(await run(at, '--account', 'two')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      '--account: find-email, enrich-person: these steps name accounts of their own.\n' +
        'Change the accounts in the job, or leave --account out.\n',
    ),
  });
  expect(at.said()).toEqual([]);
});

test.each([
  ['the step skips', {}, { in_doubt: 'skip' }, true],
  ['the whole job skips', { in_doubt: 'skip' }, {}, true],
  ['the step holds although the job skips', { in_doubt: 'skip' }, { in_doubt: 'hold' }, false],
])(
  'a plan says that a lost call may be paid beside the next account where %s',
  async (_, job, entry, isSaid) => {
    const step = { account: ['one', 'two'], add: { Email: 'email' }, ...entry };
    const at = await deskOf({ one: LOST, two: NOTHING }, { ...job, operations: { 'find-email': step } });
    const { stderr } = await at.desk.type(['plan', 'job.yaml', 'list.csv']);
    const said =
      'in_doubt: skip at find-email asks the next account where an answer is lost, ' +
      'although up to 1 credit may have been charged for it already.';
    expect(stderr.includes(said)).toBe(isSaid);
  },
);

/** The last lines of a run that says nothing on its way. */
const lastWords = async (at: Several, ...more: string[]): Promise<string> =>
  (await run(at, '--quiet', ...more)).stderr;

test('what stopped a run names each account that has ended, once', async () => {
  const at = await deskOf({ one: BROKE, two: DEAD, three: NOTHING });
  const words = await lastWords(at);
  expect(words).toMatch(
    /^Account two: The provider refused the key: .+ Account one: The provider says that .+ used up/,
  );
  expect(words).toMatch(/\nAccount two: Put a working key .+ Account one: Buy credits from the provider/);
  expect(words.match(/Account (one|two): /g)).toHaveLength(4);
  const { stopped } = await at.desk.json(RUN);
  expect(stopped).toMatchObject({
    code: 'key',
    message: expect.stringMatching(/^Account two: .+Account one: /),
  });
});

test.each<readonly [what: string, one: Answer, budget: object, said: RegExp]>([
  [
    'the budget of its day',
    knows('one', 'Ann'),
    { per_day: 1 },
    /^Account one: The budget of the account's day/,
  ],
  [
    'an address that is wrong',
    () => new Response(null, { status: 301, headers: { location: 'https://other.example' } }),
    {},
    /^Account one: The provider answered with a redirect/,
  ],
])('a stop of one account of several names it, as %s', async (_, one, budget, said) => {
  const at = await deskOf({ one, two: NOTHING, three: NOTHING });
  await changeAccounts(at, { one: { budget } });
  expect(await lastWords(at)).toMatch(said);
});

test('the budget of the batch is of no account, and stops the run with one sentence', async () => {
  const at = await deskOf({ one: knows('one', 'Ann', 'Bob', 'Cat'), two: NOTHING, three: NOTHING });
  const { stderr, code } = await run(at, '--budget', '2');
  expect(code).toBe(4);
  expect(stderr).not.toContain('takes no more calls');
  expect(stderr.match(/The budget of this batch is reached/g)).toHaveLength(1);
  expect(at.said()).toHaveLength(2);
});

test('a path of a step is missed by the answers of that step alone', async () => {
  const one: Answer = ({ input }) => ({ ...found(String(input.first_name), 'one'), job_title: 'Boss' });
  const operations = {
    ...TWO_STEPS,
    'enrich-person': { account: ['two', 'three'], add: { Title: 'job_titel' } },
  };
  const at = await deskOf({ one, two: NOTHING, three: NOTHING }, { columns: STEPS.columns, operations });
  await at.desk.write('list.csv', listOf('Ann,Lee,a.example,'));
  const ran = await at.desk.type([...RUN, '--json']);
  expect(ran).toMatchObject({ code: 0, stdout: expect.not.stringContaining('missing_paths') });
  expect(ran.stderr).not.toContain('is not in');
  const boss = (): object => ({ title: 'Boss' });
  at.answers({ one, two: boss, three: boss });
  expect((await run(at, '--refresh')).stderr).toContain(
    '`enrich-person.job_titel` is in none of 2 answers; did you mean `enrich-person.job_title`?\n',
  );
});

test('a path that only a later answer of its step has is not missed', async () => {
  const one: Answer = ({ path, input }) => {
    if (path.endsWith('person')) return { title: 'Boss' };
    return { ...found(String(input.first_name), 'one'), ...(input.first_name === 'Cat' && { phone: '1' }) };
  };
  const operations = {
    ...TWO_STEPS,
    'find-email': { account: 'one', add: { Email: 'email', Phone: 'phone' } },
  };
  const at = await deskOf({ one }, { columns: { ...JOB.columns, email: 'Email' }, operations });
  expect((await run(at)).stderr).not.toContain('`find-email.phone`');
});

test('a waterfall whose second account gives a name of its own says that what it finds stays blank', async () => {
  const one: Answer = ({ input }) =>
    input.first_name === 'Ann' ? { ...found('Ann', 'one'), job_title: 'Boss' } : NOTHING();
  const two: Answer = ({ input }) => ({ ...found(String(input.first_name), 'two'), job_titles: 'Boss' });
  const at = await deskOf(
    { one, two },
    { operations: { 'find-email': { ...TWO.operations['find-email'], add: { Title: 'job_title' } } } },
  );
  const ran = await run(at);
  expect(ran.stderr).toContain(
    '`find-email.job_title` is in none of 2 answers of two; did you mean `find-email.job_titles`? What two finds stays blank.\n',
  );
  expect(ran.code).toBe(3);
});

test('a found address that its check refuses is no find of its account, and costs what it cost', async () => {
  const at = await deskOf(
    { one: knows('one', 'Bob'), two: knows('two', 'Ann', 'Bob', 'Cat'), three: checker },
    CHECKED,
  );
  const { steps } = await at.desk.json(RUN);
  expect(steps).toMatchObject([
    { account: 'one', asked: 3, found: 0, missed: 3, credits: { spent: 1 }, price_by_rate: null },
    { account: 'two', asked: 3, found: 1, missed: 2, credits: { spent: 3 }, price_by_rate: 3 },
    { account: 'three', asked: 3, found: 3 },
  ]);
});

test('rows whose answer was known, or that are there twice, do not make an account cheaper', async () => {
  const at = await deskOf({ one: knows('one', 'Ann', 'Bob'), two: NOTHING, three: NOTHING });
  await at.desk.write('list.csv', listOf(...PEOPLE.slice(0, 1)));
  await run(at);
  await at.desk.write('list.csv', listOf(...PEOPLE, ...PEOPLE));
  const ran = await run(at);
  expect(ran.stdout).toContain(
    '  find-email at one: 4 of 6 rows found, at most 1 credit; at most 1 credit each\n',
  );
  expect((await at.desk.json(RUN)).steps[0]).toMatchObject({ known: 2, asked: 4, price_by_rate: 2 });
});

test('what was asked and paid for rows that are not finished counts on both sides', async () => {
  const at = await deskOf({ one: knows('one', 'Ann'), two: DEAD, three: NOTHING });
  const { steps } = await at.desk.json(RUN);
  expect(steps[0]).toMatchObject({
    account: 'one',
    asked: 3,
    found: 1,
    credits: { spent: 1 },
    price_by_rate: 3,
  });
});

test('the report does not say that nothing needs a person while rows are left', async () => {
  const at = await deskOf({ one: DEAD, two: knows('two', 'Ann'), three: NOTHING });
  await run(at);
  const report = await at.desk.read('out.report.html');
  expect(report).toContain('2 rows to go');
  expect(report).toContain('No finished row needs attention.');
});

test('a refresh asks about somebody who was forgotten in the order of the job, not first who had the answer', async () => {
  const at = await deskOf({ one: NOTHING, two: knows('two', 'Ann') });
  await at.desk.write('job.yaml', JSON.stringify({ ...JOB, ...TWO }));
  await at.desk.write('list.csv', listOf('Ann,Lee,a.example,'));
  expect((await run(at)).code).toBe(0);
  expect((await at.desk.type(['forget', 'Ann@two.example', '--yes'])).code).toBe(0);
  at.asked.length = 0;
  at.answers({ one: knows('one', 'Ann'), two: knows('two', 'Ann') });
  expect((await run(at, '--refresh')).code).toBe(0);
  expect(at.said()).toEqual(['one: Ann']);
});

test('a check that is answered later holds its row, also where a person tells what an account before it has', async () => {
  let isDone = (): boolean => false;
  const three: Answer = ({ method }) =>
    method === 'POST' ? { job: 'j1' } : isDone() ? { state: 'ok' } : { status: 'running' };
  const at = await deskOf({ one: LOST, two: knows('two', 'Ann'), three }, CHECKED);
  const later = { id: 'job', path: '/results/{id}', every: '100ms', gives_up: '2h' };
  const check = { ...FINDER.operations['check-email'], later };
  at.speak({ operations: { ...FINDER.operations, 'check-email': check } });
  await at.desk.write('list.csv', listOf('Ann,Lee,a.example,'));
  await run(at);
  const finding = { 'find-email': { account: 'two', add: { Email: 'email' } } };
  await at.desk.write('alone.yaml', JSON.stringify({ ...JOB, operations: finding }));
  await at.desk.type(['run', 'alone.yaml', 'list.csv', '--yes']);
  expect((await run(at, '--max-pause', '1s')).code).toBe(3);
  const { batch } = (await at.desk.json(['status'])).batches.at(-1);
  const told = await at.desk.type(['settle', batch, '2', '--answer', 'email=ann@one.example']);
  expect(told.code, told.stderr).toBe(0);
  // A run that waits for such answers alone writes its output before they come: its row has been looked at by then.
  const output = at.desk.place.path('out.csv');
  rmSync(output);
  isDone = () => existsSync(output);
  expect((await run(at)).code).toBe(0);
  const bought = at.asked.filter(({ method }) => method === 'POST');
  expect(bought.map(({ input }) => input.first_name ?? input.email)).toEqual([
    'Ann',
    'Ann',
    'ann@two.example',
  ]);
  expect(cells(at, 'Email', '_status')).toEqual(['Ann@two.example | matched']);
});
