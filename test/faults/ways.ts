import { join } from 'node:path';

/** The ways in which an account may reach its vendor. The same promises hold on each of them. */

/**
 * `direct`: as published. `rest-get`: in the dialect of `jobs/dialects/rest-get.yaml`, which the sandbox then speaks.
 * `via`: as published, inside the "API Call" step of the service. `keyed`: as published, and the dialect says that the
 * vendor honours idempotency keys, which the sandbox does.
 */
export const WAYS = ['direct', 'rest-get', 'via', 'keyed'] as const;
export type Way = (typeof WAYS)[number];

const REST_GET = join(import.meta.dirname, '..', '..', 'jobs', 'dialects', 'rest-get.yaml');

/** What the account `keyed` adds to the published dialect, and its file beside the accounts. */
export const KEYED = {
  file: 'keyed.yaml',
  dialect: { idempotency: { header: 'Idempotency-Key', valid_for: '24h' } },
} as const;

/** What the sandbox is started with. */
export function sandboxFlags(way: Way): readonly string[] {
  return way === 'rest-get' ? ['--dialect', REST_GET] : [];
}

/** The accounts of a user, of which `data` is the one that spends; `more` is what else it says. */
export function accountsOf(way: Way, baseUrl: string, more: object): object {
  if (way !== 'via') {
    return { data: { vendor: 'provider', base_url: baseUrl, key: 'key-1', ...dialectOf(way), ...more } };
  }
  const through = {
    via: 'workspace',
    connected_account: 'acme-data',
    api_call_url: `${baseUrl}/latest/tools/api-call`,
  };
  return {
    workspace: {
      vendor: 'service',
      base_url: baseUrl,
      organization_id: 'org-1',
      project_id: 'proj-1',
      key: 'key-1',
    },
    data: { vendor: 'provider', ...through, ...more },
  };
}

function dialectOf(way: Exclude<Way, 'via'>): object {
  if (way === 'direct') return {};
  return { dialect: way === 'keyed' ? KEYED.file : REST_GET };
}

/** The names of the other vendor's fields → ours. */
const OUR_NAMES: Readonly<Record<string, string>> = {
  fqdn: 'domain',
  ln_url: 'profile_url',
  ln_slug: 'profile_slug',
  work_email: 'email',
};

/** What was asked, in our words, whatever the dialect. */
export function inOurWords(body: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [OUR_NAMES[name] ?? name, value]));
}
