/**
 * Goal: who answers for a store can say who asked, bought, changed or decided what, when and at what price, and what it adds up to.
 * Method: the real commands by several people, before the sandbox as a vendor, whose book says what was charged.
 */
import { describe, expect, test } from 'vitest';
import { type Desk, type JsonResult, openDesk } from './desk.ts';

/** Ann buys three rows, of which the vendor loses the answer of the first; Bob settles that, and buys one more. */
async function sharedDesk(): Promise<Desk> {
  const desk = await openDesk({
    faults: 'charged-reset:x1',
    concurrency: 1,
    account: { price: '0.04 AUD', budget: { per_month: 500 } },
  });
  desk.list(3);
  await desk.type(desk.run('--as', 'Ann'));
  await desk.type(['settle', 'last', '--skip', '--as', 'Bob']);
  desk.list(4);
  const run = await desk.type(desk.run('--as', 'Bob'));
  expect(run.stdout).toContain('Credits    1 spent (A$0.04), ');
  return desk;
}

const told = ({ entries }: JsonResult): readonly string[] =>
  entries.map((entry: JsonResult) => {
    const about = Object.values(entry.asked)[0] ?? '';
    return `${entry.operator} ${entry.kind} ${about} ${entry.ended ?? ''}`.replaceAll(/ +/g, ' ').trim();
  });

test('rowonce log tells of a company who asked when and at what price, however it is written, and who decided about it', async () => {
  const desk = await sharedDesk();
  const log = await desk.json(['log', 'https://www.LIST.csv-1.example/about']);
  expect(told(log)).toEqual(['Bob decided list.csv-1.example skip', 'Ann asked list.csv-1.example in_doubt']);
  expect(log.entries[1]).toMatchObject({
    row: 2,
    charged: 0,
    in_doubt: 1,
    account: 'data',
    sandbox: false,
  });
  const [decided, asked] = (await desk.type(['log', 'list.csv-1.example'])).stdout.split('\n');
  expect(decided).toMatch(
    /Z {2}Bob {2}decided skip, about domain list\.csv-1\.example \(.+\) {2}batch [0-9a-f]{8} row 2$/,
  );
  expect(asked).toMatch(/Z {2}Ann {2}enrich-company at data, domain .*: in_doubt, 0 credits, 1 in doubt /);
  const bought = await desk.json(['log', 'list.csv-2.example']);
  expect(bought.entries).toMatchObject([{ operator: 'Ann', charged: 1 }]);
  expect((await desk.type(['log', 'nobody.example'])).stdout).toBe(
    'Nothing was asked about nobody.example, https://nobody.example.\n',
  );
});

describe('rowonce spend', () => {
  const month = new Date().toISOString().slice(0, 7);
  const groups = async (desk: Desk, ...words: string[]) =>
    (await desk.json(['spend', '--month', month, ...words])).groups;

  test('rowonce spend adds up to what the vendor charged, by account, batch, day, list and whoever was at work', async () => {
    const desk = await sharedDesk();
    const { credits } = await desk.place.vendor.book();
    for (const by of ['account', 'batch', 'day', 'list', 'month', 'operator']) {
      const found = await groups(desk, '--by', by);
      const sum = (of: string) => found.reduce((all: number, each: JsonResult) => all + each[of], 0);
      expect(sum('spent') + sum('in_doubt'), by).toBe(credits);
      expect(sum('requests'), by).toBe(4);
    }
    expect(await groups(desk)).toMatchObject([
      {
        name: 'data',
        spent: 3,
        in_doubt: 1,
        batches: 2,
        budget: 500,
      },
    ]);
    expect(await groups(desk, '--by', 'operator')).toMatchObject([
      { name: 'Ann', spent: 2, in_doubt: 1, batches: 1 },
      { name: 'Bob', spent: 1, in_doubt: 0, batches: 1, saved: 0 },
    ]);
    const shown = await desk.type(['spend', '--month', month]);
    expect(shown.stdout).toBe(
      `${month} (UTC), by account\n  data  3 credits (A$0.12) of 500, 1 in doubt, 0 saved, 4 requests, 2 batches begun\n`,
    );
    expect(await groups(desk, '--by', 'batch')).toMatchObject([
      { spent: 2, input: desk.place.path('list.csv') },
      { spent: 1, input: desk.place.path('list.csv') },
    ]);
    expect(await groups(desk, '--by', 'list')).toMatchObject([
      { name: desk.place.path('list.csv'), spent: 3, for_misses: 0, batches: 2 },
    ]);
    expect(await groups(desk, '--by', 'month')).toMatchObject([{ name: month, spent: 3, batches: 2 }]);
  });
});
