import { expect, test } from 'vitest';
import { proof, some } from '../combinations.ts';
import { emailsOf, PROJECT, TeamWorkplace, type Wanted } from './team-workplace.ts';
import type { Role } from './vendor-team.ts';

/*
 * Goal: what was done before is known, and never takes the place of what is to be done now: a change is never answered
 * from an older one, in whatever order sheets, undoing and interruptions come.
 * Method: sheets one after the other through the real command; who was invited as what, and which mails were sent, is
 * what the vendor says.
 */

const EMAILS = emailsOf('history', 6);

const as = (role: Role, emails = EMAILS): readonly Wanted[] => emails.map((email) => ({ email, role }));

test.concurrent('one person in two projects is two people: each has a role of their own', async () => {
  await using team = await TeamWorkplace.open();
  const both = (north: Role, south: Role): readonly Wanted[] => [
    { email: 'jo@team.example', project: 'proj-north', role: north },
    { email: 'jo@team.example', project: 'proj-south', role: south },
  ];
  expect((await team.apply(both('viewer', 'editor'))).code).toBe(0);
  expect((await team.state()).roles()).toEqual({
    'proj-north jo@team.example': 'viewer',
    'proj-south jo@team.example': 'editor',
  });
  const before = await team.requests();
  expect((await team.apply(both('editor', 'editor'))).code).toBe(0);
  expect((await team.requests()) - before, 'one invite deleted and created anew').toBe(2);
  const state = await team.state();
  expect(state.mailsTo('proj-north', 'jo@team.example')).toEqual(['viewer', 'editor']);
  expect(state.mailsTo('proj-south', 'jo@team.example')).toEqual(['editor']);
});

test.concurrent.each(
  some(
    [
      ['one file that is edited', 'team.csv', 'team.csv'],
      ['two files', 'team-a.csv', 'team-b.csv'],
    ],
    1,
  ),
)(
  'sheets A, B, A (%s): each time the sheet is what is so, and again it does nothing',
  async (_, fileA, fileB) => {
    await using team = await TeamWorkplace.open();
    const sheets = [
      { role: 'viewer', file: fileA },
      { role: 'editor', file: fileB },
      { role: 'viewer', file: fileA },
      { role: 'editor', file: fileB },
    ] as const;
    for (const [index, { role, file }] of sheets.entries()) {
      const order = { input: file, output: `out-${file}` };
      expect((await team.apply(as(role), order)).code).toBe(0);
      const state = await team.state();
      for (const email of EMAILS) {
        expect(state.standing(PROJECT, email)).toEqual({ as: 'invited', role });
        expect(state.mailsTo(PROJECT, email)).toHaveLength(index + 1);
      }
      expect(await team.runHere(order), 'the same once more').toMatchObject({
        code: 0,
        report: { requests: 0 },
      });
    }
  },
);

proof.concurrent('undo, then A again: the invites are gone, and then they are there again', async () => {
  await using team = await TeamWorkplace.open();
  await team.apply(as('viewer', EMAILS.slice(0, 2)));
  await team.apply([...as('editor', EMAILS.slice(0, 2)), ...as('viewer', EMAILS.slice(2))]);
  const full = (await team.state()).roles();

  expect(
    (await team.place.typeHere(['undo', 'last', '--yes', '--store', team.place.path('store')])).code,
  ).toBe(0);
  const undone = await team.state();
  expect(undone.roles()).toEqual(
    Object.fromEntries(EMAILS.slice(0, 2).map((email) => [`${PROJECT} ${email}`, 'viewer'])),
  );

  expect((await team.runHere()).code).toBe(0);
  expect((await team.state()).roles()).toEqual(full);
  expect(await team.runHere()).toMatchObject({ code: 0, report: { requests: 0 } });
});

proof.concurrent(
  'two batches about one person: the one that was interrupted does not undo what the other did',
  async () => {
    // Method: the first sheet makes everybody editors and dies before it has sent anything. The second makes one of them
    // an admin. Then the first goes on.
    await using team = await TeamWorkplace.open({
      concurrency: 1,
      job: { guards: { admins: 'allow' } },
    });
    await team.apply(as('viewer'));
    const first = { input: 'first.csv', output: 'first-out.csv' };
    team.writeSheet(as('editor'), first.input);
    expect((await team.run({ ...first, crashAt: 'before-intent:1' })).signal).toBe('SIGKILL');

    const [moved = '', ...others] = EMAILS;
    const { report } = await team.apply(as('admin', [moved]), {
      input: 'second.csv',
      output: 'second-out.csv',
    });
    expect(report?.counts).toEqual({ applied: 1 });

    expect((await team.runHere(first)).code).toBe(3);
    expect(team.row(moved, first.output)).toMatchObject({ _status: 'refused' });
    expect(team.row(moved, first.output)._reason).toMatch(/changed by batch [0-9a-f]{8}/);
    const state = await team.state();
    expect(state.standing(PROJECT, moved)?.role).toBe('admin');
    expect(others.map((email) => state.standing(PROJECT, email)?.role)).toEqual(others.map(() => 'editor'));
    expect(state.mailsTo(PROJECT, moved)).toEqual(['viewer', 'admin']);
  },
);

proof.concurrent('a person whose change is in doubt is not changed by another batch meanwhile', async () => {
  await using team = await TeamWorkplace.open({ concurrency: 1 });
  const [email = ''] = EMAILS;
  const first = { input: 'first.csv', output: 'first-out.csv' };
  team.writeSheet(as('viewer', [email]), first.input);
  expect((await team.run({ ...first, crashAt: 'after-send:1' })).signal).toBe('SIGKILL');

  const { code, report } = await team.apply(as('editor', [email]), {
    input: 'second.csv',
    output: 'second-out.csv',
  });
  expect(code).toBe(3);
  expect(report?.counts).toEqual({ in_doubt: 1 });
  expect((await team.state()).mailsTo(PROJECT, email).length).toBeLessThanOrEqual(1);
});
