import { companyOf, personOf } from './content.ts';
import { canonical, type JsonMembers } from './json.ts';
import { type Random, randomFrom } from './random.ts';

/**
 * What the provider knows, in every dialect: a pure function of seed, operation and identifier. Only the match rate can
 * change.
 */

export const PERSON_IDENTIFIERS = ['profile_url', 'email', 'profile_slug'] as const;
export const COMPANY_IDENTIFIERS = ['domain', 'profile_url', 'abn', 'website'] as const;
export const SEARCH_FILTERS = ['company', 'position', 'seniority', 'department'] as const;

/** A search finds at most this many people. */
const MOST_FOUND = 60;

/** One page of a search has at most so many people, and each costs one credit. */
const PAGE_PEOPLE = 25;

export interface Found {
  readonly credits: number;
  readonly body: JsonMembers;
}

export class Knowledge {
  readonly seed: number;
  /** Share of identifiers that are known, 0 to 1. Raising it only adds matches, lowering it only takes some away. */
  matchRate: number;

  constructor(seed: number, matchRate: number) {
    this.seed = seed;
    this.matchRate = matchRate;
  }

  person(given: JsonMembers): Found | undefined {
    const random = this.#known('enrich-person', given, PERSON_IDENTIFIERS);
    return random && { credits: random.integer(1, 2), body: personOf(random, given) };
  }

  company(given: JsonMembers): Found | undefined {
    const random = this.#known('enrich-company', given, COMPANY_IDENTIFIERS);
    return random && { credits: 1, body: companyOf(random, given) };
  }

  /**
   * One page of the people whom the filters match; undefined after the last page.
   * @param page the first page is 1.
   */
  search(filters: JsonMembers, page: number): Found | undefined {
    const random = randomFrom(this.seed, 'search-people', canonical(filters));
    if (random.fraction() >= this.matchRate) return undefined;
    const people = Array.from({ length: random.integer(1, MOST_FOUND) }, () => personOf(random, {}));
    const results = people.slice((page - 1) * PAGE_PEOPLE, page * PAGE_PEOPLE);
    if (results.length === 0) return undefined;
    const more = page * PAGE_PEOPLE < people.length ? { next_page: page + 1 } : {};
    return { credits: results.length, body: { results, total: people.length, ...more } };
  }

  /** The generator for the first identifier, in published order, that the provider knows; undefined for none. */
  #known(operation: string, given: JsonMembers, identifiers: readonly string[]): Random | undefined {
    for (const name of identifiers) {
      const value = given[name];
      if (typeof value !== 'string') continue;
      const random = randomFrom(this.seed, operation, name, value);
      if (random.fraction() < this.matchRate) return random;
    }
    return undefined;
  }
}
