import type { ListedPerson, MemberList } from '../../client/client.ts';
import {
  answerPlaceOf,
  type Dialect,
  type DialectOperation,
  dialectOperationOf,
  type Listing,
} from '../../client/dialect.ts';
import { leftBy, type Reply } from '../../client/judge.ts';
import { bodyHolding, merged, objectWith } from '../../core/answer-body.ts';
import { unreachable } from '../../core/errors.ts';
import type { SubjectFacts } from '../../core/membership.ts';
import type { Call, JsonObject } from '../../core/operation.ts';
import { foreignWords } from '../../core/plain-text.ts';
import type { Look, RawReply } from '../../ledger/ledger.ts';

/**
 * This file finds out from a service's lists whether a lost invite reached its person. Without such lists nobody could
 * tell, and no invite may be sent again to a person who may already have the mail.
 */

interface InviteLook {
  readonly email: string;
  readonly project: string;
  readonly lists: readonly { readonly name: ListName; readonly listing: Listing }[];
}

type ListName = 'list_invites' | 'list_users';

/** Invites come first: a person who accepts an invite in between is then in both lists instead of in none. */
const LIST_NAMES = ['list_invites', 'list_users'] as const;

/** What to look for; undefined for a call that is no invite, and for a service without lists. */
export function inviteLookOf(
  dialect: Dialect,
  { operation, parameters, project }: Call,
): InviteLook | undefined {
  const { email } = parameters;
  const lists = LIST_NAMES.flatMap((name) => {
    const listing = dialect[name];
    return listing === undefined ? [] : [{ name, listing }];
  });
  const isInvite = operation === 'create-invite' && typeof email === 'string' && project !== undefined;
  return isInvite && lists.length > 0 ? { email: email.toLowerCase(), project, lists } : undefined;
}

type InviteFinding =
  | { readonly kind: 'there'; readonly name: ListName; readonly person: ListedPerson }
  | { readonly kind: 'nowhere' }
  | { readonly kind: 'unclear'; readonly why: string };

export async function findInvite(
  read: (listing: Listing) => Promise<MemberList>,
  { email, lists }: InviteLook,
): Promise<InviteFinding> {
  for (const { name, listing } of lists) {
    const told = await read(listing);
    if (told.kind !== 'listed') return { kind: 'unclear', why: `${name}: ${told.why}` };
    const person = told.people.find((each) => each.email === email);
    if (person !== undefined) return { kind: 'there', name, person };
  }
  if (lists.length === LIST_NAMES.length) return { kind: 'nowhere' };
  const other = LIST_NAMES.find((name) => lists.every((each) => each.name !== name));
  return { kind: 'unclear', why: `the person is not in ${lists[0]?.name}, and the dialect has no ${other}` };
}

export function inviteFinding(dialect: Dialect, call: Call, found: InviteFinding, nowMs: number): LookResult {
  switch (found.kind) {
    case 'unclear':
      return failed(found.why);
    case 'nowhere':
      return { said: 'not_happened', why: 'the person is neither invited nor in the project' };
    case 'there': {
      const { role, otherRole } = found.person;
      const shown = role ?? otherRole;
      const wanted = call.change?.leaves.role;
      const place = found.name === 'list_users' ? 'in the project' : 'invited';
      // Another person sent this invite. To send ours as well could cause a second mail.
      if (shown !== undefined && shown !== wanted) {
        const as = foreignWords(shown);
        return { said: 'unclear', why: `the person is ${place} as ${as}, which this call did not ask for` };
      }
      const told = answerOfInvite(dialect, dialectOperationOf(dialect, call), found, nowMs);
      const left = leftBy(call, 'found', told, dialect);
      const isMember = left !== undefined && found.name === 'list_users';
      return {
        said: 'happened',
        why: `the person is ${place}`,
        told,
        ...(isMember ? { left: { ...left, state: 'member' } } : {}),
      };
    }
    default:
      return unreachable(found);
  }
}

export function heardOf(found: InviteFinding): Heard {
  return found.kind === 'there'
    ? { status: 200, body: Buffer.from(JSON.stringify(found.person)) }
    : { ...HEARD_NOTHING, status: found.kind === 'nowhere' ? 200 : 0 };
}

/** The lost answer to the invite in the form in which it would have arrived, as far as the list has its values. */
function answerOfInvite(
  dialect: Dialect,
  { answer_fields: places = {}, accepted }: DialectOperation,
  { name, person }: InviteFinding & { readonly kind: 'there' },
  receivedAtMs: number,
): RawReply {
  const { invite_code: codeAt, user_id: userAt } = places;
  const { inviteCode, userId } = person;
  const parts: readonly JsonObject[] = [
    ...(codeAt === undefined || inviteCode === undefined ? [] : [objectWith(codeAt, inviteCode)]),
    ...(userAt === undefined || userId === undefined ? [] : [objectWith(userAt, userId)]),
    ...(name === 'list_users' ? acceptance(accepted) : []),
  ];
  const body = bodyHolding(parts.reduce(merged, {}), answerPlaceOf(dialect));
  return { status: 200, headers: {}, body, receivedAtMs };
}

/** A body that passes the dialect's test. A test by words has no single text that passes; then the list is enough. */
function acceptance(accepted: DialectOperation['accepted']): readonly JsonObject[] {
  const tests = [accepted ?? []].flat();
  const bodies = tests.flatMap(({ path, equals }) =>
    path === undefined || equals === undefined ? [] : [objectWith(path, equals)],
  );
  return bodies.slice(0, 1);
}

/**
 * The result of a question. `told` is the lost answer itself. `left` is the state of its subject after the call, where the
 * answer does not say it.
 */
export interface LookResult {
  readonly said: Look['said'];
  readonly why: string;
  readonly told?: RawReply;
  readonly left?: SubjectFacts;
}

export type Heard = Pick<RawReply, 'status' | 'body'>;

const HEARD_NOTHING: Heard = { status: 0, body: Buffer.alloc(0) };

export const heardIn = (reply: Reply): Heard => (reply.kind === 'answered' ? reply.raw : HEARD_NOTHING);

export function failed(why: string): LookResult {
  return { said: 'unclear', why: `the vendor's reply does not help: ${why}` };
}
