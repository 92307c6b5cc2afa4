import { StopError } from '../core/errors.ts';
import type { Batch } from '../ledger/ledger.ts';
import { type Account, loadAccounts, sandboxAccount } from '../vendor/account/account.ts';
import type { Dialect } from '../vendor/dialect.ts';
import { dialectOf } from '../vendor/dialect-of.ts';

/** The account that a batch belongs to, as it is configured now. A batch knows it by its identity, never by its name. */

/** Undefined when it is not configured any more. @throws StopError `account` when the accounts file cannot be used. */
export async function accountOfBatch({
  accountIdentity,
  accountName,
  vendor,
}: Batch): Promise<Account | undefined> {
  const { configured } = await loadAccounts();
  const same = [...configured, sandboxAccount(vendor)].filter(({ identity }) => identity === accountIdentity);
  // Several names may lead to one account; what differs between them, such as the key, was chosen by name.
  return same.find(({ name }) => name === accountName) ?? same[0];
}

/** For showing what was done, whatever has become of the account since: undefined when it cannot be used now. */
export async function dialectOfBatch(batch: Batch): Promise<Dialect | undefined> {
  try {
    const account = await accountOfBatch(batch);
    return account === undefined ? undefined : await dialectOf(account);
  } catch (error) {
    if (error instanceof StopError) return undefined;
    throw error;
  }
}
