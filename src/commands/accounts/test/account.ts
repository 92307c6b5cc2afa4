import { type Account, describeKey, resolveKey, resolveSecrets } from '../../../client/account/account.ts';
import { isAgreed } from '../../../client/account/agreements.ts';
import { checkAddress } from '../../../client/client.ts';
import { type Dialect, dialectOf, dialectQuestion } from '../../../client/dialect.ts';
import { exampleProblem } from '../../../client/proposal.ts';
import { systemClock } from '../../../core/clock.ts';
import { StopError, stop } from '../../../core/errors.ts';
import { present } from '../../../core/objects.ts';
import { counted, foreignWords, grouped, linesOf } from '../../../core/plain-text.ts';
import { vendorCountWords } from '../../../files/output/summary-words.ts';
import { vendorCountOf } from '../../../files/output/tally.ts';
import type { Batch } from '../../../ledger/ledger.ts';
import type { AccountTest } from '../../../objects/account-object.ts';
import { type LookContext, openLookUps, whoAmI } from '../../../plan/team/remote-members.ts';
import { knownAccount, movedFrom } from '../../../run/known-account.ts';
import { eachLedgerThere } from '../../../run/open-ledger.ts';
import { amountIn } from '../../../run/reconcile.ts';
import type { Console } from '../../shared/command.ts';

/** `pdl, of People Data Labs`, or the name alone. */
const spokenBy = ({ name, title }: Dialect): string =>
  title === undefined ? name : `${name}, of ${foreignWords(title)},`;

type Tell = (found: Omit<AccountTest, 'name'>, ...lines: readonly (string | false | undefined)[]) => void;

/** A test stops instead of waiting longer than this, because a person watches it. */
const TEST_PAUSE_MS = 60_000;

/**
 * Finds out step by step whether an account can be used. It sends at most two questions, which are free.
 * @throws StopError at the first step that fails.
 */
export async function testAccount(console: Console, account: Account, tell: Tell): Promise<void> {
  const { baseUrl, via, documentationUrl, dialectPath, key } = account;
  if (baseUrl === undefined)
    return tell({ sandbox: true }, 'needs no key and no network; it is started when it is used.');
  await resolveKey(account);
  await resolveSecrets(account);
  const dialect = await dialectOf(account);
  tell(
    { sandbox: false, dialect: dialect.name },
    dialectPath !== undefined && `the dialect ${spokenBy(dialect)} can be used.`,
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
    const movedAccount = await movedFrom(account, ledger);
    if (movedAccount !== undefined) tell({}, `${movedAccount.stopped.message} ${movedAccount.stopped.next}`);
  });
}

/**
 * Asks the vendor for the owner of the key, and how many credits are left, where the vendor answers that for
 * free.
 */
async function testKey(context: LookContext, baseUrl: URL, tell: Tell): Promise<void> {
  const { account, dialect } = context;
  const untried = (why: string, instead: string): void =>
    tell({ key_tried: false }, `${why}, so the key itself was not tried; ${instead}.`);
  const { whoami, balance } = dialect;
  const question = (whoami ?? balance) && dialectQuestion(dialect, baseUrl);
  if (question !== undefined && !(await isAgreed(question.agreement)))
    return untried('you have not agreed yet to what its dialect sends', 'a run asks');
  const whoAmIAnswer = await whoAmI(context);
  const remainingBalance = await balanceLeft(context, baseUrl);
  if (whoAmIAnswer?.kind === 'told') {
    const { userId, email } = whoAmIAnswer.user;
    tell(
      { key_tried: true, user: { user_id: userId ?? null, email: email ?? null } },
      `the key works; it belongs to ${foreignWords(linesOf(userId, email).join(', '))}.`,
    );
  } else if (whoAmIAnswer !== undefined)
    untried(`the vendor does not name the owner of the key (${whoAmIAnswer.why})`, 'the first run does that');
  else if (remainingBalance === undefined)
    untried(
      `the ${account.vendor === 'provider' ? 'vendor publishes' : 'service offers'} no free call`,
      'the first run does that',
    );
  if (remainingBalance === undefined) return;
  const { booked, vendor_counted } = await bookedIn(account);
  const words = `our books have ${grouped(booked)} spent${vendorCountWords(vendor_counted)}.`;
  tell(
    { key_tried: true, balance: remainingBalance, booked, ...present({ vendor_counted }) },
    `the vendor says that ${counted(remainingBalance, 'credit')} ${remainingBalance === 1 ? 'is' : 'are'} left; ${words}`,
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
    const freeAnswer = await client.ask(waiter, client.freeRequest(balance));
    if (freeAnswer.verdict.kind === 'stopped') throw new StopError(freeAnswer.verdict.stop);
    return amountIn(freeAnswer, context.dialect, balance.credits);
  } finally {
    await client.close();
  }
}
