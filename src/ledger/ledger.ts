import type { ledgerOver, readerOver } from './open-ledger.ts';
import type { Spenders, WorkerView } from './spenders.ts';

export type * from './accounts.ts';
export * from './batches.ts';
export * from './call-records.ts';
export * from './known-here.ts';
export type * from './learned.ts';
export { lastFirst, listOf, listsOf, type StartedList, startedMs, startOver, undoneBy } from './lists.ts';
export type * from './pauses.ts';
export * from './records.ts';
export type { SharedWindow, TakePlaces } from './spenders.ts';
export * from './spenders.ts';

/**
 * What is remembered of requests, answers and rows, written once over both databases
 * (`docs/internals/ledger.md`). A promise of a writing method resolves when what was written would survive a
 * loss of power. How many writes share one commit is the ledger's business: callers write one at a time, many
 * at once, and await.
 */
export type LedgerReader = ReturnType<typeof readerOver> & LedgerExtras;

/** What only the one spender may do, or each of many where the store allows that. */
export type Ledger = Awaited<ReturnType<typeof ledgerOver>> & LedgerExtras & { readonly spenders?: Spenders };

/** Only in stores from which many spend. */
interface LedgerExtras {
  workers?(): Promise<readonly WorkerView[]>;
}
