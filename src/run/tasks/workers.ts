import type { LedgerReader, WorkerView } from '../../ledger/ledger.ts';
import { eachLedgerThere } from '../open-ledger.ts';

export type { WorkerAccount, WorkerView } from '../../ledger/ledger.ts';

/** The processes that spend from a store in PostgreSQL now. @param storeFlag as the user typed it. @returns undefined where one process spends at a time. */
export async function workersAt(storeFlag: string | undefined): Promise<readonly WorkerView[] | undefined> {
  const found = (await eachLedgerThere(storeFlag, workersIn)).filter((workers) => workers !== undefined);
  return found.length === 0 ? undefined : found.flat();
}

async function workersIn(ledger: LedgerReader): Promise<readonly WorkerView[] | undefined> {
  const workers = await ledger.workers?.();
  if (workers === undefined || workers.length === 0) return workers && [];
  const lines = (await ledger.batches()).toReversed();
  const names = new Map(lines.map(({ accountIdentity, accountName }) => [accountIdentity, accountName]));
  return workers.map(({ accounts, ...worker }) => ({
    ...worker,
    accounts: accounts.map((each) => ({ ...each, account: names.get(each.account) ?? each.account })),
  }));
}
