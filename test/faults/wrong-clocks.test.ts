/**
 * Goal: a clock that is wrong spends nothing twice, passes no budget and makes nothing old: it may hold back, and never pushes on.
 * Method: the real command with its calendar put wrong (`shifted-clock.ts`), over a vendor that has the true time and says it with each
 * answer. Its book says what was charged. All cases of clocks are in `ledger/time.test.ts`; here stays what a user sees of them.
 */
import { writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { Clocks } from './clocks.ts';
import { ScriptedVendor } from './scripted-vendor.ts';
import { domainsOf, type Order, Workplace, type WorkplaceOptions } from './workplace.ts';

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];

/** A user whose machine's calendar is so much ahead of the vendor's, or behind it. */
async function openWrong(rows: number, options: WorkplaceOptions = {}) {
  const place = await Workplace.open(options);
  onTestFinished(() => place[Symbol.asyncDispose]());
  place.writeList(domainsOf('list', rows));
  const clocks = new Clocks(place.path('clocks.json'));
  const start = (wallMs: number, words: readonly string[]) => {
    clocks.set({ wallMs });
    return place.type(words, clocks.env);
  };
  return {
    ...{ place, start },
    run: (wallMs: number, order: Order = {}) => start(wallMs, place.words(order)).ended,
    charged: async () => (await place.vendor.book()).credits,
  };
}

test('a run whose clock is days away stops with the first answer that says so, and the next one goes on', async () => {
  const { run, charged } = await openWrong(12, { concurrency: 2, latencyMs: 20 });
  for (const wallMs of [2 * DAY_MS, -2 * DAY_MS])
    expect(await run(wallMs)).toMatchObject({ code: 2, report: { stopped: { code: 'clock' } } });
  // The first one alone shows the price. Then two are under way when one of them is answered, and others may have their admission by then.
  expect(await charged()).toBeLessThanOrEqual(1 + 2 * 2);
  expect(await run(0)).toMatchObject({ code: 0, report: { counts: { matched: 12 } } });
  expect(await charged()).toBe(12);
});

test('refresh_after buys nothing anew when the calendar is a year ahead, and none later for that', async () => {
  const { place, run, charged } = await openWrong(6);
  const JOB = { job: 'job.yaml' };
  writeFileSync(place.path('job.yaml'), 'operation: enrich-company\nrefresh_after: 30d\n');
  expect(await run(0, JOB)).toMatchObject({ code: 0 });
  for (const _ of ['once', 'and again'])
    expect(await run(365 * DAY_MS, JOB)).toMatchObject({
      code: 2,
      report: { stopped: { code: 'clock' }, requests: 0 },
    });
  const right = await run(0, JOB);
  expect(right).toMatchObject({ code: 0, report: { requests: 0 } });
  expect(right.stderr).toContain('so the batch takes nothing as too old');
  expect(await charged()).toBe(6);
});

test('a list that is bought anew is finished although an answer was lost and the calendar is seconds ahead', async () => {
  let isLost = false;
  const asked: string[] = [];
  await using vendor = await ScriptedVendor.start(({ body }, response) => {
    const { domain } = JSON.parse(body) as { domain: string };
    asked.push(domain);
    if (isLost && domain === 'list-3.example') return void response.destroy();
    response.setHeader('date', new Date().toUTCString());
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ name: domain }));
  });
  vendor.timeMs = () => Date.now();
  const { place, run } = await openWrong(6);
  place.writeAccount(vendor.url);
  expect(await run(5_000)).toMatchObject({ code: 0 });
  isLost = true;
  const refresh = { more: ['--refresh'] };
  await run(5_000, refresh);
  for (const _ of ['once', 'and again'])
    expect(await run(5_000)).toMatchObject({ code: 0, report: { counts: { matched: 6 }, requests: 0 } });
  expect(
    asked.filter((domain) => domain === 'list-3.example'),
    'what may have been paid is not paid again',
  ).toHaveLength(2);
});

const perDay = { account: { budget: { per_day: 5 } } };

test('a budget per day is one budget, whichever day the calendar says', async () => {
  const { run, charged } = await openWrong(15, perDay);
  const stops: unknown[] = [];
  for (const wallMs of [0, -20 * HOUR_MS, 20 * HOUR_MS, 40 * DAY_MS, -40 * DAY_MS])
    stops.push((await run(wallMs, { budget: 100 })).report?.stopped?.code);
  expect(stops).toEqual(['account_budget', 'account_budget', 'account_budget', 'clock', 'clock']);
  expect(await charged()).toBe(5);
});

test('a budget per day is spent by one request at a time while the vendor is hours away, and the run says so', async () => {
  const { place, start } = await openWrong(5, { ...perDay, concurrency: 4, latencyMs: 100 });
  await place.vendor.setDate(-2 * HOUR_MS);
  const program = start(0, place.words({ budget: 100 }));
  let mostOpen = 0;
  await program.until(() => {
    mostOpen = Math.max(mostOpen, place.ledger().open.length);
    return place.vendor.requests().length >= 5;
  });
  const { code, stderr } = await program.ended;
  expect([code, mostOpen]).toEqual([0, 1]);
  expect(stderr).toMatch(/they are 2 h apart\. The earlier of the two counts/);
});

test('a sandbox in the store of a real account tells no time: a calendar that is ahead erases nothing', async () => {
  const { place, run, start } = await openWrong(3, { account: { retention: '30d' } });
  place.writeList(domainsOf('play', 3), 'play.csv');
  const play: Order = { input: 'play.csv', output: 'play.out.csv', more: ['--account', 'sandbox-provider'] };
  const ahead = 60 * DAY_MS;
  const purge = ['store', 'purge', '--older-than', '30d', '--yes', '--json', '--store', place.path('store')];
  // A real vendor has told the time.
  expect(await run(0)).toMatchObject({ code: 0 });
  expect(await run(ahead, play)).toMatchObject({ code: 0, report: { counts: { matched: 3 } } });
  expect(await start(ahead, purge).ended).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Nothing is erased because of its age'),
  });
  expect(await run(0)).toMatchObject({ code: 0, report: { requests: 0 } });
  place.writeList(domainsOf('more', 2));
  expect(await run(0)).toMatchObject({ code: 0, report: { requests: 2 } });
  expect(await start(0, purge).ended).toMatchObject({ code: 0, report: { requests: 0 } });
});
