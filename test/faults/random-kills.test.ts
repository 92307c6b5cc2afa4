import { expect, test } from 'vitest';
import { randomFrom } from '../../src/sandbox/random.ts';
import { proof, times } from '../combinations.ts';
import type { KillDrive } from './kills.ts';
import { ListKills } from './lists.ts';
import { TeamKills } from './team.ts';

/*
 * Goal: whenever the program is killed, typing the same command again goes on: no row is lost, no call is charged twice, no budget is
 * passed, and nobody gets a second invite. Where the vendor honours idempotency keys, nothing stays in doubt either.
 * Method: the drives of `npm run faults`, with few kills over short lists; the table of a drive, which is shown when it fails, says
 * what was broken. `crash-points.test.ts` and `onboarding-crashes.test.ts` kill at every point by its name.
 */

async function expectKept(drive: KillDrive, kills: number, seed = 7): Promise<void> {
  await drive.run({ name: 'kills', random: randomFrom('random kills', seed) });
  expect(drive.isKept(), JSON.stringify(drive.table(), undefined, 2)).toBe(true);
  expect(drive.kills).toBeGreaterThanOrEqual(kills);
}

test('over a vendor that loses answers', async () => {
  const kills = times(2, 4);
  await expectKept(new ListKills({ kills, rows: 50, way: 'direct', world: 'mishaps' }), kills);
});

proof.each(['rest-get', 'via', 'keyed'] as const)(
  'over a vendor that is reached in another way (%s)',
  async (way) => {
    await expectKept(new ListKills({ kills: 3, rows: 50, way, world: 'mishaps' }), 3);
  },
);

proof('on the way to a budget', async () => {
  await expectKept(new ListKills({ kills: 4, rows: 60, way: 'direct', world: 'budgets' }), 4);
});

test('over sheets of 30 people', async () => {
  const kills = times(1, 5);
  await expectKept(new TeamKills({ kills, rows: 30 }), kills);
});
