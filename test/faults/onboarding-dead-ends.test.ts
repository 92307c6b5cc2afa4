/**
 * Goal: whatever was lost or refused, there is something to type that ends it, and typing the same list again tries what
 * was refused once, and nothing else.
 * Method: the real command, killed where a change may have been sent, before a service that refuses one role; its own
 * state and log of mails are the judge.
 */
import { expect, test } from 'vitest';
import { proof } from '../combinations.ts';
import { ChoosyVendor } from './choosy-vendor.ts';
import { settleByHand } from './hand-settling.ts';
import { PROJECT, TeamWorkplace } from './team-workplace.ts';

/** Nobody becomes an editor here. */
async function refusingTeam() {
  const door = await ChoosyVendor.start(({ role }) => role === 'role:editor');
  const team = await TeamWorkplace.open({ concurrency: 1, reachedAt: door.url });
  door.standBefore(team.vendor.url);
  return { door, team };
}

test('settle --retry is carried out by the next run, also when another row of the list has something to do again', async () => {
  const { door, team } = await refusingTeam();
  const [one, other] = ['one@team.example', 'other@team.example'];
  await team.apply([one, other].map((email) => ({ email, role: 'viewer' })));
  team.writeSheet([one, other].map((email) => ({ email, role: 'editor' })));
  // Both invites are deleted; the first creation is in doubt, the second one is refused and its old role restored.
  expect((await team.run({ crashAt: 'after-intent:3' })).signal).toBe('SIGKILL');
  expect((await team.runHere()).code).toBe(3);
  expect(await settleByHand(team)).toBe(1);
  await team.runHere();
  expect(team.place.ledger().doubts).toEqual([]);
  expect((await team.state()).standing(PROJECT, one)).toEqual({ as: 'invited', role: 'viewer' });
  await team[Symbol.asyncDispose]();
  await door[Symbol.asyncDispose]();
});

proof(
  'a role that the service refused after the old invite was deleted is tried once by each run, which says so',
  async () => {
    const { door, team } = await refusingTeam();
    const [email, other] = ['one@team.example', 'other@team.example'];
    await team.apply([email, other].map((each) => ({ email: each, role: 'viewer' })));
    await team.apply([
      { email, role: 'editor' },
      { email: other, role: 'viewer' },
    ]);
    const { batch } = await team.json('status', 'last');
    expect((await team.state()).mailsTo(PROJECT, email)).toEqual(['viewer', 'viewer']);
    expect(await team.runHere()).toMatchObject({ code: 3, report: { counts: { refused: 1, unchanged: 1 } } });
    expect((await team.state()).mailsTo(PROJECT, email)).toEqual(['viewer', 'viewer', 'viewer']);
    expect((await team.state()).mailsTo(PROJECT, other)).toEqual(['viewer']);
    expect(team.row(email)._reason).toMatch(
      new RegExp(
        `^the service refused editor .*; refused before, in batch ${batch}: the service refused editor`,
      ),
    );
    await team[Symbol.asyncDispose]();
    await door[Symbol.asyncDispose]();
  },
);

proof('a doubt of a list that was edited since can be settled, though the service did nothing', async () => {
  await using team = await TeamWorkplace.open({ concurrency: 1 });
  const email = 'one@team.example';
  team.writeSheet([{ email, role: 'viewer' }]);
  expect((await team.run({ crashAt: 'after-intent:1' })).signal).toBe('SIGKILL');
  await team.apply([{ email, role: 'editor' }]);
  expect(team.row(email)._status).toBe('in_doubt');
  expect((await team.json('settle', 'last')).waiting).toEqual([
    { row: 2, reason: expect.stringMatching(/^row 2 of batch [0-9a-f]{8} asked to change the same person/) },
  ]);
  expect(await settleByHand(team, '--not-done')).toBe(1);
  await team.runHere();
  expect((await team.state()).standing(PROJECT, email)).toEqual({ as: 'invited', role: 'editor' });
});
