import { hash } from 'node:crypto';
import type { SandboxChange } from './book-entry.ts';

/** The state of the vendors: all changes of the book, applied in order. */

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

  invite(code: string): Invite | undefined {
    return this.invites.get(code);
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
