import { systemClock } from '../../core/clock.ts';
import { EXIT, type ExitCode, stop } from '../../core/errors.ts';
import { present } from '../../core/objects.ts';
import { foreignWords } from '../../core/plain-text.ts';
import { whoAmI } from '../../plan/team/remote-members.ts';
import {
  type Account,
  describeKey,
  findAccount,
  loadAccounts,
  resolveKey,
} from '../../vendor/account/account.ts';
import { checkAddress } from '../../vendor/address-check.ts';
import type { Dialect } from '../../vendor/dialect.ts';
import { dialectOf } from '../../vendor/dialect-of.ts';
import type { Console } from '../shell/command.ts';

/** Looks whether accounts can be used, without spending anything. @param name left out: all of them. */
export async function testAccounts(console: Console, name: string | undefined): Promise<ExitCode> {
  const accounts = await loadAccounts();
  const chosen = name === undefined ? accounts.configured : [findAccount(accounts, name)];
  if (chosen.length === 0) {
    throw stop('account', `There is no account in ${accounts.path}.`, 'Add one: rowonce accounts add.');
  }
  const reports: object[] = [];
  for (const account of chosen) reports.push(await testOne(console, account));
  console.result({ accounts: reports });
  return EXIT.done;
}

async function testOne(console: Console, account: Account): Promise<object> {
  const { name, baseUrl } = account;
  if (baseUrl === undefined) {
    console.print(`${name}: needs no key and no network; it is started when it is used.`);
    return { name, sandbox: true };
  }
  await resolveKey(account);
  const dialect = await dialectOf(account);
  if (account.dialectPath !== undefined) console.print(`${name}: the dialect ${dialect.name} can be used.`);
  if (account.via !== undefined) {
    console.print(`${name}: asked through ${account.via.service}, as ${account.via.connectedAccount}.`);
  }
  console.print(
    `${name}: the key is there (${describeKey(account.key)}), and only you can read the accounts file.`,
  );
  const { addresses, proxy } = await checkAddress(baseUrl);
  const where = proxy === undefined ? `is ${addresses.join(', ')}` : `is reached through the proxy ${proxy}`;
  console.print(`${name}: ${baseUrl.hostname} ${where} and takes connections.`);
  const tried = await tryKey(console, account, dialect);
  return {
    name,
    sandbox: false,
    key: 'present',
    dialect: dialect.name,
    resolves_to: addresses,
    ...present({ proxy }),
    connects: true,
    ...tried,
  };
}

/** A test stops instead of waiting longer than this, because a person watches it. */
const MAX_PAUSE_MS = 60_000;

/** Tries the key with a free question, if the dialect has one. @returns what the test found out, for `--json`. */
async function tryKey(console: Console, account: Account, dialect: Dialect): Promise<object> {
  const { name, documentationUrl, vendor } = account;
  if (documentationUrl !== undefined) console.print(`${name}: its API reference is at ${documentationUrl}.`);
  const told = await whoAmI({
    account,
    dialect,
    clock: systemClock,
    emit: (event) => event.kind === 'paused' && console.say(`${name}: waits, because ${event.why}.`),
    signal: new AbortController().signal,
    maxPauseMs: MAX_PAUSE_MS,
  });
  if (told?.kind === 'told') {
    const { userId, email } = told.user;
    const user = [userId, email].filter((part) => part !== undefined).join(', ');
    console.print(`${name}: the key works; it is that of ${foreignWords(user)}.`);
    return { key_tried: true, user: { user_id: userId ?? null, email: email ?? null } };
  }
  const why =
    told === undefined ? NO_FREE_CALL[vendor] : `the vendor does not say whose key it is (${told.why})`;
  console.print(`${name}: ${why}, so the key itself was not tried; the first run does that.`);
  return { key_tried: false };
}

const NO_FREE_CALL = {
  provider: 'the vendor publishes no free call',
  service: 'the service offers no free call',
} as const;
