/**
 * Goal: what the operations of the service send is what the service publishes, to the character: the four shapes of the
 * Authorization header differ from operation to operation.
 * Method: rows are planned and worked off; each logical call becomes a request by the built-in dialect, and its method,
 * path, headers and body are held against the published table, written out here.
 */
import { describe, expect, test } from 'vitest';
import service from '../../src/client/dialects/service.ts';
import { requestOf } from '../../src/client/request.ts';
import { version } from '../../src/core/families.ts';
import type { Call } from '../../src/core/operation.ts';
import changeRole from '../../src/operations/change-role.ts';
import createProject from '../../src/operations/create-project.ts';
import deleteInvite from '../../src/operations/delete-invite.ts';
import inviteUser from '../../src/operations/invite-user.ts';
import removeUser from '../../src/operations/remove-user.ts';
import { done, invited } from './team.ts';

/** The request as it leaves, the body as text. The account's own project is another one than the rows'. */
function sent(call: Call) {
  const values = { key: 'K3Y', project_id: 'proj-account', organization_id: 'org-account' };
  const { body, ...request } = requestOf(service, '', call, values);
  return { ...request, body: body?.toString() };
}

function request(path: string, authorization: string, body: string) {
  const json = { 'content-type': 'application/json', accept: 'application/json' };
  const headers = { authorization, ...json, 'user-agent': `rowonce/${version()}` };
  return { method: 'POST', path, headers, body };
}

const permissions = (action: string): string => `{"items":{"serviceDefault":{"actions":{"${action}":true}}}}`;

const JO = 'jo@x.org';

const CREATE_PROJECT = request(
  '/latest/projects/create',
  'Bearer :K3Y',
  '{"name":"Gamma","description":"","organization_id":"org-1"}',
);
const invite = (project: string, action: string) =>
  request(
    '/latest/auth/invite/create',
    `Bearer ${project}:K3Y`,
    `{"permissions":${permissions(action)},"email":"${JO}"}`,
  );
const DELETE_INVITE = request('/latest/auth/invite/delete', 'Bearer proj-1:K3Y', '{"invite_code":"c/1"}');
const update = (action: string) =>
  request('/latest/auth/users/u%201/update', 'proj-1:K3Y', `{"permissions":${permissions(action)}}`);
const REMOVE_USER = request('/latest/auth/users/u%201/delete', 'Bearer proj-1:K3Y', '{}');

describe('the requests of', () => {
  test('create-project', () => {
    const { calls } = done(createProject, { name: 'Gamma' });
    expect(calls.map(sent)).toEqual([CREATE_PROJECT]);
    const [described] = done(createProject, { name: 'Gamma', description: 'Für "alle"' }).calls.map(sent);
    expect(described?.body).toBe('{"name":"Gamma","description":"Für \\"alle\\"","organization_id":"org-1"}');
  });

  test.each([
    ['viewer', 'role:viewer'],
    ['Editor', 'role:editor'],
    [' ADMIN ', 'admin'],
    ['role:editor', 'role:editor'],
    ['Role:Viewer', 'role:viewer'],
  ])('invite-user, as %s', (role, action) => {
    const { calls } = done(inviteUser, { email: 'Jo@X.org', role, project_id: 'p-7' });
    expect(calls.map(sent)).toEqual([invite('p-7', action)]);
  });

  test('change-role of a user, and of an invite: delete, then create', () => {
    expect(done(changeRole, { user_id: 'u 1', role: 'viewer' }).calls.map(sent)).toEqual([
      update('role:viewer'),
    ]);
    const { calls } = done(changeRole, { email: JO, role: 'admin' }, [invited(JO, 'viewer', 'c/1')]);
    expect(calls.map(sent)).toEqual([DELETE_INVITE, invite('proj-1', 'admin')]);
  });

  test('delete-invite', () => {
    expect(done(deleteInvite, { invite_code: 'c/1' }).calls.map(sent)).toEqual([DELETE_INVITE]);
  });

  test('remove-user', () => {
    expect(done(removeUser, { user_id: 'u 1' }).calls.map(sent)).toEqual([REMOVE_USER]);
  });
});

test('a service with other names for roles is spoken to in its own, and the call stays the same one', () => {
  const [call] = done(inviteUser, { email: JO, role: 'viewer' }).calls;
  if (call === undefined) throw new Error('nobody was invited');
  const permissionsOf = { item: 'workspace', viewer: 'can.read', editor: 'can.write', admin: 'owner' };
  const other = { ...service, permissions: permissionsOf };
  expect(requestOf(other, '', call, { key: 'k' }).body?.toString()).toBe(
    `{"permissions":{"items":{"workspace":{"actions":{"can.read":true}}}},"email":"${JO}"}`,
  );
  expect(call.parameters).toEqual({ role: 'viewer', email: JO });
});
