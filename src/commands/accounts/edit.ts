import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import {
  addressProblem,
  findAccount,
  loadAccounts,
  REGIONS,
  usableKey,
} from '../../client/account/account.ts';
import { changeAccount } from '../../client/account/edit.ts';
import { PRICE } from '../../client/account/price.ts';
import { stop } from '../../core/errors.ts';
import { present } from '../../core/objects.ts';
import { commandLine, wholeNumber } from '../../lib/command-line.ts';
import { AccountObject } from '../../objects/account-object.ts';
import type { Console, Report } from '../shared/command.ts';

const AT_ONCE = 'most requests at the same time; a kill may leave this many in doubt';
/** The limits and the budgets of an account: by the member of the flags, where each stands in the file and what it is. */
const NUMBERS = {
  perSecond: ['limits', 'per_second', '<requests>', 'limit of the plan'],
  perMinute: ['limits', 'per_minute', '<requests>', 'limit of the plan'],
  perHour: ['limits', 'per_hour', '<requests>', 'limit of the plan'],
  perDay: ['limits', 'per_day', '<requests>', 'limit of the plan'],
  concurrency: ['limits', 'concurrency', '<requests>', AT_ONCE],
  budgetPerDay: ['budget', 'per_day', '<credits>', 'most credits in one day (UTC), all runs together'],
  budgetPerMonth: ['budget', 'per_month', '<credits>', 'most credits in one month (UTC), all runs together'],
} as const;

type NumberFlags = { readonly [Name in keyof typeof NUMBERS]?: string };

export interface EditFlags extends NumberFlags {
  readonly baseUrl?: string;
  readonly region?: string;
  readonly organization?: string;
  readonly project?: string;
  readonly keyEnv?: string;
  readonly keyStdin?: true;
  readonly price?: string;
}

/** Stands for a value that is taken out of the file. */
const NONE = 'none';

export function configureEdit(command: Command): Command {
  command
    .description('Change an account; what you leave out stays as it is. A new address needs the key again.')
    .argument('<name>')
    .option('--base-url <address>', 'where the API is')
    .addOption(new Option('--region <region>', 'of a service').choices(REGIONS))
    .option('--organization <id>', 'of a service; "none" removes it, here and below')
    .option('--project <id>', 'of a service: the project for invites that name none')
    .option('--key-env <variable>', 'the environment variable that holds the key')
    .option('--key-stdin', 'read the key from standard input');
  return addNumberFlags(command);
}

export function addNumberFlags(command: Command): Command {
  for (const [part, entry, value, about] of Object.values(NUMBERS))
    command.option(`${flagOf(part, entry)} ${value}`, about);
  return command.option('--price <price>', 'what one credit costs you, such as "0.04 AUD"');
}

function flagOf(part: 'limits' | 'budget', entry: string): string {
  return `--${part === 'budget' ? 'budget-' : ''}${entry.replaceAll('_', '-')}`;
}

export async function editAccount(_console: Console, name: string, flags: EditFlags): Promise<Report> {
  if (Object.keys(flags).length === 0)
    throw stop('usage', 'No flag says what to change.', `See ${commandLine(['accounts', 'edit', '--help'])}`);
  const accounts = await loadAccounts();
  const former = findAccount(accounts, name);
  if (former.baseUrl === undefined)
    throw stop('account', `The account ${name} is built in and cannot be changed.`, 'Add one of your own.');
  const problem = flags.baseUrl === undefined ? undefined : addressProblem(flags.baseUrl);
  if (problem !== undefined) throw stop('usage', `--base-url: ${problem.fact}`, problem.next);
  const account = await changeAccount(accounts, name, {
    ...present({
      base_url: flags.baseUrl,
      region: flags.region,
      organization_id: textOrNone(flags.organization),
      project_id: textOrNone(flags.project),
      price: textOrNone(priceIn(flags)),
    }),
    ...(await keyFrom(name, flags)),
    ...numbersOf(flags, (flag, value) => (value === NONE ? null : wholeNumber(flag, value))),
  });
  const isSame = account.identity === former.identity;
  return {
    lines: [`Changed account ${name} in ${accounts.path}.`],
    object: {
      path: accounts.path,
      account: AccountObject.of({ ...account, problem: undefined }),
      same_identity: isSame,
    },
    advice: isSame
      ? []
      : ['It counts as a different account now: what was bought before may be bought again.'],
  };
}

/** What the flags say of the key; nothing where none does. @throws StopError `usage` where two do. */
export async function keyFrom(
  name: string,
  { keyEnv, keyStdin }: EditFlags,
): Promise<{ key?: string; key_env?: string }> {
  if (keyEnv !== undefined && keyStdin === true)
    throw stop('usage', '--key-env and --key-stdin both give a key.', 'Give one of them.');
  if (keyEnv !== undefined) return { key_env: keyEnv };
  return keyStdin === true ? { key: usableKey(name, await text(process.stdin)) } : {};
}

/** A price as it stands in the file. @throws StopError `usage` for text that is no price. */
export function priceIn({ price }: EditFlags): string | undefined {
  const written = price?.trim().toUpperCase();
  if (price === undefined || price === NONE || (written !== undefined && PRICE.test(written)))
    return price === NONE ? price : written;
  throw stop('usage', `--price ${price} is not a price.`, 'Give what one credit costs, such as "0.04 AUD".');
}

const textOrNone = (given: string | undefined): string | null | undefined => (given === NONE ? null : given);

/** The entries for the flags that were given. @param read what stands behind a flag; undefined when it was not given. */
export function numbersOf<Number>(
  flags: NumberFlags,
  read: (flag: string, value: string | undefined) => Number | undefined,
): Readonly<Record<'limits' | 'budget', Record<string, Number>>> {
  const numbers: Record<'limits' | 'budget', Record<string, Number>> = { limits: {}, budget: {} };
  for (const name of Object.keys(NUMBERS) as (keyof NumberFlags)[]) {
    const [part, entry] = NUMBERS[name];
    const number = read(flagOf(part, entry), flags[name]);
    if (number !== undefined) numbers[part][entry] = number;
  }
  return numbers;
}
