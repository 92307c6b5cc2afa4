import { beforeAll, expect, test } from 'vitest';
import { anotherServer, postgresServer, type Server } from '../ledger/stores/postgres-server.ts';
import type { Ended } from './program.ts';
import { domainsOf, type Order, Workplace } from './workplace.ts';

/*
 * Goal: processes that spend from one database at once share one limit and one budget of an account, and buy nothing twice, whatever
 * happens to one of them or to the database.
 * Method: real commands side by side over a real server. The judge is the vendor, a process of its own: its book says what was
 * bought, and its log when each request came.
 */

let server: Server;
beforeAll(async () => {
  server = await postgresServer();
});

let databases = 0;

async function freshStore(on: Server = server): Promise<string> {
  databases += 1;
  const name = `many_${databases}`;
  await on.createDatabase(name);
  return on.url(name);
}

interface PlaceOptions {
  readonly latencyMs?: number;
  readonly limits?: object;
  readonly account?: object;
  readonly flags?: readonly string[];
}

async function openPlace({
  latencyMs = 50,
  limits,
  account,
  flags = [],
}: PlaceOptions = {}): Promise<Workplace> {
  return Workplace.open({
    ...{ latencyMs, flags, ownProcess: true },
    account: { ...(limits === undefined ? {} : { limits: { concurrency: 8, ...limits } }), ...account },
  });
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

/** The most requests that came in any second. */
function mostInASecond(place: Workplace): number {
  const times = place.vendor
    .requests()
    .map(({ at }) => Date.parse(at))
    .sort((a, b) => a - b);
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length));
}

const words = ({ code, stderr }: Ended): string => `${code}: ${stderr}`;

test('two runs of lists that overlap share the limit of the account, and each company is bought once', async () => {
  await using place = await openPlace({ limits: { per_second: 20 } });
  const orders = overlapping(place, await freshStore(), { both: 40, own: 30 });
  const ended = await Promise.all(orders.map((order) => place.run(order)));
  for (const each of ended) expect(each.code, words(each)).toBe(0);
  await expectBoughtOnce(place, 100);
  // Arrivals bunch on a busy machine. Two that share nothing send twice the limit.
  expect(mostInASecond(place)).toBeLessThanOrEqual(25);
});
