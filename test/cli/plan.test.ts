/**
 * Goal: a person sees what a file is and what a job would buy in it before a credit is at stake; looking never sends,
 * never makes a store and never needs a key.
 * Method: the real command before a vendor that is not there: an address at which nothing listens.
 */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { proof } from '../combinations.ts';
import { objectIn, openDesk } from './desk.ts';

/** A port of this machine at which nothing listens. */
const DEAD_ADDRESS = 'http://127.0.0.1:1';

const LIST = `ABN,Website,Size
51 824 753 556,www.acme.example,12
51824753556,https://acme.example/about,twelve
51824753557,,15
,beta.example,20
`;

async function planned(...words: readonly string[]) {
  const desk = await openDesk();
  desk.place.writeAccount(DEAD_ADDRESS, { key: undefined, key_env: 'NOT_SET', limits: { per_second: 2 } });
  await desk.write('list.csv', LIST);
  const ended = await desk.type(['plan', ...words]);
  expect(existsSync(desk.place.path('store'))).toBe(false);
  return { ...ended, folder: desk.place.folder };
}

test('with a job: what it would buy, at most and probably, how long that takes, and what is wrong with which row', async () => {
  const { code, stdout, stderr, folder } = await planned('enrich-company', 'list.csv');
  expect(code).toBe(0);
  expect(
    stdout.replace(/^( {2}id +)[\da-f-]+$/m, '$1ID'),
  ).toBe(`enrich-company over ${folder}/list.csv, with account data
  columns        abn ← ABN, website ← Website (guessed)
  looked up by   abn, then website
  rows           4
  invalid        1
  duplicates     1
  to buy         2
  credits        at most 2, probably 2
  time           about 2 s
  row 4: no usable identifier: ABN 51 824 753 557: the checksum fails; website: blank
  damage         ABN: 1 with a wrong checksum: row 4; such as 51824753557, perhaps 51 824 753 556
  id             ID
`);
  expect(stderr).toContain('so nothing is known as bought.');
});

proof('with a job and --json: the same as one object', async () => {
  const { id, ...plan } = objectIn((await planned('enrich-company', 'list.csv', '--json')).stdout);
  expect(id).toMatch(/^[\w-]+$/);
  expect(plan).toEqual({
    columns: { abn: 'ABN', website: 'Website' },
    because: { abn: 'by its name', website: 'by its name' },
    rows: 4,
    invalid: 1,
    duplicates: 1,
    bought_before: 0,
    in_doubt: 0,
    to_buy: 2,
    credits: { most: 2, expected: 2 },
    seconds: 2,
    reasons: [
      {
        reason: 'no usable identifier: ABN 51 824 753 557: the checksum fails; website: blank',
        ...{ count: 1, first_rows: [4] },
      },
    ],
    damage: [
      {
        ...{ input: 'abn', column: 'ABN', kind: 'mistyped', count: 1, first_rows: [4] },
        ...{ cure: 'by_hand', repairable: 0 },
        examples: [{ row: 4, cell: '51824753557', candidates: ['51824753556'] }],
      },
      {
        ...{ input: 'abn', column: 'ABN', kind: 'spelling', count: 1, first_rows: [2] },
        ...{ cure: 'none_needed', repairable: 0 },
        examples: [{ row: 2, cell: '51 824 753 556' }],
      },
    ],
  });
});

test('what the ledger knows is bought before; the plan of a finished list costs nothing', async () => {
  const desk = await openDesk();
  desk.list(3);
  await desk.type(desk.run('--limit', '2'));
  expect(await desk.json(['plan', 'enrich-company', 'list.csv'])).toMatchObject({
    bought_before: 2,
    to_buy: 1,
  });
  await desk.type(desk.run());
  expect(await desk.json(['plan', 'enrich-company', 'list.csv'])).toMatchObject({
    bought_before: 3,
    to_buy: 0,
    credits: { most: 0, expected: 0 },
  });
  expect(await desk.requests()).toBe(3);
});

proof(
  'an unfinished batch of the list is named with what it costs to go on; a finished one is not',
  async () => {
    const desk = await openDesk();
    desk.list(3);
    const PLAN = ['plan', 'enrich-company', 'list.csv'];
    expect((await desk.type(PLAN)).stdout).not.toContain('unfinished');
    const { batch } = await desk.json(desk.run('--limit', '2'));
    expect((await desk.type(PLAN)).stdout).toContain(
      `  unfinished     batch ${batch} of this list: a run continues it, for at most 1 credit\n`,
    );
    await desk.type(desk.run());
    expect((await desk.type(PLAN)).stdout).not.toContain('unfinished');
  },
);

test('the order in which identifiers are tried is told as the job says it, and not where there is only one', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', LIST);
  await desk.write('mine.yaml', 'operation: enrich-company\nwaterfall: [website, abn]\n');
  const order = async (job: string): Promise<string | undefined> =>
    / looked up by +(.*)/.exec((await desk.type(['plan', job, 'list.csv'])).stdout)?.[1];
  expect(await order('mine.yaml')).toBe('website, then abn');
  await desk.write('list.csv', 'ABN\n51824753556\n');
  expect(await order('enrich-company')).toBeUndefined();
});

proof('a job without its file is told so, and what to type', async () => {
  const desk = await openDesk();
  for (const job of ['enrich-company', 'mine.yaml']) {
    expect(await desk.type(['plan', job])).toMatchObject({
      code: 2,
      stderr: `${job} is a job, and no file is named to plan it for.
Name the file as well: npx --no rowonce plan ${job} FILE
`,
    });
  }
});

proof('one row and a blank column are called so', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', 'ABN,Name\n,\n');
  const { stdout } = await desk.type(['plan', 'list.csv']);
  expect(stdout).toMatch(/list\.csv: 1 row, 2 columns, UTF-8/);
  expect(stdout).toMatch(/^ {2}ABN {3}blank *$/m);
});
