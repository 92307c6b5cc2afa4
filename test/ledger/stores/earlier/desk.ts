import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ScriptedRequest, ScriptedVendor } from '../../../faults/scripted-vendor.ts';
import { agreeToDialects } from '../../../support/agree.ts';

/**
 * A user's folder from the time of an earlier Rowonce: three accounts, a service with a team, and three lists, in which rows have
 * ended in every way. `make.ts` has an earlier Rowonce run them; the tests copy what it left.
 */

const LATER = { id: 'job', path: '/jobs/{id}', every: '100ms', gives_up: '99999d' };

const DIALECT = {
  operations: {
    'enrich-company': {
      method: 'POST',
      path: '/company',
      by: ['domain'],
      gives: { name: 'name', city: 'city' },
      credits: { most: 1, found: 1, miss: 0 },
    },
    'find-email': {
      method: 'POST',
      path: '/find',
      by: ['first_name+last_name+domain'],
      later: LATER,
      gives: { email: 'data.email' },
      credits: { most: 3, found: 1, miss: 0 },
    },
    'enrich-person': {
      method: 'POST',
      path: '/person',
      by: ['email'],
      gives: { job_title: 'title' },
      credits: { most: 2, found: 2, miss: 0 },
    },
  },
  answers: [{ status: [422], means: 'refused' }],
};

const JOBS = {
  'companies.yaml': {
    account: 'data',
    columns: { domain: 'Website' },
    operations: { 'enrich-company': { add: { Company: 'name', City: 'city' } } },
    budget: { credits: 50 },
  },
  'people.yaml': {
    columns: { first_name: 'First', last_name: 'Last', domain: 'Website', email: 'Email' },
    operations: {
      'find-email': { account: ['first', 'second'], add: { Email: 'email' } },
      'enrich-person': { account: 'data', add: { Title: 'job_title' } },
    },
    on_existing: 'fill',
    budget: { credits: 50 },
  },
  'team.yaml': {
    operation: 'onboard',
    account: 'team',
    columns: { email: 'Email', role: 'Role', project_id: 'Project' },
  },
};

const LISTS = {
  'companies.csv': [
    'No,Website,Note',
    '1,acme.com,ours',
    '2,miss-bunya.com,',
    '3,refused-coast.com,',
    '4,lost-drift.com,"he said ""yes"""',
    '5,ACME.com,twice',
    '6,,no address',
    '7,ember-works.com,',
  ],
  'people.csv': [
    'First,Last,Website,Email',
    'Ann,Lee,acme.com,',
    'Bob,Poe,ember-works.com,',
    'Cat,Roy,bunya-mill.com,',
    'Dan,Ngata,coast-line.com,',
    'Eve,Chen,drift-wood.com,',
    'Flo,Ray,acme.com,flo@acme.com',
    'Gus,Hay,ember-works.com,',
  ],
  'team.csv': [
    'Email,Project,Role',
    'ann@acme.com,proj-1,viewer',
    'bob@acme.com,proj-1,editor',
    'not an address,proj-1,viewer',
  ],
};

/** Ann is found by the first account, Bob by the second one, Cat by none; Dan is looked for still, and Eve's answer was lost. */
const FOUND: Readonly<Record<string, string>> = {
  '/first Ann': 'ann@acme.com',
  '/first Gus': 'gus@ember-works.com',
  '/second Bob': 'bob@ember-works.com',
};
const MISS = { status: 404, body: { error: 'No match' } };

/** Undefined: the vendor hangs up. */
function answerTo({ path, method, body }: ScriptedRequest): { status: number; body: object } | undefined {
  const account = path.slice(0, path.indexOf('/', 1));
  if (method === 'GET') return { status: 200, body: { status: 'IN_PROGRESS' } };
  const said: Readonly<Record<string, string>> = JSON.parse(body);
  if (path.endsWith('/company')) {
    if (said.domain?.startsWith('lost')) return undefined;
    if (said.domain?.startsWith('refused'))
      return { status: 422, body: { error: 'This domain is not served' } };
    if (said.domain?.startsWith('miss')) return MISS;
    return { status: 200, body: { name: `The ${said.domain} Company`, city: 'Perth' } };
  }
  if (path.endsWith('/person')) return { status: 200, body: { title: 'Head of Everything' } };
  if (account === '/first' && said.first_name === 'Dan') return { status: 202, body: { job: 'job-dan' } };
  if (account === '/first' && said.first_name === 'Eve') return undefined;
  const email = FOUND[`${account} ${said.first_name}`];
  return email === undefined ? MISS : { status: 200, body: { data: { email } } };
}

export const vendorOfThen = (): Promise<ScriptedVendor> =>
  ScriptedVendor.start((request, response) => {
    const said = answerTo(request);
    if (said === undefined) return void response.destroy();
    response.writeHead(said.status, { 'content-type': 'application/json', date: new Date().toUTCString() });
    response.end(JSON.stringify(said.body));
  });

const LIMITS = { per_second: 2_000, concurrency: 1 };

/** What the accounts are known by, wherever the vendors are. */
const account = (id: string, url: string) => ({
  vendor: 'provider',
  id,
  base_url: `${url}/${id}`,
  key: 'a-test-key',
  dialect: 'then.yaml',
  limits: LIMITS,
});

/** Writes the folder. @param vendor the address of the three vendors. @param team that of the service. */
export async function writeFolder(folder: string, vendor: string, team: string): Promise<void> {
  const config = join(folder, 'config');
  mkdirSync(config, { recursive: true });
  const service = {
    vendor: 'service',
    id: 'team',
    base_url: team,
    organization_id: 'org-1',
    project_id: 'proj-1',
    key: 'key-1',
    limits: LIMITS,
  };
  const accounts = {
    ...Object.fromEntries(['data', 'first', 'second'].map((id) => [id, account(id, vendor)])),
    team: service,
  };
  writeFileSync(join(config, 'accounts.yaml'), JSON.stringify({ accounts }), { mode: 0o600 });
  writeFileSync(join(config, 'then.yaml'), JSON.stringify(DIALECT));
  for (const [name, job] of Object.entries(JOBS)) writeFileSync(join(folder, name), JSON.stringify(job));
  for (const [name, rows] of Object.entries(LISTS)) writeFileSync(join(folder, name), `${rows.join('\n')}\n`);
  await agreeToDialects(config);
}

export const NAMES = ['companies', 'people', 'team'] as const;

/** The words of a run of a list. */
export const runOf = (name: (typeof NAMES)[number], output = `${name}-out.csv`): readonly string[] => [
  'run',
  `${name}.yaml`,
  `${name}.csv`,
  '--yes',
  '--as',
  'Ann',
  '--max-pause',
  '1s',
  '-o',
  output,
];

export const environmentOf = (folder: string, store: string): Readonly<Record<string, string>> => ({
  HOME: folder,
  ROWONCE_STORE: store,
  ROWONCE_TEST_HOOKS: '1',
  ROWONCE_CONFIG: join(folder, 'config'),
  XDG_STATE_HOME: join(folder, 'state'),
  ROWONCE_VENDOR_IS_QUICK: '1',
});
