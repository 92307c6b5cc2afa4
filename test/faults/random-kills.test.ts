import { expect, test } from 'vitest';
import { randomFrom } from '../../src/sandbox/random.ts';
import { killOnce, killsIn, LOSSY, newTally, wasKilled } from './kill-loop.ts';
import { brokenPromises, doubtfulFaults, NONE_BROKEN } from './promises.ts';
import type { Way } from './ways.ts';
import { domainsOf, Workplace } from './workplace.ts';

/*
 * Goal: whenever the program is killed, typing the same command again goes on: no row is lost, no call is charged
 * twice, and no budget is passed.
 * Method: `kill -9` after delays from a seeded generator, most of them counted from the moment when the program begins
 * to spend, so that they land while requests are on their way. `npm run faults -- --kills 1000` does it at scale.
 */

const CONCURRENCY = 4;

/** Most over the way that is used most; each has to hold everywhere. */
const KILLS: readonly { readonly way: Way; readonly kills: number; readonly rows: number }[] = [
  { way: 'direct', kills: 25, rows: 400 },
  { way: 'rest-get', kills: 10, rows: 200 },
  { way: 'via', kills: 10, rows: 200 },
];

test.each(KILLS)(
  '$kills random kills over a vendor that loses answers break no promise ($way)',
  {
    timeout: 180_000,
  },
  async ({ way, kills, rows }) => {
    await using workplace = await Workplace.open({
      way,
      latencyMs: 50,
      faults: LOSSY,
      concurrency: CONCURRENCY,
    });
    const plan = { random: randomFrom('random kills', 7), windowMs: 200 };
    const tally = newTally();
    workplace.writeList(domainsOf('kills', rows));

    while (killsIn(tally) < kills) {
      const ended = await killOnce(workplace, {}, plan, tally);
      expect(wasKilled(ended), 'the list is long enough for all kills').toBe(true);
    }
    const { code, stderr } = await workplace.run();

    expect([0, 3], stderr).toContain(code);
    expect(await brokenPromises(workplace)).toEqual(NONE_BROKEN);
    expect(tally.landed.during, 'kills that landed in the middle').toBeGreaterThan(kills / 2);
    expect(tally.mostOpen, 'left open by one kill').toBeLessThanOrEqual(CONCURRENCY);
    const { open, inDoubt } = workplace.ledger();
    expect(open).toEqual([]);
    const explained = tally.open + (await doubtfulFaults(workplace));
    expect(inDoubt, 'every doubt comes from a kill or from the vendor').toBeLessThanOrEqual(explained);
  },
);

test('a budget is never passed, however often the program is killed on the way to it', {
  timeout: 120_000,
}, async () => {
  // Goal: what the vendor charged stays within the budget. Method: 10 kills, every lookup costs a credit, and the
  // answers that the kills lose were charged too.
  await using workplace = await Workplace.open({
    latencyMs: 40,
    faults: 'charged-reset:0.05',
    concurrency: CONCURRENCY,
  });
  const plan = { random: randomFrom('budget kills', 3), windowMs: 120 };
  const tally = newTally();
  workplace.writeList(domainsOf('budget', 120));
  const order = { budget: 90 };

  while (killsIn(tally) < 10) {
    const ended = await killOnce(workplace, order, plan, tally);
    expect(wasKilled(ended), 'the budget is large enough for all kills').toBe(true);
  }
  const { code, stderr } = await workplace.run(order);

  expect(code, stderr).toBe(4);
  const book = await workplace.vendor.book();
  expect(book.credits).toBeLessThanOrEqual(90);
  expect(book.charged_twice).toEqual([]);
  expect(workplace.ledger().spent + workplace.ledger().inDoubt, 'all of it was used').toBe(90);
});
