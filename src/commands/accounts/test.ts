import { z } from 'zod';
import { findAccount, loadAccounts } from '../../client/account/account.ts';
import { stop } from '../../core/errors.ts';
import { linesOf } from '../../core/plain-text.ts';
import { commandLine } from '../../lib/command-line.ts';
import { AccountTest } from '../../objects/account-object.ts';
import { argument, command } from '../shared/command.ts';

export const test = command({
  name: 'accounts test',
  summary: 'Check that the key is there and the address answers; sends at most one free request.',
  example: 'accounts test data',
  faces: ['terminal', 'page', 'library'],
  work: 'long',
  input: z.strictObject({
    name: argument(z.string().optional(), 'left out: every configured account'),
  }),
  output: z.object({ accounts: z.array(AccountTest) }),
  async run({ name }, { console }) {
    // What asks a vendor is not loaded to list accounts.
    const { testAccount } = await import('./test/account.ts');
    const accounts = await loadAccounts();
    const chosen = name === undefined ? accounts.configured : [findAccount(accounts, name)];
    if (chosen.length === 0) {
      const fact = `There is no account in ${accounts.path}.`;
      throw stop('account', fact, 'See how one is added.', commandLine(['accounts', 'add', '--help']));
    }
    const reports: AccountTest[] = [];
    for (const account of chosen) {
      let report: AccountTest = { name: account.name };
      await testAccount(console, account, (found, ...lines) => {
        // Each line is shown at once, so that those before a failure are seen.
        for (const line of linesOf(...lines)) console.print(`${account.name}: ${line}`);
        report = { ...report, ...found };
      });
      reports.push(report);
    }
    return { object: { accounts: reports } };
  },
});
