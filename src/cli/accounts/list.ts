import { formatDuration } from '../../core/duration.ts';
import { EXIT, type ExitCode, StopError } from '../../core/errors.ts';
import { sentence } from '../../core/plain-text.ts';
import {
  type Account,
  type Accounts,
  describeKey,
  findAccount,
  loadAccounts,
  type RegionAddress,
} from '../../vendor/account/account.ts';
import { dialectOf } from '../../vendor/dialect-of.ts';
import type { Console } from '../shell/command.ts';

/** Shows the accounts, where they are and what limits them; never a key. A wrong dialect is shown and stops nothing. */
export async function listAccounts(console: Console): Promise<ExitCode> {
  const accounts = await loadAccounts();
  if (accounts.configured.length === 0) console.say(`No account in ${accounts.path}.`);
  const shown = [...accounts.configured, ...['sandbox-provider', 'sandbox-service'].map(named(accounts))];
  const views: object[] = [];
  for (const account of shown) {
    const problem = await dialectProblem(account);
    console.print(`${account.name} (${[account.vendor, account.region].filter(Boolean).join(', ')})`);
    printDetails(console, [...detailsOf(account), ...problemDetails(problem)]);
    views.push(viewOf(account, problem));
  }
  const { regions = [] } = accounts;
  for (const { region, baseUrl, documentationUrl } of regions) {
    console.print(`region ${region}`);
    printDetails(console, [
      ['address', baseUrl.href],
      ['documentation', documentationUrl],
    ]);
  }
  console.result({ path: accounts.path, accounts: views, regions: regions.map(regionView) });
  return EXIT.done;
}

type Detail = readonly [label: string, value: string];

function printDetails(console: Console, details: readonly Detail[]): void {
  for (const [label, value] of details) console.print(`  ${label.padEnd(14)} ${value}`);
}

/** What is wrong with the account's dialect file, or with that of the service that it goes through. */
async function dialectProblem(account: Account): Promise<StopError | undefined> {
  try {
    await dialectOf(account);
    return undefined;
  } catch (error) {
    if (error instanceof StopError) return error;
    throw error;
  }
}

function problemDetails(problem: StopError | undefined): readonly Detail[] {
  if (problem === undefined) return [];
  return [
    ['problem', sentence(problem.message)],
    ['', problem.next],
  ];
}

function regionView({ region, baseUrl, documentationUrl }: RegionAddress): object {
  return { region, address: baseUrl.href, documentation: documentationUrl };
}

function named(accounts: Accounts): (name: string) => Account {
  return (name) => findAccount(accounts, name);
}

function detailsOf(account: Account): readonly Detail[] {
  const { baseUrl, documentationUrl, organizationId, projectId, via, dialectPath, limits, budget } = account;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['address', baseUrl?.href ?? 'this machine, started when it is used'],
    ['documentation', documentationUrl],
    ['organization', organizationId],
    ['project', projectId],
    ['via', via === undefined ? undefined : `${via.service}, as ${via.connectedAccount}`],
    ['dialect', dialectPath],
    ['limits', [...limits.windows.map(windowText), `${limits.concurrency} at once`].join(', ')],
    ['retention', account.retentionMs === undefined ? undefined : formatDuration(account.retentionMs)],
    ['timeout', account.timeoutMs === undefined ? undefined : formatDuration(account.timeoutMs)],
    ['budget', budgetText(budget)],
    ['key', describeKey(account.key)],
  ];
  return rows.flatMap(([label, value]) => (value === undefined ? [] : [[label, value] as const]));
}

const WINDOW_NAMES: ReadonlyMap<number, string> = new Map([
  [1000, 'second'],
  [60_000, 'minute'],
  [3_600_000, 'hour'],
  [86_400_000, 'day'],
]);

function windowText({ requests, windowMs }: Account['limits']['windows'][number]): string {
  return `${requests} per ${WINDOW_NAMES.get(windowMs) ?? `${windowMs} ms`}`;
}

function budgetText({ perDay, perMonth }: Account['budget']): string | undefined {
  const caps = [
    ...(perDay === undefined ? [] : [`${perDay} credits per day`]),
    ...(perMonth === undefined ? [] : [`${perMonth} credits per month`]),
  ];
  return caps.length === 0 ? undefined : caps.join(', ');
}

/** The account for `--json`. It says where the key is kept and never contains the key. */
export function viewOf(account: Account, problem: StopError | undefined): object {
  return {
    name: account.name,
    vendor: account.vendor,
    sandbox: account.sandbox,
    address: account.baseUrl?.href ?? null,
    region: account.region ?? null,
    documentation: account.documentationUrl ?? null,
    organization: account.organizationId ?? null,
    project: account.projectId ?? null,
    via: account.via?.service ?? null,
    connected_account: account.via?.connectedAccount ?? null,
    dialect: account.dialectPath ?? null,
    problem: problem === undefined ? null : { message: problem.message, next: problem.next },
    limits: account.limits,
    budget: { per_day: account.budget.perDay ?? null, per_month: account.budget.perMonth ?? null },
    key: describeKey(account.key),
  };
}
