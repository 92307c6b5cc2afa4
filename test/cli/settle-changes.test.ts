/**
 * Goal: of a change whose answer was lost a person learns whom it concerns and what is at stake, says what became of it,
 * and the next run goes on from there without a second mail or a second project.
 * Method: the sandbox service does what it is asked and loses the answer; the real commands; its own state says what is
 * there.
 */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PROJECT } from '../faults/team-workplace.ts';
import { openTeam } from './team.ts';

const JO = 'jo@team.example';
const MO = 'mo@team.example';

test('a lost invite: shown with the person, told by its code, and known from then on', async () => {
  const team = await openTeam({ faults: 'charged-reset:x1' });
  const sheet = [JO, MO].map((email) => ({ email, role: 'viewer' }));
  await team.apply(sheet);
  const { batch } = await team.json('status', 'last');

  const listed = await team.type('settle', 'last');
  expect(listed.stdout).toMatch(
    /^row 2, create-invite of jo@team\.example in proj-1, role viewer: in doubt since 20[^,]*: no answer came .*\n1 in doubt\.\n$/,
  );
  expect(listed.stderr).toContain('--answer with what it gave, such as invite_code=… or project_id=…');
  expect(await team.json('settle', 'last')).toMatchObject({
    at_risk: 0,
    in_doubt: [{ row: 2, operation: 'create-invite', project: PROJECT, subject: `${JO} in ${PROJECT}` }],
  });

  const wrong = await team.type('settle', 'last', '2', '--answer', 'invite-code=x');
  expect(wrong).toMatchObject({ code: 2, stdout: '' });
  expect(wrong.stderr).toBe('The answer to create-invite has no invite-code.\nDid you mean invite_code?\n');

  const code = (await team.state()).inviteCode(PROJECT, JO, 'viewer');
  await team.type('settle', batch, '2', '--answer', `invite_code=${code}`);
  expect((await team.apply(sheet)).report?.counts).toEqual({ applied: 2 });
  expect((await team.state()).mailsTo(PROJECT, JO)).toEqual(['viewer']);

  expect((await team.apply([{ email: JO, role: 'editor' }])).report?.counts).toEqual({ applied: 1 });
  const state = await team.state();
  expect(state.standing(PROJECT, JO), 'the told code was used').toEqual({ as: 'invited', role: 'editor' });
  expect(state.invitedTwice()).toEqual([]);
});

test('an invite code or a user id that is known as that of another person is refused, with whose it is', async () => {
  const team = await openTeam({ faults: 'charged-reset:x1' });
  await team.apply([JO, MO].map((email) => ({ email, role: 'viewer' })));
  const { batch } = await team.json('status', 'last');
  const moCode = (await team.state()).inviteCode(PROJECT, MO, 'viewer');
  const settled = await team.type('settle', batch, '2', '--answer', `invite_code=${moCode}`);
  expect(settled).toMatchObject({ code: 2, stdout: '' });
  expect(settled.stderr).toBe(
    `invite_code "${moCode}" is that of ${MO}, so it cannot be that of ${JO}.\n` +
      `Look up ${JO} at the service, and settle the row with what it says.\n`,
  );

  await team.vendor.accept(MO);
  const moId = (await team.state()).userId(PROJECT, MO) ?? '';
  await team.apply([{ email: MO, role: 'viewer', userId: moId }], { input: 'later.csv' });
  const byId = await team.type('settle', batch, '2', '--answer', `user_id=${moId}`);
  expect(byId).toMatchObject({ code: 2, stderr: expect.stringContaining(`is that of ${MO}`) });

  const joCode = (await team.state()).inviteCode(PROJECT, JO, 'viewer');
  expect(await team.type('settle', batch, '2', '--answer', `invite_code=${joCode}`)).toMatchObject({
    code: 0,
  });
});

test('somebody who was accepted at once is answered by the user id, and their next role is set by it', async () => {
  const team = await openTeam({ faults: 'charged-reset:x1' });
  const email = 'member-1@team.example';
  await team.apply([{ email, role: 'viewer' }]);
  const userId = (await team.state()).userId(PROJECT, email);
  await team.type('settle', 'last', '2', '--answer', `user_id=${userId}`);
  expect((await team.runHere()).report?.counts).toEqual({ applied: 1 });
  expect((await team.apply([{ email, role: 'editor' }])).report?.counts).toEqual({ applied: 1 });
  expect((await team.state()).standing(PROJECT, email)).toEqual({ as: 'member', role: 'editor' });
});

test('once every lost invite is settled, its batch is open again, and does what is left', async () => {
  const team = await openTeam({ faults: 'reset:x2' });
  const sheet = [JO, MO].map((email) => ({ email, role: 'viewer' }));
  await team.apply(sheet);
  const { batch, counts } = await team.json('status', 'last');
  expect(counts).toEqual({ in_doubt: 2 });
  await team.type('settle', batch, '2', '--not-done');
  expect((await team.json('status', batch)).counts, 'one is still to be decided').toEqual({ in_doubt: 1 });
  await team.type('settle', batch, '--not-done');

  const settled = await team.json('status', batch);
  expect(settled).toMatchObject({ state: 'open', counts: {}, changes: { counts: { pending: 2 } } });
  const shown = await team.type('status', batch);
  expect(shown.stdout).toContain('  pending   2\n');
  expect(shown.stderr).toMatch(/^To continue: .*\n$/);
  expect((await team.json('status')).batches).toMatchObject([{ batch, counts: {} }]);
  expect((await team.type('settle', batch)).stdout).toBe(`Nothing in batch ${batch} is in doubt.\n`);

  expect((await team.apply(sheet)).report?.counts).toEqual({ applied: 2 });
  const done = { batch, state: 'finished', counts: { applied: 2 } };
  expect(await team.json('status', 'last')).toMatchObject(done);
});

test('a list that wants the same as one whose request was lost is in doubt with it, in its rows as in its changes', async () => {
  const team = await openTeam({ faults: 'charged-reset:x1' });
  await team.apply([{ email: JO, role: 'viewer' }]);
  const other = { input: 'other.csv', output: 'other-out.csv' };
  await team.apply(
    [JO, MO].map((email) => ({ email, role: 'viewer' })),
    other,
  );
  const counts = { applied: 1, in_doubt: 1 };
  expect(await team.json('status', 'last')).toMatchObject({ counts, changes: { counts } });
});

test('a list waits for a project whose creation another one lost, and both go on in the one that a person names', async () => {
  const columns = { email: 'Email', role: 'Role', project: 'Project' };
  const team = await openTeam({ job: { columns, create_projects: true }, faults: 'charged-reset:x1' });
  writeFileSync(team.place.path('team.csv'), `Email,Project,Role\n${JO},Launch,viewer\n`);
  expect((await team.runHere()).report?.counts).toEqual({ in_doubt: 1 });
  const { batch } = await team.json('status', 'last');
  writeFileSync(team.place.path('other.csv'), `Email,Project,Role\n${MO},LAUNCH,editor\n`);
  const other = { input: 'other.csv', output: 'other-out.csv' };
  expect((await team.runHere(other)).report?.counts).toEqual({ in_doubt: 1 });
  expect((await team.json('settle', batch)).in_doubt).toMatchObject([
    { operation: 'create-project', parameters: { name: 'Launch' } },
  ]);
  const [made] = (await team.state()).projects;
  await team.type('settle', batch, '--answer', `project_id=${made?.project}`);
  for (const order of [{}, other]) expect((await team.runHere(order)).report?.counts).toEqual({ applied: 1 });
  const state = await team.state();
  expect(state.projects).toHaveLength(1);
  expect(state.roles()).toEqual({
    [`${made?.project} ${JO}`]: 'viewer',
    [`${made?.project} ${MO}`]: 'editor',
  });
});

test('a lost invite that an edited list sends no more is in doubt again, also where it was to be sent again, and settle says in what ways', async () => {
  const team = await openTeam({ faults: 'reset:x1' });
  const sheet = [JO, MO].map((email) => ({ email, role: 'viewer' }));
  await team.apply(sheet);
  const { batch } = await team.json('status', 'last');
  await team.type('settle', batch, '--retry');
  expect((await team.json('status', batch)).counts, 'the next run sends it').toEqual({ applied: 1 });
  team.writeSheet(sheet.slice(1));
  const why = `No run goes on with batch ${batch}, because its list has changed`;
  const refused = await team.type('settle', batch, '--retry');
  expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(why) });
  await team.runHere();

  const counts = { applied: 1, in_doubt: 1 };
  const ended = { state: 'superseded', counts, changes: { counts }, next: null };
  expect(await team.json('status', batch)).toMatchObject(ended);
  const { stderr } = await team.type('status', batch);
  expect(stderr).toBe(`What is in doubt: npx rowonce settle ${batch}\n`);
  const listed = await team.type('settle', batch);
  expect(listed.stderr).not.toContain('the next run does that');
  const over = expect.stringContaining(`No run goes on with batch ${batch}, because it is superseded`);
  expect(await team.type('settle', batch, '--retry')).toMatchObject({ code: 2, stderr: over });

  await team.apply([{ email: JO, role: 'editor' }]);
  expect((await team.json('status', 'last')).counts).toEqual({ in_doubt: 1 });
  await team.type('settle', batch, '--not-done');
  const skipped = { applied: 1, skipped: 1 };
  expect(await team.json('status', batch)).toMatchObject({ counts: skipped, changes: { counts: skipped } });
  expect((await team.type('status', batch, '2')).stdout).toContain(
    'its call was not done, and its batch is superseded',
  );
  expect((await team.runHere()).report?.counts).toEqual({ applied: 1 });
  expect((await team.state()).mailsTo(PROJECT, JO)).toEqual(['editor']);
});

test('who is in doubt because of a skipped row of another list can still be decided about there', async () => {
  const team = await openTeam({ faults: 'reset:x1' });
  await team.apply([{ email: JO, role: 'viewer' }]);
  const { batch } = await team.json('status', 'last');
  await team.type('settle', batch, '2', '--skip');
  const other = { input: 'other.csv', output: 'other-out.csv' };
  await team.apply([{ email: JO, role: 'editor' }], other);
  expect((await team.type('settle', 'last')).stdout).toContain(`row 2 of batch ${batch}`);
  expect((await team.type('settle', batch, '2')).stdout).toContain('1 in doubt');
  expect(await team.type('settle', batch, '2', '--not-done')).toMatchObject({ code: 0 });
  expect((await team.runHere(other)).report?.counts).toEqual({ applied: 1 });
});

test('a lost deletion that is skipped is not sent, though it could be repeated without harm', async () => {
  const team = await openTeam();
  await team.apply([{ email: JO, role: 'viewer' }]);
  team.writeJob({ operation: 'delete-invite', columns: { email: 'Email', project_id: 'Project' } });
  await team.vendor.setFaults('reset:x1');
  // A run that went on would repeat it until it is answered.
  await team.run({ crashAt: 'after-close' });
  await team.vendor.setFaults();
  expect((await team.json('settle', 'last')).in_doubt).toMatchObject([{ row: 2 }]);
  await team.type('settle', 'last', '--skip');
  expect((await team.runHere()).report?.counts).toEqual({ skipped: 1 });
  expect((await team.state()).roles()).toEqual({ [`${PROJECT} ${JO}`]: 'viewer' });
});

test('who waits for a lost change of the same person waits no longer once another list has that sent again', async () => {
  const team = await openTeam({ faults: 'charged-reset:x1' });
  await team.apply([{ email: JO, role: 'viewer' }]);
  const waiting = { input: 'waiting.csv', output: 'waiting-out.csv' };
  await team.apply([{ email: JO, role: 'editor' }], waiting);
  expect(team.row(JO, waiting.output)).toMatchObject({ _status: 'in_doubt' });
  const { batch } = await team.json('status', 'last');

  const again = { input: 'again.csv', output: 'again-out.csv' };
  const wanted = [JO, MO].map((email) => ({ email, role: 'viewer' }));
  await team.apply(wanted, again);
  await team.type('settle', 'last', '2', '--retry');
  await team.apply(wanted, again);

  await team.type('export', batch);
  expect(team.row(JO, waiting.output)).toMatchObject({
    _status: 'refused',
    _reason: expect.stringContaining('run the list again to make a new plan'),
  });
  expect((await team.type('forget', JO, '--yes')).code).toBe(0);
});
