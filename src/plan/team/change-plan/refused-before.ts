import type { Team } from '../../../core/membership.ts';
import type { PlannedWork } from '../../../core/operation.ts';
import type { Outcome, RowNumber } from '../../../core/row.ts';
import type { Batch, LedgerReader } from '../../../ledger/ledger.ts';
import { eachRecord } from '../../../ledger/row-pages.ts';
import type { WantingRow } from './conflicts.ts';

/**
 * Rows of a finished list that the service refused after a part of them had been done, such as a role for which the
 * invite was deleted and created anew as it was: to try that again costs the person another mail, every time that the
 * same list is run. They stay refused until somebody edits the list, or their subject was changed since.
 */
export async function refusedBefore(
  ledger: Pick<LedgerReader, 'rows'>,
  batch: Batch,
  rows: readonly WantingRow[],
  team: Team,
): Promise<ReadonlyMap<RowNumber, Outcome>> {
  const byRow = new Map(rows.map((each) => [each.row, each]));
  const outcomes = new Map<RowNumber, Outcome>();
  for await (const { row, outcome, answers } of eachRecord(ledger, batch.id)) {
    if (outcome.kind !== 'refused' || !answers.some(({ kind }) => kind === 'found')) continue;
    const again = byRow.get(row);
    if (again === undefined) continue;
    if (!partsLeft(again).some(({ subject }) => team.find(subject)?.batch === batch.id)) continue;
    const reason = `refused before, in batch ${batch.id}, and not tried again for this list: ${outcome.reason}`;
    outcomes.set(row, { kind: 'refused', reason });
  }
  return outcomes;
}

/** Of a row about several subjects those that it would still send something for: the others were done. */
function partsLeft({ work, calls }: WantingRow): readonly PlannedWork[] {
  if (work.parts === undefined) return [work];
  return work.parts.filter(({ subject }) => calls.some(({ project }) => project === subject.project));
}
