/**
 * Goal: what something costs is said in credits and in the money of each account, the same in every place that says it.
 * Method: the real commands before a vendor that answers for two accounts, whose prices of a credit differ.
 */
import { expect, test } from 'vitest';
import { type Desk, deskBefore, type JsonResult, openDesk } from './desk.ts';

const FINDER = {
  method: 'POST',
  path: '/find',
  by: ['first_name+last_name+domain'],
  gives: { email: 'data.email' },
};

const JOB = {
  columns: { first_name: 'First', last_name: 'Last', domain: 'Site' },
  operations: { 'find-email': { account: ['one', 'two'], add: { Email: 'email' } } },
  budget: { credits: 99 },
};

/**
 * Account one knows Ann, for one credit; account two knows Bob and Cat, for five credits each.
 * @param exact whether the vendors' prices are published ones.
 */
async function deskOf(prices: Readonly<Record<string, string | undefined>>, exact = true): Promise<Desk> {
  const { desk } = await deskBefore(({ path, input: { first_name: first, domain } }) =>
    (path.startsWith('/one') ? ['Ann'] : ['Bob', 'Cat']).includes(first ?? '')
      ? { data: { email: `${first}@${domain}` } }
      : Response.json({ error: 'No match' }, { status: 404 }),
  );
  const { base_url: url } = JSON.parse(await desk.read('config/accounts.yaml')).accounts.data;
  const account = (name: string) => ({
    vendor: 'provider',
    id: name,
    base_url: `${url.replace(/\/$/, '')}/${name}`,
    key: 'a-test-key',
    dialect: `${name}.yaml`,
    limits: { per_second: 2_000, concurrency: 1 },
    price: prices[name],
  });
  desk.place.writeAccounts({ one: account('one'), two: account('two') });
  for (const [name, most] of [['one', 1] as const, ['two', 5] as const]) {
    const credits = { most, found: most, exact };
    desk.place.writeDialect({ operations: { 'find-email': { ...FINDER, credits } } }, `${name}.yaml`);
  }
  await desk.write('job.yaml', JSON.stringify(JOB));
  await desk.write('list.csv', 'First,Last,Site\nAnn,Lee,a.example\nBob,Poe,b.example\nCat,Roy,c.example\n');
  return desk;
}

const RUN = ['run', 'job.yaml', 'list.csv', '-o', 'out.csv', '--yes'];
const PLAN = ['plan', 'job.yaml', 'list.csv'];
const words = async (desk: Desk, typed: readonly string[]) => (await desk.type(typed)).stdout;
const BY = ['account', 'batch', 'day', 'operator'];

/** What `spend` says that all groups cost, by account, batch, day and whoever was at work. */
const spent = async (desk: Desk, by: string): Promise<JsonResult[]> =>
  (await desk.json(['spend', '--by', by])).groups.map((group: JsonResult) => group.cost);

/** What the report says that the list cost. */
const reported = async (desk: Desk): Promise<string> =>
  /It cost [^<]*?\.(?=[ <])/.exec(await desk.read('out.report.html'))?.[0] ?? '';

test('a plan, a run, what was spent and the report say the same money for the same credits', async () => {
  const desk = await openDesk({ account: { price: '0.04 AUD' }, concurrency: 1 });
  desk.list(5);
  const cost = [{ amount: 0.2, currency: 'AUD' }];
  const plan = ['plan', 'enrich-company', 'list.csv'];
  expect(await words(desk, plan)).toContain(' at most 5 (A$0.20), probably 5 (A$0.20)\n');
  expect((await desk.json(plan)).cost).toEqual({ most: cost, expected: cost });
  expect(await words(desk, desk.run('--sample', '2'))).toContain(
    '  credits  at most 3 (A$0.12), probably 3 (A$0.12)\n',
  );
  const whole = await desk.type(desk.run());
  expect(whole.stdout).toContain(' in this run, batch total 5 (A$0.20)');
  const ran = await desk.json(desk.run());
  expect([ran.cost, ran.figures.cost]).toEqual([cost, cost]);
  expect(await words(desk, ['status', 'last'])).toContain('\nCredits    5 spent (A$0.20), 0 in doubt, ');
  for (const by of BY) {
    expect(await spent(desk, by), by).toEqual([cost]);
    expect(await words(desk, ['spend', '--by', by]), by).toContain(' 5 credits (A$0.20)');
  }
  expect(await reported(desk)).toBe('It cost 5 credits (A$0.20).');
  await desk.type(['export', 'last']);
  expect(await reported(desk)).toBe('It cost 5 credits (A$0.20).');
});

test('what is probably paid is the money of the whole credits that are shown', async () => {
  const desk = await deskOf({ one: '0.50 AUD', two: '0.04 AUD' });
  const people = Array.from(
    { length: 41 },
    (_, at) => `${at < 18 && at % 2 === 0 ? 'Bob' : 'Eve'},Lee,${at}.example`,
  );
  await desk.write('list.csv', ['First,Last,Site', ...people].join('\n'));
  const operations = { 'find-email': { account: 'two', add: { Email: 'email' } } };
  await desk.write('job.yaml', JSON.stringify({ ...JOB, operations }));
  await desk.type([...RUN, '--limit', '20']);
  // That is 21 rows of five credits, at 9 matches in 20: 47.25 credits.
  expect(await words(desk, PLAN)).toContain(' at most 105 (A$4.20), probably 47 (A$1.88)\n');
});

test('a person who is asked to agree to at most so many credits is told what they come to', async () => {
  const desk = await openDesk({ account: { price: '0.04 AUD' } });
  desk.list(5);
  const words = ['run', 'enrich-company', 'list.csv', '-o', 'out.csv', '--limit', '2'];
  const refused = await desk.type(words);
  expect(refused.stderr).toContain(
    'This run could spend up to 2 credits (A$0.08), and no budget of the run or the day limits it.',
  );
  const asked = await desk.type([...words, '--yes']);
  expect(asked.stderr + asked.stdout).toContain('2 rows, at most 2 credits (A$0.08)\n');
});

test('money of two currencies is never added, and is at most in each what one of its accounts may cost', async () => {
  const desk = await deskOf({ one: '0.50 EUR', two: '0.04 AUD' });
  const euros = (amount: number) => ({ amount, currency: 'EUR' });
  const dollars = (amount: number) => ({ amount, currency: 'AUD' });
  const plan = await desk.json(PLAN);
  // Of each row the first account finds it, or the second one.
  expect(plan.credits.most).toBe(15);
  expect(plan.cost.most).toEqual([euros(1.5), dollars(0.6)]);
  expect(plan.steps.map((step: JsonResult) => step.cost.most)).toEqual([[euros(1.5)], [dollars(0.6)]]);
  expect(await words(desk, PLAN)).toContain(' at most 15 (€1.50 and A$0.60), probably ');
  expect(await words(desk, PLAN)).toContain(
    ' find-email at two: for at most 3 rows; at most 15 credits (A$0.60)',
  );
  const ran = await words(desk, RUN);
  expect(ran).toContain('Credits    11 spent (€0.50 and A$0.40)');
  expect((await desk.json(RUN)).cost).toEqual([euros(0.5), dollars(0.4)]);
  expect(await reported(desk)).toBe('It cost €0.50 and A$0.40 (1 credit of one and 10 credits of two).');
  expect(await spent(desk, 'account')).toEqual([[dollars(0.4)], [euros(0.5)]]);
  for (const by of ['batch', 'day', 'operator']) {
    const [sums = [], ...others] = await spent(desk, by);
    expect(
      sums.toSorted((a: JsonResult, b: JsonResult) => b.amount - a.amount),
      by,
    ).toEqual([euros(0.5), dollars(0.4)]);
    expect(others, by).toEqual([]);
  }
});

test('accounts in one currency have one sum, each at its own price', async () => {
  const desk = await deskOf({ one: '0.50 AUD', two: '0.04 AUD' }, false);
  const sum = (amount: number) => [{ amount, currency: 'AUD' }];
  // A row costs one credit at the first account or five at the second, and the one is dearer in money.
  expect((await desk.json(PLAN)).cost.most).toEqual(sum(1.5));
  expect((await desk.json(RUN)).cost).toEqual(sum(0.9));
  expect(await spent(desk, 'day')).toEqual([sum(0.9)]);
  // Money is at most what it is wherever credits are.
  expect(await words(desk, RUN)).toContain('Credits    0 spent in this run, batch total at most 11 (A$0.90)');
  expect(await words(desk, ['spend', '--by', 'day'])).toContain(' at most 11 credits (A$0.90), ');
  expect(await reported(desk)).toBe('It cost at most A$0.90 (1 credit of one and 10 credits of two).');
});

test('what was saved, and whether it is at most, is said of each account for itself', async () => {
  const desk = await deskOf({}, false);
  const { columns, operations } = JOB;
  const published = { most: 1, found: 1, exact: true };
  desk.place.writeDialect({ operations: { 'find-email': { ...FINDER, credits: published } } }, 'one.yaml');
  await desk.write('job.yaml', JSON.stringify({ columns, operations, budget: { credits: 99 } }));
  await desk.write('list.csv', 'First,Last,Site\nAnn,Lee,a.example\nBob,Poe,b.example\nBob,Poe,b.example\n');
  const said = await words(desk, RUN);
  expect(said).toContain('Credits    at most 6 spent');
  expect(said).toContain(
    '  find-email at two: 2 of 2 rows found, at most 5 credits; at most 5 credits each\n',
  );
  expect(said).toContain('  find-email at one: 1 of 3 rows found, 1 credit; 1 credit each\n');
  const report = await desk.read('out.report.html');
  expect(report.match(/%; [\w ]+; [\w ]+ each/g)).toEqual([
    '%; 1 credit; 1 credit each',
    '%; at most 5 credits; at most 5 credits each',
  ]);
  expect((await desk.json(['spend'])).groups).toMatchObject([
    { name: 'two', spent: 5, exact: false, saved: 5 },
    { name: 'one', spent: 1, exact: true, saved: 0 },
  ]);
  expect((await desk.json(['spend', '--by', 'batch'])).groups).toMatchObject([
    { spent: 6, exact: false, saved: 5 },
  ]);
});

test('a list that is started again saves nothing of what it has had before, and another list saves it once', async () => {
  const desk = await deskOf({ one: '0.50 AUD', two: '0.04 AUD' });
  const three = 'First,Last,Site\nAnn,Lee,a.example\nBob,Poe,b.example\nCat,Roy,c.example\n';
  const saved = async () =>
    Object.fromEntries(
      (await desk.json(['spend', '--by', 'list'])).groups.map((group: JsonResult) => [
        group.name.split('/').at(-1),
        [group.spent, group.saved],
      ]),
    );
  await desk.json(RUN);
  await desk.write('list.csv', `${three}Ann,Fox,d.example\n`);
  const { figures } = await desk.json(RUN);
  expect(figures).toMatchObject({ in_all: { credits: { spent: 12, exact: true } } });
  const report = await desk.read('out.report.html');
  expect(report).toContain(
    'In all, the list has cost A$1.40 (2 credits of one and 10 credits of two); this start cost 1 credit (A$0.50).',
  );
  expect(report).not.toContain('saved');
  const said = await words(desk, RUN);
  expect(said).toContain(', list total 12 (A$1.40)\n');
  expect(said).not.toContain('saved');
  expect(await saved()).toEqual({ 'list.csv': [12, 0] });
  const other = ['run', 'job.yaml', 'other.csv', '-o', 'other-out.csv', '--yes'];
  await desk.write('other.csv', `${three}Fay,Orr,f.example\n`);
  await desk.json(other);
  expect(await saved()).toEqual({ 'list.csv': [12, 0], 'other.csv': [0, 11] });
  await desk.write('other.csv', three.replace('Ann', 'Eve'));
  await desk.json(other);
  expect(await saved()).toEqual({ 'list.csv': [12, 0], 'other.csv': [0, 11] });
});

test('what each find of a list has cost counts those of rows that are gone, changed or left out since', async () => {
  const desk = await openDesk({ matchRate: 1, account: { price: '0.40 AUD' } });
  const job = (more: object) =>
    desk.write('job.yaml', JSON.stringify({ operation: 'enrich-company', account: 'data', ...more }));
  const list = (...rows: readonly string[]) => desk.write('list.csv', `Site,Is\n${rows.join('\n')}\n`);
  const each = async () => (await desk.json([...RUN, '--budget', '99'])).figures.in_all.each;
  await job({});
  await list('a.example,', 'b.example,', 'c.example,', 'd.example,', 'e.example,x');
  await desk.json([...RUN, '--budget', '99']);
  await list('new.example,', 'a.example,', 'changed.example,', 'd.example,', 'e.example,x');
  const inMoney = { credits: 1, cost: [{ amount: 0.4, currency: 'AUD' }] };
  expect(await each(), 'two are gone').toEqual({ rows: 7, ...inMoney });
  await job({ unless: { Is: 'x' } });
  await list('a.example,', 'last.example,', 'e.example,x');
  expect(await each(), 'one is left out').toEqual({ rows: 8, ...inMoney });
});

test('what an earlier start of a list may have paid is said with its whole cost', async () => {
  const { desk } = await deskBefore(({ body }) => (body.includes('lost') ? undefined : { name: 'Acme' }));
  const job = {
    operation: 'enrich-company',
    account: 'data',
    columns: { domain: 'Site' },
    waterfall: ['domain'],
  };
  await desk.write('job.yaml', JSON.stringify({ ...job, budget: { credits: 9 } }));
  await desk.write('list.csv', 'Site\na.example\nlost.example\n');
  await desk.json(RUN);
  await desk.json(['settle', 'last', '3', '--skip']);
  await desk.write('list.csv', 'Site\na.example\nb.example\n');
  const { figures } = await desk.json(RUN);
  expect(figures).toMatchObject({ in_all: { credits: { spent: 2, exact: true, in_doubt: 1 } } });
  expect(await desk.read('out.report.html')).toContain(
    'In all, the list has cost 2 credits, and 1 more in doubt, for answers that were lost; this start cost 1 credit.',
  );
  expect(await words(desk, RUN)).toContain(', list total 2 and 1 in doubt\n');
});

const MONEY = /[$€£¥]|\b(?:AUD|EUR)\b|"cost":[^n]/;

test('where no account has a price, and of play money, not a word is said of money', async () => {
  const desk = await deskOf({});
  const said = [await words(desk, PLAN), await words(desk, [...PLAN, '--json'])];
  said.push(await words(desk, RUN), await words(desk, [...RUN, '--json']), await reported(desk));
  for (const by of BY) said.push(await words(desk, ['spend', '--by', by, '--json']));
  const priced = await deskOf({ one: '0.50 EUR', two: '0.04 AUD' });
  priced.list(3, 'companies.csv');
  const play = ['run', 'enrich-company', 'companies.csv', '--account', 'sandbox-provider', '-o', 'out.csv'];
  said.push(await words(priced, play), await words(priced, [...play, '--json']), await reported(priced));
  for (const text of said) expect(text).toMatch(/credit|spent/i);
  for (const text of said) expect(text).not.toMatch(MONEY);
});

test('money is said of the accounts that have a price, and of no sum that an account without one is part of', async () => {
  const desk = await deskOf({ two: '0.04 AUD' });
  const { cost, steps } = await desk.json(PLAN);
  const paid = (amount: number) => [{ amount, currency: 'AUD' }];
  expect([cost, ...steps.map((step: JsonResult) => step.cost)]).toEqual([
    undefined,
    undefined,
    { most: paid(0.6) },
  ]);
  expect(await words(desk, RUN)).toContain('Credits    11 spent, 0 saved');
  expect(await reported(desk)).toBe('It cost 1 credit of one and 10 credits of two.');
  expect(await spent(desk, 'day')).toEqual([undefined]);
  expect(await spent(desk, 'account')).toEqual([paid(0.4), undefined]);
});

test('credits of accounts stand beside one another in what was spent, also where one has no price', async () => {
  const desk = await deskOf({ one: '0.50 EUR', two: undefined });
  await desk.type(RUN);
  const at = (account: string, spent: number, more: object) => ({ account, spent, exact: true, ...more });
  const accounts = [
    at('one', 1, { requests: 3, cost: [{ amount: 0.5, currency: 'EUR' }] }),
    at('two', 10, { requests: 2 }),
  ];
  for (const by of ['month', 'list', 'day', 'operator']) {
    const [group] = (await desk.json(['spend', '--by', by])).groups;
    expect(
      group.accounts.toSorted((a: JsonResult, b: JsonResult) => a.spent - b.spent),
      by,
    ).toEqual(accounts);
    expect(group.cost, by).toBeUndefined();
  }
  const [{ lists }] = (await desk.json(['spend', '--by', 'day'])).groups;
  expect(lists).toMatchObject([{ list: desk.place.path('list.csv'), operation: 'find-email' }]);
});
