import { readBody, textAt, valueAt } from '../core/answer-body.ts';
import { ROLES, type Role, roleOf } from '../core/membership.ts';
import { present } from '../core/objects.ts';
import type { JsonObject, JsonValue } from '../core/operation.ts';
import { foreignName, foreignWords } from '../core/plain-text.ts';
import type { Reply } from '../ledger/ledger.ts';
import type { Dialect, ListEntry } from './dialect.ts';

/** The answer to a free request. `refused`: the vendor does not answer it. */
export type Page =
  | { readonly kind: 'answered'; readonly raw: Reply }
  | { readonly kind: 'refused'; readonly why: string };

export interface ListedPerson {
  /** The e-mail address in lower case. */
  readonly email?: string;
  readonly userId?: string;
  readonly inviteCode?: string;
  /** Left out also where we do not know the list's word for the role. */
  readonly role?: Role;
}

/**
 * `refused`: the service does not answer. `unusable`: its answer does not have the form that the dialect
 * states.
 */
type ListFailure =
  | Exclude<Page, { readonly kind: 'answered' }>
  | { readonly kind: 'unusable'; readonly why: string };

export type MemberList = { readonly kind: 'listed'; readonly people: readonly ListedPerson[] } | ListFailure;

/**
 * A page holds a hundred or so people, and the largest team some thousands: a longer list runs in a circle.
 */
const MOST_PAGES = 1_000;

/** Reads all people of a list. @param ask requests the page with these parameters. */
export async function readMemberList(
  dialect: Dialect,
  listing: ListEntry,
  ask: (parameters: JsonObject) => Promise<Page>,
): Promise<MemberList> {
  const people: ListedPerson[] = [];
  const seen = new Set<JsonValue>();
  for (let parameters: JsonObject = {}; seen.size < MOST_PAGES; ) {
    const answer = await ask(parameters);
    if (answer.kind !== 'answered') return answer;
    const page = pageIn(answer.raw, listing, dialect);
    if (page.kind !== 'listed') return page;
    for (const each of page.people) people.push(each);
    if (page.next === undefined) return missingFrom(page, people.length) ?? { kind: 'listed', people };
    if (seen.has(page.next.value))
      return unusable(`its page ${foreignWords(JSON.stringify(page.next.value))} comes twice`);
    seen.add(page.next.value);
    parameters = { [page.next.parameter]: page.next.value };
  }
  return unusable(`it has more than ${MOST_PAGES} pages`);
}

/**
 * A person on none of the pages that came would seem to be gone. So a list that says it goes on is no usable
 * list.
 */
function missingFrom({ isMore, total }: OnePage, came: number): ListFailure | undefined {
  if (total !== undefined && total > came)
    return unusable(`it says that it has ${total}, and only ${came} came`);
  return isMore ? unusable('it says that it has more pages, and not how to ask for the next one') : undefined;
}

const unusable = (why: string): ListFailure => ({ kind: 'unusable', why });

interface OnePage {
  readonly kind: 'listed';
  readonly people: readonly ListedPerson[];
  /** Whether the page says that more follow, and how many people there are in all. */
  readonly isMore: boolean;
  readonly total: number | undefined;
  /** How the next page is requested; absent at the last page. */
  readonly next?: { readonly parameter: string; readonly value: string | number };
}

function pageIn({ body: bytes }: Reply, listing: ListEntry, dialect: Dialect): OnePage | ListFailure {
  const body = readBody(bytes);
  if (body.kind !== 'json') return unusable('it is not JSON');
  const items = valueAt(body.value, listing.items);
  if (!Array.isArray(items)) return unusable(`there is no list at ${foreignName(listing.items)}`);
  const people = items.map((item: JsonValue) => listedIn(item, listing, dialect));
  // An entry without an address is a person whom we cannot name. If all entries lack one, the dialect is
  // wrong, and everybody would seem to be gone.
  if (people.length > 0 && people.every(({ email }) => email === undefined)) {
    return unusable(`no member in it has an e-mail at ${foreignName(listing.email)}`);
  }
  const rest = {
    isMore: valuesAt(body.value, MORE).find((flag) => typeof flag === 'boolean') === true,
    total: valuesAt(body.value, TOTAL).find((count) => typeof count === 'number'),
  };
  return { kind: 'listed', people, ...rest, ...nextPage(body.value, listing) };
}

function nextPage(body: JsonValue, { next_page: paging }: ListEntry): Pick<OnePage, 'next'> {
  if (paging === undefined) return {};
  const value = valueAt(body, paging.next);
  const isThere = (typeof value === 'string' && value !== '') || typeof value === 'number';
  return isThere ? { next: { parameter: paging.parameter, value } } : {};
}

function listedIn(item: JsonValue, listing: ListEntry, { permissions }: Dialect): ListedPerson {
  const email = textAt(item, listing.email)?.trim().toLowerCase();
  const userId = textAt(item, listing.user_id);
  const inviteCode = textAt(item, listing.invite_code);
  const named = textAt(item, listing.role);
  const role =
    named === undefined ? undefined : (ROLES.find((each) => permissions?.[each] === named) ?? roleOf(named));
  return present({ email, userId, inviteCode, role });
}

// ---------------------------------------------------------------------------------------- whether it goes on

const PLACES = ['', 'data.', 'data.pagination.', 'pagination.', 'meta.', 'paging.'];
const MORE = ['has_more', 'hasMore', 'has_next', 'hasNext', 'has_next_page', 'hasNextPage'];
const TOTAL = ['total', 'total_count', 'totalCount', 'total_results', 'totalResults'];

const valuesAt = (body: JsonValue, names: readonly string[]): readonly (JsonValue | undefined)[] =>
  PLACES.flatMap((at) => names.map((name) => valueAt(body, at + name)));
