/**
 * Goal: where the service says who is in a project, a plan and a run go by that and not by what the ledger remembers:
 * whoever another person invited is left alone, who has accepted meanwhile is changed as a user, and who left is invited
 * again. A plan asks, and alters nothing.
 * Method: the real commands before the sandbox in a process of its own, which another person changes past Rowonce. Each
 * test has a project of its own.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TeamWorkplace } from '../../faults/team-workplace.ts';
import { proof } from '../../support/combinations.ts';
import { elsewhere, openListsTeam, permissions, speakLists } from './lists-team.ts';
import { OpenTeam } from './open-team.ts';

let team: TeamWorkplace;
let store: OpenTeam;
beforeAll(async () => {
  team = await openListsTeam();
  store = await OpenTeam.open(team);
});
afterAll(async () => {
  await store[Symbol.asyncDispose]();
  await team[Symbol.asyncDispose]();
});

/** Requests that reached the vendor before. */
let earlier = 0;
const markNow = (): void => {
  earlier = team.vendor.requests().length;
};
const sentSince = (): readonly (string | null)[] =>
  team.vendor
    .requests()
    .slice(earlier)
    .map(({ operation }) => operation);
const changesSince = (): readonly (string | null)[] =>
  sentSince().filter((name) => !/^list-|^whoami$/.test(name ?? ''));

let project = 'proj-0';
let projects = 0;
beforeEach(() => {
  projects += 1;
  project = `proj-${projects}`;
  speakLists(team);
  markNow();
});

const EMAIL = 'jo@team.example';
const sheet = (role: string, email = EMAIL): void => team.writeSheet([{ email, role, project }]);
const plan = (...more: readonly string[]) =>
  team.json('plan', 'team.yaml', 'team.csv', '--account', 'data', ...more);
const invited = (email: string, role: 'viewer' | 'editor') =>
  elsewhere(team, 'auth/invite/create', { email, permissions: permissions(role) }, project);

test('somebody whom another person invited is unchanged, and a plan only asks', async () => {
  await invited(EMAIL, 'viewer');
  markNow();
  sheet('viewer');
  expect((await plan()).changes).toMatchObject([{ row: 2, action: 'unchanged', email: EMAIL }]);
  expect(sentSince()).toEqual(['whoami', 'list-invites', 'list-users']);
  const { stdout, stderr } = await team.type('plan', 'team.yaml', 'team.csv', '--account', 'data');
  expect(stdout + stderr).toMatch(
    /The service was asked who is in 1 project \(list_invites, list_users, whoami\)/,
  );
});

test('their invite is changed by its code, which only the list told', async () => {
  await invited(EMAIL, 'viewer');
  sheet('editor');
  markNow();
  expect((await store.run()).counts).toEqual({ applied: 1 });
  expect(changesSince()).toEqual(['delete-invite', 'create-invite']);
  expect((await team.state()).standing(project, EMAIL)).toEqual({ as: 'invited', role: 'editor' });
});

test('an invite that was accepted meanwhile is changed as a user, and not deleted', async () => {
  sheet('viewer');
  await store.run();
  await team.vendor.accept(EMAIL);
  sheet('editor');
  const user_id = (await team.state()).userId(project, EMAIL);
  expect((await plan()).changes).toMatchObject([{ action: 'change_role', from: 'viewer', user_id }]);
  markNow();
  expect((await store.run()).counts).toEqual({ applied: 1 });
  expect(changesSince()).toEqual(['update-user']);
  expect((await team.state()).standing(project, EMAIL)).toEqual({ as: 'member', role: 'editor' });
});

test('a role that another person has changed is set back, and the same list again does nothing', async () => {
  sheet('viewer', 'member-1@team.example');
  await store.run();
  const userId = (await team.state()).userId(project, 'member-1@team.example');
  await elsewhere(team, `auth/users/${userId}/update`, { permissions: permissions('editor') }, project);
  markNow();
  expect((await store.run()).counts).toEqual({ applied: 1 });
  expect(changesSince()).toEqual(['update-user']);
  markNow();
  await store.run();
  expect(changesSince()).toEqual([]);
});

test('somebody whom another person removed is invited again by the same list', async () => {
  sheet('viewer', 'member-2@team.example');
  await store.run();
  const userId = (await team.state()).userId(project, 'member-2@team.example');
  await elsewhere(team, `auth/users/${userId}/delete`, {}, project);
  markNow();
  expect((await store.run()).counts).toEqual({ applied: 1 });
  expect(changesSince()).toEqual(['create-invite']);
});

proof('remove_missing removes whom an earlier list had, and nobody whom another person invited', async () => {
  team.writeJob({ remove_missing: true, guards: { max_removals: 1 } }, 'strict.yaml');
  team.writeSheet([EMAIL, 'kim@team.example'].map((email) => ({ email, role: 'viewer', project })));
  await store.run({ job: 'strict.yaml' });
  await team.vendor.accept('kim@team.example');
  await invited('stranger@team.example', 'viewer');
  sheet('viewer');
  markNow();
  await store.run({ job: 'strict.yaml' });
  expect(changesSince()).toEqual(['remove-user']);
  const state = await team.state();
  expect(state.standing(project, 'kim@team.example')).toBeUndefined();
  expect(state.standing(project, 'stranger@team.example')).toBeDefined();
});

test("a run that would take away its own key's access stops before anything is sent", async () => {
  const { project_id: made = '' } = await elsewhere(
    team,
    'projects/create',
    { name: 'Sales', description: '', organization_id: 'org-1' },
    '',
  );
  project = made;
  const own = Object.keys((await team.state()).roles((each) => each === made)).map(
    (name) => name.split(' ')[1],
  );
  expect(own).toHaveLength(1);
  sheet('viewer', own[0]);
  markNow();
  await expect(store.run()).rejects.toMatchObject({ code: 'guard' });
  expect(changesSince()).toEqual([]);
});

test('a service that says nothing is not asked: the ledger is all there is', async () => {
  speakLists(team, ['list_users', 'list_invites', 'whoami']);
  await invited(EMAIL, 'viewer');
  sheet('viewer');
  markNow();
  expect((await plan()).changes).toMatchObject([{ action: 'invite' }]);
  expect(sentSince()).toEqual([]);
});
