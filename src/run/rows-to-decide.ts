import { subjectText, Team } from '../core/membership.ts';
import type { RowNumber } from '../core/row.ts';
import type { Batch, LedgerReader } from '../ledger/ledger.ts';
import { plannedRecords } from '../ledger/row-pages.ts';
import type { Retries } from './retries.ts';

/** This file tells about which rows in doubt a person has something to decide. The next run sees to the others. */

/** `has` is asked about rows in doubt alone. */
export type RowsToDecide = Pick<ReadonlySet<RowNumber>, 'has' | 'size'>;

/**
 * All rows in doubt while a doubt of the batch is undecided, and otherwise those that wait for something else.
 * @param retries what was decided; undefined when no row of the batch is in doubt.
 */
export async function rowsToDecide(
  ledger: LedgerReader,
  batch: Batch,
  inDoubt: number,
  retries: Retries | undefined,
): Promise<RowsToDecide> {
  if (retries === undefined || retries.isUndecided) return { size: inDoubt, has: () => true };
  return waitingElsewhere(ledger, batch);
}

/**
 * The rows that wait for a call whose answer turned out to be none, until a person agrees to buy it again; and those that
 * wait for a change in doubt of another batch, which must be settled there.
 */
export async function waitingElsewhere(ledger: LedgerReader, batch: Batch): Promise<ReadonlySet<RowNumber>> {
  const waiting = new Set(await ledger.rowsUnanswered(batch.id));
  if (batch.plannedRows === undefined) return waiting;
  const team = new Team(await ledger.subjects(batch.accountIdentity));
  if (team.all.every(({ doubt }) => doubt === undefined)) return waiting;
  // A plan is read back by a library that other batches do without.
  const { keptWork, subjectsOf } = await import('../operations/team/planned-work.ts');
  // A call may be asked for by several batches: what is in doubt about it is decided in each of them.
  const doubts = await ledger.doubts(batch.id, { withSkipped: true });
  const own = new Set(doubts.flatMap(({ call: { change } }) => change && subjectText(change.subject)));
  for await (const { planned, record } of plannedRecords(ledger, batch.id)) {
    if (record?.outcome.kind !== 'in_doubt' || planned.work === undefined) continue;
    const waits = subjectsOf(keptWork(planned.work)).some(
      (subject) => team.find(subject)?.doubt !== undefined && !own.has(subjectText(subject)),
    );
    if (waits) waiting.add(planned.row);
  }
  return waiting;
}
