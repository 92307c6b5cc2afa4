/**
 * Goal: what the service refuses about one person stops no one else. The rule itself: `run/project-access.test.ts`.
 * Method: real commands before the sandbox service, and in front of it a door that answers 403 for one user; the state is the
 * vendor's.
 */
import { expect, onTestFinished, test } from 'vitest';
import { emailsOf, PROJECT, type TeamWorkplace } from '../faults/team-workplace.ts';
import { Gateway } from '../web/gateway.ts';
import { openTeam } from './team.ts';

/** Ten who have accepted, of whom the service will not let the first go, and the list that removes them. */
async function tenToRemove(): Promise<TeamWorkplace> {
  const team = await openTeam();
  const people = emailsOf('ten', 10);
  await team.apply(people.map((email) => ({ email, role: 'viewer' })));
  for (const email of people) await team.vendor.accept(email);
  const state = await team.state();
  team.writeJob(
    { operation: 'remove-user', columns: { user_id: 'User', project_id: 'Project' } },
    'out.yaml',
  );
  team.writeSheet(
    people.map((email) => ({ email, role: '', userId: state.userId(PROJECT, email) ?? '' })),
    'leave.csv',
  );
  return team;
}

test('a 403 about the first of ten refuses that row, and the nine others are removed in the same run', async () => {
  const team = await tenToRemove();
  const [first = ''] = emailsOf('ten', 1);
  const user = (await team.state()).userId(PROJECT, first);
  const refusal = { status: 403, body: '{"error":"cannot remove the only owner"}' };
  const headers = { 'content-type': 'application/json' };
  const door = await Gateway.before(team.vendor.url, (_, { path }) =>
    path.includes(`/${user}/`) ? { ...refusal, headers } : undefined,
  );
  onTestFinished(() => door[Symbol.asyncDispose]());
  team.writeAccount({ base_url: door.url });
  const more = ['--accept', 'same-account'];
  const ended = await team.runHere({ job: 'out.yaml', input: 'leave.csv', more });
  expect(ended).toMatchObject({ code: 3, report: { stopped: null, counts: { applied: 9, refused: 1 } } });
  expect(team.row(first)._reason).toContain('cannot remove the only owner');
  expect(Object.keys((await team.state()).roles())).toEqual([`${PROJECT} ${first}`]);
  const alone = await team.runHere({ job: 'out.yaml', input: 'leave.csv' });
  expect(alone).toMatchObject({ code: 3, report: { stopped: null, counts: { refused: 1 } } });
  expect(team.row(first)._reason).toContain('cannot remove the only owner');
  expect(alone.report?.requests).toBe(1);
});

test('a person whom two projects refuse ends refused in the run that asked both', async () => {
  const team = await openTeam();
  const headers = { 'content-type': 'application/json' };
  const refusal = { status: 403, body: '{"error":"admins only"}', headers };
  const door = await Gateway.before(team.vendor.url, (call) => (call > 1 ? refusal : undefined));
  onTestFinished(() => door[Symbol.asyncDispose]());
  team.writeAccount({ base_url: door.url });
  team.writeJob({
    columns: { email: 'Email', role: 'Role', project: 'Project' },
    projects: { Alpha: PROJECT, Beta: 'proj-12', Gamma: 'proj-13' },
  });
  team.writeSheet([
    { email: 'ann@team.example', role: 'viewer', project: 'Alpha' },
    { email: 'ben@team.example', role: 'viewer', project: 'Beta; Gamma' },
  ]);
  expect(await team.runHere()).toMatchObject({
    code: 3,
    report: { stopped: null, counts: { applied: 1, refused: 1 }, requests: 3 },
  });
  expect(team.row('ben@team.example')._reason).toMatch(/project proj-12; .* project proj-13$/);
  expect(await team.json('status')).toMatchObject({ batches: [{ state: 'finished' }] });
});

test('a key that was never let change a project stops the run with 77, and nobody was asked about twice', async () => {
  const team = await openTeam();
  const refusal = {
    status: 403,
    body: '{"error":"admins only"}',
    headers: { 'content-type': 'application/json' },
  };
  const door = await Gateway.before(team.vendor.url, () => refusal);
  onTestFinished(() => door[Symbol.asyncDispose]());
  team.writeAccount({ base_url: door.url });
  team.writeSheet([{ email: 'one@team.example', role: 'viewer' }]);
  for (const _ of ['once', 'and again'])
    expect(await team.runHere()).toMatchObject({
      code: 77,
      report: { stopped: { code: 'key' }, counts: {}, requests: 1 },
    });
});
