import { hash } from 'node:crypto';
import { unreachable } from '../errors.ts';
import type { Change } from './book.ts';

/** What the service remembers: nothing but the changes of the book, applied in order. */

export interface Project {
  readonly project: string;
  readonly name: string;
  readonly description: string;
  readonly organization: string;
  /** Short hash of the key that made it and has the Admin permission on it. */
  readonly account: string;
}

export interface Invite {
  readonly invite: string;
  readonly project: string;
  readonly email: string;
  readonly role: string;
  readonly state: 'pending' | 'accepted' | 'deleted';
}

export interface User {
  readonly user: string;
  readonly project: string;
  readonly email: string;
  readonly role: string;
}

/** Local parts that begin like this belong to people who are in the organization from the start. */
const MEMBER_PREFIX = 'member';

export class ServiceState {
  readonly #projects = new Map<string, Project>();
  readonly #invites = new Map<string, Invite>();
  /** By project and e-mail: the code of the invite that waits. */
  readonly #pending = new Map<string, string>();
  /** By project and user. */
  readonly #users = new Map<string, User>();
  /** E-mails that have accepted an invite of any project. */
  readonly #members = new Set<string>();
  readonly #revokedAccounts = new Set<string>();

  isRevoked(account: string): boolean {
    return this.#revokedAccounts.has(account);
  }

  project(project: string): Project | undefined {
    return this.#projects.get(project);
  }

  invite(code: string): Invite | undefined {
    return this.#invites.get(code);
  }

  pendingInvite(project: string, email: string): Invite | undefined {
    return this.#invites.get(this.#pending.get(pair(project, email)) ?? '');
  }

  user(project: string, user: string): User | undefined {
    return this.#users.get(pair(project, user));
  }

  isMember(email: string): boolean {
    return email.startsWith(MEMBER_PREFIX) || this.#members.has(email);
  }

  /** Everything, for a test to look at. */
  all(): { projects: Project[]; invites: Invite[]; users: User[] } {
    return {
      projects: [...this.#projects.values()],
      invites: [...this.#invites.values()],
      users: [...this.#users.values()],
    };
  }

  apply(change: Change, account: string): void {
    switch (change.kind) {
      case 'project_created': {
        const { project, name, description, organization } = change;
        this.#projects.set(project, { project, name, description, organization, account });
        return;
      }
      case 'invited':
        this.#invited(change);
        return;
      case 'accepted':
        this.#accepted(change.email);
        return;
      case 'role_changed': {
        const user = this.user(change.project, change.user);
        if (user !== undefined)
          this.#users.set(pair(user.project, user.user), { ...user, role: change.role });
        return;
      }
      case 'invite_deleted':
        this.#inviteDeleted(change.invite);
        return;
      case 'user_removed':
        this.#users.delete(pair(change.project, change.user));
        return;
      case 'key_revoked':
        this.#revokedAccounts.add(change.account);
        return;
      default:
        unreachable(change);
    }
  }

  #invited(change: Extract<Change, { kind: 'invited' }>): void {
    const { invite, project, email, role } = change;
    const made: Invite = { invite, project, email, role, state: 'pending' };
    this.#invites.set(invite, made);
    if (change.accepted) this.#join(made);
    else this.#pending.set(pair(project, email), invite);
  }

  #accepted(email: string): void {
    for (const invite of this.#invites.values()) {
      if (invite.email === email && invite.state === 'pending') this.#join(invite);
    }
  }

  #join(invite: Invite): void {
    const { project, email, role } = invite;
    const user = userIdOf(email);
    this.#members.add(email);
    this.#pending.delete(pair(project, email));
    this.#invites.set(invite.invite, { ...invite, state: 'accepted' });
    this.#users.set(pair(project, user), { user, project, email, role });
  }

  #inviteDeleted(code: string): void {
    const invite = this.#invites.get(code);
    if (invite === undefined) return;
    this.#pending.delete(pair(invite.project, invite.email));
    this.#invites.set(code, { ...invite, state: 'deleted' });
  }
}

/** A person has one identifier in every project, made from the e-mail so that tests know it beforehand. */
export function userIdOf(email: string): string {
  return `user-${hash('sha256', email, 'hex').slice(0, 12)}`;
}

/** Neither projects nor users can hold a line end. */
function pair(project: string, name: string): string {
  return `${project}\n${name}`;
}
