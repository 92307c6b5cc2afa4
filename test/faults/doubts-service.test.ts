/**
 * Goal: an invite whose answer was lost is never sent to somebody who may have it. Where the service says who is invited
 * and who is in the project, the doubt settles itself: found, it was done; in neither list, it was not. Whatever is less
 * than that leaves the invite in doubt, as it always does where the service says nothing.
 * Method: the real pipeline over a real SQLite store before the sandbox, whose mails are counted.
 * Each test has a project of its own.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { some } from '../combinations.ts';
import { openListsTeam, speakLists } from './lists-team.ts';
import { OpenTeam } from './open-team.ts';
import type { TeamWorkplace } from './team-workplace.ts';

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
/** Requests that reached the vendor before the test. */
let earlier = 0;
beforeEach(() => {
  speakLists(team);
  earlier = team.vendor.requests().length;
});

let projects = 0;
/** One that no other test knows. */
const newProject = (): string => {
  projects += 1;
  return `proj-${projects}`;
};

/** One run of a sheet with one row. @param fault of the next invite. */
async function invite(email: string, role: string, project: string, fault?: string) {
  await team.vendor.setFaults(fault === undefined ? '' : `${fault}@create-invite:x1`);
  team.writeSheet([{ email, role, project }]);
  const { counts } = await store.run();
  await team.vendor.setFaults();
  return counts;
}

/** What this test has sent, but for what was only looked at. */
function changesSent(): readonly (string | null)[] {
  const sent = team.vendor.requests().slice(earlier);
  return sent.map(({ operation }) => operation).filter((name) => !/^list-|^whoami$/.test(name ?? ''));
}

const EMAIL = 'jo@team.example';

test('one that was done is found among the invites, and no second mail is sent', async () => {
  const project = newProject();
  expect(await invite(EMAIL, 'viewer', project, 'charged-reset')).toEqual({ applied: 1 });
  expect((await team.state()).mailsTo(project, EMAIL)).toEqual(['viewer']);
});

test('one that was not done is in neither list, and is sent again: one mail in all', async () => {
  const project = newProject();
  expect(await invite(EMAIL, 'viewer', project, 'reset')).toEqual({ applied: 1 });
  expect(changesSent()).toEqual(['create-invite', 'create-invite']);
  expect((await team.state()).mailsTo(project, EMAIL)).toEqual(['viewer']);
  // Invites first: who accepts in between is then in both lists and not in none.
  const between = team.vendor
    .requests()
    .slice(earlier)
    .map(({ operation }) => operation);
  expect(between.slice(between.indexOf('create-invite'))).toEqual([
    ...['create-invite', 'list-invites', 'list-users', 'create-invite'],
  ]);
});

test.each(
  some(
    [
      ['invites', 'list_users', 'reset', 'the dialect has no list_users'],
      ['users', 'list_invites', 'charged-reset', 'the dialect has no list_invites'],
    ],
    1,
  ),
)(
  'with a list of %s alone, who is not in it may be in the other: it stays in doubt',
  async (_, no, fault, why) => {
    const project = newProject();
    speakLists(team, [no]);
    expect(await invite(EMAIL, 'viewer', project, fault)).toEqual({ in_doubt: 1 });
    expect(changesSent()).toEqual(['create-invite']);
    expect((await lastLook()).why).toContain(why);
  },
);

test('where the service says nothing, it is held, and a second run sends nothing either', async () => {
  const project = newProject();
  speakLists(team, ['list_users', 'list_invites', 'whoami']);
  expect(await invite(EMAIL, 'viewer', project, 'charged-reset')).toEqual({ in_doubt: 1 });
  const requests = await team.requests();
  expect(await invite(EMAIL, 'viewer', project)).toEqual({ in_doubt: 1 });
  expect(await team.requests()).toBe(requests);
});

/** What the vendor said last about a call in doubt, of the newest batch. */
async function lastLook() {
  const { ledger } = store;
  const [batch] = await ledger.batches();
  const attempts = batch === undefined ? [] : await ledger.history(batch.id, 2);
  const look = attempts.flatMap(({ looks }) => looks).at(-1);
  if (look === undefined) throw new Error('nothing was asked');
  return look;
}
