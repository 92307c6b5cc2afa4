/**
 * Goal: a plan may be believed: it counts every row once, it never sends, and a run never costs more than it said.
 * Method: lists with invalid, doubled and unknown rows are planned and then really run before the sandbox, whose book is compared with
 * the plan.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plan } from '../../src/index.ts';
import { credits } from '../../src/ledger/ledger.ts';
import { PlanObject } from '../../src/objects/plan-object.ts';
import { runJob } from '../../src/run/run-job.ts';
import { openDesk } from '../cli/desk.ts';
import { times } from '../support/combinations.ts';

const cell = fc.constantFrom('', 'a.example', 'b.example', 'c.example', 'www.a.example', 'not a domain');
const abn = fc.constantFrom('', '51824753556', '51 824 753 556', '51824753557', '33051775556');
const rows = fc.array(fc.tuple(abn, cell), { minLength: 1, maxLength: 12 });

test('a run never costs more than its plan said at most, and the plan itself never sends', async () => {
  const desk = (await openDesk({ matchRate: 0.5 })).here();
  const { place } = desk;
  let lists = 0;
  const compare = async (cells: readonly (readonly string[])[]): Promise<void> => {
    lists += 1;
    await desk.write('list.csv', `ABN,Domain,Ref\n${cells.map((each, at) => `${each},${at}\n`).join('')}`);
    const order = {
      job: 'enrich-company',
      file: place.path('list.csv'),
      store: place.path(`store-${lists}`),
    };
    const planned = async () => PlanObject.parse(await plan(order));
    const before = await place.vendor.book();
    const first = await planned();
    expect(await place.vendor.book()).toEqual(before);
    const { invalid, duplicates, bought_before, in_doubt, to_buy } = first;
    expect([first.rows, invalid + duplicates + bought_before + in_doubt + to_buy]).toEqual(
      Array(2).fill(cells.length),
    );
    expect(first.credits.expected).toBeLessThanOrEqual(first.credits.most);

    await runJob({ ...order, budget: credits(1_000), output: false });
    const after = await place.vendor.book();
    expect(after.credits - before.credits).toBeLessThanOrEqual(first.credits.most);
    expect(await planned()).toMatchObject({ to_buy: 0, duplicates, invalid });
  };
  await fc.assert(fc.asyncProperty(rows, compare), { numRuns: times(5, 15) });
});

test('the expected time is as long as the tightest window allows, and no time is promised without one', async () => {
  const desk = await openDesk();
  desk.list(60);
  const timeWith = async (limits: object): Promise<string | undefined> => {
    const { url } = desk.place.vendor;
    desk.place.writeAccounts({ data: { vendor: 'provider', base_url: url, key: 'key-1', limits } });
    const { stdout } = await desk.type(['plan', 'enrich-company', 'list.csv']);
    return / time +(.*)/.exec(stdout)?.[1];
  };
  expect(await timeWith({ per_second: 20, per_minute: 60 })).toBe('about 1 min');
  expect(await timeWith({ concurrency: 4 })).toBe('not known yet, as the account has no limit');
});
