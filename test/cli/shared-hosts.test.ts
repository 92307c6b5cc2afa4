/**
 * Goal: a host under which a list has several companies, each on a page of it, is bought for none of them before a person says so;
 * the other rows go on. Plan, run, a run that goes on, and a sample come to the same rows, and what a person took stays taken.
 * Method: the real command before a vendor that keeps what arrives, at an account that is not play money.
 */
import { expect, test } from 'vitest';
import { type DeskBefore, deskBefore } from './desk.ts';

const COMPANY = { path: '/company', method: 'POST', gives: { name: 'name' }, credits: { most: 1, found: 1 } };

const HEADER = 'Company,Website,ABN';
const PORTAL = [
  'Blue Dental Pty Ltd,https://portal.example/1,',
  'Papa Bakery Pty Ltd,portal.example/2,',
  'Oldmill Motors Pty Ltd,https://www.portal.example/3/,',
];
const OWN = ['Acme,https://acme.example/contact,', 'Beta,https://www.beta.example,'];

async function deskOf(list: readonly string[], operation: object = COMPANY): Promise<DeskBefore> {
  const at = await deskBefore(({ input }, nth) => ({ name: `Company ${nth}`, ...input }));
  at.speak({ operations: { 'enrich-company': operation } });
  await at.desk.write('list.csv', `${[HEADER, ...list].join('\n')}\n`);
  return at;
}

const words = (...more: readonly string[]): readonly string[] => [
  ...['run', 'enrich-company', 'list.csv', '--account', 'data', '--budget', '90', '-o', 'out.csv', ...more],
];

const plan = ({ desk }: DeskBefore, ...more: readonly string[]) =>
  desk.json(['plan', 'enrich-company', 'list.csv', '--account', 'data', ...more]);

const statuses = ({ desk }: DeskBefore): readonly string[] =>
  desk.place.rows().map((row) => row._status ?? '');

const domains = ({ asked }: DeskBefore): readonly unknown[] => asked.map(({ input }) => input.domain);

const REASON =
  'portal.example is the website of 3 companies of this list, each on a page of it, so it is probably none of theirs; ' +
  'to send its rows, use --accept shared-host';

test('companies that share nothing but a host are set aside, and the others go on, as the plan says', async () => {
  const at = await deskOf([...PORTAL, ...OWN]);
  const planned = await plan(at);
  expect(planned).toMatchObject({
    rows: 5,
    invalid: 3,
    set_aside: 3,
    to_buy: 2,
    reasons: [{ reason: REASON, count: 3, first_rows: [2, 3, 4] }],
  });
  expect((await at.desk.type(words('--plan', planned.id))).code).toBe(3);
  expect(domains(at)).toEqual(['acme.example', 'beta.example']);
  expect(statuses(at)).toEqual(['invalid', 'invalid', 'invalid', 'matched', 'matched']);
  expect(at.desk.place.rows()[0]?._reason).toBe(REASON);
});

test('--accept shared-host takes them in a later run of the list, once, and it stays so', async () => {
  const at = await deskOf([...PORTAL, ...OWN]);
  await at.desk.type(words());
  const planned = await plan(at, '--accept', 'shared-host');
  expect(planned).toMatchObject({ invalid: 0, to_buy: 1, bought_before: 2 });
  expect(planned).not.toHaveProperty('set_aside');
  expect((await at.desk.type(words('--accept', 'shared-host', '--plan', planned.id))).code).toBe(0);
  expect(domains(at)).toEqual(['acme.example', 'beta.example', 'portal.example']);
  expect(statuses(at)).toEqual(Array(5).fill('matched'));
  for (const again of [words(), words('--accept', 'shared-host')]) {
    expect((await at.desk.type(again)).code).toBe(0);
    expect(statuses(at)).toEqual(Array(5).fill('matched'));
  }
  expect(await plan(at)).toMatchObject({ invalid: 0, to_buy: 0 });
  expect(at.asked).toHaveLength(3);
});

test('--accept shared-host with the first run asks them at once', async () => {
  const at = await deskOf([...PORTAL, ...OWN]);
  expect((await at.desk.type(words('--accept', 'shared-host'))).code).toBe(0);
  expect(domains(at)).toEqual(['portal.example', 'acme.example', 'beta.example']);
  expect(at.desk.place.rows().map((row) => row._match)).toEqual([
    ...Array(3).fill('shared by 3 names'),
    '',
    '',
  ]);
});

test.each<readonly [string, readonly string[]]>([
  ['one path', PORTAL.map((row) => row.replace(/(example)\/\d\/?/, '$1/'))],
  [
    'names that share a word',
    PORTAL.map((row, at) => row.replace(/^\w+/, ['Subway', 'Subway', "Subway's"][at] ?? '')),
  ],
  ['two names', PORTAL.slice(0, 2)],
  [
    'names of which only two are apart',
    ['Blue Dental,h.example/1,', 'Blue Bakery,h.example/2,', 'Red Bakery,h.example/3,', 'Red,h.example/4,'],
  ],
  ['one name', PORTAL.map((row) => row.replace(/^[^,]+/, 'Acme'))],
  ['rows that have an ABN', PORTAL.map((row, at) => row + ['51824753556', '53004085616', '11000000948'][at])],
])('rows of one host are asked as before where they have %s', async (_, list) => {
  const at = await deskOf([...list, ...OWN]);
  expect(await plan(at)).toMatchObject({ invalid: 0 });
  expect((await at.desk.type(words())).code).toBe(0);
  expect(statuses(at)).toEqual(Array(list.length + 2).fill('matched'));
});

test('rows of one host that are asked once say by how many names it is shared', async () => {
  const franchise = ['Fitzroy', 'Carlton', 'Kew', 'Kew'].map(
    (town, at) => `Subway ${town},subway.example/${at},`,
  );
  const at = await deskOf([
    ...franchise,
    ...OWN,
    'Acme Pty Ltd,acme.example,',
    'Subway Kew,subway.example,51824753556',
  ]);
  expect((await at.desk.type(words())).code).toBe(0);
  const shared = 'shared by 3 names';
  expect(at.desk.place.rows().map((row) => row._match)).toEqual([...Array(4).fill(shared), '', '', '', '']);
  expect(at.asked).toHaveLength(4);
});

test('a row with an ABN of its own is asked by that, whatever host it has', async () => {
  const at = await deskOf([...PORTAL, 'Gamma,https://portal.example/4,51824753556']);
  expect((await at.desk.type(words())).code).toBe(3);
  expect(at.asked.map(({ input }) => input)).toEqual([{ abn: '51824753556' }]);
});

test('redirects are told apart by their targets, and accept_hosts takes a host by its name', async () => {
  const to = (site: string): string => `https://www.google.com/url?q=https%3A%2F%2F${site}.example`;
  const redirects = [`Blue,${to('blue')},`, `Papa,${to('papa')},`, `Oldmill,${to('oldmill')},`];
  const at = await deskOf([...redirects, ...PORTAL]);
  const job = { operation: 'enrich-company', account: 'data', accept_hosts: ['portal.example'] };
  await at.desk.write('job.yaml', JSON.stringify({ ...job, budget: { credits: 9 } }));
  expect((await at.desk.type(['run', 'job.yaml', 'list.csv'])).code).toBe(0);
  expect(domains(at)).toEqual(['blue.example', 'papa.example', 'oldmill.example', 'portal.example']);
});

test('a run that was stopped, a part of the list and a sample leave the same rows aside', async () => {
  const at = await deskOf([...OWN, ...PORTAL]);
  expect((await at.desk.type(words('--only', '2'))).code).toBe(0);
  expect((await at.desk.type(words('--sample', '1'))).code).toBe(0);
  expect((await at.desk.type(words())).code).toBe(3);
  expect(domains(at)).toEqual(['acme.example', 'beta.example']);
  expect(statuses(at)).toEqual(['matched', 'matched', 'invalid', 'invalid', 'invalid']);
});

test('an unfinished batch ends where its rows that were set aside are taken, and nothing is bought twice', async () => {
  const at = await deskOf([...PORTAL, ...OWN]);
  const short = words().map((word) => (word === '90' ? '1' : word));
  expect((await at.desk.type(short)).code).toBe(4);
  expect(domains(at)).toEqual(['acme.example']);
  const { code, stderr } = await at.desk.type(words('--accept', 'shared-host'));
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining('ends, and its rows that were set aside are asked'),
  ]);
  expect(domains(at)).toEqual(['acme.example', 'portal.example', 'beta.example']);
  expect(statuses(at)).toEqual(Array(5).fill('matched'));
});

test('a list of which another cell was edited sets the rows aside again, and their answers are there', async () => {
  const at = await deskOf([...PORTAL, ...OWN]);
  await at.desk.type(words('--accept', 'shared-host'));
  await at.desk.write('list.csv', `${[HEADER, ...PORTAL, ...OWN, 'Gamma,gamma.example,'].join('\n')}\n`);
  expect(await plan(at)).toMatchObject({ invalid: 3, to_buy: 1, bought_before: 2 });
  expect((await at.desk.type(words('--accept', 'shared-host'))).code).toBe(0);
  expect(domains(at).slice(3)).toEqual(['gamma.example']);
});

test('people are asked for by host and name, and are set aside in the same way', async () => {
  const finder = {
    path: '/find',
    method: 'POST',
    by: ['first_name+last_name+domain'],
    gives: { email: 'email' },
  };
  const at = await deskBefore(({ input }) => ({ email: `${input.last_name}@a.example` }));
  at.speak({ operations: { 'find-email': { ...finder, credits: { most: 1, found: 1 } } } });
  const people = [
    'First name,Surname,Company,Website',
    ...PORTAL.map((row) => `Jo,Bell,${row.slice(0, -1)}`),
  ];
  await at.desk.write(
    'list.csv',
    `${[...people, 'Mia,Tran,Acme,https://acme.example/team/1', 'Leo,Park,Acme,https://acme.example/team/2'].join('\n')}\n`,
  );
  expect(
    (await at.desk.type(words().map((word) => (word === 'enrich-company' ? 'find-email' : word)))).code,
  ).toBe(3);
  expect(domains(at)).toEqual(['acme.example', 'acme.example']);
});
