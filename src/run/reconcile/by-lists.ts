import { bodyHolding, merged, objectWith } from '../../core/answer-body.ts';
import { unreachable } from '../../core/errors.ts';
import type { Call, JsonObject } from '../../core/operation.ts';
import type { RawReply } from '../../ledger/ledger.ts';
import { leftBy } from '../../vendor/changes.ts';
import type { Dialect, DialectOperation, Listing } from '../../vendor/dialect.ts';
import { answerPlaceOf } from '../../vendor/envelope.ts';
import { type Asking, type Listed, readMemberList } from '../../vendor/member-list.ts';
import { dialectOperationOf } from '../../vendor/request.ts';
import { type Finding, failed, HEARD_NOTHING, type Heard } from './finding.ts';

/**
 * Whether a lost invite reached somebody, by the lists of a service that has them. Without them nobody could tell, and
 * nothing may be sent again to somebody who may have had a mail.
 */

/** In which lists to look for whom. */
export interface InviteLook {
  readonly email: string;
  readonly project: string;
  readonly lists: readonly { readonly name: ListName; readonly listing: Listing }[];
}

type ListName = 'list_invites' | 'list_users';

/** Invites come first: who accepts in between is then in both lists and not in none. */
const LIST_NAMES = ['list_invites', 'list_users'] as const;

/** Undefined for a call that is no invite, and where there is no list. */
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

export type InviteFinding =
  | { readonly kind: 'there'; readonly name: ListName; readonly person: Listed }
  /** In none of both lists. */
  | { readonly kind: 'nowhere' }
  | { readonly kind: 'unclear'; readonly why: string };

/** Looks for the person. @param asking with the project of the look. */
export async function findInvite(asking: Asking, { email, lists }: InviteLook): Promise<InviteFinding> {
  for (const { name, listing } of lists) {
    const told = await readMemberList(asking, listing);
    if (told.kind !== 'listed') return { kind: 'unclear', why: `${name}: ${told.why}` };
    const person = told.people.find((each) => each.email === email);
    if (person !== undefined) return { kind: 'there', name, person };
  }
  if (lists.length === LIST_NAMES.length) return { kind: 'nowhere' };
  const other = LIST_NAMES.find((name) => lists.every((each) => each.name !== name));
  return { kind: 'unclear', why: `the person is not in ${lists[0]?.name}, and the dialect has no ${other}` };
}

/** What the lists say of the call. */
export function inviteFinding(dialect: Dialect, call: Call, found: InviteFinding, nowMs: number): Finding {
  switch (found.kind) {
    case 'unclear':
      return failed(found.why);
    case 'nowhere':
      return { said: 'not_happened', why: 'the person is neither invited nor in the project' };
    case 'there': {
      const { role } = found.person;
      const wanted = call.change?.leaves.role;
      const place = found.name === 'list_users' ? 'in the project' : 'invited';
      // Somebody else's doing. To send ours all the same could be a second mail.
      if (role !== undefined && role !== wanted) {
        return { said: 'unclear', why: `the person is ${place} as ${role}, which this call did not ask for` };
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

/** Of the lists the one entry: what they say of everybody else is no business of this call. */
export function heardOf(found: InviteFinding): Heard {
  return found.kind === 'there'
    ? { status: 200, body: Buffer.from(JSON.stringify(found.person)) }
    : { ...HEARD_NOTHING, status: found.kind === 'nowhere' ? 200 : 0 };
}

/** The answer of the lost invite as it would have come, as far as a list says what was in it. */
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

/** A test by words has no one text that passes it; then the list alone says that it was accepted. */
function acceptance(accepted: DialectOperation['accepted']): readonly JsonObject[] {
  const tests = [accepted ?? []].flat();
  const bodies = tests.flatMap(({ path, equals }) =>
    path === undefined || equals === undefined ? [] : [objectWith(path, equals)],
  );
  return bodies.slice(0, 1);
}
