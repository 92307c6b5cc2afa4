import {
  type Account,
  describeKey,
  findAccount,
  loadAccounts,
  SANDBOX_NAMES,
} from '../../client/account/account.ts';
import { dialectProblem } from '../../client/dialect.ts';
import type { StopError } from '../../core/errors.ts';
import { linesOf, sentence } from '../../core/plain-text.ts';
import { formatDuration } from '../../lib/duration.ts';
import { AccountObject } from '../../objects/account-object.ts';
import type { Console, Report } from '../shell/command.ts';

/** Shows the accounts, where they are and what limits them; never a key. A wrong dialect is shown and stops nothing. */
export async function listAccounts(console: Console): Promise<Report> {
  const accounts = await loadAccounts();
  if (accounts.configured.length === 0) console.say(`No account in ${accounts.path}.`);
  const builtIn = SANDBOX_NAMES.map((name) => findAccount(accounts, name));
  const lines: string[] = [];
  const views: object[] = [];
  for (const account of [...accounts.configured, ...builtIn]) {
    const problem = await dialectProblem(account);
    lines.push(`${account.name} (${[account.vendor, account.region].filter(Boolean).join(', ')})`);
    lines.push(...detailLines([...detailsOf(account), ...problemDetails(problem)]));
    views.push(AccountObject.of({ ...account, problem }));
  }
  const regions = (accounts.regions ?? []).map(({ region, baseUrl, documentationUrl }) => {
    return { region, address: baseUrl.href, documentation: documentationUrl };
  });
  for (const { region, ...details } of regions)
    lines.push(`region ${region}`, ...detailLines(Object.entries(details)));
  return { lines, object: { path: accounts.path, accounts: views, regions } };
}

type Detail = readonly [label: string, value: string];

function detailLines(details: readonly Detail[]): readonly string[] {
  return details.map(([label, value]) => `  ${label.padEnd(14)} ${value}`);
}

function problemDetails(problem: StopError | undefined): readonly Detail[] {
  if (problem === undefined) return [];
  return [
    ['problem', sentence(problem.message)],
    ['', problem.next],
  ];
}

function detailsOf(account: Account): readonly Detail[] {
  const { baseUrl, documentationUrl, organizationId, projectId, via, dialectPath, limits, budget } = account;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['address', baseUrl?.href ?? 'this machine; it starts when it is used'],
    ['documentation', documentationUrl],
    ['organization', organizationId],
    ['project', projectId],
    ['via', via === undefined ? undefined : `${via.service}, as ${via.connectedAccount}`],
    ['dialect', dialectPath],
    ['limits', [...limits.windows.map(windowText), `${limits.concurrency} at once`].join(', ')],
    ['price', account.price && `${account.price.amount} ${account.price.currency} a credit`],
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
  const caps = linesOf(
    perDay !== undefined && `${perDay} credits per day`,
    perMonth !== undefined && `${perMonth} credits per month`,
  );
  return caps.join(', ') || undefined;
}
