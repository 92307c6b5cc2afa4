import { expect, test } from 'vitest';
import { bookOf, get, post, type Reply, sandbox } from './client.ts';

// Goal: with `--dialect lists` the service also says who is in a project, and costs and alters nothing by saying so.
// Method: requests over HTTP, as published and not.

const IN_PROJECT = 'Bearer proj-1:key-1';
const grant = (action: string): object => ({ items: { serviceDefault: { actions: { [action]: true } } } });

async function service(options: object = {}): Promise<string> {
  return (await sandbox({ dialect: 'lists', ...options })).url;
}

function invite(
  url: string,
  email: string,
  role = 'role:viewer',
  authorization = IN_PROJECT,
): Promise<Reply> {
  return post(url, '/latest/auth/invite/create', authorization, { permissions: grant(role), email });
}

async function projectMade(url: string): Promise<string> {
  const body = { name: 'Platform', description: '', organization_id: 'org-1' };
  return (await post(url, '/latest/projects/create', 'Bearer :key-1', body)).json.project_id;
}

test('an invite says whether it was accepted at once, and then who the user is', async () => {
  const url = await service();
  const pending = (await invite(url, 'ann@a.example')).json;
  const accepted = (await invite(url, 'member.bob@a.example')).json;
  expect(pending).toEqual({ invite_code: expect.any(String), status: 'pending' });
  const [{ user }] = (await get(url, '/sandbox/state')).json.users;
  expect(accepted).toEqual({ invite_code: expect.any(String), status: 'accepted', user_id: user });
});

test('the lists hold who has accepted and who is invited, of the project of the header alone', async () => {
  const url = await service();
  const code = (await invite(url, 'ann@a.example')).json.invite_code;
  const bob = (await invite(url, 'member.bob@a.example', 'admin')).json.user_id;
  await invite(url, 'cid@a.example', 'role:editor', 'Bearer proj-2:key-1');
  await invite(url, 'member.dan@a.example', 'role:editor', 'Bearer proj-2:key-1');
  const lists = async (): Promise<unknown[]> => [
    (await get(url, '/latest/auth/users', IN_PROJECT)).json,
    (await get(url, '/latest/auth/invites', IN_PROJECT)).json,
  ];
  const bobs = { user_id: bob, email: 'member.bob@a.example', role: 'admin' };
  expect(await lists()).toEqual([
    { users: [bobs] },
    { invites: [{ invite_code: code, email: 'ann@a.example', role: 'role:viewer' }] },
  ]);
  await post(url, '/sandbox/accept', undefined, { email: 'ann@a.example' });
  await post(url, `/latest/auth/users/${bob}/delete`, IN_PROJECT, {});
  expect(await lists()).toEqual([
    { users: [{ user_id: expect.any(String), email: 'ann@a.example', role: 'role:viewer' }] },
    { invites: [] },
  ]);
});

test('a list of more than 100 comes in pages, and who goes between two of them makes nobody else go missing', async () => {
  const url = await service();
  for (let number = 0; number < 205; number += 1) await invite(url, `p${number}@a.example`);
  const page = async (cursor: string): Promise<{ invites: { invite_code: string }[]; next?: string }> =>
    (await get(url, `/latest/auth/invites${cursor}`, IN_PROJECT)).json;
  const first = await page('');
  expect(first.invites).toHaveLength(100);
  const gone = first.invites[0]?.invite_code;
  await post(url, '/latest/auth/invite/delete', IN_PROJECT, { invite_code: gone });
  const second = await page(`?page=${first.next}`);
  const third = await page(`?page=${second.next}`);
  expect([second.invites.length, third.invites.length, 'next' in third]).toEqual([100, 5, false]);
  const codes = [first, second, third].flatMap(({ invites }) => invites.map((each) => each.invite_code));
  expect(new Set(codes).size).toBe(205);
});

test('a key has a user of its own, who is admin of what the key made, and without whom the key is not', async () => {
  const url = await service();
  const project = await projectMade(url);
  const me = (await get(url, '/latest/auth/whoami', 'Bearer :key-1')).json;
  expect(me).toEqual({ user_id: expect.any(String), email: expect.stringMatching(/@sandbox\.example$/) });
  expect((await get(url, '/latest/auth/whoami', 'Bearer :key-2')).json.email).not.toBe(me.email);
  const inMade = `Bearer ${project}:key-1`;
  const { users } = (await get(url, '/latest/auth/users', inMade)).json;
  expect(users).toEqual([{ ...me, role: 'admin' }]);
  expect((await post(url, `/latest/auth/users/${me.user_id}/delete`, inMade, {})).status).toBe(200);
  expect((await get(url, '/latest/auth/users', inMade)).status).toBe(403);
  expect((await invite(url, 'ann@a.example', 'admin', inMade)).status).toBe(403);
});

test('the lists need the Admin permission, and each its own shape of the Authorization header', async () => {
  const url = await service();
  const project = await projectMade(url);
  for (const path of ['/latest/auth/users', '/latest/auth/invites']) {
    const status = async (authorization: string): Promise<number> =>
      (await get(url, path, authorization)).status;
    expect(await status(`Bearer ${project}:key-2`)).toBe(403);
    expect(await status(`Bearer ${project}:revoked-1`)).toBe(401);
    for (const wrong of ['Bearer key-1', 'Bearer :key-1', 'proj-1:key-1'])
      expect(await status(wrong)).toBe(401);
  }
  for (const wrong of ['Bearer key-1', IN_PROJECT, ':key-1'])
    expect((await get(url, '/latest/auth/whoami', wrong)).status).toBe(401);
});

test.each([
  ['/latest/auth/users?limit=5', '"limit" is not a field'],
  ['/latest/auth/invites?page=a&page=b', 'more than once'],
])('%s is refused with 400', async (path, words) => {
  const { status, json } = await get(await service(), path, IN_PROJECT);
  expect([status, json.error]).toEqual([400, expect.stringContaining(words)]);
});

test('looking costs nothing, is not in the book, and faults pass it by unless they name it', async () => {
  const url = await service({ faults: '500:x1,503@list-users:x1' });
  const users = (): Promise<Reply> => get(url, '/latest/auth/users', IN_PROJECT);
  expect((await get(url, '/latest/auth/whoami', 'Bearer :key-1')).status).toBe(200);
  expect([(await users()).status, (await users()).status]).toEqual([503, 200]);
  expect((await invite(url, 'ann@a.example')).status).toBe(500);
  expect(await bookOf(url)).toMatchObject({ requests: 4, credits: 0, by_operation: {}, changes: [] });
});

test('as published, there is nothing of this', async () => {
  const { url } = await sandbox();
  for (const path of ['/latest/auth/users', '/latest/auth/invites', '/latest/auth/whoami'])
    expect((await get(url, path, IN_PROJECT)).status).toBe(404);
  const project = await projectMade(url);
  expect(Object.keys((await invite(url, 'member.bob@a.example')).json)).toEqual(['invite_code']);
  const { projects, users } = (await get(url, '/sandbox/state')).json;
  expect(projects).toEqual([expect.not.objectContaining({ owner: expect.anything() })]);
  expect(users.filter((user: { project: string }) => user.project === project)).toEqual([]);
});
