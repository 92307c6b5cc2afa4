/**
 * Goal: a person sees what a file is and what a job would buy in it before a credit is at stake; looking never sends,
 * never makes a store and never needs a key.
 * Method: the real command before a vendor that is not there: an address at which nothing listens.
 */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openDesk } from './desk.ts';

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
  damage         ABN: 1 with a wrong checksum: row 4; such as 51824753557
  id             ID
`);
  expect(stderr).toContain('so nothing is known as bought.');
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
