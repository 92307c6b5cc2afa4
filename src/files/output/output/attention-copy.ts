import type { Sheet } from '../../../core/format.ts';
import { ATTENTION_COLUMNS, ATTENTION_KINDS, type InputRow } from '../../../core/row.ts';
import type { Batch, LedgerReader, RowRecord } from '../../../ledger/ledger.ts';
import { CellSafety } from '../../../lib/formulas.ts';
import { ledgerRows } from './beside-copies.ts';
import { type CellWriter, textCells } from './cell-writer.ts';
import type { Additions } from './destination.ts';
import { pageRowsOf } from './likely-columns.ts';

interface AttentionWriting {
  readonly ledger: LedgerReader;
  readonly job: Additions;
  readonly copy: Sheet['copy'];
  readonly isPacked: boolean | undefined;
  readonly note: (sentence: string) => void;
  readonly cells: CellWriter;
  readonly safety: CellSafety;
  readonly requireOwn: (row: InputRow, record: RowRecord | undefined) => void;
}

/** The rows that a person has to look at, as they came, with the number and the reason; valid as an input again. */
export function attentionCopy(
  { ledger, job, copy, isPacked, note, cells, safety: { mode }, requireOwn }: AttentionWriting,
  batch: Batch,
  dropped: ReadonlySet<string>,
): AsyncIterable<Buffer> {
  const recordsOf = ledgerRows(ledger, batch.id, pageRowsOf(job));
  // These reasons stand in the output as well, where they are counted.
  const { isJson, own, foreign } = cells.isJson ? cells : textCells(new CellSafety(mode));
  const reasonFor = (row: InputRow, record: RowRecord | undefined): readonly string[] | undefined => {
    requireOwn(row, record);
    const outcome = record?.outcome;
    if (outcome === undefined || !ATTENTION_KINDS.has(outcome.kind)) return undefined;
    return [own(row.row), foreign(outcome.reason ?? '')];
  };
  return copy({ columns: ATTENTION_COLUMNS, dropped, note, isPacked, isJson, isPart: true }, async (rows) => {
    const records = await recordsOf(rows);
    return rows.map((row, at) => reasonFor(row, records[at]));
  });
}
