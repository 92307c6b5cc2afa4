import { expect, test } from 'vitest';
import { randomFrom } from '../../src/sandbox/random.ts';
import { times } from '../combinations.ts';
import { TeamKills } from './team-kills.ts';

/*
 * Goal: whenever onboarding is killed, typing the same command again goes on, nobody gets two invites or a mail for
 * which there was no reason, and the service ends as the sheet says.
 * Method: the long drive of random kills over a few dozen people; its table, which is shown when it fails, says what was
 * broken. Five kills over one way stay here, so that the drive and its judge are known to work: every point by its name is
 * the matter of `onboarding-crashes.test.ts`, and 300 kills over 500 people that of `npm run faults -- --team --kills 300`.
 */

const KILLS = times(1, 5);

test(`${KILLS} random kills over sheets of 30 people break no promise`, async () => {
  const drive = new TeamKills({
    kills: KILLS,
    rows: 30,
    seed: 4,
    lanes: 1,
    way: 'direct',
    budget: false,
    refresh: false,
    team: true,
  });
  await drive.run({ name: 'team', random: randomFrom('team kills', 4) });
  expect(drive.isKept(), JSON.stringify(drive.table(), undefined, 2)).toBe(true);
  expect(drive.kills).toBe(KILLS);
});
