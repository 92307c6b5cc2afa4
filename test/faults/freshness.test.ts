/**
 * Goal: answers that have become too old are bought anew, once and no more, whatever is killed.
 * Method: purchases of long ago are made by the library with a clock that is set back, everything else by the real
 * command. How often each company was looked up is read from the vendor's own log.
 */
import { writeFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { credits } from '../../src/ledger/ledger.ts';
import { runJob } from '../../src/run/run-job.ts';
import { objectIn } from '../cli/desk.ts';
import { some } from '../combinations.ts';
import { domainsOf, type Order, Workplace } from './workplace.ts';

const DAY_MS = 86_400_000;
const LIST = domainsOf('list', 6);
const ORDER: Order = { job: 'job.yaml' };

/** A user whose job takes nothing that is older than that, and whose ledger may have a past. */
async function openAged(refreshAfter?: string) {
  const place = await Workplace.open();
  vi.stubEnv('ROWONCE_CONFIG', place.path('config'));
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await place[Symbol.asyncDispose]();
  });
  const refresh = refreshAfter === undefined ? '' : `refresh_after: ${refreshAfter}\n`;
  writeFileSync(place.path('job.yaml'), `operation: enrich-company\n${refresh}`);
  return {
    place,
    /** These domains were bought so many days ago. */
    async bought(daysAgo: number, domains: readonly string[] = LIST): Promise<void> {
      place.writeList(domains);
      await place.vendor.setDate(-daysAgo * DAY_MS);
      const { stopped } = await runJob({
        ...{ job: place.path('job.yaml'), file: place.path('list.csv'), store: place.path('store') },
        ...{ output: place.path('out.csv'), budget: credits(1000) },
        clock: { ...systemClock, wallMs: () => Date.now() - daysAgo * DAY_MS },
      });
      await place.vendor.setDate(0);
      expect(stopped).toBeNull();
    },
    run: async () => (await place.runHere(ORDER)).report,
    /** How often the vendor was asked about each. */
    lookups: (domains: readonly string[] = LIST) =>
      domains.map((domain) => place.vendor.lookups(domain).length),
    column: (name: string) => place.rows().map((row) => row[name]),
  };
}

test('refresh_after buys what is too old anew, uses what is not, and the plan says so before', async () => {
  const { place, bought, run, lookups, column } = await openAged('30d');
  const [old, young, fresh] = [domainsOf('old', 2), domainsOf('young', 2), domainsOf('fresh', 1)];
  await bought(40, old);
  await bought(20, young);
  const all = [...old, ...young, ...fresh];
  place.writeList(all);
  const words = ['plan', place.path('job.yaml'), place.path('list.csv'), '--store', place.path('store')];
  const plan = objectIn((await place.typeHere([...words, '--json'])).stdout);
  expect(plan).toMatchObject({ rows: 5, bought_before: 2, to_buy: 3, credits: { most: 3 } });
  expect(await run()).toMatchObject({ counts: { matched: 5 }, requests: 3, credits: { spent: 3 } });
  expect(lookups(all)).toEqual([2, 2, 1, 1, 1]);
  expect(column('_source')).toEqual(['bought', 'bought', 'ledger', 'ledger', 'bought']);
  const ages = column('_as_of').map((asOf) => Math.round((Date.now() - Date.parse(asOf ?? '')) / DAY_MS));
  expect(ages).toEqual([0, 0, 20, 20, 0]);
  // What this run bought is young: the same command again exports again.
  expect(await run()).toMatchObject({ requests: 0, credits: { spent: 3 } });
  expect(lookups(all)).toEqual([2, 2, 1, 1, 1]);
});

test('without it nothing is bought anew', async () => {
  const { bought, run, lookups } = await openAged();
  await bought(4000);
  expect(await run()).toMatchObject({ requests: 0 });
  expect(lookups()).toEqual(LIST.map(() => 1));
});

test.each(
  some(['batch-created', 'submitting', 'after-send:3', 'after-close:3', 'before-finish', 'after-output'], 1),
)(
  'a refresh that is killed at %s is ended by the same command, and nothing is bought anew twice',
  async (crashAt) => {
    const { place, bought, run, lookups, column } = await openAged('30d');
    await bought(40);
    expect((await place.run({ ...ORDER, crashAt })).signal).toBe('SIGKILL');
    expect(await run()).toMatchObject({ counts: { matched: 6 }, stopped: null });
    // Once long ago, and at most once now: a lost answer is not paid for again, the older one is used.
    expect(Math.max(...lookups())).toBe(2);
    const used = column('_source').filter((source) => source === 'ledger').length;
    expect(used).toBeLessThanOrEqual(place.concurrency);
    expect(lookups().filter((times) => times === 2).length).toBeGreaterThanOrEqual(LIST.length - used);
    expect(await run()).toMatchObject({ requests: 0 });
  },
);
