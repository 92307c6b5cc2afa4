/**
 * Goal: two rows that ask one question, and that a profile or an ABN tells apart, are asked by what tells them apart where the
 * dialect takes it. Plan, run, a run that goes on and a longer list come to the same calls, and what was bought before stays.
 * Method: the real command before a vendor that keeps what arrives, at an account that is not play money.
 */
import { expect, test } from 'vitest';
import { type DeskBefore, deskBefore } from './desk.ts';

const FINDER = {
  method: 'POST',
  path: '/find',
  gives: { email: 'mail' },
  credits: { most: 1, found: 1 },
  by: ['first_name+last_name+domain', 'first_name+last_name+domain+profile_url', 'profile_url'],
};
const NAMED = { first_name: 'First', last_name: 'Last', domain: 'Site' };
const COLUMNS = { ...NAMED, profile_url: 'LinkedIn' };
const HEADER = 'First,Last,Site,LinkedIn';
const [ONE, TWO] = [
  'John,Smith,a.example,linkedin.com/in/john-one',
  'John,Smith,a.example,linkedin.com/in/john-two',
];
const ANN = 'Ann,Lee,b.example,linkedin.com/in/ann-lee';

/** Each person has an address of her own, which only her profile leads to. */
async function deskOf(
  list: readonly string[],
  job: object = {},
  finder: object = FINDER,
): Promise<DeskBefore> {
  const at = await deskBefore(({ input }) => ({ mail: mailOf(input) }));
  at.speak({ operations: { 'find-email': finder } });
  const own = { operation: 'find-email', account: 'data', columns: COLUMNS, add: { Mail: 'email' }, ...job };
  await at.desk.write('job.yaml', JSON.stringify(own));
  await write(at, list);
  return at;
}

const mailOf = ({ profile_url: page = '/anybody', last_name: last = '' }: Readonly<Record<string, string>>) =>
  `${page.split('/').at(-1)}@${last.toLowerCase()}.example`;

const write = ({ desk }: DeskBefore, list: readonly string[]) =>
  desk.write('list.csv', `${[HEADER, ...list].join('\n')}\n`);

const words = (...more: readonly string[]): readonly string[] => [
  ...['run', 'job.yaml', 'list.csv', '--budget', '90', '-o', 'out.csv', ...more],
];

const mails = ({ desk }: DeskBefore): readonly string[] =>
  desk.place.rows().map(({ Mail: mail, _match: match }) => [mail, match].filter(Boolean).join(' | '));

const OWN = ['john-one@smith.example', 'john-two@smith.example'];

test('two people of one name at one domain are asked by their profiles, as the plan says, and once', async () => {
  const at = await deskOf([ONE, TWO, ANN]);
  const planned = await at.desk.json(['plan', 'job.yaml', 'list.csv']);
  expect(planned).toMatchObject({ to_buy: 3, duplicates: 0, told_apart: 2, credits: { most: 3 } });
  const { stdout } = await at.desk.type(['plan', 'job.yaml', 'list.csv']);
  expect(stdout).toMatch(/^ {2}told apart +2 asked by the ABN or profile that tells them from others$/m);
  expect((await at.desk.type(words('--plan', planned.id))).code).toBe(0);
  expect(mails(at)).toEqual([...OWN, 'anybody@lee.example']);
  expect(at.asked.map(({ input }) => Object.keys(input).toSorted().join())).toEqual([
    ...Array(2).fill('domain,first_name,last_name,profile_url'),
    'domain,first_name,last_name',
  ]);
  expect((await at.desk.type(words())).code).toBe(0);
  expect(mails(at)).toEqual([...OWN, 'anybody@lee.example']);
  expect(await at.desk.json(['plan', 'job.yaml', 'list.csv'])).toMatchObject({ to_buy: 0, bought_before: 3 });
  expect(at.asked).toHaveLength(3);
});

test('a row that is bought already keeps its answer, and so does who asks the same', async () => {
  const at = await deskOf([ONE]);
  expect((await at.desk.type(words())).code).toBe(0);
  await write(at, [ONE, TWO]);
  expect(await at.desk.json(['plan', 'job.yaml', 'list.csv'])).toMatchObject({ to_buy: 0 });
  expect((await at.desk.type(words())).code).toBe(0);
  expect(mails(at)).toEqual(['anybody@smith.example', 'anybody@smith.example | shared with row 2']);
  expect(at.asked).toHaveLength(1);
});

test('who was told apart stays so in a longer list, also where another row has asked the common question', async () => {
  const nobody = 'John,Smith,a.example,';
  const at = await deskOf([ONE, TWO, nobody]);
  expect((await at.desk.type(words())).code).toBe(0);
  expect(mails(at)).toEqual([...OWN, 'anybody@smith.example']);
  await write(at, [ONE, TWO, nobody, ANN]);
  expect(await at.desk.json(['plan', 'job.yaml', 'list.csv'])).toMatchObject({ to_buy: 1 });
  expect((await at.desk.type(words())).code).toBe(0);
  expect(mails(at)).toEqual([...OWN, 'anybody@smith.example', 'anybody@lee.example']);
  expect(at.asked).toHaveLength(4);
});

test('a part of the list, a sample and a run that goes on ask the same', async () => {
  const at = await deskOf([ONE, ANN, TWO]);
  expect((await at.desk.type(words('--only', '2'))).code).toBe(0);
  expect(at.asked.map(({ input }) => input.profile_url)).toEqual(['https://www.linkedin.com/in/john-one']);
  expect((await at.desk.type(words('--sample', '2'))).code).toBe(0);
  expect((await at.desk.type(words())).code).toBe(0);
  expect(mails(at)).toEqual([OWN[0], 'anybody@lee.example', OWN[1]]);
  expect(at.asked).toHaveLength(3);
});

test.each<readonly [string, readonly string[], object, object]>([
  ['one profile in two spellings', [ONE, ONE.replace('john-one', 'John-One/')], {}, FINDER],
  ['profiles of two forms', [ONE, TWO.replace('john-two', 'ACoAAB12345678901')], {}, FINDER],
  ['one profile', [ONE, 'John,Smith,a.example,'], {}, FINDER],
  [
    'a dialect that takes no profile',
    [ONE, TWO],
    { columns: NAMED },
    { ...FINDER, by: ['first_name+last_name+domain'] },
  ],
  [
    'a waterfall of the job without it',
    [ONE, TWO],
    { columns: NAMED, waterfall: ['first_name+last_name+domain'] },
    FINDER,
  ],
])('rows of one question are asked once where they have %s', async (_, list, job, finder) => {
  const at = await deskOf(list, job, finder);
  expect(await at.desk.json(['plan', 'job.yaml', 'list.csv'])).not.toHaveProperty('told_apart');
  expect((await at.desk.type(words())).code).toBe(0);
  expect(at.asked.map(({ input }) => Object.keys(input).toSorted().join())).toEqual([
    'domain,first_name,last_name',
  ]);
});

test('companies of one domain are asked by their ABNs', async () => {
  const at = await deskBefore(({ input }) => ({ staff: input.abn === '53004085616' ? 2 : 1 }));
  const by = ['domain', 'abn'];
  at.speak({ operations: { 'enrich-company': { by, credits: { most: 1, found: 1 } } } });
  await at.desk.write('list.csv', 'ABN,Site\n51824753556,a.example\n53 004 085 616,a.example\n,a.example\n');
  const job = { operation: 'enrich-company', account: 'data', columns: { abn: 'ABN', domain: 'Site' } };
  await at.desk.write('job.yaml', JSON.stringify({ ...job, add: { Staff: 'staff' } }));
  expect((await at.desk.type(words())).code).toBe(0);
  const rows = at.desk.place.rows();
  expect(rows.map((row) => [row.Staff, row._matched_by, row._match].join())).toEqual([
    ...['1,abn,', '2,abn,', '1,domain,'],
  ]);
  expect(at.asked).toHaveLength(3);
});
