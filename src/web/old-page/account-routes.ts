import { Hono } from 'hono';
import { z } from 'zod';
import { type Account, accountObject, loadAccounts, sandboxAccounts } from '../../client/account/account.ts';
import { dialectProblem } from '../../client/dialect.ts';
import { AccountTime } from '../../client/time.ts';
import { spentOf } from '../../files/output/tally.ts';
import { knownAccount } from '../../run/known-account.ts';
import { lookIfThere } from '../../run/open-ledger.ts';
import { chooseStore } from '../../run/store-choice.ts';
import { type AccountList, AccountTest, NewAccount, type PageAccount } from '../api.ts';
import { bodyOf, HttpRefusal } from '../server/answers.ts';
import { askChild } from '../server/children.ts';
import type { Server } from '../server/server.ts';

/**
 * Vendor accounts. A key comes in the body of one request and goes to the standard input of the command that
 * keeps it; no answer has one. Flags and their values are one word, so no value can be taken for a flag.
 */
export function accountRoutes(server: Server): Hono {
  const { program } = server;
  return new Hono()
    .get('/accounts', async (context) => context.json(await accountList(server)))
    .post('/accounts', async (context) => {
      const { key, ...entry } = await bodyOf(context, NewAccount);
      const words = ['accounts', 'add', '--key-stdin', ...flagsOf(entry)];
      await askChild(program, words, key);
      return context.json(await accountList(server));
    })
    .delete('/accounts/:name', async (context) => {
      await askChild(program, ['accounts', 'remove', nameIn(context.req.param('name'))]);
      return context.json(await accountList(server));
    })
    .post('/accounts/:name/test', async (context) => {
      const name = nameIn(context.req.param('name'));
      const [found = { name }] = Tested.parse(await askChild(program, ['accounts', 'test', name])).accounts;
      return context.json(found satisfies AccountTest);
    });
}

const Tested = z.object({ accounts: z.array(AccountTest) });

/** A name that begins with a dash would be a flag. */
function nameIn(name: string): string {
  if (NewAccount.shape.name.safeParse(name).success) return name;
  throw new HttpRefusal(404, 'There is no account of this name.', 'See all accounts.');
}

const flagsOf = (members: object): readonly string[] =>
  Object.entries(members).map(([name, value]) => `--${name.replaceAll('_', '-')}=${value}`);

async function accountList(server: Server): Promise<AccountList> {
  const { configured, regions = [] } = await loadAccounts();
  const accounts: PageAccount[] = [];
  for (const account of [...configured, ...sandboxAccounts()]) {
    const problem = await dialectProblem(account);
    accounts.push({ ...accountObject(account, problem), ...(await usageOf(server, account)) });
  }
  return { accounts, regions: regions.map(({ region }) => region) };
}

async function usageOf(
  { store, clock }: Server,
  account: Account,
): Promise<Pick<PageAccount, 'today' | 'month'>> {
  const ledger = await lookIfThere(chooseStore(store, account.sandbox).location);
  const none = { spent: 0, exact: true, in_doubt: 0 };
  if (ledger === undefined) return { today: none, month: none };
  try {
    const { identity } = await knownAccount(account, ledger);
    const nowMs = (await AccountTime.of(clock, ledger, identity)).wallMs();
    const of = async (scope: 'day' | 'month') => {
      return spentOf(await ledger.accountMoney(identity, scope, nowMs));
    };
    return { today: await of('day'), month: await of('month') };
  } finally {
    await ledger.close();
  }
}
