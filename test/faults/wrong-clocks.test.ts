/**
 * Goal: a clock that is wrong passes no budget and makes nothing old: it may hold back, and never pushes on.
 * Method: the real command with its calendar put wrong (`shifted-clock.ts`), over a vendor that has the true time and says it with each
 * answer. Its book says what was charged. All cases of clocks are in `ledger/time.test.ts`, and the simulation's clocks jump.
 */
import { expect, onTestFinished, test } from 'vitest';
import { Clocks } from './clocks.ts';
import { domainsOf, type Order, Workplace } from './workplace.ts';

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];

/** A user whose machine's calendar is so much ahead of the vendor's, or behind it. */
async function openWrong(account: object) {
  const place = await Workplace.open({ account });
  onTestFinished(() => place[Symbol.asyncDispose]());
  const clocks = new Clocks(place.path('clocks.json'));
  const start = (wallMs: number, words: readonly string[]) => {
    clocks.set({ wallMs });
    return place.type(words, clocks.env).ended;
  };
  return { place, start, run: (wallMs: number, order: Order = {}) => start(wallMs, place.words(order)) };
}

test('a budget per day is one budget, whichever day the calendar says, and days away nothing is sent', async () => {
  const { place, run } = await openWrong({ budget: { per_day: 5 } });
  place.writeList(domainsOf('list', 15));
  const stops: unknown[] = [];
  for (const wallMs of [0, -20 * HOUR_MS, 20 * HOUR_MS, 40 * DAY_MS, -40 * DAY_MS])
    stops.push((await run(wallMs, { budget: 100 })).report?.stopped?.code);
  expect(stops).toEqual(['account_budget', 'account_budget', 'account_budget', 'clock', 'clock']);
  expect((await place.vendor.book()).credits).toBe(5);
});

test('a sandbox in the store of a real account tells no time: a calendar that is ahead erases nothing', async () => {
  const { place, run, start } = await openWrong({ retention: '30d' });
  place.writeList(domainsOf('list', 3));
  place.writeList(domainsOf('play', 3), 'play.csv');
  const play: Order = { input: 'play.csv', output: 'play.out.csv', more: ['--account', 'sandbox-provider'] };
  const ahead = 60 * DAY_MS;
  const purge = ['store', 'purge', '--older-than', '30d', '--yes', '--json', '--store', place.path('store')];
  // A real vendor has told the time.
  expect(await run(0)).toMatchObject({ code: 0 });
  expect(await run(ahead, play)).toMatchObject({ code: 0, report: { counts: { matched: 3 } } });
  expect(await start(ahead, purge)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Nothing is erased because of its age'),
  });
  expect(await run(0)).toMatchObject({ code: 0, report: { requests: 0 } });
  expect(await start(0, purge)).toMatchObject({ code: 0, report: { requests: 0 } });
});
