import type { Account } from '../client/account/account.ts';
import type { AccountTerms } from '../ledger/ledger.ts';
import type { RunContext } from '../plan/context.ts';

export function termsOf({ limits, budget }: Account): AccountTerms {
  return { windows: limits.windows, caps: budget };
}

/**
 * Where one process spends, its accounts file counts. Where many do, the ledger does: another file is refused. Play money is nobody's
 * loss.
 * @throws StopError `account`.
 */
export async function agreeOnTerms({
  ledger,
  account,
}: Pick<RunContext, 'ledger' | 'account'>): Promise<void> {
  const { spenders } = ledger;
  if (spenders === undefined || account.sandbox)
    await ledger.setAccountCaps(account.identity, account.budget);
  else await spenders.agreeOn(account, termsOf(account));
}
