import { unreachable } from '../../src/core/errors.ts';
import type { Entry, SandboxChange, SandboxPerson } from '../../src/sandbox/book-entry.ts';
import { type ServiceState, userIdOf } from '../../src/sandbox/service-state.ts';
import type { VendorOperation, VendorRequest } from '../../src/sandbox/vendor.ts';

/**
 * How often the service did something for, or refused something to, each person of each project. The published service
 * does not say whose change it refused, so its operations are made to.
 */

interface Counts {
  /** Invites, also those that were accepted at once. */
  readonly created: number;
  /** Invites. */
  readonly deleted: number;
  /** Roles of somebody who had accepted. */
  readonly updated: number;
  readonly removed: number;
  /** Of any of these: the service looked at it and said no. */
  readonly refused: number;
}

export type PersonCount = SandboxPerson & Counts;

const NONE: Counts = { created: 0, deleted: 0, updated: 0, removed: 0, refused: 0 };

export class PersonCounts {
  /** By project and e-mail, in the order in which they first appeared. */
  readonly #counts = new Map<string, PersonCount>();
  /** Invite code or user → e-mail, because a change names one of these alone. */
  readonly #emails = new Map<string, string>();

  note({ change, refused }: Pick<Entry, 'change' | 'refused'>): void {
    if (refused !== undefined) this.#add(refused.project, refused.email, 'refused');
    if (change !== undefined) this.#noteChange(change);
  }

  all(): readonly PersonCount[] {
    return [...this.#counts.values()];
  }

  #noteChange(change: SandboxChange): void {
    switch (change.kind) {
      case 'project_created':
        if (change.owner !== undefined) this.#learn(change.owner);
        return;
      case 'invited':
        this.#learn(change.email);
        this.#emails.set(change.invite, change.email);
        this.#add(change.project, change.email, 'created');
        return;
      case 'invite_deleted':
        this.#add(change.project, this.#emails.get(change.invite), 'deleted');
        return;
      case 'role_changed':
        this.#add(change.project, this.#emails.get(change.user), 'updated');
        return;
      case 'user_removed':
        this.#add(change.project, this.#emails.get(change.user), 'removed');
        return;
      case 'accepted':
      case 'key_revoked':
      case 'admin_removed':
      case 'tag_applied':
        return;
      default:
        unreachable(change);
    }
  }

  #learn(email: string): void {
    this.#emails.set(userIdOf(email), email);
  }

  #add(project: string, email: string | undefined, counted: keyof Counts): void {
    if (email === undefined) return;
    const key = `${project}\n${email}`;
    const before = this.#counts.get(key) ?? { project, email, ...NONE };
    this.#counts.set(key, { ...before, [counted]: before[counted] + 1 });
  }
}

/** Where a change of one person is refused, and they are known, the book says whose it was. */
export function withRefusedPersons(
  operations: readonly VendorOperation[],
  state: ServiceState,
): readonly VendorOperation[] {
  return operations.map((operation) => ({
    ...operation,
    decide: (request) => {
      const decision = operation.decide(request);
      const isOfPerson = operation.method === 'POST' && operation.name !== 'create-project';
      const person = isOfPerson && decision.change === undefined ? personIn(request, state) : undefined;
      return person === undefined ? decision : { ...decision, refused: person };
    },
  }));
}

function personIn({ body, project, segment }: VendorRequest, state: ServiceState): SandboxPerson | undefined {
  const { email, invite_code: code } = body;
  if (typeof email === 'string' && email.includes('@')) return { project, email: email.toLowerCase() };
  const known = typeof code === 'string' ? state.invite(code) : state.user(project, segment);
  return known && { project, email: known.email };
}
