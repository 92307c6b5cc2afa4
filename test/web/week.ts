import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Vendor } from '../faults/vendor.ts';
import { accountsOf } from '../faults/ways.ts';
import { Gateway } from './gateway.ts';
import type { Served } from './served.ts';

/** What a user has after a week: an account with a price, a job of every night, and a list in every state that there is. */

export interface View {
  readonly name: string;
  readonly path: string;
}

/** An account whose vendor loses four answers, and a job of every night. Both are there before the page is started. */
export async function settleIn(folder: string): Promise<AsyncDisposable & { readonly gateway: Gateway }> {
  const vendor = await Vendor.start(folder, { matchRate: 0.85, faults: 'charged-reset:x4' });
  const gateway = await Gateway.before(vendor.url);
  mkdirSync(join(folder, 'config'), { recursive: true });
  const accounts = accountsOf('direct', gateway.url, { price: '0.40 AUD', limits: { per_second: 200 } });
  writeFileSync(join(folder, 'config', 'accounts.yaml'), JSON.stringify({ accounts }), { mode: 0o600 });
  const job = { operation: 'enrich-company', account: 'data', inbox: './inbox', schedule: '0 2 * * *' };
  writeFileSync(join(folder, NIGHT), JSON.stringify({ ...job, budget: { credits: 200 } }));
  mkdirSync(join(folder, 'inbox'));
  writeFileSync(join(folder, 'inbox', 'new members.csv'), 'Website\nmember-1.example\nmember-2.example\n');
  return {
    gateway,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await vendor.stop();
    },
  };
}

export const NIGHT = 'nightly-companies.yaml';

const ADD = { Employees: 'employee_count', Industry: 'industry' };
const COMPANIES = { operation: 'enrich-company', account: 'data', add: ADD };
const BOTH = {
  operations: { 'enrich-company': { add: ADD }, 'enrich-person': { add: { Title: 'job_title' } } },
  account: 'data',
};
const TEAM = { operation: 'onboard', account: 'sandbox-service', create_projects: true };
const FILL = {
  operations: {
    'find-email': {
      account: ['sandbox-hunter', 'sandbox-prospeo'],
      add: { Email: 'email' },
      check: { account: 'sandbox-hunter' },
    },
  },
  on_existing: 'fill',
};
const BUDGET = { budget: 1_000 };

interface Made {
  readonly name: string;
  readonly file: string;
  readonly body: string;
  readonly job: object;
  /** What is started of it; left out: nothing. */
  readonly run?: object;
}

const fixture = (name: string): string =>
  readFileSync(join(import.meta.dirname, '..', '..', 'fixtures', name), 'utf8');

/** Charities of which some have no website, from this one on. */
const charities = (from: number, count = 60): string => {
  const places = ['Perth', 'Hobart', 'Cairns', 'Ballarat'];
  const names = [
    'Harbour Relief',
    'Banksia Aged Care',
    'Riverbend Arts',
    'Kookaburra Legal',
    'Coastal Youth',
  ];
  const line = (at: number): string => {
    const name = `${names[at % 5]} ${places[at % 4]}`;
    const site = at % 23 === 7 ? '' : `${name.toLowerCase().replaceAll(' ', '-')}-${at}.example`;
    return `${name},${site},${places[at % 4]},Customer\n`;
  };
  return `Company,Website,City,Status\n${Array.from({ length: count }, (_, at) => line(from + at)).join('')}`;
};

/** People of a fair, most of them with an address. */
const people = (): string => {
  const line = (_: unknown, at: number): string =>
    `Person ${at},${at % 5 === 0 ? '' : `p${at}@fair-${at}.example`},fair-${at}.example,Perth\n`;
  return `Name,E-mail,Website,City\n${Array.from({ length: 60 }, line).join('')}`;
};

/** Ten thousand rows below a title, with long names and long remarks. */
const many = (): string => {
  const line = (_: unknown, at: number): string =>
    `company-${at}.example,${at},${at % 7 === 0 ? 'A long remark of somebody. '.repeat(20) : ''}\n`;
  const header = `Website,${'A column with a rather long name '.repeat(3)},Notes\n`;
  return `Renewals,,\nExported 20/11/2026,,\n,,\n${header}${Array.from({ length: 10_000 }, line).join('')}`;
};

const team = (...lines: readonly string[]): string => `Name,E-mail,Project,Role\n${lines.join('\n')}\n`;
const SPRING = team(
  'Amira Haddad,amira@team.example,Harbour,editor',
  'Ben Ito,ben@team.example,Harbour,viewer',
  'Dev Patel,dev@team.example,Harbour,viewer',
);
const AUTUMN = team(
  'Amira Haddad,amira@team.example,Harbour,editor',
  'Ben Ito,ben@team.example,Harbour,editor',
  'Carla Voss,carla@team.example,Harbour,viewer',
  'Elif Kaya,elif@team,Harbour,viewer',
);

const WINTER = team(
  'Amira Haddad,amira@team.example,Harbour,admin',
  'Ben Ito,ben@team.example,Harbour,viewer',
);

const LISTS: readonly Made[] = [
  { name: 'doubt', file: 'Renewals Q2.csv', body: charities(0), job: COMPANIES, run: BUDGET },
  { name: 'stop', file: 'Renewals Q3.csv', body: charities(100), job: COMPANIES, run: { budget: 20 } },
  {
    name: 'tried',
    file: 'Renewals Q5.csv',
    body: `${charities(200)}${charities(200, 3)}Banksia Labs,banksia labs,Perth,Customer\nRiverbend,,Perth,Lost\n`,
    job: { ...COMPANIES, add: undefined, unless: { Status: 'Lost' } },
    run: { ...BUDGET, sample: 20 },
  },
  { name: 'many', file: `${'A rather long name '.repeat(8)}.csv`, body: many(), job: {} },
  {
    name: 'play',
    file: 'leads.csv',
    body: fixture('leads.csv'),
    job: { ...COMPANIES, account: 'sandbox-provider' },
    run: {},
  },
  { name: 'team-done', file: 'Team in spring.csv', body: SPRING, job: TEAM, run: {} },
  { name: 'team-before', file: 'Team in autumn.csv', body: AUTUMN, job: { ...TEAM, remove_missing: true } },
  { name: 'team-guards', file: 'Team in winter.csv', body: WINTER, job: { ...TEAM, remove_missing: true } },
  { name: 'fill', file: 'Contacts.csv', body: fixture('contacts-to-fill.csv'), job: FILL, run: {} },
  { name: 'both', file: 'Fair.csv', body: people(), job: BOTH, run: BUDGET },
  { name: 'done', file: 'Renewals Q4.csv', body: charities(300), job: COMPANIES, run: BUDGET },
  {
    name: 'before',
    file: 'Renewals Q6.csv',
    body: `Renewals Q6,,,\nExported 20/11/2026,,,\n${charities(340)}`,
    job: COMPANIES,
  },
];

const RUNNING: Made = {
  name: 'running',
  file: 'Renewals Q7.csv',
  body: charities(500),
  job: COMPANIES,
  run: BUDGET,
};

/** Makes all of it, and leaves one list running, whose vendor has asked for a pause. */
export async function weekIn(served: Served, gateway: Gateway): Promise<readonly View[]> {
  const views: View[] = [];
  for (const made of LISTS) {
    const { view, work } = await begin(served, made);
    while (work !== undefined && (await asked(served, 'GET', `/tasks/${work}`)).work.state !== 'ended')
      await shortly();
    views.push(view);
  }
  const { batches } = await asked(served, 'GET', '/batches');
  const reportOf = (name: string): View => {
    const list = views
      .find((view) => view.name === name)
      ?.path.split('/')
      .at(-1);
    return {
      name: `report-${name}`,
      path: `/reports/${batches.find((each: Answered) => each.list === list).batch}`,
    };
  };
  views.push(...['done', 'both', 'fill', 'team-done', 'doubt'].map(reportOf));
  let calls = 0;
  gateway.weather = () => {
    calls += 1;
    return calls > 25 ? { status: 429, headers: { 'retry-after': '590' } } : undefined;
  };
  const { view } = await begin(served, RUNNING);
  while (calls <= 25) await shortly();
  return [...views, view];
}

/** Brings a list, keeps what was chosen for it, and starts it. */
async function begin(served: Served, { name, file: called, body, job, run }: Made) {
  const { id: file } = await asked(served, 'PUT', `/lists?name=${encodeURIComponent(called)}`, body);
  await asked(served, 'PUT', `/lists/${file}/job`, JSON.stringify(job));
  const view: View = { name, path: `/lists/${file}` };
  if (run === undefined) return { view, work: undefined };
  const { id: plan } = await asked(served, 'POST', '/plan', JSON.stringify({ file, job }));
  const order = JSON.stringify({ file, job, plan, ...run });
  const { work } = await asked(served, 'POST', '/run', order);
  return { view, work: String(work.id) };
}

// biome-ignore lint/suspicious/noExplicitAny: it is what the server says, of which pictures are made.
type Answered = any;

/** @throws where it is refused. */
async function asked(served: Served, method: string, path: string, body?: string): Promise<Answered> {
  const answer = await served.tool(`/api${path}`, { method, ...(body === undefined ? {} : { body }) });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.body}`);
  return JSON.parse(answer.body);
}

const shortly = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 100));
