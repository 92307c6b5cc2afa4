import type { Accounts, AccountsReader } from './ledger/accounts-part.ts';
import type { Batches, BatchesReader } from './ledger/batches-part.ts';
import type { Calls, CallsReader, SubjectsReader } from './ledger/calls-part.ts';
import type { Consents, ConsentsReader } from './ledger/consents-part.ts';
import type { HostNotes, HostNotesReader } from './ledger/host-notes-part.ts';
import type { ListedRows, ListedRowsReader } from './ledger/listed-part.ts';
import type { Notices } from './ledger/notices-part.ts';
import type { BatchId, Money } from './ledger/records.ts';
import type { ReportsReader } from './ledger/reports-part.ts';
import type { Spenders, SpendersReader } from './ledger/spenders-part.ts';

export type * from './ledger/accounts-part.ts';
export type * from './ledger/batches-part.ts';
export * from './ledger/call-entries.ts';
export * from './ledger/call-records.ts';
export type * from './ledger/calls-part.ts';
export type * from './ledger/consents-part.ts';
export * from './ledger/finished-rows.ts';
export type * from './ledger/host-notes-part.ts';
export type * from './ledger/listed-part.ts';
export * from './ledger/notices-part.ts';
export * from './ledger/records.ts';
export type * from './ledger/reports-part.ts';
export * from './ledger/spenders-part.ts';

/**
 * The contract of the ledger: what is remembered of requests, answers and rows. It is written once over both databases
 * (`docs/internals/ledger.md`), and one conformance suite (`test/ledger/stores/`) runs over each store.
 *
 * A promise of a writing method resolves when what was written would survive a loss of power. How many writes share
 * one commit is the store's business: callers write one at a time, many at once, and await.
 *
 * It has parts, and code that needs one asks for that one alone. They are faces of one object with one transaction, because some
 * writes concern several: misses that are taken back change calls, rows, batches and the account.
 */
export interface LedgerReader
  extends CallsReader,
    BatchesReader,
    AccountsReader,
    SubjectsReader,
    ConsentsReader,
    ReportsReader,
    HostNotesReader,
    SpendersReader,
    ListedRowsReader {
  close(): Promise<void>;
}

/** What only the one spender may do, or each of many where the store allows that. */
export interface Ledger extends LedgerReader, Calls, Batches, Accounts, Consents, HostNotes {
  /** Only in stores from which many spend. */
  readonly spenders?: Spenders;
  readonly listed: ListedRows;
  /** Only in stores from which one process spends. */
  readonly notices: Notices;
}

/** Money as it is shown: `isExact` says that just so much was spent, and not that it was the most. */
export interface ShownMoney extends Money {
  readonly isExact: boolean;
}

export async function shownMoney(
  ledger: Pick<LedgerReader, 'batchMoney' | 'isSpentAtMost'>,
  batch: BatchId,
): Promise<ShownMoney> {
  return { ...(await ledger.batchMoney(batch)), isExact: !(await ledger.isSpentAtMost({ batch })) };
}
