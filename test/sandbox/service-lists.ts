import type { JsonMembers } from '../../src/sandbox/json.ts';
import type { Entry } from '../../src/sandbox/registrar.ts';
import { onlyByAdmin, type ServiceState, userIdOf } from '../../src/sandbox/service.ts';
import {
  problemOfStrings,
  rejection,
  type SandboxDecision,
  type VendorOperation,
} from '../../src/sandbox/vendor.ts';
import type { PersonCounts } from './person-counts.ts';

/**
 * What some services of this kind have and the published one has not, all of it for nothing: who is in a project, who is
 * invited to it, whose key it is, and of an invite whether it was accepted at once. The key's own user is in every project
 * that the key made.
 */

/** A longer list comes in pages of this many. */
const PAGE_ITEMS = 100;

/** The published operations, which say more than is published, and those that list people. */
export function withLists(
  published: readonly VendorOperation[],
  state: ServiceState,
): readonly VendorOperation[] {
  const talkative = published.map(
    (operation): VendorOperation => ({
      ...operation,
      decide: (request) => toldMore(operation.decide(request)),
    }),
  );
  return [...talkative, ...listOperations(state)];
}

/** The key's own user is in the project that the key has made, without an invite. */
export function addOwner({ change, account }: Entry, state: ServiceState, persons: PersonCounts): void {
  if (change?.kind !== 'project_created') return;
  const { project } = change;
  const email = ownEmailOf(account);
  const invite = `owner of ${project}`;
  state.apply({ kind: 'invited', project, email, role: 'admin', invite, accepted: true }, account);
  state.invites.delete(invite);
  persons.learn(email);
}

/** The key is admin of a project that it made only while its own user is one there. */
export function ownerGuarded(
  operations: readonly VendorOperation[],
  state: ServiceState,
): readonly VendorOperation[] {
  return operations.map((operation) => ({
    ...operation,
    decide: (request) => {
      const { project, account } = request;
      const isOwn = project.startsWith('project-') && state.isAdmin(project, account);
      if (!isOwn || state.user(project, userIdOf(ownEmailOf(account)))?.role === 'admin')
        return operation.decide(request);
      return rejection(403, `This key has no Admin permission on project "${project}".`);
    },
  }));
}

function toldMore(decision: SandboxDecision): SandboxDecision {
  const { change, body } = decision;
  if (change?.kind !== 'invited') return decision;
  const { accepted, email } = change;
  const told = accepted ? { status: 'accepted', user_id: userIdOf(email) } : { status: 'pending' };
  return { ...decision, body: { ...body, ...told } };
}

/** Whose key it is: somebody invented, made from the account, because the key itself is never kept. */
function ownEmailOf(account: string): string {
  return `key-${account}@sandbox.example`;
}

function listOperations(state: ServiceState): readonly VendorOperation[] {
  const shared = { vendor: 'service', method: 'GET', isLookUp: true } as const;
  const inProject = { ...shared, authorization: ['Bearer <project>:<key>'] } as const;
  return [
    {
      ...inProject,
      name: 'list-users',
      path: '/latest/auth/users',
      decide: onlyByAdmin(state, (request) => {
        const users = [...state.users.values()].filter(({ project }) => project === request.project);
        const items = users.map(({ user, email, role }) => ({ user_id: user, email, role }));
        return pageOf('users', items, ({ user_id }) => user_id, request.body);
      }),
    },
    {
      ...inProject,
      name: 'list-invites',
      path: '/latest/auth/invites',
      decide: onlyByAdmin(state, (request) => {
        const invites = [...state.invites.values()].filter(
          ({ project, state: is }) => project === request.project && is === 'pending',
        );
        const items = invites.map(({ invite, email, role }) => ({ invite_code: invite, email, role }));
        return pageOf('invites', items, ({ invite_code }) => invite_code, request.body);
      }),
    },
    {
      ...shared,
      name: 'whoami',
      path: '/latest/auth/whoami',
      authorization: ['Bearer :<key>'],
      decide: ({ account, body }) => {
        const problem = problemOfStrings(body, []);
        if (problem !== undefined) return rejection(400, problem);
        const email = ownEmailOf(account);
        return { status: 200, credits: 0, body: { user_id: userIdOf(email), email } };
      },
    },
  ];
}

/**
 * One page of the list, in the order of the identifiers. The cursor is the last identifier of the page before, so that
 * no one is left out or told twice when others come or go between two pages.
 */
function pageOf<Item extends JsonMembers>(
  name: string,
  items: readonly Item[],
  idOf: (item: Item) => string,
  parameters: JsonMembers,
): SandboxDecision {
  const problem = problemOfStrings(parameters, [], ['page']);
  if (problem !== undefined) return rejection(400, problem);
  const { page: cursor = '' } = parameters;
  const rest = items
    .filter((item) => idOf(item) > String(cursor))
    .sort((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
  const page = rest.slice(0, PAGE_ITEMS);
  const last = page.at(-1);
  const next = last === undefined || rest.length <= PAGE_ITEMS ? {} : { next: idOf(last) };
  return { status: 200, credits: 0, body: { [name]: page, ...next } };
}
