/**
 * Goal: of a batch whose run was killed, `status` says what a person has to decide, what was done by halves and whether a
 * run goes on with it, while it is open and after it was cancelled.
 * Method: the real program is killed at a named point before a sandbox service; the commands that are typed then.
 */
import { writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { PROJECT, type TeamOptions, TeamWorkplace } from '../faults/team-workplace.ts';

async function openTeam(options: TeamOptions = {}): Promise<TeamWorkplace> {
  const team = await TeamWorkplace.open({ concurrency: 1, ...options });
  onTestFinished(() => team[Symbol.asyncDispose]());
  return team;
}

const JO = 'jo@team.example';
const MO = 'mo@team.example';

const viewers = [JO, MO].map((email) => ({ email, role: 'viewer' }));

/** A batch of two invites: the first was answered, and the run was killed with the second on its way. */
async function killedTeam() {
  const team = await openTeam();
  team.writeSheet(viewers);
  await team.run({ crashAt: 'after-send:2' });
  const { in_doubt: doubts } = await team.json('settle', 'last');
  expect(doubts).toMatchObject([{ row: 3, operation: 'create-invite' }]);
  const { batch } = await team.json('status', 'last');
  return { team, batch };
}

test('what a killed run left in doubt counts as that, although its row has no outcome, until it is decided', async () => {
  const { team, batch } = await killedTeam();
  const counts = { applied: 1, in_doubt: 1 };
  expect(await team.json('status', batch)).toMatchObject({ counts, changes: { counts } });
  expect((await team.json('status')).batches).toMatchObject([{ batch, counts }]);
  const shown = await team.type('status', batch);
  expect(shown.stdout).toMatch(/ {2}in_doubt {2}1\n(?! {2}pending)/);
  expect(shown.stderr).toContain(`What is in doubt: npx --no rowonce settle ${batch}\n`);

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
  expect(shown.stderr).toBe(`What is in doubt: npx --no rowonce settle ${batch}\n`);

  const other = { input: 'other.csv', output: 'other-out.csv' };
  await team.apply([{ email: MO, role: 'editor' }], other);
  expect(await team.json('status', 'last')).toMatchObject({ counts: { in_doubt: 1 } });
  const code = (await team.state()).inviteCode(PROJECT, MO, 'viewer');
  await team.type('settle', batch, '--answer', `invite_code=${code}`);
  // No run finishes the row any more, but the invite is there.
  const told = { counts: { applied: 1 }, changes: { done: { invite: 2 }, counts: { applied: 2 } } };
  expect(await team.json('status', batch)).toMatchObject(told);
  expect((await team.type('status', batch)).stderr).toBe('');
  expect((await team.runHere(other)).report?.counts).toEqual({ applied: 1 });
});

test('every row that waits for a project counts, although only one of them asked for it', async () => {
  const columns = { email: 'Email', role: 'Role', project: 'Project' };
  const team = await openTeam({ job: { columns, create_projects: true } });
  const rows = [JO, MO].map((email) => `${email},Launch,viewer\n`);
  writeFileSync(team.place.path('team.csv'), `Email,Project,Role\n${rows.join('')}`);
  await team.run({ crashAt: 'after-send' });
  expect((await team.json('settle', 'last')).in_doubt).toMatchObject([{ operation: 'create-project' }]);
  const counts = { in_doubt: 2 };
  expect(await team.json('status', 'last')).toMatchObject({ counts, changes: { counts } });
});

test('a batch whose list was edited since is not offered to go on, until the list is put back', async () => {
  const { team, batch } = await killedTeam();
  const offered = async () => [
    (await team.type('status', batch)).stderr.includes('To continue'),
    (await team.json('status', batch)).next !== null,
  ];
  expect(await offered()).toEqual([true, true]);

  team.writeSheet([...viewers, { email: 'vi@team.example', role: 'viewer' }]);
  expect(await offered()).toEqual([false, false]);
  const why = 'its list has changed';
  expect(await team.json('status', batch)).toMatchObject({ over: { why, may_come_back: true } });
  expect((await team.type('status', batch)).stdout).toContain(
    `Held up    ${why}, so a run of it begins another batch and ends this one; put the list back as it was to go on with it\n`,
  );
  expect((await team.type('settle', batch, '--retry')).stderr).toContain(`because ${why}`);

  team.writeSheet(viewers);
  expect(await offered()).toEqual([true, true]);
  expect(await team.json('status', batch)).not.toHaveProperty('over');
  team.writeSheet(viewers.slice(1));
  await team.runHere();
  expect(await team.json('status', batch)).toMatchObject({ state: 'superseded', next: null });
});
