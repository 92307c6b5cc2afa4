/**
 * Goal: what the service refuses about one person stops nobody else. A key that may change nothing: `run/project-access.test.ts`.
 * Method: real commands before the sandbox service, and in front of it a door that answers 403 for one user; the state is the
 * vendor's.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { emailsOf, PROJECT, type TeamWorkplace } from '../faults/team-workplace.ts';
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

/** Passes on what is asked of the vendor, and answers 403 to what is asked about this user. */
async function standBefore(team: TeamWorkplace, user: string): Promise<void> {
  const server = createServer(async ({ url = '', method = '', headers }, response) => {
    response.setHeader('content-type', 'application/json');
    if (url.includes(`/${user}/`)) {
      response.writeHead(403).end('{"error":"cannot remove the only owner"}');
      return;
    }
    const passed = { 'content-type': 'application/json', authorization: headers.authorization ?? '' };
    const answer = await fetch(team.vendor.url + url, { method, headers: passed, body: '{}' });
    response.writeHead(answer.status).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  team.writeAccount({ base_url: `http://127.0.0.1:${port}` });
}

test('a 403 about the first of ten refuses that row, and the nine others are removed in the same run', async () => {
  const team = await tenToRemove();
  const [first = ''] = emailsOf('ten', 1);
  await standBefore(team, (await team.state()).userId(PROJECT, first) ?? '');
  const ended = await team.runHere({ job: 'out.yaml', input: 'leave.csv' });
  expect(ended).toMatchObject({ code: 3, report: { stopped: null, counts: { applied: 9, refused: 1 } } });
  expect(team.row(first)._reason).toContain('cannot remove the only owner');
  expect(Object.keys((await team.state()).roles())).toEqual([`${PROJECT} ${first}`]);
});
