import { hash } from 'node:crypto';
import { isMembers, type Json, type JsonMembers } from './json.ts';
import {
  type Decide,
  ifValid,
  problemOfStrings,
  rejection,
  type SandboxChange,
  type SandboxDecision,
  type VendorOperation,
  type VendorRequest,
} from './vendor.ts';

/** The state of the vendors: all changes of the book, applied in order. */

export interface Invite {
  readonly invite: string;
  readonly project: string;
  readonly email: string;
  readonly role: string;
  /** `pending`: it waits for the person. `accepted`: the person is a member. `deleted`: it was withdrawn. */
  readonly state: 'pending' | 'accepted' | 'deleted';
}

export interface User {
  readonly user: string;
  readonly project: string;
  readonly email: string;
  readonly role: string;
}

/** Projects with this prefix exist from the start, and every key has the Admin permission on them. */
const OPEN_PROJECT_PREFIX = 'proj-';

/** Local parts that begin like this belong to people who are in the organization from the start. */
const MEMBER_PREFIX = 'member';

export class ServiceState {
  /** Each has its code as its key; the oldest comes first. */
  readonly invites = new Map<string, Invite>();
  /** Users of projects, by project and user id. */
  readonly users = new Map<string, User>();
  /** Short hashes of the keys that created the projects. */
  readonly #creators = new Map<string, string>();
  /** Codes of open invites, by project and e-mail. */
  readonly #pending = new Map<string, string>();
  /** E-mails that have accepted an invite of any project. */
  readonly #members = new Set<string>();

  /** Every key is admin of an open project. Another project's admin is the key that created it. */
  isAdmin(project: string, account: string): boolean {
    const creator = this.#creators.get(project);
    return creator === undefined ? project.startsWith(OPEN_PROJECT_PREFIX) : creator === account;
  }

  pendingInvite(project: string, email: string): Invite | undefined {
    return this.invites.get(this.#pending.get(pair(project, email)) ?? '');
  }

  user(project: string, user: string): User | undefined {
    return this.users.get(pair(project, user));
  }

  isMember(email: string): boolean {
    return email.startsWith(MEMBER_PREFIX) || this.#members.has(email);
  }

  apply(change: SandboxChange, account: string): void {
    switch (change.kind) {
      case 'project_created':
        this.#creators.set(change.project, account);
        return;
      case 'invited':
        this.#invited(change);
        return;
      case 'role_changed': {
        const user = this.user(change.project, change.user);
        if (user !== undefined) this.users.set(pair(user.project, user.user), { ...user, role: change.role });
        return;
      }
      case 'invite_deleted':
        this.#inviteDeleted(change.invite);
        return;
      case 'user_removed':
        this.users.delete(pair(change.project, change.user));
    }
  }

  #invited({ invite, project, email, role, accepted }: Extract<SandboxChange, { kind: 'invited' }>): void {
    this.invites.set(invite, { invite, project, email, role, state: accepted ? 'accepted' : 'pending' });
    if (!accepted) {
      this.#pending.set(pair(project, email), invite);
      return;
    }
    const user = userIdOf(email);
    this.#members.add(email);
    this.#pending.delete(pair(project, email));
    this.users.set(pair(project, user), { user, project, email, role });
  }

  #inviteDeleted(code: string): void {
    const invite = this.invites.get(code);
    if (invite === undefined) return;
    this.#pending.delete(pair(invite.project, invite.email));
    this.invites.set(code, { ...invite, state: 'deleted' });
  }
}

/** A person has one identifier in every project, made from the e-mail so that tests know it beforehand. */
export function userIdOf(email: string): string {
  return `user-${hash('sha256', email, 'hex').slice(0, 12)}`;
}

/** A map key of two names. It is unique, because neither projects nor users contain a line end. */
function pair(project: string, name: string): string {
  return `${project}\n${name}`;
}

// ----------------------------------------------------------------------------------------- what may be asked

/**
 * The governance service: projects, invites, users. It only decides; a decision is applied when it is in the
 * book.
 */

const ROLE_ACTIONS = ['role:editor', 'role:viewer', 'admin'] as const;

export function serviceOperations(state: ServiceState): readonly VendorOperation[] {
  const shared = { vendor: 'service', method: 'POST' } as const;
  const named = { ...shared, authorization: ['Bearer <project>:<key>'] } as const;
  const byAdmin = (problemOf: Parameters<typeof ifValid>[0], decide: StateDecide): Decide =>
    onlyByAdmin(
      state,
      ifValid(problemOf, (request) => decide(request, state)),
    );
  return [
    {
      ...shared,
      name: 'create-project',
      path: '/latest/projects/create',
      authorization: ['Bearer :<key>'],
      decide: ifValid(problemOfProject, createProject),
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
  const invite = state.invites.get(code);
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
export function onlyByAdmin(state: ServiceState, decide: Decide): Decide {
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
