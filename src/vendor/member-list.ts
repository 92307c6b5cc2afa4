import { readBody, valueAt } from '../core/answer-body.ts';
import { ROLES, type Role } from '../core/membership.ts';
import { present } from '../core/objects.ts';
import type { JsonObject, JsonValue } from '../core/operation.ts';
import { foreignName, foreignWords } from '../core/plain-text.ts';
import type { RawReply } from '../ledger/ledger.ts';
import type { Client, Page } from './client.ts';
import type { Dialect, Listing } from './dialect.ts';
import { type FreeRequest, freeRequestOf } from './request.ts';

/**
 * Reads a list of people that a service offers, page by page. The caller says how a page is requested: patiently before
 * a plan is made, once when a lost call is looked up.
 */

/** A person in a list, by our names. Members that the list does not state are absent. */
export interface Listed {
  /** E-mail address in lower case. */
  readonly email?: string;
  readonly userId?: string;
  readonly inviteCode?: string;
  /** Our word for the role; absent also for a role that we do not know. */
  readonly role?: Role;
}

/** `refused`: the service does not answer. `unusable`: its answer is not what the dialect says. */
type NotTold =
  | Exclude<Page, { readonly kind: 'answered' }>
  | { readonly kind: 'unusable'; readonly why: string };

export type People = { readonly kind: 'listed'; readonly people: readonly Listed[] } | NotTold;

export interface Asking {
  readonly client: Pick<Client, 'dialect' | 'basePath' | 'values'>;
  /** The project whose people are read. */
  readonly project: string;
  ask(request: FreeRequest): Promise<Page>;
}

/** A page holds a hundred or so people, and the largest team some thousands: a longer list runs in a circle. */
const MOST_PAGES = 1_000;

/** Reads all people of a list. */
export async function readMemberList({ client, project, ask }: Asking, listing: Listing): Promise<People> {
  const { dialect, basePath } = client;
  const values = { ...client.values, project_id: project };
  const people: Listed[] = [];
  const seen = new Set<JsonValue>();
  for (let parameters: JsonObject = {}; seen.size < MOST_PAGES; ) {
    const answer = await ask(freeRequestOf(dialect, basePath, listing, parameters, values));
    if (answer.kind !== 'answered') return answer;
    const page = pageIn(answer.raw, listing, dialect);
    if (page.kind !== 'listed') return page;
    for (const each of page.people) people.push(each);
    if (page.next === undefined) return { kind: 'listed', people };
    if (seen.has(page.next.value))
      return unusable(`its page ${foreignWords(JSON.stringify(page.next.value))} comes twice`);
    seen.add(page.next.value);
    parameters = { [page.next.parameter]: page.next.value };
  }
  return unusable(`it goes on after ${MOST_PAGES} pages`);
}

function unusable(why: string): NotTold {
  return { kind: 'unusable', why };
}

interface OnePage {
  readonly kind: 'listed';
  readonly people: readonly Listed[];
  /** How the next page is requested; absent at the last page. */
  readonly next?: { readonly parameter: string; readonly value: string | number };
}

function pageIn({ body: bytes }: RawReply, listing: Listing, dialect: Dialect): OnePage | NotTold {
  const body = readBody(bytes);
  if (body.kind !== 'json') return unusable('it is not JSON');
  const items = valueAt(body.value, listing.items);
  if (!Array.isArray(items)) return unusable(`there is no list at ${foreignName(listing.items)}`);
  const people = items.map((item: JsonValue) => listedIn(item, listing, dialect));
  // An entry without an address is a person whom we cannot name. If all are without, the dialect is wrong, and
  // everybody would seem to be gone.
  if (people.length > 0 && people.every(({ email }) => email === undefined)) {
    return unusable(`nobody in it has an e-mail at ${foreignName(listing.email)}`);
  }
  return { kind: 'listed', people, ...nextPage(body.value, listing) };
}

function nextPage(body: JsonValue, { next_page: paging }: Listing): Pick<OnePage, 'next'> {
  if (paging === undefined) return {};
  const value = valueAt(body, paging.next);
  const isThere = (typeof value === 'string' && value !== '') || typeof value === 'number';
  return isThere ? { next: { parameter: paging.parameter, value } } : {};
}

function listedIn(item: JsonValue, listing: Listing, { permissions }: Dialect): Listed {
  const email = textAt(item, listing.email)?.trim().toLowerCase();
  const userId = textAt(item, listing.user_id);
  const inviteCode = textAt(item, listing.invite_code);
  const named = textAt(item, listing.role);
  const role = named === undefined ? undefined : ROLES.find((each) => permissions?.[each] === named);
  return present({ email, userId, inviteCode, role });
}

/** The text at the path, if it is not blank. Ids are numbers at some vendors. */
export function textAt(item: JsonValue, path: string | undefined): string | undefined {
  const value = path === undefined ? undefined : valueAt(item, path);
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text.trim() !== '' ? text : undefined;
}
