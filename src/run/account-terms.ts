import type { Account } from '../client/account/account.ts';
import { stop } from '../core/errors.ts';
import { present } from '../core/objects.ts';
import { accountsPath } from '../core/paths.ts';
import { AGAIN, phrase } from '../core/phrase.ts';
import { counted } from '../core/plain-text.ts';
import type { AccountTerms, Ledger, Spenders } from '../ledger/ledger.ts';
import { commandLine } from '../lib/command-line.ts';
import { formatDuration } from '../lib/duration.ts';

/** What an account may do is the same for all processes that spend from one ledger at once. */

type SaidAccount = Pick<Account, 'identity' | 'name' | 'limits' | 'budget'>;

/** The terms as the accounts file here says them. */
export const termsOf = ({ limits, budget }: Pick<SaidAccount, 'limits' | 'budget'>): AccountTerms => ({
  windows: limits.windows,
  caps: present({ perDay: budget.perDay, perMonth: budget.perMonth }),
});

export function termsWords({ windows, caps: { perDay, perMonth } }: AccountTerms): string {
  const limits = windows.map(
    (each) => `${counted(each.requests, 'request')} in ${formatDuration(each.windowMs)}`,
  );
  const budgets = [
    ...(perDay === undefined ? [] : [`${counted(perDay, 'credit')} a day`]),
    ...(perMonth === undefined ? [] : [`${counted(perMonth, 'credit')} a month`]),
  ];
  return [limits.join(' and ') || 'no limit', budgets.join(' and ') || 'no budget'].join(' and ');
}

const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * What the first worker said holds for all hosts.
 * @throws StopError `account` when the accounts file here says something else.
 */
export async function agreeOn(spenders: Spenders, account: SaidAccount): Promise<void> {
  const accountTerms = termsOf(account);
  const agreed = await spenders.keepTerms(account.identity, accountTerms);
  if (isEqual(agreed, accountTerms)) return;
  throw stop(
    'account',
    `Account ${account.name} has ${termsWords(agreed)} in the ledger at ${spenders.shown}, ` +
      `but ${termsWords(accountTerms)} in ${accountsPath()}.`,
    'Correct the file, or make it hold for all hosts.',
    commandLine(['store', 'caps', spenders.shown]),
  );
}

/** A worker that has not beaten for that long is not at work. */
const THERE_MS = 4_000;

/**
 * Has the accounts file here hold for all hosts.
 * @returns the earlier terms, if a worker used the account.
 * @throws StopError `busy` while one sends by other limits.
 */
export async function holdTo(ledger: Ledger, account: SaidAccount): Promise<AccountTerms | undefined> {
  const { spenders, workers } = ledger;
  const before = await spenders?.terms(account.identity);
  if (before === undefined) return undefined;
  const accountTerms = termsOf(account);
  const asking = (await workers?.())?.find(
    ({ beatAgoMs = THERE_MS, accounts }) =>
      beatAgoMs < THERE_MS && accounts.some((each) => each.account === account.identity),
  );
  if (asking !== undefined && !isEqual(before.windows, accountTerms.windows))
    throw stop(
      'busy',
      `Process ${asking.pid} on ${asking.host}, "${asking.command}", ` +
        `uses the earlier limits of account ${account.name}.`,
      phrase`Let it end, then ${AGAIN}.`,
    );
  await spenders?.keepTerms(account.identity, accountTerms, true);
  return before;
}
