/**
 * Goal: of a batch whose run was killed, `status` says what a person has to decide, what was done by halves and whether a
 * run goes on with it, while it is open and after it was cancelled.
 * Method: the real program is killed at a named point before a sandbox service; the commands that are typed then.
 */
import { expect, test } from 'vitest';
import { PROJECT } from '../faults/team-workplace.ts';
import { openTeam } from './team.ts';

const JO = 'jo@team.example';
const MO = 'mo@team.example';

const viewers = [JO, MO].map((email) => ({ email, role: 'viewer' }));

/** A batch of two invites: the first was answered in a run of its own, and the next was killed with the second on its way. */
async function killedTeam() {
  const team = await openTeam();
  await team.apply(viewers, { more: ['--limit', '1'] });
  await team.run({ crashAt: 'after-send' });
  const { in_doubt: doubts } = await team.json('settle', 'last');
  expect(doubts).toMatchObject([{ row: 3, operation: 'create-invite' }]);
  const { batch } = await team.json('status', 'last');
  return { team, batch };
}

test('what a killed run left in doubt counts as that until it is decided', async () => {
  const { team, batch } = await killedTeam();
  const counts = { applied: 1, in_doubt: 1 };
  expect(await team.json('status', batch)).toMatchObject({ counts, changes: { counts } });
  expect((await team.json('status')).batches).toMatchObject([{ batch, counts }]);
  const shown = await team.type('status', batch);
  expect(shown.stdout).toMatch(/ {2}in_doubt {2}1\n(?! {2}pending)/);
  expect(shown.stdout).toContain('Requests   2, 1 call answered\n');
  expect(shown.stderr).toContain(`What is in doubt: npx rowonce settle ${batch}\n`);

  await team.type('settle', batch, '--retry');
  const decided = { counts: { applied: 1 }, changes: { counts: { applied: 1, pending: 1 } } };
  expect(await team.json('status', batch), 'the next run sends it again').toMatchObject(decided);
  expect((await team.type('status', batch)).stdout).toContain('  pending   1\n');
});

test('a cancelled batch names what is in doubt in it, which holds up other lists until it is decided', async () => {
  const { team, batch } = await killedTeam();
  await team.type('cancel', batch);
  const counts = { applied: 1, in_doubt: 1 };
  expect(await team.json('status', batch)).toMatchObject({ counts, changes: { counts } });
  const shown = await team.type('status', batch);
  expect(shown.stderr).toBe(`What is in doubt: npx rowonce settle ${batch}\n`);

  const other = { input: 'other.csv', output: 'other-out.csv' };
  await team.apply([{ email: MO, role: 'editor' }], other);
  expect(await team.json('status', 'last')).toMatchObject({ counts: { in_doubt: 1 } });
  const code = (await team.state()).inviteCode(PROJECT, MO, 'viewer');
  await team.type('settle', batch, '--answer', `invite_code=${code}`);
  // No run finishes the row any more, so what is told does.
  const told = { counts: { applied: 2 }, changes: { done: { invite: 2 }, counts: { applied: 2 } } };
  expect(await team.json('status', batch)).toMatchObject(told);
  expect((await team.type('status', batch)).stderr).toBe('');
  expect((await team.runHere(other)).report?.counts).toEqual({ applied: 1 });
});

test('no command is said to go on with a batch that was ended, because a run of its list begins another one', async () => {
  const { team, batch } = await killedTeam();
  const nextOf = async (id: string) => [
    (await team.json('status', id)).next,
    (await team.json('status')).batches.find((each: { batch: string }) => each.batch === id)?.next,
  ];
  const going = await nextOf(batch);
  expect(going[0]).toContain('rowonce run ');
  expect(going[1]).toBe(going[0]);
  await team.type('cancel', batch);
  expect(await nextOf(batch)).toEqual([null, null]);
  expect((await team.type('status', batch)).stderr).not.toContain('To continue');
  await team.runHere();
  expect((await team.json('status', 'last')).batch).not.toBe(batch);
});

test('a role that hangs between two invites is named, while its batch is open and after it was cancelled', async () => {
  const team = await openTeam();
  await team.apply(viewers);
  team.writeSheet([{ email: JO, role: 'editor' }]);
  await team.run({ crashAt: 'after-close' });
  const { batch, half_done: notes, changes } = await team.json('status', 'last');
  const note = `${JO} in ${PROJECT} has no invite now: batch ${batch} deleted it and did not create it again.`;
  expect([notes, changes.counts]).toEqual([[note], { pending: 1 }]);
  const open = await team.type('status', batch);
  expect(open.stdout).toContain(`Changes    none\nHalf done  ${note}\n`);
  expect(open.stderr).toMatch(/^To continue: .*\n$/);

  const toInvite = `To invite them as before: npx rowonce undo ${batch}\n`;
  expect((await team.type('cancel', batch)).stderr).toBe(toInvite);
  const cancelled = await team.type('status', batch);
  expect(cancelled.stdout).toContain(`Half done  ${note}\n`);
  expect(cancelled.stderr).toBe(toInvite);
  await team.type('undo', batch, '--yes');
  expect((await team.state()).standing(PROJECT, JO)).toEqual({ as: 'invited', role: 'viewer' });
  expect(await team.json('status', batch)).not.toHaveProperty('half_done');
});
