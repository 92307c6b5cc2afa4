import { expect, test } from 'vitest';
import { proof } from '../combinations.ts';
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
