import type { EmailVerdict } from '../core/given.ts';
import { canonicalJson, type Json, type JsonMembers } from './json.ts';
import { type Random, randomFrom } from './random.ts';
import {
  type Decide,
  ifValid,
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
      foundAnswer(look(body)) ?? noMatch(knowledge, operation, body);
  const person = looked('enrich-person', (body) => knowledge.person(body));
  const company = looked('enrich-company', (body) => knowledge.company(body));
  const search = looked('search-people', (body) => {
    const { page, filters } = pageAsked(body);
    return knowledge.search(filters, Number(page));
  });
  return {
    operations: [
      { ...shared, name: 'enrich-person', path: '/enrich/person', decide: ifValid(problemOfPerson, person) },
      {
        ...shared,
        name: 'enrich-company',
        path: '/enrich/company',
        decide: ifValid(problemOfCompany, company),
      },
      { ...shared, name: 'search-people', path: '/search/people', decide: ifValid(problemOfSearch, search) },
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

export function foundAnswer(known: KnowledgeHit | undefined): SandboxDecision | undefined {
  return known && { status: 200, ...known };
}

/**
 * One of the published forms of "an empty result or an indication that nothing matched", chosen by the
 * request.
 */
function noMatch({ seed }: Knowledge, operation: string, body: JsonMembers): SandboxDecision {
  const shape = randomFrom(seed, 'no match', operation, canonicalJson(body)).integer(1, 4);
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

// --------------------------------------------------------------------------------------------- what it knows

/** A pure function of seed, operation and identifier. Only the match rate can change. */

export const PERSON_IDENTIFIERS = ['profile_url', 'email', 'profile_slug'] as const;
const COMPANY_IDENTIFIERS = ['domain', 'profile_url', 'abn', 'website'] as const;
const SEARCH_FILTERS = ['company', 'position', 'seniority', 'department'] as const;

const MOST_FOUND = 60;

/** One page of a search has at most so many people, and each costs one credit. */
const PAGE_PEOPLE = 25;

interface KnowledgeHit {
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

  /**
   * What a played vendor knows, by our names. A person is the address that the person really has, so that
   * all vendors give the same.
   * @param stale share of the vendor's addresses that were left long ago.
   */
  ofVendor(vendor: string, operation: string, given: JsonMembers, stale: number): JsonMembers | undefined {
    if (operation === 'check-email') return { verdict: this.#verdictOn(String(given.email)) };
    const isCompany = operation === 'enrich-company';
    const id = isCompany ? hostIn(given) : addressIn(given);
    // A vendor that knows a person knows the address, and not always the phone.
    const kind = operation === 'find-email' ? 'enrich-person' : operation;
    if (randomFrom(this.seed, vendor, kind, id).fraction() >= this.matchRate) return undefined;
    const random = randomFrom(this.seed, isCompany ? 'company' : 'person', id);
    if (isCompany) return companyAt(id, random);
    const person = personAt(id, random);
    if (operation === 'find-phone') return { ...person, phone: inventedPhone(random) };
    const isStale = randomFrom(this.seed, vendor, 'stale', id).fraction() < stale;
    const verdict = this.#verdictOn(id) === 'accept_all' ? 'accept_all' : 'valid';
    return { ...person, email: isStale ? id.replace('@', '@old.') : id, verdict };
  }

  /** The verdict on an address that was left is always the same; a host may take all mail. */
  #verdictOn(address: string): EmailVerdict {
    const host = address.split('@').at(-1) ?? '';
    const drawn = randomFrom(this.seed, 'mailbox', address).fraction();
    if (host.startsWith('old.') || drawn < 0.05) return 'invalid';
    if (randomFrom(this.seed, 'host', host).fraction() < 0.15) return 'accept_all';
    return drawn < 0.1 ? 'unknown' : 'valid';
  }

  /**
   * One page of the people whom the filters match; undefined after the last page.
   * @param page the first page is 1.
   */
  search(filters: JsonMembers, page: number): KnowledgeHit | undefined {
    const random = randomFrom(this.seed, 'search-people', canonicalJson(filters));
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

/** The likeliest host of whatever was asked by. */
function hostIn({ domain, website, company, name, ...others }: JsonMembers): string {
  const [, site] = /^(?:https?:\/\/)?(?:www\.)?([^/]*)/i.exec(String(domain ?? website ?? '')) ?? [];
  const other = String(company ?? name ?? Object.values(others)[0]).replace(/^.*\/(?=.)/, '');
  return site?.toLowerCase() || `${inHost(other)}.example`;
}

function addressIn(given: JsonMembers): string {
  const { email, full_name, first_name, last_name, profile_url, profile_slug } = given;
  if (email !== undefined) return String(email).toLowerCase();
  const page = profile_url ?? profile_slug ?? `${first_name} ${last_name}`;
  const local = inHost(String(full_name ?? page).replace(/^.*\/(?=.)/, '')).replaceAll('-', '.');
  return `${local}@${hostIn(given)}`;
}

function personAt(address: string, random: Random): JsonMembers {
  const { full_name: _, location, ...person } = inventedPerson(random, { email: address });
  const [local = '', domain = ''] = address.split('@');
  const [first_name = '', ...rest] = local.split('.').map(capitalised);
  const last_name = rest.join(' ');
  const names = { first_name, last_name, full_name: `${first_name} ${last_name} (sandbox)` };
  return { ...person, ...names, domain, company: nameAt(domain), ...location };
}

function companyAt(domain: string, random: Random): JsonMembers {
  const { employee_count, founded_year, location, ...company } = inventedCompany(random, { domain });
  const renamed = { name: nameAt(domain), employees: employee_count, founded: founded_year };
  return { ...company, ...renamed, ...location };
}

const capitalised = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

const nameAt = (host: string): string =>
  `${(host.split('.')[0] ?? '').split('-').map(capitalised).join(' ')} (sandbox)`;

/** A company: facts that the request gave are taken over, the others are invented from `random`. */
function inventedCompany(random: Random, given: JsonMembers) {
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
function inventedPerson(random: Random, given: JsonMembers) {
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

const inHost = (text: string): string => (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).join('-');

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
