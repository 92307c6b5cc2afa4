import { text } from 'node:stream/consumers';
import { z } from 'zod';
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
import { commandLine } from '../../lib/command-line.ts';
import { AccountObject } from '../../objects/account-object.ts';
import { argument, command, flag } from '../shared/command.ts';

// ------------------------------------------------------------------------------- what `add` and `edit` both take

export const BASE_URL = flag(z.string().optional(), 'where the API is', '<address>');

export const KEY_STDIN = flag(z.boolean().optional(), 'read the key from standard input');

export const region = (about: string) =>
  flag(z.enum(REGIONS).optional(), about, '<region>', { meant: (word) => word.toUpperCase() });

export const project = <Text extends z.ZodType>(schema: Text) =>
  flag(schema, 'of a service: the project for invites that name none', '<id>');

export const Price = z
  .string()
  .trim()
  .toUpperCase()
  .refine((price) => PRICE.test(price), {
    error: 'is not a price',
    params: { next: 'Give what one credit costs, such as "0.04 AUD".' },
  });

/** Limits, budgets and a price, of these kinds. */
export function numberFlags<Count extends z.ZodType, Price extends z.ZodType>(count: Count, price: Price) {
  const requests = (about = 'limit of the plan') => flag(count.clone(), about, '<requests>');
  const credits = (about: string) => flag(count.clone(), about, '<credits>');
  return {
    per_second: requests(),
    per_minute: requests(),
    per_hour: requests(),
    per_day: requests(),
    concurrency: requests('most requests at the same time; a kill may leave this many in doubt'),
    budget_per_day: credits('most credits in one day (UTC), all runs together'),
    budget_per_month: credits('most credits in one month (UTC), all runs together'),
    price: flag(price, 'what one credit costs you, such as "0.04 AUD"', '<price>'),
  };
}

type Numbers = Readonly<
  Record<Exclude<keyof ReturnType<typeof numberFlags>, 'price'>, number | null | undefined>
>;

/** Limits and budgets as they stand in the file, which gets no group that is empty. */
export function numbersOf({ budget_per_day, budget_per_month, ...input }: Partial<Numbers>) {
  const { per_second, per_minute, per_hour, per_day, concurrency } = input;
  const limits = present({ per_second, per_minute, per_hour, per_day, concurrency });
  const budget = present({ per_day: budget_per_day, per_month: budget_per_month });
  return {
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(Object.keys(budget).length > 0 && { budget }),
  };
}

/** What the flags say of the key; nothing where none does. @throws StopError `usage` where two do. */
export async function keyFrom(
  name: string,
  { key_env, key_stdin }: { readonly key_env?: string | undefined; readonly key_stdin?: boolean | undefined },
): Promise<{ key?: string; key_env?: string }> {
  if (key_env !== undefined && key_stdin)
    throw stop('usage', '--key-env and --key-stdin both give a key.', 'Give one of them.');
  if (key_env !== undefined) return { key_env };
  return key_stdin ? { key: usableKey(name, await text(process.stdin)) } : {};
}

// ---------------------------------------------------------------------------------------------------- the command

/** `none` stands for a value that is taken out of the file. */
const orNone = <Value extends z.ZodType<unknown, string>>(schema: Value) =>
  z
    .string()
    .transform((given) => (given === 'none' ? null : given))
    .pipe(schema.nullable())
    .optional();

const Count = z
  .string()
  .refine((digits) => /^\d{1,15}$/.test(digits), {
    error: 'is not a whole number',
    params: { next: 'Give it as digits, such as 500, or as none.' },
  })
  .transform(Number);

export const edit = command({
  name: 'accounts edit',
  summary: 'Change an account; what you leave out stays as it is. A new address needs the key again.',
  example: 'accounts edit data --per-minute 600 --budget-per-day 2000',
  input: z.strictObject({
    name: argument(z.string(), 'what jobs call it'),
    base_url: BASE_URL,
    region: region('of a service'),
    organization: flag(orNone(z.string()), 'of a service; "none" removes it, here and below', '<id>'),
    project: project(orNone(z.string())),
    key_env: flag(z.string().optional(), 'the environment variable that holds the key', '<variable>'),
    key_stdin: KEY_STDIN,
    ...numberFlags(orNone(Count), orNone(Price)),
  }),
  output: z.object({ path: z.string(), account: AccountObject, same_identity: z.boolean() }),
  async run({ name, ...input }) {
    if (Object.keys(present(input)).length === 0)
      throw stop(
        'usage',
        'No flag says what to change.',
        'See the help.',
        commandLine(['accounts', 'edit', '--help']),
      );
    const accounts = await loadAccounts();
    const former = findAccount(accounts, name);
    if (former.baseUrl === undefined)
      throw stop('account', `The account ${name} is built in and cannot be changed.`, 'Add one of your own.');
    const { base_url, organization: organization_id, project: project_id, price } = input;
    const problem = base_url === undefined ? undefined : addressProblem(base_url);
    if (problem !== undefined) throw stop('usage', `--base-url: ${problem.fact}`, problem.next);
    const account = await changeAccount(accounts, name, {
      ...present({ base_url, region: input.region, organization_id, project_id, price }),
      ...(await keyFrom(name, input)),
      ...numbersOf(input),
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
  },
});
