import { canonical, type JsonMembers } from './json.ts';
import { type Random, randomFrom } from './random.ts';

/** A pure function of seed, operation and identifier. Only the match rate can change. */

export const PERSON_IDENTIFIERS = ['profile_url', 'email', 'profile_slug'] as const;
export const COMPANY_IDENTIFIERS = ['domain', 'profile_url', 'abn', 'website'] as const;
const TOGETHER = ['first_name', 'last_name', 'full_name', 'company', 'domain'] as const;
export const FINDER_INPUTS = [...PERSON_IDENTIFIERS, ...TOGETHER];
export const SEARCH_FILTERS = ['company', 'position', 'seniority', 'department'] as const;

const MOST_FOUND = 60;

/** One page of a search has at most so many people, and each costs one credit. */
const PAGE_PEOPLE = 25;

export interface KnowledgeHit {
  readonly credits: number;
  readonly body: JsonMembers;
}

export class Knowledge {
  readonly seed: number;
  /**
   * Share of identifiers that are known, 0 to 1. Raising it only adds matches, lowering it only takes some
   * away.
   */
  readonly matchRate: number;

  constructor(seed: number, matchRate: number) {
    this.seed = seed;
    this.matchRate = matchRate;
  }

  person(given: JsonMembers): KnowledgeHit | undefined {
    const random = this.#known('enrich-person', given, PERSON_IDENTIFIERS);
    return random && { credits: random.integer(1, 2), body: inventedPerson(random, given) };
  }

  company(given: JsonMembers): KnowledgeHit | undefined {
    const random = this.#known('enrich-company', given, COMPANY_IDENTIFIERS);
    return random && { credits: 1, body: inventedCompany(random, given) };
  }

  /** A person's address, and whether the host takes mail for everybody. */
  emailOf(given: JsonMembers): KnowledgeHit | undefined {
    const random = this.#together('find-email', given);
    if (random === undefined) return undefined;
    const { full_name: name, first_name: first = 'jo', last_name: last = 'citizen' } = given;
    const page = given.profile_url ?? given.profile_slug;
    const known = name ?? (page === undefined ? `${first} ${last}` : String(page).split('/').at(-1));
    const host = String(given.domain ?? given.company ?? 'sandbox');
    const local = inHost(String(known)).replaceAll('-', '.');
    const data = {
      email: `${local}@${inHost(host)}.example`,
      result: random.pick(['deliverable', 'catch_all']),
    };
    return { credits: 1, body: { data } };
  }

  phoneOf(given: JsonMembers): KnowledgeHit | undefined {
    const random = this.#together('find-phone', given);
    return random && { credits: 2, body: { data: { phone: inventedPhone(random) } } };
  }

  /** What a check of an address says, in the words of a vendor. */
  check(email: string): KnowledgeHit {
    const random = randomFrom(this.seed, 'check-email', email);
    return { credits: 1, body: { result: random.pick(CHECKED) } };
  }

  #together(operation: string, given: JsonMembers): Random | undefined {
    const random = randomFrom(this.seed, operation, canonical(given));
    return random.fraction() < this.matchRate ? random : undefined;
  }

  /**
   * One page of the people whom the filters match; undefined after the last page.
   * @param page the first page is 1.
   */
  search(filters: JsonMembers, page: number): KnowledgeHit | undefined {
    const random = randomFrom(this.seed, 'search-people', canonical(filters));
    if (random.fraction() >= this.matchRate) return undefined;
    const people = Array.from({ length: random.integer(1, MOST_FOUND) }, () => inventedPerson(random, {}));
    const results = people.slice((page - 1) * PAGE_PEOPLE, page * PAGE_PEOPLE);
    if (results.length === 0) return undefined;
    const more = page * PAGE_PEOPLE < people.length ? { next_page: page + 1 } : {};
    return { credits: results.length, body: { results, total: people.length, ...more } };
  }

  /**
   * The generator for the first identifier, in published order, that the provider knows; undefined for none.
   */
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

// ------------------------------------------------------------------------------------------ what is invented

/** Every name ends "(sandbox)" and every domain is one that can never exist. */

const words = (text: string): readonly string[] => text.split(', ');

const FIRST_NAMES = words('Aroha, Ben, Chloe, Darcy, Elena, Finn, Grace, Hemi, Isla, Jarrah');
const LAST_NAMES = words('Abbott, Brennan, Chen, Doyle, Evans, Fraser, Ngata, Patel, Singh, Walker');
const COMPANY_WORDS = words('Banksia, Coolabah, Harbour, Kauri, Lyrebird, Magpie, Rata, Southern, Wattle');
const COMPANY_KINDS = words('Analytics, Builders, Care, Foods, Freight, Health, Learning, Robotics');
const INDUSTRIES = words('Construction, Education, Food, Health care, Logistics, Non-profit, Software');
const TECHNOLOGIES = words('Apache, Cloudflare, HubSpot, Kubernetes, PostgreSQL, React, WordPress');
const TITLES = words('Accountant, Chief Executive, Data Analyst, Marketing Lead, Operations Manager');
const PLACES = [
  { city: 'Brisbane', state: 'QLD', country: 'Australia' },
  { city: 'Hobart', state: 'TAS', country: 'Australia' },
  { city: 'Melbourne', state: 'VIC', country: 'Australia' },
  { city: 'Perth', state: 'WA', country: 'Australia' },
  { city: 'Sydney', state: 'NSW', country: 'Australia' },
  { city: 'Auckland', state: 'Auckland', country: 'New Zealand' },
  { city: 'Wellington', state: 'Wellington', country: 'New Zealand' },
] as const;

/** A company: facts that the request gave are taken over, the others are invented from `random`. */
function inventedCompany(random: Random, given: JsonMembers): JsonMembers {
  const word = random.pick(COMPANY_WORDS);
  const kind = random.pick(COMPANY_KINDS);
  const domain = given.domain ?? inventedDomain(word, kind);
  return {
    name: `${word} ${kind} (sandbox)`,
    employee_count: random.integer(1, 2000),
    industry: random.pick(INDUSTRIES),
    abn: given.abn ?? inventedAbn(random),
    domain,
    website: given.website ?? `https://www.${domain}`,
    founded_year: random.integer(1950, 2024),
    location: random.pick(PLACES),
    technologies: [...new Set([random.pick(TECHNOLOGIES), random.pick(TECHNOLOGIES)])],
  };
}

/** A person. An e-mail that the request gave is the first of the person's addresses. */
function inventedPerson(random: Random, given: JsonMembers): JsonMembers {
  const first = random.pick(FIRST_NAMES);
  const last = random.pick(LAST_NAMES);
  const word = random.pick(COMPANY_WORDS);
  const kind = random.pick(COMPANY_KINDS);
  const invented = `${first}.${last}@${inventedDomain(word, kind)}`.toLowerCase();
  return {
    full_name: `${first} ${last} (sandbox)`,
    job_title: random.pick(TITLES),
    emails: [given.email ?? invented],
    // Australia reserves 5550 numbers for fiction, so no real person is called by accident.
    phones: [inventedPhone(random)],
    company: `${word} ${kind} (sandbox)`,
    location: random.pick(PLACES),
  };
}

function inventedDomain(word: string, kind: string): string {
  return `${word}-${kind}.example`.toLowerCase();
}

const CHECKED = words('deliverable, deliverable, deliverable, catch_all, undeliverable, unknown');

const inHost = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

const inventedPhone = (random: Random): string =>
  `+61 2 5550 ${String(random.integer(0, 9999)).padStart(4, '0')}`;

const ABN_WEIGHTS = [3, 5, 7, 9, 11, 13, 15, 17, 19] as const;

/** Nine invented digits after two that make the official checksum (modulo 89) right. */
function inventedAbn(random: Random): string {
  const digits = ABN_WEIGHTS.map(() => random.integer(0, 9));
  const sum = ABN_WEIGHTS.reduce((total, weight, index) => total + weight * (digits[index] ?? 0), 0);
  // The first digit counts 10 after 1 is taken off it, the second counts 1: together they can be any number
  // below 89.
  const missing = (89 - (sum % 89)) % 89;
  return `${Math.floor(missing / 10) + 1}${missing % 10}${digits.join('')}`;
}
