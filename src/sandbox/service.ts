import type { SandboxChange } from './book-entry.ts';
import { isMembers, type Json, type JsonMembers } from './json.ts';
import { type ServiceState, userIdOf } from './service-state.ts';
import {
  checked,
  type Decide,
  problemOfStrings,
  rejection,
  type SandboxDecision,
  type VendorOperation,
  type VendorRequest,
} from './vendor.ts';

/**
 * The governance service: projects, invites, users. It only decides; a decision is applied when it is in the
 * book.
 */

const ROLE_ACTIONS = ['role:editor', 'role:viewer', 'admin'] as const;

export function serviceOperations(state: ServiceState): readonly VendorOperation[] {
  const shared = { vendor: 'service', method: 'POST' } as const;
  const named = { ...shared, authorization: ['Bearer <project>:<key>'] } as const;
  const byAdmin = (problemOf: Parameters<typeof checked>[0], decide: StateDecide): Decide =>
    administered(
      state,
      checked(problemOf, (request) => decide(request, state)),
    );
  return [
    {
      ...shared,
      name: 'create-project',
      path: '/latest/projects/create',
      authorization: ['Bearer :<key>'],
      decide: checked(problemOfProject, createProject),
    },
    {
      ...named,
      name: 'create-invite',
      path: '/latest/auth/invite/create',
      decide: byAdmin(problemOfInvite, createInvite),
    },
    {
      ...shared,
      name: 'update-user',
      path: '/latest/auth/users/{user_id}/update',
      authorization: ['<project>:<key>'],
      decide: byAdmin(problemOfUpdate, updateUser),
    },
    {
      ...named,
      name: 'delete-invite',
      path: '/latest/auth/invite/delete',
      decide: byAdmin((body) => problemOfStrings(body, ['invite_code']), deleteInvite),
    },
    {
      ...named,
      name: 'remove-user',
      path: '/latest/auth/users/{user_id}/delete',
      decide: byAdmin((body) => problemOfStrings(body, []), removeUser),
    },
  ];
}

type StateDecide = (request: VendorRequest, state: ServiceState) => SandboxDecision;

function createProject({ body, sequence }: VendorRequest): SandboxDecision {
  const project = `project-${sequence}`;
  const name = String(body.name);
  const description = String(body.description);
  const organization = String(body.organization_id);
  return applied(
    { project_id: project },
    { kind: 'project_created', project, name, description, organization },
  );
}

function createInvite({ body, project, sequence }: VendorRequest, state: ServiceState): SandboxDecision {
  const email = String(body.email).toLowerCase();
  if (state.pendingInvite(project, email) !== undefined) {
    return rejection(409, `${email} has a pending invite to project "${project}".`);
  }
  if (state.user(project, userIdOf(email)) !== undefined) {
    return rejection(409, `${email} is already a user of project "${project}".`);
  }
  const invite = `invite-${sequence}`;
  const accepted = state.isMember(email);
  const role = roleOf(body.permissions) ?? '';
  // The published answer has only the code, so it does not tell whether the invite was accepted at once.
  return applied({ invite_code: invite }, { kind: 'invited', project, email, role, invite, accepted });
}

function updateUser({ body, project, segment: user }: VendorRequest, state: ServiceState): SandboxDecision {
  if (state.user(project, user) === undefined) return noSuchUser(project, user);
  return applied({}, { kind: 'role_changed', project, user, role: roleOf(body.permissions) ?? '' });
}

function deleteInvite({ body, project }: VendorRequest, state: ServiceState): SandboxDecision {
  const code = String(body.invite_code);
  const invite = state.invite(code);
  if (invite === undefined || invite.project !== project || invite.state !== 'pending') {
    return rejection(404, `Project "${project}" has no pending invite "${code}".`);
  }
  return applied({}, { kind: 'invite_deleted', project, invite: code });
}

function removeUser({ project, segment: user }: VendorRequest, state: ServiceState): SandboxDecision {
  if (state.user(project, user) === undefined) return noSuchUser(project, user);
  return applied({}, { kind: 'user_removed', project, user });
}

/** Wraps a decision that needs the Admin permission on the project. */
export function administered(state: ServiceState, decide: Decide): Decide {
  return (request) =>
    state.isAdmin(request.project, request.account)
      ? decide(request)
      : rejection(403, `This key has no Admin permission on project "${request.project}".`);
}

function applied(body: JsonMembers, change: SandboxChange): SandboxDecision {
  return { status: 200, body, credits: 0, change };
}

function noSuchUser(project: string, user: string): SandboxDecision {
  return rejection(404, `Project "${project}" has no user "${user}" who has accepted.`);
}

function problemOfProject(body: JsonMembers): string | undefined {
  const problem = problemOfStrings(body, ['name', 'description', 'organization_id']);
  if (problem !== undefined) return problem;
  const blank = ['name', 'organization_id'].find((name) => body[name] === '');
  return blank === undefined ? undefined : `"${blank}" is empty.`;
}

function isAddress(value: Json | undefined): value is string {
  return typeof value === 'string' && /^[^\s@]+@[^\s@]+$/.test(value);
}

function problemOfInvite(body: JsonMembers): string | undefined {
  if (!isAddress(body.email)) return '"email" must be an e-mail address.';
  return problemOfPermissions(body.permissions) ?? problemOfStrings(body, [], ['permissions', 'email']);
}

function problemOfUpdate(body: JsonMembers): string | undefined {
  return problemOfPermissions(body.permissions) ?? problemOfStrings(body, [], ['permissions']);
}

function problemOfPermissions(permissions: Json | undefined): string | undefined {
  if (roleOf(permissions) !== undefined) return undefined;
  const published = `{"items": {"serviceDefault": {"actions": {"role:editor": true}}}}`;
  return `"permissions" must be ${published}, with one of ${ROLE_ACTIONS.join(', ')}.`;
}

/** The granted action; undefined unless the value has exactly the published shape. */
function roleOf(permissions: Json | undefined): string | undefined {
  const actions = onlyMember(onlyMember(onlyMember(permissions, 'items'), 'serviceDefault'), 'actions');
  return ROLE_ACTIONS.find((action) => onlyMember(actions, action) === true);
}

/** The member of that name; undefined unless the value is an object with this member alone. */
function onlyMember(value: Json | undefined, name: string): Json | undefined {
  return isMembers(value) && Object.keys(value).length === 1 ? value[name] : undefined;
}
