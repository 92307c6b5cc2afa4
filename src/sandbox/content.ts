import type { JsonMembers } from './json.ts';
import type { Random } from './random.ts';

/** Invented companies and people. Every name ends "(sandbox)" and every domain is one that can never exist. */

const FIRST_NAMES = [
  'Aroha',
  'Ben',
  'Chloe',
  'Darcy',
  'Elena',
  'Finn',
  'Grace',
  'Hemi',
  'Isla',
  'Jarrah',
] as const;
const LAST_NAMES = [
  'Abbott',
  'Brennan',
  'Chen',
  'Doyle',
  'Evans',
  'Fraser',
  'Ngata',
  'Patel',
  'Singh',
  'Walker',
] as const;
const COMPANY_WORDS = [
  'Banksia',
  'Coolabah',
  'Harbour',
  'Kauri',
  'Lyrebird',
  'Magpie',
  'Rata',
  'Southern',
  'Wattle',
] as const;
const COMPANY_KINDS = [
  'Analytics',
  'Builders',
  'Care',
  'Foods',
  'Freight',
  'Health',
  'Learning',
  'Robotics',
] as const;
const INDUSTRIES = [
  'Construction',
  'Education',
  'Food',
  'Health care',
  'Logistics',
  'Non-profit',
  'Software',
] as const;
const TECHNOLOGIES = [
  'Apache',
  'Cloudflare',
  'HubSpot',
  'Kubernetes',
  'PostgreSQL',
  'React',
  'WordPress',
] as const;
const TITLES = [
  'Accountant',
  'Chief Executive',
  'Data Analyst',
  'Marketing Lead',
  'Operations Manager',
] as const;
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
export function companyOf(random: Random, given: JsonMembers): JsonMembers {
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
export function personOf(random: Random, given: JsonMembers): JsonMembers {
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
    phones: [`+61 2 5550 ${String(random.integer(0, 9999)).padStart(4, '0')}`],
    company: `${word} ${kind} (sandbox)`,
    location: random.pick(PLACES),
  };
}

function inventedDomain(word: string, kind: string): string {
  return `${word}-${kind}.example`.toLowerCase();
}

const ABN_WEIGHTS = [3, 5, 7, 9, 11, 13, 15, 17, 19] as const;

/** Nine invented digits after two that make the official checksum (modulo 89) right. */
function inventedAbn(random: Random): string {
  const digits = ABN_WEIGHTS.map(() => random.integer(0, 9));
  const sum = ABN_WEIGHTS.reduce((total, weight, index) => total + weight * (digits[index] ?? 0), 0);
  // The first digit counts 10 after 1 is taken off it, the second counts 1: together they can be any number below 89.
  const missing = (89 - (sum % 89)) % 89;
  return `${Math.floor(missing / 10) + 1}${missing % 10}${digits.join('')}`;
}
