import { canonical, type Json, type JsonMembers } from './json.ts';
import {
  COMPANY_IDENTIFIERS,
  type Knowledge,
  type KnowledgeHit,
  PERSON_IDENTIFIERS,
  SEARCH_FILTERS,
} from './knowledge.ts';
import { randomFrom } from './random.ts';
import {
  checked,
  type Decide,
  problemOfIdentifiers,
  problemOfStrings,
  rejection,
  type SandboxAnswer,
  type SandboxDecision,
  tooMany,
  type VendorOperation,
} from './vendor.ts';

/** The operations of the data provider in one dialect. The built-in one is published; tests add others. */
export interface ProviderDialect {
  readonly operations: readonly VendorOperation[];
  /**
   * The answer to a request above the rate. `retryAfter` is in whole seconds; undefined when it is not told.
   */
  tooMany(waitMs: number, retryAfter: string | undefined): SandboxAnswer;
}

export function publishedProvider(knowledge: Knowledge): ProviderDialect {
  const shared = { vendor: 'provider', method: 'POST', authorization: ['Bearer <key>'] } as const;
  const looked =
    (operation: string, look: (body: JsonMembers) => KnowledgeHit | undefined): Decide =>
    ({ body }) =>
      found(look(body)) ?? noMatch(knowledge, operation, body);
  const person = looked('enrich-person', (body) => knowledge.person(body));
  const company = looked('enrich-company', (body) => knowledge.company(body));
  const search = looked('search-people', (body) => {
    const { page, filters } = pageAsked(body);
    return knowledge.search(filters, Number(page));
  });
  return {
    operations: [
      { ...shared, name: 'enrich-person', path: '/enrich/person', decide: checked(problemOfPerson, person) },
      {
        ...shared,
        name: 'enrich-company',
        path: '/enrich/company',
        decide: checked(problemOfCompany, company),
      },
      { ...shared, name: 'search-people', path: '/search/people', decide: checked(problemOfSearch, search) },
    ],
    tooMany: (_, retryAfter) => tooMany(retryAfter),
  };
}

type Problem = string | undefined;

const problemOfPerson = (body: JsonMembers): Problem => problemOfIdentifiers(body, PERSON_IDENTIFIERS);

const problemOfCompany = (body: JsonMembers): Problem =>
  problemOfIdentifiers(body, COMPANY_IDENTIFIERS) ?? problemOfAbn(body.abn);

/** Filters with other names are accepted too, because more filters exist than are published. */
function problemOfSearch(body: JsonMembers): Problem {
  const { page, filters } = pageAsked(body);
  return problemOfPage(page) ?? problemOfFilters(filters);
}

export function found(known: KnowledgeHit | undefined): SandboxDecision | undefined {
  return known && { status: 200, ...known };
}

/**
 * One of the published forms of "an empty result or an indication that nothing matched", chosen by the
 * request.
 */
function noMatch({ seed }: Knowledge, operation: string, body: JsonMembers): SandboxDecision {
  const shape = randomFrom(seed, 'no match', operation, canonical(body)).integer(1, 4);
  if (shape <= 2) return rejection(404, 'No match');
  return { status: 200, credits: 0, body: shape === 3 ? { results: [] } : {} };
}

export function problemOfAbn(abn: Json | undefined): string | undefined {
  if (abn === undefined || (typeof abn === 'string' && /^\d{11}$/.test(abn))) return undefined;
  return '"abn" must be exactly 11 digits.';
}

/** Splits a search into the page that it asks for, unchecked, and its filters. */
export function pageAsked(body: JsonMembers): { readonly page: Json; readonly filters: JsonMembers } {
  const { page = 1, ...filters } = body;
  return { page, filters };
}

/** What is wrong with a page. In a query it is text, in a body it may be a number. */
export function problemOfPage(page: Json): string | undefined {
  return /^[1-9]\d{0,3}$/.test(String(page)) ? undefined : '"page" must be a whole number from 1 up.';
}

export function problemOfFilters(filters: JsonMembers): string | undefined {
  const names = Object.keys(filters);
  if (names.length === 0) return `At least one filter is needed, such as ${SEARCH_FILTERS.join(', ')}.`;
  const blank = names.find((name) => filters[name] === '');
  if (blank !== undefined) return `"${blank}" is empty.`;
  const published = SEARCH_FILTERS.filter((name) => name in filters);
  // The types of other filters are not published: a size may be a number, a place a list.
  return problemOfStrings(filters, published, names);
}
