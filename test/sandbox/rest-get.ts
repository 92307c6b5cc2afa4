import type { JsonMembers } from '../../src/sandbox/json.ts';
import type { Knowledge } from '../../src/sandbox/provider.ts';
import {
  foundAnswer,
  type ProviderDialect,
  pageAsked,
  problemOfAbn,
  problemOfFilters,
  problemOfPage,
} from '../../src/sandbox/provider.ts';
import {
  problemOfIdentifiers,
  rejection,
  type SandboxDecision,
  type VendorRequest,
} from '../../src/sandbox/vendor.ts';

/**
 * A vendor of another make, as seen in the wild: GET with other names for everything, a miss that looks like a broken
 * server, throttling that looks like a success, and a search that has moved.
 */

/** Its names of identifiers → those of the knowledge. */
const COMPANY_NAMES = { abn: 'abn', fqdn: 'domain', ln_url: 'profile_url' } as const;
const PERSON_NAMES = { work_email: 'email', ln_url: 'profile_url', ln_slug: 'profile_slug' } as const;

export function restGetProvider(knowledge: Knowledge): ProviderDialect {
  const shared = { vendor: 'provider', method: 'GET', authorization: ['Bearer <key>'] } as const;
  return {
    operations: [
      { ...shared, name: 'enrich-company', path: '/company', decide: company(knowledge) },
      { ...shared, name: 'enrich-person', path: '/people', decide: person(knowledge) },
      { ...shared, name: 'search-people', path: '/people/search', decide: search(knowledge) },
    ],
    tooMany: (waitMs) => {
      const error = `Too many requests. Retry in ${Math.ceil(waitMs / 1000)}s.`;
      return { status: 200, body: { success: false, code: 'rate_limited', error } };
    },
  };
}

type Decide = (request: VendorRequest) => SandboxDecision;

function company(knowledge: Knowledge): Decide {
  return ({ body }) => {
    const problem = problemOfIdentifiers(body, Object.keys(COMPANY_NAMES)) ?? problemOfAbn(body.abn);
    if (problem !== undefined) return rejection(400, problem);
    const known = knowledge.company(renamed(body, COMPANY_NAMES));
    return foundAnswer(known) ?? rejection(500, 'Company profile not found');
  };
}

function person(knowledge: Knowledge): Decide {
  return ({ body }) => {
    const problem = problemOfIdentifiers(body, Object.keys(PERSON_NAMES));
    if (problem !== undefined) return rejection(400, problem);
    const known = knowledge.person(renamed(body, PERSON_NAMES));
    return foundAnswer(known) ?? rejection(500, 'Person profile not found');
  };
}

function search(knowledge: Knowledge): Decide {
  return ({ body }) => {
    const { page, filters } = pageAsked(body);
    const problem = problemOfPage(page) ?? problemOfFilters(filters);
    if (problem !== undefined) return rejection(400, problem);
    return foundAnswer(knowledge.search(filters, Number(page))) ?? rejection(500, 'Person profile not found');
  };
}

function renamed(body: JsonMembers, names: Readonly<Record<string, string>>): JsonMembers {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [names[name] ?? name, value]));
}
