import type { LedgerReader, WorkerView } from '../../ledger/ledger.ts';
import { eachLedgerThere } from '../open-ledger.ts';

export type { WorkerAccount, WorkerView } from '../../ledger/ledger.ts';

export interface WorkersRequest {
  readonly store?: string | undefined;
}

/**
 * The processes that spend from a store in PostgreSQL now; none for a store that is a folder. Without a store it looks into all that
 * are known.
 * @example
 * for (const { host, pid, accounts } of await workersOf({ store: 'postgres://rowonce@db.example/leads' }))
 *   console.log(host, pid, accounts);
 */
export async function workersOf(request: WorkersRequest = {}): Promise<readonly WorkerView[]> {
  // A command that shows them has checked what was typed, and does without the code for that.
  const { checkOptions, text } = await import('../../lib/checked-options.ts');
  checkOptions('workersOf', request, { store: text });
  return (await workersAt(request.store)) ?? [];
}

/** @param storeFlag as the user typed it. @returns undefined where one process spends at a time. */
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
