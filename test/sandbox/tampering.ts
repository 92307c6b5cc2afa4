import type { Admission } from '../../src/sandbox/gate.ts';
import { isMembers, type Json, type JsonMembers, jsonIn } from '../../src/sandbox/json.ts';
import type { Entry, ReceivedBody } from '../../src/sandbox/registrar.ts';
import type { ServiceState } from '../../src/sandbox/service.ts';
import {
  accountOf,
  rejection,
  type SandboxDecision,
  type VendorOperation,
} from '../../src/sandbox/vendor.ts';
import type { Vendors } from '../../src/sandbox/vendors.ts';

/** What a test does to the vendors from outside, and looks into. The book has all of it, so it outlives a kill. */
export class Tampering {
  readonly #projects: JsonMembers[] = [];
  /** Invitations that were mailed, oldest first. */
  readonly #mails: JsonMembers[] = [];
  /** Applied tags, by domain and tag. */
  readonly #tags = new Map<string, JsonMembers & { readonly times: number }>();
  readonly #revoked = new Set<string>();
  /** Keys whose Admin permission was taken away, by project and account. */
  readonly #removedAdmins = new Set<string>();

  note({ change, account, more = {} }: Entry): void {
    if (typeof more.revoked === 'string') this.#revoked.add(more.revoked);
    if (more.removed_admin !== undefined) this.#removedAdmins.add(textOf(more.removed_admin));
    if (isMembers(more.tag)) {
      const name = textOf(more.tag);
      this.#tags.set(name, { ...more.tag, times: (this.#tags.get(name)?.times ?? 0) + 1 });
    }
    if (change?.kind === 'project_created') {
      const { project, name, description, organization } = change;
      this.#projects.push({ project, name, description, organization, account });
    } else if (change?.kind === 'invited' && !change.accepted) {
      const { project, email, invite, role } = change;
      this.#mails.push({ project, email, invite, role });
    }
  }

  /** Oldest first: projects, invites, users, the mails that were sent, and the provider's tags. */
  all({ invites, users }: ServiceState): object {
    return {
      projects: this.#projects,
      invites: [...invites.values()],
      users: [...users.values()],
      mails: this.#mails,
      tags: [...this.#tags.values()],
    };
  }

  /** The operations, of which a key that stopped working may ask none. */
  guarded(operations: readonly VendorOperation[]): readonly VendorOperation[] {
    return operations.map((operation) => ({
      ...operation,
      decide: (request) => {
        const { project, account } = request;
        if (this.#revoked.has(account)) return rejection(401, 'This key has been revoked.');
        if (this.#removedAdmins.has(textOf([project, account])))
          return rejection(403, `This key has no Admin permission on project "${project}".`);
        return operation.decide(request);
      },
    }));
  }

  more({ operation }: Admission, { text }: ReceivedBody, { status }: SandboxDecision): JsonMembers {
    return operation.name === 'apply-tag' && status === 200 ? { tag: jsonIn(text ?? '') ?? null } : {};
  }

  // ------------------------------------------------------------------------------------ done from outside

  revoke({ registrar }: Vendors, key: string): void {
    append(registrar, 'revoke', { more: { revoked: accountOf(key) } });
  }

  removeAdmin({ registrar }: Vendors, project: string, key: string): void {
    append(registrar, 'remove-admin', { more: { removed_admin: [project, accountOf(key)] } });
  }

  accept({ registrar }: Vendors, email: string): void {
    for (const { state, ...invite } of [...registrar.state.invites.values()])
      if (invite.email === email && state === 'pending')
        append(registrar, 'accept', { change: { kind: 'invited', ...invite, accepted: true } });
  }
}

/** Nothing that is done from outside twice was done twice by a client: each has an account of its own. */
function append(
  registrar: Vendors['registrar'],
  operation: string,
  made: Pick<Entry, 'change' | 'more'>,
): void {
  const sequence = registrar.nextSequence();
  const of = {
    vendor: 'sandbox',
    operation,
    parameters: {},
    account: `test-${sequence}`,
    credits: 0,
  } as const;
  registrar.append(sequence, { ...of, ...made });
}

const textOf = (value: Json): string => JSON.stringify(value);
