import { describe, expect, test } from 'vitest';
import { bookOf, get, post, type Reply, rawRequest, sandbox } from './client.ts';

// Goal: the service of the sandbox is the published one. Method: requests over HTTP, right ones and wrong ones.

const grant = (action: string): object => ({ items: { serviceDefault: { actions: { [action]: true } } } });
const EDITOR = grant('role:editor');
const PROJECT = { name: 'Onboarding', description: '', organization_id: 'org-1' };
const IN_PROJECT = 'Bearer proj-1:key-1';

function invite(
  url: string,
  email: string,
  permissions: object = EDITOR,
  authorization = IN_PROJECT,
): Promise<Reply> {
  return post(url, '/latest/auth/invite/create', authorization, { permissions, email });
}

/** A user of proj-1 who has accepted, and the identifier by which the service knows them. */
async function acceptedUser(url: string, email: string): Promise<string> {
  await invite(url, email);
  await post(url, '/sandbox/accept', undefined, { email });
  const { users } = (await get(url, '/sandbox/state')).json;
  return users.find((user: { email: string }) => user.email === email).user;
}

describe('each operation takes exactly its own shape of the Authorization header', () => {
  const shapes = [
    'Bearer key-1',
    'Bearer :key-1',
    IN_PROJECT,
    'proj-1:key-1',
    ':key-1',
    'bearer proj-1:key-1',
    '',
  ];
  test.each([
    ['/latest/projects/create', PROJECT, 'Bearer :key-1'],
    ['/latest/auth/invite/create', { permissions: EDITOR, email: 'ann@a.example' }, IN_PROJECT],
    ['/latest/auth/users/USER/update', { permissions: EDITOR }, 'proj-1:key-1'],
    ['/latest/auth/invite/delete', { invite_code: 'CODE' }, IN_PROJECT],
    ['/latest/auth/users/USER/delete', {}, IN_PROJECT],
  ])('%s', async (path, body, right) => {
    const { url } = await sandbox();
    const user = await acceptedUser(url, 'uma@a.example');
    const code = (await invite(url, 'pat@a.example')).json.invite_code;
    const send = (authorization: string): Promise<Reply> =>
      post(url, path.replace('USER', user), authorization, JSON.stringify(body).replace('CODE', code));
    for (const wrong of shapes.filter((shape) => shape !== right)) {
      const reply = await send(wrong);
      expect([wrong, reply.status]).toEqual([wrong, 401]);
      expect(reply.json.error).toContain('The Authorization header must be exactly "');
    }
    expect((await send(right)).status).toBe(200);
    await post(url, '/sandbox/revoke', undefined, { key: 'key-1' });
    expect((await send(right)).status).toBe(401);
  });
});

test('each operation, byte for byte as published, is answered as published', async () => {
  const running = await sandbox();
  const user = await acceptedUser(running.url, 'uma@a.example');
  const send = async (path: string, authorization: string, body: string): Promise<unknown> => {
    const reply = await rawRequest(running, path, [`Authorization: ${authorization}`], body);
    return [/^HTTP\/1\.1 (\d+)/.exec(reply.head)?.[1], JSON.parse(reply.body.toString())];
  };
  const viewer = '{"permissions":{"items":{"serviceDefault":{"actions":{"role:viewer":true}}}}';
  const project = '{"name":"Platform","description":"","organization_id":"org-1"}';
  expect(await send('/latest/projects/create', 'Bearer :key-1', project)).toEqual([
    '200',
    { project_id: 'project-3' },
  ]);
  const ann = `${viewer},"email":"ann@a.example"}`;
  expect(await send('/latest/auth/invite/create', 'Bearer project-3:key-1', ann)).toEqual([
    '200',
    { invite_code: 'invite-4' },
  ]);
  expect(await send(`/latest/auth/users/${user}/update`, 'proj-1:key-1', `${viewer}}`)).toEqual(['200', {}]);
  const code = '{"invite_code":"invite-4"}';
  expect(await send('/latest/auth/invite/delete', 'Bearer project-3:key-1', code)).toEqual(['200', {}]);
  expect(await send(`/latest/auth/users/${user}/delete`, 'Bearer proj-1:key-1', '{}')).toEqual(['200', {}]);
  expect((await get(running.url, '/sandbox/state')).json).toMatchObject({
    projects: [{ project: 'project-3', name: 'Platform', description: '', organization: 'org-1' }],
    invites: [{ state: 'accepted' }, { invite: 'invite-4', role: 'role:viewer', state: 'deleted' }],
    users: [],
  });
});

test('somebody of the organization is accepted at once, and the answer does not tell', async () => {
  const { url } = await sandbox();
  const pending = await invite(url, 'ann@a.example');
  const accepted = await invite(url, 'member.bob@a.example');
  expect(Object.keys(pending.json)).toEqual(['invite_code']);
  expect(Object.keys(accepted.json)).toEqual(['invite_code']);
  const { invites, users } = (await get(url, '/sandbox/state')).json;
  expect(invites.map((made: { state: string }) => made.state)).toEqual(['pending', 'accepted']);
  expect(users).toEqual([
    expect.objectContaining({ email: 'member.bob@a.example', project: 'proj-1', role: 'role:editor' }),
  ]);
});

test('a pending invite is not made twice: it is deleted, then made again with the other role', async () => {
  const { url } = await sandbox();
  const code = (await invite(url, 'ann@a.example')).json.invite_code;
  expect((await invite(url, 'Ann@A.example', grant('admin'))).status).toBe(409);
  const remove = (): Promise<Reply> =>
    post(url, '/latest/auth/invite/delete', IN_PROJECT, { invite_code: code });
  expect((await remove()).status).toBe(200);
  expect((await remove()).status).toBe(404);
  const again = await invite(url, 'ann@a.example', grant('admin'));
  expect(again.status).toBe(200);
  expect(again.json.invite_code).not.toBe(code);
  expect(await bookOf(url)).toMatchObject({ mails: 2, mailed_twice: [], credits: 0 });
});

test('the same invitation sent again is in the book as mailed twice, the same project as created twice', async () => {
  const { url } = await sandbox();
  for (let time = 0; time < 2; time += 1) {
    const code = (await invite(url, 'ann@a.example')).json.invite_code;
    await post(url, '/latest/auth/invite/delete', IN_PROJECT, { invite_code: code });
    await post(url, '/latest/projects/create', 'Bearer :key-1', PROJECT);
  }
  const book = await bookOf(url);
  expect(book.mailed_twice).toEqual([
    {
      operation: 'create-invite',
      parameters: { project: 'proj-1', email: 'ann@a.example', role: 'role:editor' },
      times: 2,
    },
  ]);
  expect(book.created_twice).toEqual([
    { operation: 'create-project', parameters: { name: 'Onboarding', organization: 'org-1' }, times: 2 },
  ]);
});
