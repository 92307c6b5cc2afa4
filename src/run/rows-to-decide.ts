import type { RowNumber } from '../core/row.ts';
import type { Batch, LedgerReader } from '../ledger/ledger.ts';
import { eachRecord } from '../ledger/row-pages.ts';
import type { Retries } from './retries.ts';

/** This file tells about which rows in doubt a person has something to decide. The next run sees to the others. */

/**
 * How many rows in doubt the batch shows: all while a doubt of it is undecided, and otherwise those that wait for something else.
 * @param retries what was decided; undefined when no row of the batch is in doubt.
 */
export async function rowsToDecide(
  ledger: LedgerReader,
  batch: Batch,
  inDoubt: number,
  retries: Retries | undefined,
): Promise<number> {
  if (retries === undefined || retries.isUndecided) return inDoubt;
  return (await waitingElsewhere(ledger, batch)).length;
}

/**
 * The rows that wait for a call whose answer turned out to be none, until a person agrees to buy it again; and those that
 * wait for a change in doubt of another batch, which must be settled there.
 */
export async function waitingElsewhere(ledger: LedgerReader, batch: Batch): Promise<readonly RowNumber[]> {
  const unanswered = await ledger.rowsUnanswered(batch.id);
  if (batch.plannedRows === undefined) return unanswered;
  const subjects = await ledger.subjects(batch.accountIdentity);
  const others = new Set(
    subjects.flatMap(({ doubt }) => (doubt === undefined || doubt.batch === batch.id ? [] : [doubt.batch])),
  );
  if (others.size === 0) return unanswered;
  const rows = [...unanswered];
  for await (const { row, outcome } of eachRecord(ledger, batch.id)) {
    const { kind, reason = '' } = outcome;
    if (kind === 'in_doubt' && [...others].some((each) => reason.includes(each))) rows.push(row);
  }
  return rows;
}
