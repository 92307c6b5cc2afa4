import { expect, test } from 'vitest';
import { randomFrom } from '../../src/sandbox/random.ts';
import { proof, times } from '../combinations.ts';
import { BudgetKills } from './budget-kills.ts';
import type { KillDrive, Settings } from './kill-drive.ts';
import { ListKills } from './list-kills.ts';
import { TeamKills } from './team-kills.ts';

/*
 * Goal: whenever the program is killed, typing the same command again goes on: no row is lost, no call is charged twice, no budget is
 * passed, and nobody gets a second invite. Where the vendor honours idempotency keys, nothing stays in doubt either.
 * Method: the drives of `npm run faults`, with few kills over short lists; the table of a drive, which is shown when it fails, says
 * what was broken. `crash-points.test.ts` and `onboarding-crashes.test.ts` kill at every point by its name.
 */

const SETTINGS: Omit<Settings, 'kills' | 'rows'> = {
  seed: 7,
  lanes: 1,
  way: 'direct',
  budget: false,
  team: false,
};

async function expectKept(drive: KillDrive, kills: number): Promise<void> {
  await drive.run({ name: 'kills', random: randomFrom('random kills', SETTINGS.seed) });
  expect(drive.isKept(), JSON.stringify(drive.table(), undefined, 2)).toBe(true);
  expect(drive.kills).toBeGreaterThanOrEqual(kills);
}

test('over a vendor that loses answers', async () => {
  const kills = times(2, 4);
  await expectKept(new ListKills({ ...SETTINGS, kills, rows: 50 }), kills);
});

proof.each(['rest-get', 'via', 'keyed'] as const)(
  'over a vendor that is reached in another way (%s)',
  async (way) => {
    await expectKept(new ListKills({ ...SETTINGS, way, kills: 3, rows: 50 }), 3);
  },
);

proof('on the way to a budget', async () => {
  await expectKept(new BudgetKills({ ...SETTINGS, budget: true, kills: 4, rows: 60 }), 4);
});

test('over sheets of 30 people', async () => {
  const kills = times(1, 5);
  await expectKept(new TeamKills({ ...SETTINGS, seed: 4, team: true, kills, rows: 30 }), kills);
});
