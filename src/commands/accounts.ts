import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import {
  type Account,
  addressProblem,
  describeKey,
  findAccount,
  loadAccounts,
  REGIONS,
  SANDBOX_NAMES,
  usableKey,
} from '../client/account/account.ts';
import { addAccount, removeAccount } from '../client/account/edit.ts';
import { dialectProblem } from '../client/dialect.ts';
import { type StopError, stop } from '../core/errors.ts';
import { shippedDialect } from '../core/families.ts';
import { suggestion } from '../core/nearest.ts';
import { linesOf, sentence } from '../core/plain-text.ts';
import { commandLine, wholeNumber } from '../lib/command-line.ts';
import { formatDuration } from '../lib/duration.ts';
import { AccountObject } from '../objects/account-object.ts';
import {
  addNumberFlags,
  configureEdit,
  type EditFlags,
  editAccount,
  keyFrom,
  numbersOf,
  priceIn,
} from './accounts/edit.ts';
import { testAccounts } from './accounts/test.ts';
import type { CliCommand, Console, Report } from './shared/command.ts';
import { choiceOption } from './shared/flags.ts';

const VENDORS = ['service', 'provider'] as const;

interface AddFlags extends EditFlags {
  readonly name?: string;
  readonly vendor?: string;
  readonly id?: string;
  readonly exclusiveKey?: true;
  readonly dialect?: string;
  readonly via?: string;
  readonly connectedAccount?: string;
  readonly apiCallUrl?: string;
}

export default {
  name: 'accounts',
  summary: 'Connects vendor accounts, lists and tests them, without spending anything.',
  example: 'accounts add --name data --vendor provider --base-url https://api.example.com --key-env DATA_KEY',
  examples: {
    edit: 'accounts edit data --per-minute 600 --budget-per-day 2000',
    list: 'accounts list',
    test: 'accounts test data',
    remove: 'accounts remove data',
  },
  configure(command, run) {
    configureAdd(command.command('add')).action(run((console, flags: AddFlags) => add(console, flags)));
    configureEdit(command.command('edit')).action(run(editAccount));
    command
      .command('list')
      .description('Show the accounts, where they are and what limits them; never a key.')
      .action(run(listAccounts));
    command
      .command('test')
      .description('Check that the key is there and the address answers; sends at most one free question.')
      .argument('[name]', 'left out: every configured account')
      .action(run((console, name?: string) => testAccounts(console, name)));
    command
      .command('remove')
      .description('Take an account out of the file; what it bought stays bought.')
      .argument('<name>')
      .action(run((_console, name: string) => remove(name)));
  },
} satisfies CliCommand;

function configureAdd(command: Command): Command {
  command
    .description('Add an account; asks on a terminal for what you leave out. A key is never an argument.')
    .option('--name <name>', 'what jobs call it')
    .addOption(choiceOption('--vendor <vendor>', 'whose account it is', VENDORS))
    .option('--base-url <address>', 'where the API is')
    .addOption(
      new Option('--region <region>', 'of a service; its address is under regions: in the file').choices(
        REGIONS,
      ),
    )
    .option('--organization <id>', 'of a service')
    .option('--project <id>', 'of a service: the project for invites that name none')
    .option('--id <text>', 'what identifies this account, instead of its address')
    .option('--key-env <variable>', 'the environment variable that holds the key; the file then holds none')
    .option('--key-stdin', 'read the key from standard input')
    .option('--exclusive-key', 'nobody else spends with this key')
    .option('--dialect <file>', 'what differs from the built-in dialect, or the word of a shipped one')
    .option('--via <account>', 'of a provider: the service account that reaches it')
    .option('--connected-account <name>', 'with --via: what the service calls the account')
    .option('--api-call-url <address>', "with --via: where the service's API Call step is");
  return addNumberFlags(command);
}

async function add(console: Console, flags: AddFlags): Promise<Report> {
  const accounts = await loadAccounts();
  const name = await needed(console, flags.name, 'Name of the account: ', '--name');
  const asked = await needed(console, flags.vendor, 'Vendor, service or provider: ', '--vendor');
  const vendor = VENDORS.find((known) => known === asked);
  if (vendor === undefined)
    throw stop('usage', `--vendor ${asked} is not known.`, suggestion(asked, VENDORS));
  refuseFlagsOf(flags, vendor);
  const entry = {
    vendor,
    dialect: flags.dialect && (shippedDialect(flags.dialect) ? flags.dialect : resolve(flags.dialect)),
    region: flags.region,
    ...(flags.via === undefined ? await directFrom(console, flags, name) : await routeFrom(console, flags)),
    organization_id: await organizationFrom(console, flags, vendor),
    project_id: flags.project,
    id: flags.id,
    exclusive_key: flags.exclusiveKey,
    price: priceIn(flags),
    ...numbersGiven(flags),
  };
  const given = Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
  const account = await addAccount(accounts.path, name, given);
  return {
    lines: [`Added account ${name} to ${accounts.path}.`],
    object: { path: accounts.path, account: AccountObject.of({ ...account, problem: undefined }) },
    advice: [`Test it without spending anything: ${commandLine(['accounts', 'test', name])}`],
  };
}

const FLAGS_OF = {
  service: ['region', 'organization', 'project'],
  provider: ['via'],
} as const;

/** Refuses a flag of the other vendor here: the check of the file would name a key that the user did not type. */
function refuseFlagsOf(flags: AddFlags, vendor: string): void {
  for (const [owner, names] of Object.entries(FLAGS_OF)) {
    const flag = names.find((each) => flags[each] !== undefined);
    if (flag === undefined || vendor === owner) continue;
    throw stop(
      'usage',
      `--${flag} belongs to an account of the ${owner}.`,
      `Leave out --${flag}, or give --vendor ${owner}.`,
    );
  }
}

async function directFrom(console: Console, flags: AddFlags, account: string): Promise<object> {
  return {
    base_url: await addressFrom(console, flags),
    connected_account: flags.connectedAccount,
    api_call_url: flags.apiCallUrl,
    ...(await keyOf(console, flags, account)),
  };
}

const CONNECTED_QUESTION = 'Connected account, as the service calls it: ';
const API_CALL_QUESTION = "Address of the service's API Call step (https://…): ";

/** Asks for the members of an account behind a service, which knows the vendor's address and key itself. */
async function routeFrom(console: Console, flags: AddFlags): Promise<object> {
  const { via, connectedAccount, apiCallUrl, baseUrl, keyEnv } = flags;
  if (flags.keyStdin) {
    const next = 'Leave out --key-stdin: the service account has the key.';
    throw stop('usage', 'An account with --via has no key of its own.', next);
  }
  return {
    via,
    connected_account: await needed(console, connectedAccount, CONNECTED_QUESTION, '--connected-account'),
    api_call_url: await needed(console, apiCallUrl, API_CALL_QUESTION, '--api-call-url'),
    base_url: baseUrl,
    key_env: keyEnv,
  };
}

async function needed(
  console: Console,
  given: string | undefined,
  question: string,
  flag: string,
): Promise<string> {
  const answer = given ?? (await console.ask(question))?.trim();
  if (answer) return answer;
  throw stop('usage', `${flag} is missing.`, `Give it with ${flag}, or answer on a terminal.`);
}

async function addressFrom(console: Console, flags: AddFlags): Promise<string | undefined> {
  if (flags.region !== undefined && flags.baseUrl === undefined) return undefined;
  const address = await needed(console, flags.baseUrl, 'Address of the API (https://…): ', '--base-url');
  const problem = addressProblem(address);
  // The address is not quoted, because one that is refused may contain a password.
  if (problem !== undefined) throw stop('usage', `--base-url: ${problem.fact}`, problem.next);
  return address;
}

async function organizationFrom(
  console: Console,
  flags: AddFlags,
  vendor: string,
): Promise<string | undefined> {
  if (flags.organization !== undefined || vendor !== 'service') return flags.organization;
  return (await console.ask('Organization id (Enter: none): '))?.trim() || undefined;
}

async function keyOf(console: Console, flags: AddFlags, account: string): Promise<object> {
  const given = await keyFrom(account, flags);
  return Object.keys(given).length > 0 ? given : { key: usableKey(account, await askForKey(console)) };
}

async function askForKey(console: Console): Promise<string> {
  const answer = await console.ask("Key (not shown as you type; copy it from the vendor's settings): ", {
    hidden: true,
  });
  if (answer !== undefined) return answer.trim();
  throw stop(
    'usage',
    'The key is missing.',
    'Give it with --key-env NAME or --key-stdin, or answer on a terminal.',
  );
}

/** Limits and budgets; undefined where no flag was given, so that the file holds no empty entry. */
function numbersGiven(flags: AddFlags) {
  const { limits, budget } = numbersOf(flags, wholeNumber);
  const orNothing = (entries: Record<string, number>) =>
    Object.keys(entries).length === 0 ? undefined : entries;
  return { limits: orNothing(limits), budget: orNothing(budget) };
}

async function remove(name: string): Promise<Report> {
  const accounts = await loadAccounts();
  const account = findAccount(accounts, name);
  if (account.baseUrl === undefined) {
    throw stop(
      'account',
      `The account ${name} is built in and cannot be removed.`,
      'Leave it: it costs nothing.',
    );
  }
  await removeAccount(accounts.path, name);
  return {
    lines: [`Removed account ${name} from ${accounts.path}. What it bought stays in the ledger.`],
    object: { path: accounts.path, removed: name },
  };
}

/** Shows the accounts, where they are and what limits them; never a key. A wrong dialect is shown and stops nothing. */
async function listAccounts(console: Console): Promise<Report> {
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
