import { companyOf, personOf } from './content.ts';
import { canonical, type Json, type JsonMembers } from './json.ts';
import { type Random, randomFrom } from './random.ts';
import {
  type Decision,
  problemOfStrings,
  refusal,
  type VendorOperation,
  type VendorRequest,
} from './vendor.ts';

/** The data provider. What it knows is a pure function of (seed, operation, identifier); only the match rate moves. */

const PERSON_IDENTIFIERS = ['profile_url', 'email', 'profile_slug'] as const;
const COMPANY_IDENTIFIERS = ['domain', 'profile_url', 'abn', 'website'] as const;
const SEARCH_FILTERS = ['company', 'position', 'seniority', 'department'] as const;

/** A search returns at most this many contacts, and each of them is a credit. */
const MOST_CONTACTS = 10;

export class Provider {
  /** Share of identifiers that are known, 0 to 1. Raising it only adds matches, lowering it only takes some away. */
  matchRate: number;
  readonly #seed: number;

  constructor(seed: number, matchRate: number) {
    this.#seed = seed;
    this.matchRate = matchRate;
  }

  operations(): readonly VendorOperation[] {
    const shared = { vendor: 'provider', authorization: 'Bearer <key>' } as const;
    return [
      {
        ...shared,
        name: 'enrich-person',
        path: '/enrich/person',
        decide: (request) => this.#person(request),
      },
      {
        ...shared,
        name: 'enrich-company',
        path: '/enrich/company',
        decide: (request) => this.#company(request),
      },
      {
        ...shared,
        name: 'search-people',
        path: '/search/people',
        decide: (request) => this.#search(request),
      },
    ];
  }

  #person({ body }: VendorRequest): Decision {
    const problem = problemOfIdentifiers(body, PERSON_IDENTIFIERS);
    if (problem !== undefined) return refusal(400, problem);
    const random = this.#known('enrich-person', body, PERSON_IDENTIFIERS);
    if (random === undefined) return this.#noMatch('enrich-person', body);
    return { status: 200, credits: random.integer(1, 2), body: personOf(random, body) };
  }

  #company({ body }: VendorRequest): Decision {
    const problem = problemOfIdentifiers(body, COMPANY_IDENTIFIERS) ?? problemOfAbn(body.abn);
    if (problem !== undefined) return refusal(400, problem);
    const random = this.#known('enrich-company', body, COMPANY_IDENTIFIERS);
    if (random === undefined) return this.#noMatch('enrich-company', body);
    return { status: 200, credits: 1, body: companyOf(random, body) };
  }

  /** Filters that are not published by name are taken too, because more exist than are published. */
  #search({ body }: VendorRequest): Decision {
    const problem = problemOfFilters(body);
    if (problem !== undefined) return refusal(400, problem);
    const random = randomFrom(this.#seed, 'search-people', canonical(body));
    if (random.fraction() >= this.matchRate) return this.#noMatch('search-people', body);
    const results = Array.from({ length: random.integer(1, MOST_CONTACTS) }, () => personOf(random, {}));
    return { status: 200, credits: results.length, body: { results } };
  }

  /** The chance of the first identifier, in published order, that the provider knows. */
  #known(operation: string, body: JsonMembers, identifiers: readonly string[]): Random | undefined {
    for (const name of identifiers) {
      const value = body[name];
      if (typeof value !== 'string') continue;
      const random = randomFrom(this.#seed, operation, name, value);
      if (random.fraction() < this.matchRate) return random;
    }
    return undefined;
  }

  /** The published "an empty result or an indication that nothing matched", chosen by what was asked. */
  #noMatch(operation: string, body: JsonMembers): Decision {
    const shape = randomFrom(this.#seed, 'no match', operation, canonical(body)).integer(1, 4);
    if (shape <= 2) return refusal(404, 'No match');
    return { status: 200, credits: 0, body: shape === 3 ? { results: [] } : {} };
  }
}

function problemOfIdentifiers(body: JsonMembers, identifiers: readonly string[]): string | undefined {
  const given = identifiers.filter((name) => name in body);
  if (given.length === 0) return `One of ${identifiers.join(', ')} is needed.`;
  const blank = given.find((name) => body[name] === '');
  if (blank !== undefined) return `"${blank}" is empty.`;
  return problemOfStrings(
    body,
    given,
    identifiers.filter((name) => !given.includes(name)),
  );
}

function problemOfAbn(abn: Json | undefined): string | undefined {
  if (abn === undefined || (typeof abn === 'string' && /^\d{11}$/.test(abn))) return undefined;
  return '"abn" must be exactly 11 digits.';
}

function problemOfFilters(body: JsonMembers): string | undefined {
  const names = Object.keys(body);
  if (names.length === 0) return `At least one filter is needed, such as ${SEARCH_FILTERS.join(', ')}.`;
  const blank = names.find((name) => body[name] === '');
  return blank === undefined ? problemOfStrings(body, names) : `"${blank}" is empty.`;
}
