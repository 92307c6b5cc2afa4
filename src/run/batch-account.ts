import { type Account, loadAccounts, sandboxAccount } from '../client/account/account.ts';
import { type Dialect, dialectOf } from '../client/dialect.ts';
import { StopError } from '../core/errors.ts';
import type { Batch } from '../ledger/ledger.ts';

/** The batch's account; undefined when it is no longer configured. @throws StopError `account` when the accounts file cannot be used. */
export async function accountOfBatch({
  accountIdentity,
  accountName,
  vendor,
}: Batch): Promise<Account | undefined> {
  const { configured } = await loadAccounts();
  const same = [...configured, sandboxAccount(vendor)].filter(({ identity }) => identity === accountIdentity);
  // Several names may have the same identity and differ in the key, for example. The name that the batch began with wins.
  return same.find(({ name }) => name === accountName) ?? same[0];
}

/** The dialect of the batch's account. That of a removed account is not known, so the built-in one is taken. */
export async function dialectFor(batch: Batch): Promise<Dialect> {
  return dialectOf((await accountOfBatch(batch)) ?? sandboxAccount(batch.vendor));
}

export async function dialectOfBatch(batch: Batch): Promise<Dialect | undefined> {
  const account = await unlessStopped(accountOfBatch(batch));
  return account && unlessStopped(dialectOf(account));
}

/** Undefined where it was stopped, for who can do without. */
export async function unlessStopped<T>(found: Promise<T>): Promise<T | undefined> {
  return found.catch((error: unknown) => {
    if (error instanceof StopError) return undefined;
    throw error;
  });
}
