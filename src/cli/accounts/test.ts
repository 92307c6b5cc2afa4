import { type Account, describeKey, findAccount, loadAccounts } from '../../client/account/account.ts';
import { EXIT, type ExitCode, stop } from '../../core/errors.ts';
import { present } from '../../core/objects.ts';
import { foreignWords } from '../../core/plain-text.ts';
import type { AccountTest } from '../../objects/account-object.ts';
import { type AccountFact, testAccount } from '../../run/tasks/account-test.ts';
import type { Console } from '../shell/command.ts';

/** Looks whether accounts can be used, without spending anything. @param name left out: all of them. */
export async function testAccounts(console: Console, name: string | undefined): Promise<ExitCode> {
  const accounts = await loadAccounts();
  const chosen = name === undefined ? accounts.configured : [findAccount(accounts, name)];
  if (chosen.length === 0) {
    throw stop('account', `There is no account in ${accounts.path}.`, 'Add one: rowonce accounts add.');
  }
  const reports: AccountTest[] = [];
  for (const account of chosen) {
    const waits = `${account.name}: waits, because `;
    let report: AccountTest = { name: account.name };
    for await (const fact of testAccount(
      account,
      (event) => event.kind === 'paused' && console.say(`${waits}${event.why}.`),
    )) {
      // Each line is shown at once, so that those before a failure are seen.
      for (const line of factLines(account, fact)) console.print(`${account.name}: ${line}`);
      report = { ...report, ...factObject(fact) };
    }
    reports.push(report);
  }
  console.result({ accounts: reports });
  return EXIT.done;
}

function factLines(account: Account, fact: AccountFact): readonly string[] {
  const { via, documentationUrl, dialectPath, key, vendor } = account;
  switch (fact.kind) {
    case 'sandbox':
      return ['needs no key and no network; it is started when it is used.'];
    case 'dialect':
      return [
        ...(dialectPath === undefined ? [] : [`the dialect ${fact.dialect} can be used.`]),
        ...(via === undefined ? [] : [`asked through ${via.service}, as ${via.connectedAccount}.`]),
      ];
    case 'key':
      return [`the key is there (${describeKey(key)}), and only you can read the accounts file.`];
    case 'address': {
      const { addresses, proxy, url } = fact;
      const where =
        proxy === undefined ? `is ${addresses.join(', ')}` : `is reached through the proxy ${proxy}`;
      const reference = documentationUrl && `its API reference is at ${documentationUrl}.`;
      return [`${url.hostname} ${where} and takes connections.`, ...(reference ? [reference] : [])];
    }
    case 'tried': {
      const { userId, email } = fact.user;
      const user = [userId, email].filter((part) => part !== undefined).join(', ');
      return [`the key works; it is that of ${foreignWords(user)}.`];
    }
    case 'unagreed':
      return [
        'nobody has agreed yet to what its dialect sends, so the key itself was not tried; a run asks.',
      ];
    case 'untried': {
      const noCall = `the ${vendor === 'provider' ? 'vendor publishes' : 'service offers'} no free call`;
      const why = fact.why === undefined ? noCall : `the vendor does not say whose key it is (${fact.why})`;
      return [`${why}, so the key itself was not tried; the first run does that.`];
    }
  }
}

function factObject(fact: AccountFact): Omit<AccountTest, 'name'> {
  switch (fact.kind) {
    case 'sandbox':
      return { sandbox: true };
    case 'dialect':
      return { sandbox: false, dialect: fact.dialect };
    case 'key':
      return { key: 'present' };
    case 'address':
      return { resolves_to: [...fact.addresses], ...present({ proxy: fact.proxy }), connects: true };
    case 'tried':
      return {
        key_tried: true,
        user: { user_id: fact.user.userId ?? null, email: fact.user.email ?? null },
      };
    case 'unagreed':
    case 'untried':
      return { key_tried: false };
  }
}
