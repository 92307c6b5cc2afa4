import { readAccounts, writeAccounts } from './accounts.ts';
import { readBatches, readRanges, writeBatches } from './batches.ts';
import { readCalls } from './calls.ts';
import type { Context } from './context.ts';
import { type CommitGuard, Gather } from './gather.ts';
import { readLearned, writeLearned } from './learned.ts';
import { notices, readNotes, writeNotes } from './notes.ts';
import { writePauses } from './pauses.ts';
import { readBatchFacts, readFacts, readReports } from './reports.ts';
import { readRows, readSomeRows, writeRows } from './rows.ts';
import { writeCalls } from './write-calls.ts';

/**
 * A ledger as the parts of its contract, over an open database. The caller that opened the database closes it
 * afterwards.
 */

export const readerOver = (context: Context) => ({
  ...readCalls(context),
  ...readBatches(context),
  ...readRows(context),
  ...readSomeRows(context),
  ...readAccounts(context),
  ...readReports(context),
  ...readBatchFacts(context),
  ...readFacts(context),
  ...readRanges(context),
  ...readNotes(context),
  ...readLearned(context),
  close: async (): Promise<void> => {},
});

/** @param worker the number of this process in `workers`. */
export async function ledgerOver(context: Context & { readonly worker: number }, guard: CommitGuard) {
  const gather = await Gather.over(context.db, guard);
  const writing = { ...context, number: () => gather.number(), transaction: gather.transaction.bind(gather) };
  return {
    ...readerOver(context),
    ...writeCalls(writing, gather),
    ...writeBatches(writing),
    ...writeRows(writing),
    ...writeAccounts(writing),
    ...writePauses(writing),
    ...writeNotes(writing),
    ...writeLearned(writing),
    notices: notices(writing),
    close: (): Promise<void> => gather.drain(),
  };
}
