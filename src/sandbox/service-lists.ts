import type { JsonMembers } from './json.ts';
import { ownEmailOf, type ServiceState, userIdOf } from './service-state.ts';
import {
  type Decision,
  problemOfStrings,
  refusal,
  type VendorOperation,
  type VendorRequest,
} from './vendor.ts';

/**
 * What some services of this kind have and the published one has not: who is in a project, who is invited to it, and
 * whose key it is. Free, and they alter nothing.
 */

/** A longer list comes in pages of this many. */
const PAGE_ITEMS = 100;

type Decide = (request: VendorRequest) => Decision;

/** @param administered wraps what needs the Admin permission on the project of the header. */
export function listOperations(
  state: ServiceState,
  administered: (decide: Decide) => Decide,
): readonly VendorOperation[] {
  const shared = { vendor: 'service', method: 'GET', isLookUp: true } as const;
  const inProject = { ...shared, authorization: ['Bearer <project>:<key>'] } as const;
  return [
    {
      ...inProject,
      name: 'list-users',
      path: '/latest/auth/users',
      decide: administered((request) => {
        const users = state.usersOf(request.project);
        const items = users.map(({ user, email, role }) => ({ user_id: user, email, role }));
        return pageOf('users', items, ({ user_id }) => user_id, request.body);
      }),
    },
    {
      ...inProject,
      name: 'list-invites',
      path: '/latest/auth/invites',
      decide: administered((request) => {
        const invites = state.pendingInvitesOf(request.project);
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
        if (problem !== undefined) return refusal(400, problem);
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
): Decision {
  const problem = problemOfStrings(parameters, [], ['page']);
  if (problem !== undefined) return refusal(400, problem);
  const { page: cursor = '' } = parameters;
  const rest = items
    .filter((item) => idOf(item) > String(cursor))
    .sort((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
  const page = rest.slice(0, PAGE_ITEMS);
  const last = page.at(-1);
  const next = last === undefined || rest.length <= PAGE_ITEMS ? {} : { next: idOf(last) };
  return { status: 200, credits: 0, body: { [name]: page, ...next } };
}
