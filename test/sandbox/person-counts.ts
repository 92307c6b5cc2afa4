import type { Admission } from '../../src/sandbox/gate.ts';
import { isMembers, type JsonMembers, jsonIn } from '../../src/sandbox/json.ts';
import type { Entry, ReceivedBody } from '../../src/sandbox/registrar.ts';
import { type ServiceState, userIdOf } from '../../src/sandbox/service.ts';
import type { SandboxChange, SandboxDecision } from '../../src/sandbox/vendor.ts';

/** How often the service did something for, or refused something to, each person of each project. */

/** A person in one project; the same e-mail in another project counts as another person here. */
type SandboxPerson = JsonMembers & { readonly project: string; readonly email: string };

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

  note({ vendor, change, more }: Entry): void {
    const refused = more?.refused as SandboxPerson | undefined;
    if (refused !== undefined) this.#add(refused.project, refused.email, 'refused');
    // What a test does from outside is none of the service's doing.
    if (change !== undefined && vendor === 'service') this.#noteChange(change);
  }

  all(): readonly PersonCount[] {
    return [...this.#counts.values()];
  }

  #noteChange(change: SandboxChange): void {
    switch (change.kind) {
      case 'project_created':
        return;
      case 'invited':
        this.learn(change.email);
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
    }
  }

  learn(email: string): void {
    this.#emails.set(userIdOf(email), email);
  }

  #add(project: string, email: string | undefined, counted: keyof Counts): void {
    if (email === undefined) return;
    const key = `${project}\n${email}`;
    const before = this.#counts.get(key) ?? { project, email, ...NONE };
    this.#counts.set(key, { ...before, [counted]: before[counted] + 1 });
  }
}

/** Whose change was refused, where they are known: the published service does not say it. */
export function refusedPerson(
  { operation, project, segment }: Admission,
  { text }: ReceivedBody,
  { change, status }: SandboxDecision,
  state: ServiceState | undefined,
): { readonly refused?: SandboxPerson } {
  const isOfPerson = operation.vendor === 'service' && operation.method === 'POST' && project !== '';
  if (!isOfPerson || operation.name === 'api-call' || change !== undefined || status === 401) return {};
  const json = jsonIn(text ?? '');
  const { email, invite_code: code } = isMembers(json) ? json : {};
  if (typeof email === 'string' && email.includes('@'))
    return { refused: { project, email: email.toLowerCase() } };
  const known = typeof code === 'string' ? state?.invites.get(code) : state?.user(project, segment);
  return known === undefined ? {} : { refused: { project, email: known.email } };
}
