import { type Account, describeKey, findAccount, loadAccounts } from '../../client/account/account.ts';
import { EXIT, type ExitCode, stop } from '../../core/errors.ts';
import { present } from '../../core/objects.ts';
import { counted, foreignWords, linesOf } from '../../core/plain-text.ts';
import { commandLine } from '../../lib/command-line.ts';
import type { AccountTest } from '../../objects/account-object.ts';
import { type AccountFact, testAccount } from '../../run/tasks/account-test.ts';
import type { Console } from '../shell/command.ts';

/** Looks whether accounts can be used, without spending anything. @param name left out: all of them. */
export async function testAccounts(console: Console, name: string | undefined): Promise<ExitCode> {
  const accounts = await loadAccounts();
  const chosen = name === undefined ? accounts.configured : [findAccount(accounts, name)];
  if (chosen.length === 0) {
    throw stop(
      'account',
      `There is no account in ${accounts.path}.`,
      `To see how one is added: ${commandLine(['accounts', 'add', '--help'])}`,
    );
  }
  const reports: AccountTest[] = [];
  for (const account of chosen) {
    const waits = `${account.name}: waits, because `;
    let report: AccountTest = { name: account.name };
    for await (const fact of testAccount(
      account,
      (event) => event.kind === 'paused' && console.say(`${waits}${event.why}.`),
    )) {
      const { lines, object } = shown(account, fact);
      // Each line is shown at once, so that those before a failure are seen.
      for (const line of lines) console.print(`${account.name}: ${line}`);
      report = { ...report, ...object };
    }
    reports.push(report);
  }
  console.result({ accounts: reports });
  return EXIT.done;
}

interface Shown {
  readonly lines: readonly string[];
  readonly object: Omit<AccountTest, 'name'>;
}

function shown(account: Account, fact: AccountFact): Shown {
  const { via, documentationUrl, dialectPath, key, vendor } = account;
  switch (fact.kind) {
    case 'sandbox':
      return {
        lines: ['needs no key and no network; it is started when it is used.'],
        object: { sandbox: true },
      };
    case 'dialect':
      return {
        lines: linesOf(
          dialectPath !== undefined && `the dialect ${fact.dialect} can be used.`,
          via && `asked through ${via.service}, as ${via.connectedAccount}.`,
        ),
        object: { sandbox: false, dialect: fact.dialect },
      };
    case 'key':
      return {
        lines: [`the key is there (${describeKey(key)}), and only you can read the accounts file.`],
        object: { key: 'present' },
      };
    case 'address': {
      const { addresses, proxy, url } = fact;
      const where =
        proxy === undefined ? `is ${addresses.join(', ')} and` : `is reached through the proxy ${proxy} and`;
      const isNumber = proxy === undefined && addresses.join() === url.hostname;
      return {
        lines: linesOf(
          `${url.hostname} ${isNumber ? '' : `${where} `}takes connections.`,
          documentationUrl && `its API reference is at ${documentationUrl}.`,
        ),
        object: { resolves_to: [...addresses], ...present({ proxy }), connects: true },
      };
    }
    case 'tried': {
      const { userId, email } = fact.user;
      const user = linesOf(userId, email).join(', ');
      return {
        lines: [`the key works; it belongs to ${foreignWords(user)}.`],
        object: { key_tried: true, user: { user_id: userId ?? null, email: email ?? null } },
      };
    }
    case 'balance':
      return balanceShown(fact);
    case 'unagreed':
      return untried('nobody has agreed yet to what its dialect sends', 'a run asks');
    case 'untried': {
      const noCall = `the ${vendor === 'provider' ? 'vendor publishes' : 'service offers'} no free call`;
      const why = fact.why === undefined ? noCall : `the vendor does not say whose key it is (${fact.why})`;
      return untried(why, 'the first run does that');
    }
  }
}

function balanceShown({ left, booked }: Extract<AccountFact, { readonly kind: 'balance' }>): Shown {
  const ours = booked === undefined ? '' : `; our books have ${counted(booked, 'credit')} as spent`;
  return {
    lines: [`the vendor says that ${counted(left, 'credit')} ${left === 1 ? 'is' : 'are'} left${ours}.`],
    object: { key_tried: true, balance: left, ...present({ booked }) },
  };
}

function untried(why: string, instead: string): Shown {
  return { lines: [`${why}, so the key itself was not tried; ${instead}.`], object: { key_tried: false } };
}
