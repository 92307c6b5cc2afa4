import { beforeAll, expect, test } from 'vitest';
import { proof } from '../combinations.ts';
import { postgresServer, type Server } from '../ledger/stores/postgres-server.ts';
import { layOutOn, WORKER } from './laid-out.ts';
import type { Ended } from './program.ts';
import { domainsOf, type Order, Workplace } from './workplace.ts';

/*
 * Goal: processes that spend from one database at once share one limit of an account, and buy nothing twice. What they do when one is
 * killed or the database ends is the matter of `npm run faults -- --machines 4`; budgets are that of `ledger/attacks.test.ts`.
 * Method: real commands side by side over a real server. The judge is the vendor, a process of its own: its book says what was
 * bought, and its log when each request came.
 */

/** Laid out once: a copy of it takes a fraction of laying one out. */
const LAID_OUT = 'many_laid_out';

let server: Server;
beforeAll(async () => {
  server = await postgresServer();
  await layOutOn(server, LAID_OUT);
});

/** Requests of one process that may be on their way at once. */
const CONCURRENCY = 8;

let databases = 0;

async function freshStore(): Promise<string> {
  databases += 1;
  const name = `many_${databases}`;
  await server.createDatabase(name, LAID_OUT);
  return server.url(name, WORKER);
}

function openPlace(limits: object): Promise<Workplace> {
  const account = { limits: { concurrency: CONCURRENCY, ...limits } };
  return Workplace.open({ latencyMs: 50, ownProcess: true, account });
}

/** The orders of two runs whose lists have some companies in common. */
function overlapping(
  place: Workplace,
  store: string,
  { both, own }: { both: number; own: number },
): readonly [Order, Order] {
  const shared = domainsOf('both', both);
  const order = (name: string): Order => {
    place.writeList([...shared, ...domainsOf(name, own)], `${name}.csv`);
    return { input: `${name}.csv`, output: `${name}-out.csv`, store };
  };
  return [order('one'), order('two')];
}

/** No company was asked about twice, and none was charged twice. */
async function expectBoughtOnce(place: Workplace, companies: number): Promise<void> {
  const asked = place.vendor.requests().map(({ body }) => body.domain);
  expect(asked.toSorted(), 'each company is asked about once').toEqual([...new Set(asked)].toSorted());
  expect(asked).toHaveLength(companies);
  const { charged_twice: twice } = await place.vendor.book();
  expect(twice).toEqual([]);
}

const words = ({ code, stderr }: Ended): string => `${code}: ${stderr}`;

test('two runs of lists that overlap share the limit of the account, and each company is bought once', async () => {
  await using place = await openPlace({ per_second: 10 });
  const orders = overlapping(place, await freshStore(), { both: 20, own: 30 });
  const ended = await Promise.all(orders.map((order) => place.run(order)));
  for (const each of ended) expect(each.code, words(each)).toBe(0);
  await expectBoughtOnce(place, 80);
  // Arrivals bunch on a busy machine, so all of them are looked at. Two that share nothing are done in 3.5 seconds.
  const times = place.vendor.requests().map(({ at }) => Date.parse(at));
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(5_000);
});

proof('the same list in two shells is one batch, and both write the same output', async () => {
  await using place = await openPlace({ per_second: 40 });
  const [order] = overlapping(place, await freshStore(), { both: 0, own: 80 });
  const ended = await Promise.all([place.run(order), place.run({ ...order, output: 'again.csv' })]);
  for (const each of ended) expect(each.code, words(each)).toBe(0);
  expect(place.statuses('again.csv')).toEqual(new Array(80).fill('matched'));
  expect(place.rows('again.csv')).toEqual(place.rows('one-out.csv'));
  await expectBoughtOnce(place, 80);
});
