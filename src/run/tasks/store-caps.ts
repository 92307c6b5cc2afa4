import { type Account, loadAccounts } from '../../client/account/account.ts';
import type { Clock } from '../../core/clock.ts';
import { stop } from '../../core/errors.ts';
import type { AccountTerms } from '../../ledger/ledger.ts';
import { storeAt } from '../../ledger/stores.ts';

/** An account whose limits and budgets hold for all who spend from a ledger. */
export interface HeldAccount {
  readonly account: Account;
  readonly before: AccountTerms;
  readonly now: AccountTerms;
}

/**
 * Lets the limits and budgets of this host's accounts file hold for all hosts. An account that the ledger does not know yet takes them
 * from the first who uses it.
 * @throws StopError `busy` while a process sends by a limit that changes, `usage` where one process spends at a time, and what
 *   `Store.open` throws.
 */
export async function holdToAccounts(location: string, clock: Clock): Promise<readonly HeldAccount[]> {
  const { configured } = await loadAccounts();
  const store = await storeAt(location);
  if (!store.manySpend)
    throw stop(
      'usage',
      `From the store ${location} one process at a time spends, within the limits and budgets of its own accounts file.`,
      'Change them there.',
    );
  const options = { clock, command: 'store caps', waitForLockMs: 0, create: false };
  const ledger = await store.open(location, options);
  try {
    const all: HeldAccount[] = [];
    for (const account of configured.filter(({ sandbox }) => !sandbox)) {
      const before = await ledger.spenders?.holdTo(account);
      const now = { windows: account.limits.windows, caps: account.budget };
      if (before !== undefined) all.push({ account, before, now });
    }
    return all;
  } finally {
    await ledger.close();
  }
}
