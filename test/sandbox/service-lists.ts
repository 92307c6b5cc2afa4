import type { JsonMembers } from '../../src/sandbox/json.ts';
import { administered } from '../../src/sandbox/service.ts';
import { type ServiceState, userIdOf } from '../../src/sandbox/service-state.ts';
import {
  problemOfStrings,
  rejection,
  type SandboxDecision,
  type VendorOperation,
  type VendorRequest,
} from '../../src/sandbox/vendor.ts';

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
      decide: (request) => toldMore(operation.decide(request), request),
    }),
  );
  return [...talkative, ...listOperations(state)];
}

function toldMore(decision: SandboxDecision, { account }: VendorRequest): SandboxDecision {
  const { change, body } = decision;
  if (change?.kind === 'project_created') {
    return { ...decision, change: { ...change, owner: ownEmailOf(account) } };
  }
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
      decide: administered(state, (request) => {
        const users = state.all().users.filter(({ project }) => project === request.project);
        const items = users.map(({ user, email, role }) => ({ user_id: user, email, role }));
        return pageOf('users', items, ({ user_id }) => user_id, request.body);
      }),
    },
    {
      ...inProject,
      name: 'list-invites',
      path: '/latest/auth/invites',
      decide: administered(state, (request) => {
        const invites = state
          .all()
          .invites.filter(({ project, state: is }) => project === request.project && is === 'pending');
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
 * nobody is left out or told twice when others come or go between two pages.
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
