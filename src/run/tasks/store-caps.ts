import { type Account, loadAccounts } from '../../client/account/account.ts';
import type { Clock } from '../../core/clock.ts';
import type { AccountTerms } from '../../ledger/ledger.ts';
import { termsOf } from '../account-terms.ts';
import { openShared } from '../open-ledger.ts';

/** An account whose limits and budgets hold for all who spend from a ledger. */
export interface HeldAccount {
  readonly account: Account;
  readonly before: AccountTerms;
  readonly now: AccountTerms;
}

/**
 * Lets the limits and budgets of this host's accounts file hold for all hosts. An account that the ledger does not know yet takes them
 * from the first who uses it.
 * @throws StopError `busy` while a process sends by a limit that changes, and what `Store.open` throws.
 */
export async function holdToAccounts(location: string, clock: Clock): Promise<readonly HeldAccount[]> {
  const { configured } = await loadAccounts();
  const { ledger, spenders } = await openShared(location, { clock, command: 'store caps' });
  try {
    const all: HeldAccount[] = [];
    for (const account of configured.filter(({ sandbox }) => !sandbox)) {
      const now = termsOf(account);
      const before = await spenders.holdTo(account, now);
      if (before !== undefined) all.push({ account, before, now });
    }
    return all;
  } finally {
    await ledger.close();
  }
}
