import { expect, test } from 'vitest';
import { randomFrom } from '../../src/sandbox/random.ts';
import { proof, times } from '../support/combinations.ts';
import { drive, type Lane, type Stage, Tally } from './kills.ts';
import { openLists } from './lists.ts';
import { openSheets } from './team.ts';

/*
 * Goal: whenever the program is killed, typing the same command again goes on: no row is lost, no call is charged twice, no budget is
 * passed, and no one gets a second invite. Where the vendor honours idempotency keys, nothing stays in doubt either.
 * Method: the drives of `npm run faults`, with few kills over short lists; what one has seen, which is shown when it fails, says
 * what was broken. `crash-points.test.ts` kills at every point by its name; the simulation crashes everywhere else.
 */

async function expectKept(kills: number, open: (lane: Lane, tally: Tally) => Promise<Stage>): Promise<void> {
  const tally = new Tally(kills);
  const lane = { name: 'kills', random: randomFrom('random kills', 7) };
  await drive((store) => open(store, tally), 3, lane, tally);
  expect(tally.isKept, JSON.stringify(tally.table(), undefined, 2)).toBe(true);
}

test('kills over a vendor that loses answers', async () => {
  const settings = { rows: 50, way: 'direct', isCapped: false } as const;
  await expectKept(times(2, 4), (...on) => openLists(settings, ...on));
});

proof.each(['rest-get', 'via', 'keyed'] as const)('over a vendor that is reached by %s', async (way) => {
  await expectKept(3, (...on) => openLists({ rows: 50, way, isCapped: false }, ...on));
});

proof('kills on the way to a budget', async () => {
  await expectKept(4, (...on) => openLists({ rows: 60, way: 'direct', isCapped: true }, ...on));
});

test('kills over sheets of 30 people', async () => {
  await expectKept(times(1, 5), (...on) => openSheets(30, ...on));
});
