import { resolve } from 'node:path';
import { z } from 'zod';
import {
  accountObject,
  addressProblem,
  findAccount,
  loadAccounts,
  REGIONS,
  sandboxAccounts,
} from '../client/account/account.ts';
import { addAccount, changeKey, changeTerms, removeAccount } from '../client/account/edit.ts';
import { type Dialect, dialectOf, dialectProblem, noMatchPrice, slotsAt } from '../client/dialect.ts';
import { meantWord, stop } from '../core/errors.ts';
import { shippedDialect, shippedVendors } from '../core/families.ts';
import { present } from '../core/objects.ts';
import { asFlag, byFlag, faces, phrase, typing } from '../core/phrase.ts';
import { listed, sentence } from '../core/plain-text.ts';
import { commandLine } from '../lib/command-line.ts';
import { AccountObject, VendorObject } from '../objects/account-object.ts';
import { test } from './accounts/test.ts';
import { keyOf } from './shared/asked-key.ts';
import { argument, type CommandGroup, type Console, command, flag, onOff, text } from './shared/command.ts';

const VENDORS = ['service', 'provider'] as const;

const requests = (about = 'limit of the plan') => flag(z.int().optional(), about, '<requests>');
const credits = (about: string) => flag(z.int().optional(), about, '<credits>');

/** The page does not say this: it names no file, and chooses no way for a key. */
const notForPage = { page: 'none' } as const;

const addInput = z.strictObject({
  name: text('what jobs call it', '<name>'),
  vendor: flag(z.enum(VENDORS).optional(), 'the kind of vendor', '<vendor>'),
  base_url: text('where the API is', '<address>'),
  region: flag(
    z.enum(REGIONS).optional(),
    'of a service; its address is under regions: in the file',
    '<region>',
    { meant: (word) => word.toUpperCase() },
  ),
  organization: text('of a service', '<id>'),
  project: text('of a service: the project for invites that name none', '<id>'),
  id: text('what identifies this account, instead of its address', '<text>'),
  key_env: text(
    'the environment variable that holds the key; the file then holds none',
    '<variable>',
    notForPage,
  ),
  key_stdin: onOff('read the key from standard input', { page: 'optional_key' }),
  secret_env: flag(
    z.record(z.string(), z.string()).optional(),
    'the variable that holds a further secret of the dialect; repeat for each',
    '<slot=variable>',
    { example: '--secret-env user=TWILIO_SID', ...notForPage },
  ),
  exclusive_key: onOff('no other program spends with this key'),
  dialect: text('a dialect file, or the word of a shipped dialect', '<file>', {
    page: 'shipped',
  }),
  via: text('of a provider: the service account that reaches it', '<account>', notForPage),
  connected_account: text('with --via: what the service calls the account', '<name>', notForPage),
  api_call_url: text("with --via: where the service's API Call step is", '<address>', notForPage),
  per_second: requests(),
  per_minute: requests(),
  per_hour: requests(),
  per_day: requests(),
  concurrency: requests('most requests at once; a kill may leave this many in doubt'),
  budget_per_day: credits('most credits in one day (UTC), all runs together'),
  budget_per_month: credits('most credits in one month (UTC), all runs together'),
  price: text('what one credit costs you, such as "0.04 AUD"', '<price>'),
});
type Add = z.output<typeof addInput>;

export default {
  name: 'accounts',
  summary: 'Connects vendor accounts, lists and tests them, without spending anything.',
  example: 'accounts add --name data --vendor provider --base-url https://api.example.com --key-env DATA_KEY',
  commands: [
    command({
      name: 'accounts add',
      summary: 'Add an account; asks on a terminal for what you leave out. A key is never an argument.',
      details:
        'The name of an existing account alone gives it another key; ' + 'with a budget alone, that budget.',
      faces: ['terminal', 'page', 'library'],
      work: 'long',
      example:
        'accounts add --name data --vendor provider --base-url https://api.example.com --key-env DATA_KEY',
      input: addInput,
      output: z.object({ path: z.string(), account: AccountObject }),
      async run(input, { console }) {
        const accounts = await loadAccounts();
        const name = await needed(console, input.name, 'Name of the account: ', '--name');
        const changed = accounts.configured.some((each) => each.name === name)
          ? await changedBy(console, accounts.path, name, input)
          : undefined;
        if (changed !== undefined)
          return {
            lines: [changed.says],
            object: { path: accounts.path, account: accountObject(changed.account) },
          };
        const account = await addAccount(accounts.path, name, await entryFrom(console, input, name));
        return {
          lines: [`Added account ${name} to ${accounts.path}.`],
          object: { path: accounts.path, account: accountObject(account) },
          advice: [`Test it without spending anything: ${commandLine(['accounts', 'test', name])}`],
        };
      },
    }),
    command({
      name: 'accounts list',
      summary: 'Show the accounts, where they are and what limits them; never a key.',
      example: 'accounts list',
      faces: ['terminal', 'page', 'library'],
      input: z.strictObject({}),
      output: z.object({
        path: z.string(),
        accounts: z.array(AccountObject),
        regions: z.array(z.object({ region: z.string(), address: z.string(), documentation: z.string() })),
        vendors: z.array(VendorObject),
      }),
      run: (_input, { console }) => listAccounts(console),
    }),
    test,
    command({
      name: 'accounts remove',
      summary: 'Take an account out of the file; what it bought stays bought.',
      example: 'accounts remove data',
      faces: ['terminal', 'page', 'library'],
      work: 'long',
      input: z.strictObject({ name: argument(z.string(), 'what jobs call it') }),
      output: z.object({ path: z.string(), removed: z.string() }),
      async run({ name }) {
        const accounts = await loadAccounts();
        if (findAccount(accounts, name).baseUrl === undefined) {
          const fact = `The account ${name} is built in and cannot be removed.`;
          throw stop('account', fact, 'Leave it: it costs nothing.');
        }
        await removeAccount(accounts.path, name);
        return {
          lines: [`Removed account ${name} from ${accounts.path}. What it bought stays in the ledger.`],
          object: { path: accounts.path, removed: name },
        };
      },
    }),
  ],
} satisfies CommandGroup;

/** The account with a new key, budget or price; undefined where more is said, as of a new account. */
async function changedBy(console: Console, path: string, name: string, input: Add) {
  const { name: _, key_env, key_stdin, budget_per_day, budget_per_month, price, ...more } = input;
  if (Object.keys(present(more)).length > 0) return undefined;
  const budget = present({ per_day: budget_per_day, per_month: budget_per_month });
  const hasBudget = Object.keys(budget).length > 0;
  if (!hasBudget && price === undefined) {
    const key = await keyOf(console, input, name);
    return { account: await changeKey(path, name, key), says: `Account ${name} has a new key.` };
  }
  if (key_env !== undefined || key_stdin) return undefined;
  const account = await changeTerms(path, name, { budget, ...present({ price }) });
  const terms = listed([
    ...(hasBudget ? ['a new budget'] : []),
    ...(price === undefined ? [] : ['a new price']),
  ]);
  return { account, says: `Account ${name} has ${terms}.` };
}

/** The entry of a new account in the file. */
async function entryFrom(console: Console, input: Add, name: string) {
  const vendorName = await needed(console, input.vendor, 'Vendor, service or provider: ', '--vendor');
  const vendor = VENDORS.find((known) => known === vendorName);
  if (vendor === undefined)
    throw stop(
      'usage',
      phrase`${faces(asFlag('--vendor'), 'The vendor')} ${vendorName} is not known.`,
      meantWord(vendorName, VENDORS),
    );
  const { exclusive_key, id, price } = input;
  const dialect = input.dialect && (shippedDialect(input.dialect) ? input.dialect : resolve(input.dialect));
  const isDirect = input.via === undefined;
  return present({
    vendor,
    dialect,
    region: input.region,
    ...(isDirect ? await directFrom(console, input, name) : await routeFrom(console, input)),
    secrets: isDirect ? await secretsFrom(console, input, vendor, dialect) : undefined,
    organization_id: await organizationFrom(console, input, vendor),
    project_id: input.project,
    id,
    exclusive_key,
    price,
    ...numbersOf(input),
  });
}

/** The limits and budgets for the file. A group without entries is left out. */
function numbersOf({ budget_per_day, budget_per_month, ...input }: Add) {
  const { per_second, per_minute, per_hour, per_day, concurrency } = input;
  const limits = present({ per_second, per_minute, per_hour, per_day, concurrency });
  const budget = present({ per_day: budget_per_day, per_month: budget_per_month });
  return {
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(Object.keys(budget).length > 0 && { budget }),
  };
}

async function directFrom(console: Console, input: Add, account: string): Promise<object> {
  return {
    base_url: await addressFrom(console, input),
    connected_account: input.connected_account,
    api_call_url: input.api_call_url,
    ...(await keyOf(console, input, account)),
  };
}

/** Asks for the members of an account behind a service, which knows the vendor's address and key itself. */
async function routeFrom(console: Console, input: Add): Promise<object> {
  const { via, connected_account, api_call_url, base_url, key_env } = input;
  if (input.key_stdin) {
    const next = 'Leave out --key-stdin: the service account has the key.';
    throw stop(
      'usage',
      phrase`An account ${faces(byFlag('--via'), 'that asks through a service')} has no key of its own.`,
      next,
    );
  }
  const connected = 'Connected account, as the service calls it: ';
  const apiCall = "Address of the service's API Call step (https://…): ";
  return {
    via,
    connected_account: await needed(console, connected_account, connected, '--connected-account'),
    api_call_url: await needed(console, api_call_url, apiCall, '--api-call-url'),
    base_url,
    key_env,
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

async function addressFrom(console: Console, input: Add): Promise<string | undefined> {
  if (input.region !== undefined && input.base_url === undefined) return undefined;
  const address = await needed(console, input.base_url, 'Address of the API (https://…): ', '--base-url');
  const problem = addressProblem(address);
  // The address is not quoted, because one that is refused may contain a password.
  if (problem !== undefined) {
    const { fact, next, meant } = problem;
    const advice = meant === undefined ? next : { next, again: { typed: address, meant } };
    throw stop('usage', phrase`${typing`${asFlag('--base-url')}: `}${fact}`, advice);
  }
  return address;
}

async function organizationFrom(console: Console, input: Add, vendor: string): Promise<string | undefined> {
  if (input.organization !== undefined || vendor !== 'service') return input.organization;
  return (await console.ask('Organization id (Enter: none): '))?.trim() || undefined;
}

/** Asks on a terminal for what fills the slots. @throws StopError `usage` where no one answers. */
async function secretsFrom(
  console: Console,
  { secret_env: variables = {} }: Add,
  vendor: (typeof VENDORS)[number],
  dialect: string | undefined,
): Promise<object | undefined> {
  const dialectPath = dialect && (shippedDialect(dialect) ?? dialect);
  const secrets: [string, object][] = Object.entries(variables).map(([slot, env]) => [slot, { env }]);
  for (const slot of await slotsAt({ vendor, ...present({ dialectPath }) })) {
    if (Object.hasOwn(variables, slot)) continue;
    const value = await console.ask(`Its dialect also has a slot "${slot}" (not shown as you type): `, {
      hidden: true,
    });
    if (value === undefined) {
      const fact = `The dialect has a slot {${slot}}, and nothing fills it.`;
      throw stop(
        'usage',
        fact,
        phrase`Give it${typing` ${byFlag('--secret-env', `${slot}=VARIABLE`)}, or answer on a terminal`}.`,
      );
    }
    secrets.push([slot, { value: value.trim() }]);
  }
  return secrets.length === 0 ? undefined : Object.fromEntries(secrets);
}

/**
 * Shows the accounts, their addresses and their limits, and never a key. A wrong dialect is shown and stops
 * nothing.
 */
async function listAccounts(console: Console) {
  const accounts = await loadAccounts();
  if (accounts.configured.length === 0) console.say(`No account in ${accounts.path}.`);
  const accountLines: string[] = [];
  const views: AccountObject[] = [];
  for (const account of [...accounts.configured, ...sandboxAccounts()]) {
    const problem = await dialectProblem(account);
    const addresses = problem === undefined && askedBy(await dialectOf(account));
    const view = { ...accountObject(account, problem), ...addresses };
    accountLines.push(
      `${view.name} (${[view.vendor, view.region].filter(Boolean).join(', ')})`,
      ...detailLines(view),
    );
    views.push(view);
  }
  const regions = (accounts.regions ?? []).map(({ region, baseUrl, documentationUrl }) => {
    return { region, address: baseUrl.href, documentation: documentationUrl };
  });
  for (const { region, ...details } of regions) accountLines.push(`region ${region}`, ...lines(details));
  return {
    lines: accountLines,
    object: { path: accounts.path, accounts: views, regions, vendors: vendorsByName() },
  };
}

/** The vendors that come with the program, for a person who chooses one, by their names. */
const vendorsByName = (): VendorObject[] =>
  shippedVendors()
    .map(({ word, title, operations, address = null }) => {
      return { word, name: title, operations: [...operations], address };
    })
    .sort((one, other) => one.name.localeCompare(other.name));

function askedBy(dialect: Dialect): Pick<AccountObject, 'title' | 'operations' | 'charges_misses'> {
  const { title, operations } = dialect;
  const charges = Object.values(operations).some((each) => noMatchPrice(dialect, each) > 0);
  return { ...present({ title }), operations: Object.keys(operations), charges_misses: charges };
}

/** The known facts of an account, a line for each. */
function detailLines(account: AccountObject): readonly string[] {
  const { limits, budget, problem } = account;
  const { concurrency, ...within } = limits;
  const per = (of: object, unit: string): readonly string[] =>
    Object.entries(of).flatMap(([name, most]) =>
      most === null ? [] : [`${most}${unit} ${name.replace('_', ' ')}`],
    );
  return lines({
    vendor: account.title ?? null,
    address: account.address ?? 'this machine; it starts when it is used',
    documentation: account.documentation,
    organization: account.organization,
    project: account.project,
    via: account.via && `${account.via}, as ${account.connected_account}`,
    dialect: account.dialect,
    limits: [...per(within, ''), `${concurrency} at once`].join(', '),
    price: account.price && `${account.price} a credit`,
    budget: per(budget, ' credits').join(', '),
    key: account.key,
    ...account.secrets,
    problem: problem && sentence(problem.message),
    '': problem?.next ?? null,
  });
}

const lines = (details: Readonly<Record<string, string | null>>): readonly string[] =>
  Object.entries(details).flatMap(([label, value]) => (value ? `  ${label.padEnd(14)} ${value}` : []));
