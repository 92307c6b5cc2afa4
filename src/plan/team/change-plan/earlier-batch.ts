import type { Team } from '../../../core/membership.ts';
import type { PlannedWork } from '../../../core/operation.ts';
import type { Outcome, RowNumber } from '../../../core/row.ts';
import type { Batch, LedgerReader } from '../../../ledger/ledger.ts';
import { eachRecord } from '../../../ledger/row-pages.ts';
import type { WantingRow } from './conflicts.ts';

/**
 * Finds rows of a finished list that the service refused after a part of them had been done. For example, it refused a
 * new role, so the invite was deleted and then created again as before. Each further try would send the person another
 * mail. So these rows stay refused until the list is edited or another batch changes their subject.
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

/** The parts of a row that still need a request. The other parts are done. */
function partsLeft({ work, calls }: WantingRow): readonly PlannedWork[] {
  if (work.parts === undefined) return [work];
  return work.parts.filter(({ subject }) => calls.some(({ project }) => project === subject.project));
}
