import { stringify } from 'csv-stringify/sync';
import type { CellSafety } from '../../../core/formulas.ts';
import type { Batch, LedgerReader, PlannedRow } from '../../../ledger/ledger.ts';
import { PAGE_ROWS } from '../../../ledger/row-pages.ts';
import { keptWork } from '../../../operations/team/planned-work.ts';
import { LedgerRows } from './ledger-rows.ts';

/**
 * The file of those whom a run removes because the input does not name them any more: they have no row there on which
 * it could be said what became of them. Made of the ledger alone, it comes out the same every time.
 */

const COLUMNS = ['email', 'user_id', 'project', 'role', '_row', '_status', '_reason'];

/**
 * @param beyond the planned rows that the input does not have.
 * @param mark what the file begins with.
 */
export async function* removedCopy(
  ledger: Pick<LedgerReader, 'rows'>,
  batch: Batch,
  beyond: readonly PlannedRow[],
  mark: string,
  safety: CellSafety,
): AsyncGenerator<Buffer, void, undefined> {
  const rows = new LedgerRows(ledger, batch.id, PAGE_ROWS.single);
  yield Buffer.from(mark + stringify([COLUMNS]));
  for (const planned of beyond) {
    const outcome = (await rows.at(planned.row))?.outcome;
    const end = [String(planned.row), outcome?.kind ?? 'pending', outcome?.reason ?? ''];
    const cells = [...whomCells(planned), ...end].map((cell) => safety.cell(cell));
    yield Buffer.from(stringify([cells]));
  }
}

/** E-mail, user id, project, and the role that the person had. Who was not to be removed after all is in the reason. */
function whomCells(planned: PlannedRow): readonly string[] {
  if (planned.kind === 'end') return ['', '', '', ''];
  const { email, project, subject, from, was } = keptWork(planned.work);
  return [email ?? '', was?.facts?.userId ?? '', project ?? subject.project ?? '', from ?? ''];
}
