import { hash } from 'node:crypto';
import { unreachable } from '../core/errors.ts';
import type { SandboxChange } from './book-entry.ts';

/** The state of the vendors: all changes of the book, applied in order. */

export interface Project {
  readonly project: string;
  readonly name: string;
  readonly description: string;
  readonly organization: string;
  /** Short hash of the key that created the project and has the Admin permission on it. */
  readonly account: string;
  /** E-mail of that key's user; absent where the service does not tell who is in a project. */
  readonly owner?: string;
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

export type Mail = Omit<Invite, 'state'>;

export interface Tag {
  readonly domain: string;
  readonly tag: string;
  readonly times: number;
}

/** Projects with this prefix exist from the start, and every key has the Admin permission on them. */
const OPEN_PROJECT_PREFIX = 'proj-';

/** Local parts that begin like this belong to people who are in the organization from the start. */
const MEMBER_PREFIX = 'member';

export class ServiceState {
  readonly #projects = new Map<string, Project>();
  readonly #invites = new Map<string, Invite>();
  /** Codes of open invites, by project and e-mail. */
  readonly #pending = new Map<string, string>();
  /** Users of projects, by project and user id. */
  readonly #users = new Map<string, User>();
  /** E-mails that have accepted an invite of any project. */
  readonly #members = new Set<string>();
  /** Invitations that were mailed, oldest first. */
  readonly #mails: Mail[] = [];
  /** Applied tags, by domain and tag. */
  readonly #tags = new Map<string, Tag>();
  readonly #revokedAccounts = new Set<string>();
  /** Keys whose Admin permission was taken away, by project and account. */
  readonly #removedAdmins = new Set<string>();

  isRevoked(account: string): boolean {
    return this.#revokedAccounts.has(account);
  }

  project(project: string): Project | undefined {
    return this.#projects.get(project);
  }

  /**
   * Every key is admin of an open project. Another project's admin is the key that created it, while its user
   * is one.
   */
  isAdmin(project: string, account: string): boolean {
    if (this.#removedAdmins.has(pair(project, account))) return false;
    const made = this.#projects.get(project);
    if (made === undefined) return project.startsWith(OPEN_PROJECT_PREFIX);
    if (made.account !== account) return false;
    return made.owner === undefined || this.user(project, userIdOf(made.owner))?.role === 'admin';
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

  all() {
    return {
      projects: [...this.#projects.values()],
      invites: [...this.#invites.values()],
      users: [...this.#users.values()],
      mails: [...this.#mails],
      tags: [...this.#tags.values()],
    };
  }

  apply(change: SandboxChange, account: string): void {
    switch (change.kind) {
      case 'project_created':
        this.#projectCreated(change, account);
        return;
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
      case 'admin_removed':
        this.#removedAdmins.add(pair(change.project, change.account));
        return;
      case 'tag_applied': {
        const { domain, tag } = change;
        const name = JSON.stringify([domain, tag]);
        this.#tags.set(name, { domain, tag, times: (this.#tags.get(name)?.times ?? 0) + 1 });
        return;
      }
      default:
        unreachable(change);
    }
  }

  #projectCreated(change: Extract<SandboxChange, { kind: 'project_created' }>, account: string): void {
    const { project, name, description, organization, owner } = change;
    const made = { project, name, description, organization, account };
    this.#projects.set(project, owner === undefined ? made : { ...made, owner });
    if (owner === undefined) return;
    const user = userIdOf(owner);
    this.#members.add(owner);
    this.#users.set(pair(project, user), { user, project, email: owner, role: 'admin' });
  }

  #invited(change: Extract<SandboxChange, { kind: 'invited' }>): void {
    const { invite, project, email, role } = change;
    const made: Invite = { invite, project, email, role, state: 'pending' };
    this.#invites.set(invite, made);
    if (change.accepted) {
      this.#join(made);
      return;
    }
    this.#pending.set(pair(project, email), invite);
    this.#mails.push({ project, email, invite, role });
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

/** A map key of two names. It is unique, because neither projects nor users contain a line end. */
function pair(project: string, name: string): string {
  return `${project}\n${name}`;
}
