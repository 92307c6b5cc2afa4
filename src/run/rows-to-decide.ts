import { subjectText, Team } from '../core/membership.ts';
import type { RowNumber } from '../core/row.ts';
import type { Batch, BatchId, Doubt, LedgerReader } from '../ledger/ledger.ts';
import { PAGE_ROWS, plannedPages, plannedRecords } from '../ledger/row-pages.ts';
import type { Retries } from './retries.ts';

export interface RowsToDecide {
  readonly size: number;
  /** It is asked about rows that ended in doubt alone. */
  has(row: RowNumber): boolean;
  /** Rows without an outcome that wait for a lost answer all the same: their run ended before it could say so. */
  readonly leftInDoubt: ReadonlySet<RowNumber>;
}

/**
 * All rows in doubt while a doubt of the batch is undecided, and otherwise those that wait for something else.
 * @param endedInDoubt how many rows have that outcome.
 * @param retries what was decided; undefined when nothing of the batch is in doubt.
 */
export async function rowsToDecide(
  ledger: LedgerReader,
  batch: Batch,
  endedInDoubt: number,
  { retries, leftInDoubt }: { readonly retries: Retries | undefined } & Pick<RowsToDecide, 'leftInDoubt'>,
): Promise<RowsToDecide> {
  if (retries === undefined || retries.isUndecided)
    return { size: endedInDoubt + leftInDoubt.size, has: () => true, leftInDoubt };
  const waiting = await waitingElsewhere(ledger, batch);
  return { size: waiting.size, has: (row) => waiting.has(row), leftInDoubt: new Set() };
}

/**
 * The rows of an unfinished batch that have no outcome, and a call of which is in doubt. A run that is killed leaves such
 * rows, and where nobody goes on with its batch they never get an outcome.
 */
export async function rowsLeftInDoubt(
  ledger: LedgerReader,
  batch: Batch,
): Promise<RowsToDecide['leftInDoubt']> {
  const doubts = await ledger.doubts(batch.id);
  if (doubts.length === 0) return new Set();
  const own = doubts.filter((doubt) => doubt.batch === batch.id).map(({ row }) => row);
  const waiting = batch.plannedRows === undefined ? [] : await rowsAbout(ledger, batch, subjectsIn(doubts));
  return withoutOutcome(ledger, batch, new Set([...own, ...waiting]));
}

/** A plan may be long and never changes, and whoever watches its batch asks again and again. */
const knownRows = new Map<
  BatchId,
  { readonly about: string; readonly rows: Promise<readonly RowNumber[]> }
>();

function rowsAbout(
  ledger: LedgerReader,
  { id }: Batch,
  subjects: ReadonlySet<string>,
): Promise<readonly RowNumber[]> {
  const about = JSON.stringify([...subjects].sort());
  const known = knownRows.get(id);
  if (known?.about === about) return known.rows;
  const rows = foundInPlan(ledger, id, subjects);
  knownRows.set(id, { about, rows });
  // What went wrong once may go well the next time.
  rows.catch(() => knownRows.delete(id));
  return rows;
}

async function foundInPlan(
  ledger: LedgerReader,
  id: BatchId,
  subjects: ReadonlySet<string>,
): Promise<readonly RowNumber[]> {
  const { keptWork, subjectsOf } = await import('../operations/team/planned-work.ts');
  const rows: RowNumber[] = [];
  for await (const page of plannedPages(ledger, id))
    for (const { row, work } of page) {
      if (work === undefined) continue;
      if (subjectsOf(keptWork(work)).some((subject) => subjects.has(subjectText(subject)))) rows.push(row);
    }
  return rows;
}

async function withoutOutcome(
  ledger: LedgerReader,
  { id }: Batch,
  rows: ReadonlySet<RowNumber>,
): Promise<ReadonlySet<RowNumber>> {
  const left = new Set(rows);
  const { inputs } = PAGE_ROWS;
  const pages = new Set([...rows].map((row) => Math.floor(row / inputs)));
  for (const page of pages) {
    const ended = await ledger.rowKinds(id, page * inputs, (page + 1) * inputs);
    for (const { row } of ended) left.delete(row);
  }
  return left;
}

const subjectsIn = (doubts: readonly Doubt[]): ReadonlySet<string> =>
  new Set(
    doubts.flatMap(({ call: { change } }) => (change === undefined ? [] : subjectText(change.subject))),
  );

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
  const own = subjectsIn(doubts);
  for await (const { planned, record } of plannedRecords(ledger, batch.id)) {
    if (record?.outcome.kind !== 'in_doubt' || planned.work === undefined) continue;
    const waits = subjectsOf(keptWork(planned.work)).some(
      (subject) => team.find(subject)?.doubt !== undefined && !own.has(subjectText(subject)),
    );
    if (waits) waiting.add(planned.row);
  }
  return waiting;
}
