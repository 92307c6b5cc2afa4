import { hash } from 'node:crypto';
import { type Account, loadAccounts, sandboxAccount, sandboxAccounts } from '../client/account/account.ts';
import type { Answers } from '../client/account/agreements.ts';
import { type Dialect, dialectOf } from '../client/dialect.ts';
import { type Clock, systemClock } from '../core/clock.ts';
import { accepting, StopError } from '../core/errors.ts';
import { asFlag, faces, type Phrase, phrase } from '../core/phrase.ts';
import { counted, foreignWords, listed } from '../core/plain-text.ts';
import type { PriceOf } from '../files/output/batch-view.ts';
import type { AccountMarks, Batch, Ledger, LedgerReader, Recognised } from '../ledger/ledger.ts';
import { atAnotherPath } from '../walk/corrected-path.ts';

/**
 * Finds the account of the store that an account of the accounts file is. A store knows accounts by ids and
 * addresses. So a vendor that moved, or an `id` that was added, is not paid again, and a test address is
 * never taken for the real one.
 */

type Moved = Extract<Recognised, { readonly kind: 'moved' }>;

/** A person has said once that an account of this name and address is not the one that the store knows. */
async function recognise({ marks }: Account, ledger: LedgerReader | undefined): Promise<Recognised> {
  if (marks === undefined || ledger === undefined) return { kind: 'new' };
  const found = await ledger.recognise(marks);
  if (found.kind !== 'moved') return found;
  const agreement = await ledger.agreement(hashOfOther(found.identity, marks));
  return agreement === undefined ? found : { kind: 'new' };
}

const hashOfOther = (identity: string, { name, address, id }: AccountMarks): string =>
  hash('sha256', JSON.stringify(['another account', identity, name, address, id ?? null]), 'hex');

/**
 * The account as the store has it, for a command that only looks. An account that may have moved counts as a
 * new one.
 */
export async function knownAccount(account: Account, ledger: LedgerReader | undefined): Promise<Account> {
  const found = await recognise(account, ledger);
  return found.kind === 'known' ? { ...account, identity: found.identity } : account;
}

/**
 * Why nothing is spent with an account yet, and the identity that it may have; undefined where no question
 * has to be asked.
 */
export async function movedFrom(account: Account, ledger: LedgerReader | undefined) {
  const found = await recognise(account, ledger);
  return found.kind === 'moved'
    ? { identity: found.identity, stopped: movedStop(account, found) }
    : undefined;
}

/**
 * The account as the store has it, before anything is sent that may cost or change something. For an account
 * that may have moved, a person is asked once for each name and address, and the store keeps the answer.
 * @throws StopError `moved` while no one has answered.
 */
export async function requireKnown(
  account: Account,
  ledger: Ledger,
  { clock = systemClock, ...answers }: Answers & { readonly clock?: Clock | undefined },
): Promise<Account> {
  const { marks } = account;
  if (marks === undefined) return account;
  const found = await recognise(account, ledger);
  const isSame = found.kind === 'moved' && (await saysSame(movedStop(account, found), answers));
  // The run may be stopped before its first request, and an address alone says nothing until one is answered.
  if (found.kind === 'moved' && !isSame)
    await ledger.noteAgreement(hashOfOther(found.identity, marks), 'another account', clock.wallMs());
  const identity = found.kind === 'known' || isSame ? found.identity : account.identity;
  if (found.kind !== 'known' || !found.isWhole) await ledger.keepMarks(identity, marks);
  const known = { ...account, identity };
  await askAgainAtPath(known, ledger);
  return known;
}

/** The rows that ended by answers at a wrong path wait again. */
async function askAgainAtPath(account: Account, ledger: Ledger): Promise<void> {
  const { path, answers } = (await atAnotherPath(account, ledger)) ?? {};
  if (path === undefined || answers === undefined) return;
  const { identity } = account;
  if (answers.length > 0) await ledger.takeBack(identity, answers);
  await ledger.changeAccount(identity, { only404At: path });
}

/** @throws the stop `moved` while no one has answered. */
async function saysSame(movedStop: StopError, { accept = [], askAgreement }: Answers): Promise<boolean> {
  const isSame = accept.includes('same-account'); // rule words
  // Both at once answer nothing.
  if (isSame !== accept.includes('new-account')) return isSame;
  const question = {
    agreement: 'same-account',
    fact: movedStop.message,
    details: [],
    asks: 'Is it?',
  } as const;
  if ((await askAgreement?.(question)) === true) return true;
  throw movedStop;
}

/** A person answers which account it is. */
const byAnswer = (typed: string, value: string): Phrase =>
  faces(phrase`, ${typed} ${asFlag('--accept', value)}, and`, ',');

function movedStop({ name, marks }: Account, { address, answers, changes, doubts }: Moved): StopError {
  const isBought = answers > 0 || changes === 0;
  const done = isBought ? counted(answers, 'answer') : counted(changes, 'change');
  const were = (isBought ? answers : changes) === 1 ? 'was' : 'were';
  const what = isBought ? 'bought' : 'made';
  const stake = `${done} ${were} ${what}${doubts > 0 ? `, and ${counted(doubts, 'call')} ${doubts === 1 ? 'is' : 'are'} in doubt` : ''}`;
  const isSame = byAnswer('run the same command again with', 'same-account');
  const isOther = byAnswer('with', 'new-account');
  return new StopError({
    code: 'moved',
    message:
      `Account ${name} was at ${addressWords(address)}, where ${stake}. ` +
      `Is ${addressWords(marks?.address ?? '', marks?.id)} the same account?`,
    next: phrase`If it is${isSame} all goes on; if it is another one${isOther} nothing is known of it.`,
    choices: [
      accepting('same-account', 'it is the same account'),
      accepting('new-account', 'it is another account'),
    ],
  });
}

/** The origin of the address, and the id that tells accounts at one origin apart. */
function addressWords(address: string, id?: string): string {
  const [, origin, organization, connected] = JSON.parse(address) as readonly (string | null)[];
  const parts = [
    ...(organization == null ? [] : [`organization ${organization}`]),
    ...(connected == null ? [] : [`connected account ${connected}`]),
    ...(id === undefined ? [] : [`id ${id}`]),
  ];
  return foreignWords(`${origin}${parts.length === 0 ? '' : ` (${listed(parts)})`}`);
}

// ---------------------------------------------------------------------------------------------- of a batch

/**
 * An account of the batch; undefined when it is no longer configured.
 * @param identity its identity; left out: that of the first account.
 * @throws StopError `account` when the accounts file cannot be used.
 */
export async function accountOfBatch(
  batch: Pick<Batch, 'accountIdentity' | 'accounts'>,
  ledger: LedgerReader,
  identity = batch.accountIdentity,
): Promise<Account | undefined> {
  return accountAmong(await accountsIn(ledger), batch, identity);
}

/** All accounts as the store has them. */
async function accountsIn(ledger: LedgerReader): Promise<readonly Account[]> {
  const all: Account[] = [];
  for (const account of [...(await loadAccounts()).configured, ...sandboxAccounts()]) {
    const found = await recognise(account, ledger);
    all.push({ ...account, identity: found.kind === 'new' ? account.identity : found.identity });
  }
  return all;
}

function accountAmong(
  all: readonly Account[],
  { accounts }: Pick<Batch, 'accounts'>,
  askedIdentity: string,
): Account | undefined {
  const began = accounts.find(({ identity }) => identity === askedIdentity);
  const same = all.filter(({ identity }) => identity === askedIdentity);
  // Several names may have the same identity and differ in the key, for example. The name with which the
  // batch began wins.
  return same.find(({ name }) => name === began?.name) ?? same[0];
}

/**
 * The dialect of an account of the batch. The dialect of a removed account is not known, so the built-in one
 * is taken.
 */
export async function dialectFor(batch: Batch, ledger: LedgerReader, identity?: string): Promise<Dialect> {
  return dialectOf((await accountOfBatch(batch, ledger, identity)) ?? sandboxAccount(batch.vendor));
}

export async function dialectOfBatch(
  batch: Batch,
  ledger: LedgerReader,
  identity: string,
): Promise<Dialect | undefined> {
  const account = await unlessStopped(accountOfBatch(batch, ledger, identity));
  return account && unlessStopped(dialectOf(account));
}

/**
 * The prices of credits. Play money has none, and nor has an accounts file that cannot be read; another
 * command reports that.
 */
export async function pricesIn(ledger: LedgerReader): Promise<PriceOf> {
  const all = (await unlessStopped(accountsIn(ledger))) ?? [];
  return (batch, identity) => (batch.sandbox ? undefined : accountAmong(all, batch, identity)?.price);
}

/** The value, or undefined where a StopError prevented it, for callers that can do without. */
export async function unlessStopped<T>(found: Promise<T>): Promise<T | undefined> {
  return found.catch((error: unknown) => {
    if (error instanceof StopError) return undefined;
    throw error;
  });
}
