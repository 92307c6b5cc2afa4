/**
 * Goal: of a change with a lost answer, or does not count as done any more, a person learns whom it concerns and what is at stake, says
 * what became of it, and every list goes on from that. `status` says what a killed run has done by halves, and whether a run goes on with it.
 * Method: the real commands before a sandbox service that loses answers, is killed where one is on its way, or answers oddly. Its own state
 * is the judge.
 */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PROJECT } from '../faults/team-workplace.ts';
import { some } from '../support/combinations.ts';
import { deskBefore, SERVICE } from './desk.ts';
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

test('a lost invite that is sent again and is there already says that it was sent again', async () => {
  const team = await openTeam({ faults: 'charged-reset:x1' });
  const sheet = [{ email: JO, role: 'viewer' }];
  await team.apply(sheet);
  const { batch } = await team.json('status', 'last');
  await team.type('settle', batch, '2', '--retry');
  expect((await team.apply(sheet)).report?.counts).toEqual({ unchanged: 1 });
  const { outcome } = await team.json('status', batch, '2');
  expect(outcome).toMatchObject({
    reason: expect.stringMatching(/, sent again: it is there$/),
  });
});

test('an invite code or a user id that is known as that of another person is refused, with whose it is', async () => {
  const team = await openTeam({ faults: 'charged-reset:x1' });
  await team.apply([JO, MO].map((email) => ({ email, role: 'viewer' })));
  const { batch } = await team.json('status', 'last');
  const moCode = (await team.state()).inviteCode(PROJECT, MO, 'viewer');
  const settled = await team.type('settle', batch, '2', '--answer', `invite_code=${moCode}`);
  expect(settled).toMatchObject({ code: 2, stdout: '' });
  expect(settled.stderr).toBe(
    `invite_code "${moCode}" belongs to ${MO}, so it cannot belong to ${JO}.\n` +
      `Look up ${JO} at the service, and settle the row with what it says.\n`,
  );

  await team.vendor.accept(MO);
  const moId = (await team.state()).userId(PROJECT, MO) ?? '';
  await team.apply([{ email: MO, role: 'viewer', userId: moId }], { input: 'later.csv' });
  const byId = await team.type('settle', batch, '2', '--answer', `user_id=${moId}`);
  expect(byId).toMatchObject({ code: 2, stderr: expect.stringContaining(`belongs to ${MO}`) });

  const joCode = (await team.state()).inviteCode(PROJECT, JO, 'viewer');
  expect(await team.type('settle', batch, '2', '--answer', `invite_code=${joCode}`)).toMatchObject({
    code: 0,
  });
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
    'its call was not done; its batch is superseded',
  );
  expect((await team.runHere()).report?.counts).toEqual({ applied: 1 });
  expect((await team.state()).mailsTo(PROJECT, JO)).toEqual(['editor']);
});

test('a lost deletion that is skipped is not sent, though it could be repeated without harm', async () => {
  const team = await openTeam();
  await team.apply([{ email: JO, role: 'viewer' }]);
  team.writeJob({ operation: 'delete-invite', columns: { email: 'Email', project_id: 'Project' } });
  await team.vendor.setFaults('reset:x1');
  // A run that went on would repeat it until it is answered.
  await team.run({ crashAt: 'after-end' });
  await team.vendor.setFaults();
  expect((await team.json('settle', 'last')).in_doubt).toMatchObject([{ row: 2 }]);
  await team.type('settle', 'last', '--skip');
  expect((await team.runHere()).report?.counts).toEqual({ skipped: 1 });
  expect((await team.state()).roles()).toEqual({ [`${PROJECT} ${JO}`]: 'viewer' });
});

// ------------------------------------------------------------------------------------------------ what a kill leaves

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

test('a role that hangs between two invites is named, while its batch is open and after it was cancelled', async () => {
  const team = await openTeam();
  await team.apply(viewers);
  team.writeSheet([{ email: JO, role: 'editor' }]);
  await team.run({ crashAt: 'after-end' });
  const { batch, half_done: notes, changes } = await team.json('status', 'last');
  const note = `${JO} in ${PROJECT} has no invite now: batch ${batch} deleted it and did not create it again.`;
  expect([notes, changes.counts]).toEqual([[note], { pending: 1 }]);
  const open = await team.type('status', batch);
  expect(open.stdout).toContain(`Changes    1 half done (0 of 1 change)\nHalf done  ${note}\n`);
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

// ------------------------------------------------------------------------------------------------ changes that count as done no more

async function invited() {
  const { desk, asked, speak } = await deskBefore(
    (_, nth) => ({ invite_code: `invite-${nth}`, ...(nth === 2 ? { note: 'odd' } : {}) }),
    SERVICE,
  );
  const readsAs = (odd: string): void => {
    const rule = { status: [200], body: { path: 'note', equals: 'odd' }, means: odd };
    speak({ vendor: 'service', operations: { 'create-invite': { answers: [rule] } } });
  };
  const people = ['jo', 'al', 'mo'].map((name) => `${name}@team.example,viewer\n`).join('');
  await desk.write('list.csv', `Email,Role\n${people}`);
  const run = ['run', 'invite-user', 'list.csv', '-o', 'out.csv', '--yes'];
  readsAs('found');
  const { batch } = await desk.json(run);
  expect(await desk.json(run)).toMatchObject({ batch, counts: { applied: 3 } });
  return { desk, asked, readsAs, run, batch };
}

const IN_DOUBT = { applied: 2, in_doubt: 1 };

test.each(some(['in_doubt', 'refused', 'rate_limited'], 1))(
  'a change that reads as %s today is in doubt, and sent by no run; once the dialect is mended it is applied again',
  async (means) => {
    const { desk, asked, readsAs, run, batch } = await invited();
    readsAs(means);
    for (const time of ['first', 'again'])
      expect(await desk.json(run), time).toMatchObject({ batch, counts: IN_DOUBT, requests: 0 });
    expect(await desk.type(run)).toMatchObject({ code: 3 });
    expect(await desk.json(['status', batch])).toMatchObject({ counts: IN_DOUBT });
    const reason =
      /it counted as done, but today's dialect reads the response in another way: .*; check at the service whether it was done/;
    expect(desk.place.rows('out.csv')[1]).toMatchObject({
      _status: 'in_doubt',
      _reason: expect.stringMatching(reason),
    });
    const { in_doubt } = await desk.json(['settle', batch]);
    expect(in_doubt).toMatchObject([{ row: 3, credits: 0 }]);
    for (const word of ['--retry', '--skip'])
      expect(await desk.type(['settle', batch, '3', word])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('counted as done, so it is not sent again'),
      });

    readsAs('found');
    expect(await desk.json(run)).toMatchObject({ batch, counts: { applied: 3 }, requests: 0 });
    expect(asked).toHaveLength(3);
  },
);

test('a person says that it was not done: the row is refused, and the next run of the list asks for it once more', async () => {
  const { desk, asked, readsAs, run, batch } = await invited();
  readsAs('in_doubt');
  await desk.type(run);
  expect(await desk.type(['settle', batch, '3', '--not-done'])).toMatchObject({ code: 0 });
  expect(await desk.json(['status', batch])).toMatchObject({ counts: { applied: 2, refused: 1 } });
  expect((await desk.json(['status', batch, '3'])).outcome).toEqual({
    kind: 'refused',
    findings: [{ code: 'not_done', facts: {} }],
    reason: 'not done: run the list again',
  });
  const next = await desk.json(run);
  expect(next.batch).not.toBe(batch);
  expect(next).toMatchObject({ counts: { applied: 1, unchanged: 2 }, requests: 1 });
  expect(asked).toHaveLength(4);
  expect(desk.place.rows('out.csv')[1]).toMatchObject({ Email: 'al@team.example', _status: 'applied' });
});
