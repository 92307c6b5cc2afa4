import { expect, test } from 'vitest';
import { randomFrom } from '../../src/sandbox/random.ts';
import { proof, some, times } from '../combinations.ts';
import {
  faultsOn,
  type KillPlan,
  type KillTally,
  killOnce,
  killsIn,
  LOSSY,
  newTally,
  wasKilled,
} from './kill-loop.ts';
import { ALL_SETTLED, brokenPromises, doubtfulFaults, NONE_BROKEN, unsettled } from './promises.ts';
import { RefreshKills } from './refresh-kills.ts';
import type { Way } from './ways.ts';
import { domainsOf, type Order, Workplace } from './workplace.ts';

/*
 * Goal: whenever the program is killed, typing the same command again goes on: no row is lost, no call is charged
 * twice, and no budget is passed. Where the vendor honours idempotency keys, nothing stays in doubt either.
 * Method: `kill -9` after delays from a seeded generator, most of them counted from the moment when the program begins
 * to spend, so that they land while requests are on their way. `npm run faults -- --kills 1000` does it at scale.
 */

const CONCURRENCY = 4;

/**
 * Most over the way that is used most; each has to hold everywhere. Few, as `crash-points.test.ts` kills at every point by
 * its name, and a thousand kills are the long command's matter.
 */
const KILLS: readonly { readonly way: Way; readonly kills: number; readonly rows: number }[] = [
  { way: 'direct', kills: times(2, 4), rows: times(50, 80) },
  { way: 'rest-get', kills: 2, rows: 50 },
  { way: 'via', kills: 2, rows: 50 },
];

test.each(some(KILLS, 1))(
  '$kills random kills over a vendor that loses answers break no promise ($way)',
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

    await killSoOften(kills, workplace, plan, tally);
    const { code, stderr } = await workplace.runHere();

    expect([0, 3], stderr).toContain(code);
    expect(await brokenPromises(workplace)).toEqual(NONE_BROKEN);
    expect(tally.landed.during, 'kills that landed in the middle').toBeGreaterThanOrEqual(kills / 2);
    expect(tally.mostOpen, 'left open by one kill').toBeLessThanOrEqual(CONCURRENCY);
    const { open, inDoubt } = workplace.ledger();
    expect(open).toEqual([]);
    const explained = tally.open + (await doubtfulFaults(workplace));
    expect(inDoubt, 'every doubt comes from a kill or from the vendor').toBeLessThanOrEqual(explained);
  },
);

proof(
  '4 random kills over a vendor that honours idempotency keys leave nothing in doubt (keyed)',
  async () => {
    // Goal: every row gets its answer and is paid for once, by the vendor's book. Method: what the kills and the vendor
    // lose is sent again by the same command, under its key.
    const faults = faultsOn('keyed');
    await using workplace = await Workplace.open({
      way: 'keyed',
      latencyMs: 50,
      faults,
      concurrency: CONCURRENCY,
    });
    const tally = newTally();
    workplace.writeList(domainsOf('keyed', 80));

    await killSoOften(4, workplace, { random: randomFrom('keyed kills', 1), windowMs: 200 }, tally);
    expect(await unsettled(workplace)).toEqual(ALL_SETTLED);

    expect(await brokenPromises(workplace)).toEqual(NONE_BROKEN);
    expect(tally.open, 'requests that the kills have lost').toBeGreaterThan(0);
    expect((await workplace.vendor.book()).credits).toBe(80);
  },
);

proof.concurrent.each(['direct', 'keyed'] as const)(
  'a refresh that is killed at random buys no company anew twice (%s)',
  async (way) => {
    // Method: a kill of the long drive of refreshes; its table, which is shown when it fails, says what was broken.
    const settings = {
      kills: 1,
      rows: 20,
      seed: 5,
      lanes: 1,
      way,
      budget: false,
      refresh: true,
      team: false,
    };
    const drive = new RefreshKills(settings);
    await drive.run({ name: 'refresh', random: randomFrom('refresh kills', 5) });
    expect(drive.isKept(), JSON.stringify(drive.table(), undefined, 2)).toBe(true);
    expect(drive.kills).toBe(1);
  },
);

proof('a budget is never passed, however often the program is killed on the way to it', async () => {
  // Goal: what the vendor charged stays within the budget. Method: 4 kills, every lookup costs a credit, and the
  // answers that the kills lose were charged too.
  await using workplace = await Workplace.open({
    latencyMs: 40,
    faults: 'charged-reset:0.05',
    concurrency: CONCURRENCY,
  });
  const plan = { random: randomFrom('budget kills', 3), windowMs: 120 };
  const tally = newTally();
  workplace.writeList(domainsOf('budget', 65));
  const order = { budget: 45 };

  await killSoOften(4, workplace, plan, tally, order);
  const { code, stderr } = await workplace.runHere(order);

  expect(code, stderr).toBe(4);
  const book = await workplace.vendor.book();
  expect(book.credits).toBeLessThanOrEqual(45);
  expect(book.charged_twice).toEqual([]);
  expect(workplace.ledger().spent + workplace.ledger().inDoubt, 'all of it was used').toBe(45);
});

/** List and budget have to be large enough for all the kills. */
async function killSoOften(
  kills: number,
  workplace: Workplace,
  plan: KillPlan,
  tally: KillTally,
  order: Order = {},
): Promise<void> {
  while (killsIn(tally) < kills) {
    const ended = await killOnce(workplace, order, plan, tally);
    expect(wasKilled(ended), 'list and budget are large enough for all kills').toBe(true);
  }
}
