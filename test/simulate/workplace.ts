/** What a user has in the folder: accounts, jobs and lists. */
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import fc, { type Arbitrary } from 'fast-check';
import { agreeToDialects } from '../support/agree.ts';
import { filesBelow } from './disk.ts';
import type { Stage } from './stage.ts';

export const JOB = `operation: enrich-company
account: data
columns: { abn: ABN, website: Site }
waterfall: [abn, domain]
add: { employees: employee_count }
`;

const idempotency = (validFor: string): object => ({
  idempotency: { header: 'idempotency-key', valid_for: validFor },
});

const readBack = {
  method: 'GET',
  path: '/bought/{idempotency_key}',
  answers: [
    { status: [200], body: { path: 'bought', equals: true }, says: 'happened' },
    { status: [200], body: { path: 'bought', equals: false }, says: 'not_happened' },
  ],
  answer: 'answer',
};

const LOOKUPS = ['enrich-company', 'enrich-person', 'search-people'];

/** What the dialect of an account says besides the built-in one; each may have a file of its own. */
const DIALECTS = {
  plain: undefined,
  /** The vendor honours idempotency keys. */
  keyed: idempotency('24h'),
  /** The same for a minute, and it tells later what came of a request. */
  asked: {
    ...idempotency('1m'),
    operations: Object.fromEntries(LOOKUPS.map((name) => [name, { read_back: readBack }])),
  },
  /** The same, and it charges for a person or company whom it does not know. */
  dear: {
    ...idempotency('1m'),
    operations: {
      'enrich-company': { read_back: readBack, credits: { most: 1, found: 1, miss: 1 } },
      'enrich-person': { read_back: readBack, credits: { most: 2, found: 2, miss: 1 } },
      'search-people': { read_back: readBack },
    },
  },
  /** It counts what it has charged, and what is left. */
  counted: {
    usage: { method: 'GET', path: '/usage', credits: 'used' },
    balance: { method: 'GET', path: '/balance', credits: 'left' },
  },
} as const satisfies Readonly<Record<string, object | undefined>>;

export type AccountKind = keyof typeof DIALECTS;

/** Shrinks towards an account without a dialect of its own. */
export const accountKinds: Arbitrary<AccountKind> = fc.constantFrom(
  'plain',
  'plain',
  'keyed',
  'asked',
  'dear',
  'counted',
);

function accountsOf(kind: AccountKind, more: object): object {
  const data = {
    vendor: 'provider',
    base_url: 'http://127.0.0.1:9',
    key_env: 'DATA_KEY',
    limits: { per_second: 50, concurrency: 4 },
    ...(DIALECTS[kind] === undefined ? {} : { dialect: `${kind}.yaml` }),
    ...(kind === 'counted' ? { exclusive_key: true } : {}),
    ...more,
  };
  return { accounts: { data } };
}

type Files = ReadonlyMap<string, string>;

/** Accounts, their dialects, and that somebody has agreed to these: files of the folder of accounts, by their names. */
async function filesOf(kind: AccountKind): Promise<Files> {
  const dialect = DIALECTS[kind];
  if (dialect === undefined) return new Map();
  const folder = fs.mkdtempSync(join(tmpdir(), 'rowonce-agreed-'));
  try {
    fs.writeFileSync(join(folder, `${kind}.yaml`), JSON.stringify(dialect), { mode: 0o600 });
    fs.writeFileSync(join(folder, 'accounts.yaml'), JSON.stringify(accountsOf(kind, {})), { mode: 0o600 });
    await agreeToDialects(folder);
    fs.rmSync(join(folder, 'accounts.yaml'));
    return new Map(filesBelow(folder).map((path) => [relative(folder, path), fs.readFileSync(path, 'utf8')]));
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

const FILES: ReadonlyMap<AccountKind, Files> = new Map(
  await Promise.all(
    (Object.keys(DIALECTS) as AccountKind[]).map(async (kind) => [kind, await filesOf(kind)] as const),
  ),
);

export function writeAccounts(stage: Stage, more: object = {}, kind: AccountKind = 'plain'): void {
  stage.vendor.honoursKeys = kind === 'keyed' || kind === 'asked' || kind === 'dear';
  stage.vendor.chargesMisses = kind === 'dear';
  stage.write('config/accounts.yaml', JSON.stringify(accountsOf(kind, more)));
  fs.mkdirSync(stage.path('config/agreed'), { recursive: true, mode: 0o700 });
  for (const [name, content] of FILES.get(kind) ?? []) stage.write(`config/${name}`, content);
}

const WEIGHTS = [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19];

/** The ABN of a company that is known by a number: its last nine digits follow from the number, and the first two make the checksum right. */
export function abnOf(company: number): string {
  const tail = String(7919 * company + 13).padStart(9, '0');
  for (let lead = 10; lead < 100; lead += 1) {
    const digits = [...`${lead - 10}`.padStart(2, '0'), ...tail].map(Number);
    const sum = WEIGHTS.reduce((total, weight, at) => total + weight * (digits[at] ?? 0), 0);
    if (sum % 89 === 0) return `${lead}${tail}`;
  }
  throw new Error(`no ABN ends with ${tail}`);
}

/** Some companies share a site. */
export const companyRow = (company: number): string =>
  `${abnOf(company)},https://s${company % 5}.example.com\n`;

/** A row of a list: a company by its number, or one that no one can look up. */
export interface ListRow {
  readonly company: number;
  readonly isInvalid: boolean;
}

/** What people do to a list between two runs. */
export const EDITS = {
  'as it was': (rows) => rows,
  'with a row more': (rows) => [...rows, { company: 20, isInvalid: false }],
  'with its first row changed': ([, ...rest]) => [{ company: 21, isInvalid: false }, ...rest],
  'without its second row': (rows) => rows.filter((_, index) => index !== 1),
  'in another order': (rows) => rows.toReversed(),
} as const satisfies Record<string, (rows: readonly ListRow[]) => readonly ListRow[]>;
export type Edit = keyof typeof EDITS;

export const emailOf = (company: number): string => `jo${company}@s${company % 5}.example.com`;

function listLine({ company, isInvalid }: ListRow): string {
  const abn = abnOf(company);
  const wrong = `${abn.slice(0, -1)}${(Number(abn.at(-1)) + 1) % 10}`;
  const cells = isInvalid ? `${wrong},` : companyRow(company).trim();
  return `${cells},${emailOf(company)}\n`;
}

export const listText = (rows: readonly ListRow[]): string =>
  `ABN,Site,Contact\n${rows.map(listLine).join('')}`;

/** What a job may say besides. */
export const JOBS = {
  'a plain job': '',
  'a job with refresh_after: 9d': 'refresh_after: 9d\n',
  'a job with refresh_no_match_after: 9d': 'refresh_no_match_after: 9d\n',
  'a job that skips what is in doubt': 'in_doubt: skip\n',
  'a job that retries what is in doubt, for 5 credits': 'in_doubt: { retry: { extra_credits: 5 } }\n',
} as const;
export type JobKind = keyof typeof JOBS;

/** What an account may say besides. */
export const TERMS = {
  'a plain account': {},
  'an account with a budget of 7 a day': { budget: { per_day: 7 } },
  'an account with retention: 9d': { retention: '9d' },
} as const;
export type TermsKind = keyof typeof TERMS;
