import { z } from 'zod';
import {
  type Account,
  describeKey,
  findAccount,
  loadAccounts,
  resolveKey,
  resolveSecrets,
} from '../../client/account/account.ts';
import { isAgreed } from '../../client/account/agreements.ts';
import { checkAddress } from '../../client/client.ts';
import { dialectOf, dialectQuestion } from '../../client/dialect.ts';
import { exampleProblem } from '../../client/proposal.ts';
import { systemClock } from '../../core/clock.ts';
import { StopError, stop } from '../../core/errors.ts';
import { present } from '../../core/objects.ts';
import { counted, foreignWords, grouped, linesOf } from '../../core/plain-text.ts';
import { vendorCountWords } from '../../files/output/summary-words.ts';
import { vendorCountOf } from '../../files/output/tally.ts';
import type { Batch } from '../../ledger/ledger.ts';
import { commandLine } from '../../lib/command-line.ts';
import { AccountTest } from '../../objects/account-object.ts';
import { type LookContext, openLookUps, whoAmI } from '../../plan/team/remote-members.ts';
import { knownAccount, movedFrom } from '../../run/known-account.ts';
import { eachLedgerThere } from '../../run/open-ledger.ts';
import { amountIn } from '../../run/reconcile.ts';
import { argument, type Console, command } from '../shared/command.ts';

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
    const accounts = await loadAccounts();
    const chosen = name === undefined ? accounts.configured : [findAccount(accounts, name)];
    if (chosen.length === 0) {
      const fact = `There is no account in ${accounts.path}.`;
      throw stop('account', fact, 'See how one is added.', commandLine(['accounts', 'add', '--help']));
    }
    const reports: AccountTest[] = [];
    for (const account of chosen) {
      let report: AccountTest = { name: account.name };
      await testAccount(console, account, (told, ...lines) => {
        // Each line is shown at once, so that those before a failure are seen.
        for (const line of linesOf(...lines)) console.print(`${account.name}: ${line}`);
        report = { ...report, ...told };
      });
      reports.push(report);
    }
    return { object: { accounts: reports } };
  },
});

type Tell = (told: Omit<AccountTest, 'name'>, ...lines: readonly (string | false | undefined)[]) => void;

/** A test stops instead of waiting longer than this, because a person watches it. */
const TEST_PAUSE_MS = 60_000;

/**
 * Finds out step by step whether an account can be used. It sends at most two questions, which are free.
 * @throws StopError at the first step that fails.
 */
async function testAccount(console: Console, account: Account, tell: Tell): Promise<void> {
  const { baseUrl, via, documentationUrl, dialectPath, key } = account;
  if (baseUrl === undefined)
    return tell({ sandbox: true }, 'needs no key and no network; it is started when it is used.');
  await resolveKey(account);
  await resolveSecrets(account);
  const dialect = await dialectOf(account);
  tell(
    { sandbox: false, dialect: dialect.name },
    dialectPath !== undefined && `the dialect ${dialect.name} can be used.`,
    via && `asked through ${via.service}, as ${via.connectedAccount}.`,
  );
  const { examples = [] } = dialect;
  for (const [at, example] of examples.entries()) {
    const problem = exampleProblem(dialect, example);
    if (problem === undefined) continue;
    const fact = `${account.name}: example ${at + 1} of the dialect ${dialect.name}: ${problem}.`;
    throw stop('account', fact, `Correct ${account.dialectPath}, or take the example out of it.`);
  }
  if (examples.length > 0)
    tell(
      { examples: examples.length },
      `its ${counted(examples.length, 'example')} ${examples.length === 1 ? 'is read as it says' : 'are read as they say'}.`,
    );
  tell(
    { key: 'present' },
    `the key is there (${describeKey(key)}), and only you can read the accounts file.`,
  );
  const { addresses, proxy } = await checkAddress(baseUrl);
  const where = proxy === undefined ? `is ${addresses.join(', ')}` : `is reached through the proxy ${proxy}`;
  const isNumber = proxy === undefined && addresses.join() === baseUrl.hostname;
  tell(
    { resolves_to: [...addresses], ...present({ proxy }), connects: true },
    `${baseUrl.hostname} ${isNumber ? '' : `${where} and `}takes connections.`,
    documentationUrl && `its API reference is at ${documentationUrl}.`,
  );
  const context: LookContext = {
    account,
    dialect,
    clock: systemClock,
    maxPauseMs: TEST_PAUSE_MS,
    signal: new AbortController().signal,
    emit: (event) => event.kind === 'paused' && console.say(`${account.name}: waits, because ${event.why}.`),
  };
  await testKey(context, baseUrl, tell);
  await eachLedgerThere(undefined, async (ledger) => {
    const moved = await movedFrom(account, ledger);
    if (moved !== undefined) tell({}, `${moved.stopped.message} ${moved.stopped.next}`);
  });
}

/** Asks the vendor whose key it is, and how many credits are left, where the vendor answers that for free. */
async function testKey(context: LookContext, baseUrl: URL, tell: Tell): Promise<void> {
  const { account, dialect } = context;
  const untried = (why: string, instead: string): void =>
    tell({ key_tried: false }, `${why}, so the key itself was not tried; ${instead}.`);
  const { whoami, balance } = dialect;
  const question = (whoami ?? balance) && dialectQuestion(dialect, baseUrl);
  if (question !== undefined && !(await isAgreed(question.agreement)))
    return untried('nobody has agreed yet to what its dialect sends', 'a run asks');
  const told = await whoAmI(context);
  const left = await balanceLeft(context, baseUrl);
  if (told?.kind === 'told') {
    const { userId, email } = told.user;
    tell(
      { key_tried: true, user: { user_id: userId ?? null, email: email ?? null } },
      `the key works; it belongs to ${foreignWords(linesOf(userId, email).join(', '))}.`,
    );
  } else if (told !== undefined)
    untried(`the vendor does not say whose key it is (${told.why})`, 'the first run does that');
  else if (left === undefined)
    untried(
      `the ${account.vendor === 'provider' ? 'vendor publishes' : 'service offers'} no free call`,
      'the first run does that',
    );
  if (left === undefined) return;
  const { booked, vendor_counted } = await bookedIn(account);
  const words = `our books have ${grouped(booked)} spent${vendorCountWords(vendor_counted)}.`;
  tell(
    { key_tried: true, balance: left, booked, ...present({ vendor_counted }) },
    `the vendor says that ${counted(left, 'credit')} ${left === 1 ? 'is' : 'are'} left; ${words}`,
  );
}

/**
 * All that the account has ever spent by the store's books, and the credits that the vendor has counted of
 * it.
 */
async function bookedIn(account: Account): Promise<Pick<AccountTest, 'vendor_counted'> & { booked: number }> {
  let booked = 0;
  const all: Batch[] = [];
  await eachLedgerThere(undefined, async (ledger) => {
    const { identity: accountIdentity } = await knownAccount(account, ledger);
    const batches = await ledger.batches();
    all.push(...batches.filter((each) => each.accountIdentity === accountIdentity));
    booked += (await ledger.accountMoney(accountIdentity, 'ever', 0)).spent;
  });
  return { booked, vendor_counted: vendorCountOf(all, booked) };
}

/** @throws StopError where the vendor refuses the key, or where the server is no vendor. */
async function balanceLeft(context: LookContext, baseUrl: URL): Promise<number | undefined> {
  const { balance } = context.dialect;
  if (balance === undefined) return undefined;
  const { client, waiter } = await openLookUps(context, baseUrl);
  try {
    const asked = await client.ask(waiter, client.freeRequest(balance));
    if (asked.verdict.kind === 'stopped') throw new StopError(asked.verdict.stop);
    return amountIn(asked, context.dialect, balance.credits);
  } finally {
    await client.close();
  }
}
