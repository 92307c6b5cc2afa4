/**
 * Goal: answers that have become too old are bought anew, once and no more, whatever is killed; an older batch keeps the
 * answers that it had.
 * Method: purchases of long ago are made by the library with a clock that is set back, everything else by the real
 * command. How often each company was looked up is read from the vendor's own log.
 */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { credits, runJob } from '../../src/index.ts';
import { CRASH_POINTS, type CrashPoint } from '../../src/lib/faults.ts';
import { type Desk, type JsonResult, objectIn, openDesk } from '../cli/desk.ts';
import type { Ended } from '../cli/rowonce.ts';
import { some } from '../combinations.ts';
import { domainsOf, type Order } from './workplace.ts';

const DAY_MS = 86_400_000;
const LIST = domainsOf('list', 6);
const ORDER: Order = { job: 'job.yaml', budget: 1000 };

/** A user whose ledger has a past. */
class AgedDesk {
  readonly desk: Desk;

  constructor(desk: Desk) {
    this.desk = desk;
  }

  /** Runs `job.yaml` over these domains as it would have been so many days ago. */
  async bought(daysAgo: number, domains: readonly string[] = LIST): Promise<void> {
    const { place } = this.desk;
    place.writeList(domains);
    await place.vendor.setDate(-daysAgo * DAY_MS);
    const { stopped } = await runJob({
      job: place.path('job.yaml'),
      file: place.path('list.csv'),
      store: place.path('store'),
      output: place.path('out.csv'),
      budget: credits(1000),
      clock: {
        ...systemClock,
        wallMs: () => Date.now() - daysAgo * DAY_MS,
      },
    });
    await place.vendor.setDate(0);
    expect(stopped).toBeUndefined();
  }

  async writeJob(...lines: readonly string[]): Promise<void> {
    await this.desk.write('job.yaml', ['operation: enrich-company', ...lines, ''].join('\n'));
  }

  /** Types the command of a run of the list in this process. */
  type(more: readonly string[] = [], order: Order = {}): Promise<Ended> {
    const { place } = this.desk;
    return place.typeHere(place.words({ ...ORDER, ...order, more }));
  }

  async run(...more: readonly string[]): Promise<JsonResult> {
    return objectIn((await this.type(more)).stdout);
  }

  /** Types a command about the store in this process. */
  async json(...words: readonly string[]): Promise<JsonResult> {
    const { place } = this.desk;
    return objectIn((await place.typeHere([...words, '--store', place.path('store'), '--json'])).stdout);
  }

  /** How often the vendor was asked about each. */
  lookups(domains: readonly string[] = LIST): readonly number[] {
    return domains.map((domain) => this.desk.place.vendor.lookups(domain).length);
  }

  column(name: string, file = 'out.csv'): readonly (string | undefined)[] {
    return this.desk.place.rows(file).map((row) => row[name]);
  }
}

async function openAged(...job: readonly string[]): Promise<AgedDesk> {
  const aged = new AgedDesk(await openDesk());
  vi.stubEnv('ROWONCE_CONFIG', aged.desk.place.path('config'));
  onTestFinished(() => void vi.unstubAllEnvs());
  await aged.writeJob(...job);
  return aged;
}

const times = (count: number): readonly number[] => LIST.map(() => count);

describe('refresh_after', () => {
  test('buys what is too old anew, uses what is not, and the plan says so before', async () => {
    const aged = await openAged('refresh_after: 30d');
    const [old, young, fresh] = [domainsOf('old', 2), domainsOf('young', 2), domainsOf('fresh', 1)];
    await aged.bought(40, old);
    await aged.bought(20, young);
    const all = [...old, ...young, ...fresh];
    const { place } = aged.desk;
    place.writeList(all);
    const plan = await aged.json('plan', place.path('job.yaml'), place.path('list.csv'));
    expect(plan).toMatchObject({ rows: 5, bought_before: 2, to_buy: 3, credits: { most: 3 } });
    expect(await aged.run()).toMatchObject({ counts: { matched: 5 }, requests: 3, credits: { spent: 3 } });
    expect(aged.lookups(all)).toEqual([2, 2, 1, 1, 1]);
    expect(aged.column('_source')).toEqual(['bought', 'bought', 'ledger', 'ledger', 'bought']);
    const ages = aged
      .column('_as_of')
      .map((asOf) => Math.round((Date.now() - Date.parse(asOf ?? '')) / DAY_MS));
    expect(ages).toEqual([0, 0, 20, 20, 0]);
    // What this run bought is young: the same command again exports again.
    expect(await aged.run()).toMatchObject({ requests: 0, credits: { spent: 3 } });
    expect(aged.lookups(all)).toEqual([2, 2, 1, 1, 1]);
  });

  test('never, which is the default, buys nothing anew', async () => {
    const aged = await openAged();
    await aged.bought(4000);
    expect(await aged.run()).toMatchObject({ requests: 0 });
    expect(aged.lookups()).toEqual(times(1));
  });
});

describe('a refresh that is killed is ended by the same command, and nothing is bought anew twice', () => {
  // The others lie in the commit itself, in what settles a doubt, between two steps of one file, in another command, or where the
  // store knows what it knows at one of these. `crash-points.test.ts` has them all.
  const elsewhere: readonly CrashPoint[] = [
    ...(['before-commit', 'after-commit', 'recovering', 'after-look'] as const),
    ...(['before-intent', 'before-record', 'after-judge', 'before-row'] as const),
    ...(['output-written', 'output-renamed', 'copying', 'copy-taken', 'copy-left'] as const),
  ];
  const points = CRASH_POINTS.filter((point) => !elsewhere.includes(point));
  test.each(some(points, 1))('at %s', async (point) => {
    const aged = await openAged('refresh_after: 30d');
    await aged.bought(40);
    const visit = ['batch-created', 'submitting', 'before-finish', 'after-output'].includes(point) ? 1 : 3;
    const crashed = await aged.desk.place.run({ ...ORDER, crashAt: `${point}:${visit}` });
    expect(crashed.signal).toBe('SIGKILL');
    const ended = await aged.run();
    expect(ended).toMatchObject({ counts: { matched: 6 }, stopped: null });
    // Once long ago, and at most once now: a lost answer is not paid for again, the older one is used.
    expect(Math.max(...aged.lookups())).toBe(2);
    const [used, bought] = ['ledger', 'bought'].map(
      (source) => aged.column('_source').filter((each) => each === source).length,
    );
    expect((used ?? 0) + (bought ?? 0)).toBe(6);
    expect(used).toBeLessThanOrEqual(aged.desk.place.concurrency);
    expect(aged.lookups().filter((each) => each === 2).length).toBeGreaterThanOrEqual(bought ?? 0);
    expect(await aged.run()).toMatchObject({ requests: 0 });
  });
});
