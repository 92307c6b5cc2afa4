import type { Sheet } from '../../../core/format.ts';
import { ATTENTION_COLUMNS, ATTENTION_KINDS, type InputRow, isSetAside } from '../../../core/row.ts';
import type { Batch, LedgerReader } from '../../../ledger/ledger.ts';
import { CellSafety } from '../../../lib/formulas.ts';
import { FreeNames } from './added-columns.ts';
import { ledgerRows } from './beside-copies.ts';
import { type CellWriter, textCells } from './cell-writer.ts';
import type { Additions } from './destination.ts';
import { pageRowsOf } from './likely-columns.ts';

export interface AttentionWriting {
  readonly ledger: LedgerReader;
  readonly job: Additions;
  /** The input with cells appended, as what the destination wants. */
  readonly copy: Sheet['copy'];
  /** The safety of cells of the copy. Text in a workbook never becomes a formula. */
  readonly safety: CellSafety;
  readonly cells: CellWriter;
  /** Says a sentence once, however many copies it is true of. */
  readonly note: (sentence: string) => void;
}

interface Listed {
  readonly header: readonly string[];
  readonly ours: ReadonlySet<string>;
}

const [ROW] = ATTENTION_COLUMNS;

/**
 * The rows that a person has to look at, as they came, with the number and the reason; valid as an input again. A column of the user's
 * that is called like our number, as in what a search has found, stands before ours under a name of its own: a file with two columns
 * of a name could not be an input again.
 */
export function attentionCopy(
  { ledger, job, copy, note, cells, safety: { mode } }: AttentionWriting,
  batch: Batch,
  { header, ours }: Listed,
): AsyncIterable<Buffer> {
  const recordsOf = ledgerRows(ledger, batch.id, pageRowsOf(job));
  // These reasons stand in the output as well, where they are counted.
  const { isJson, own, foreign } = cells.isJson ? cells : textCells(new CellSafety(mode));
  const hers = ours.has(ROW) ? -1 : header.indexOf(ROW);
  const renamed = hers < 0 ? [] : [new FreeNames(header).take(ROW, '')];
  const columns = [...renamed, ...ATTENTION_COLUMNS];
  const dropped = hers < 0 ? ours : new Set([...ours, ROW]);
  return copy({ note, columns, dropped, isJson, isPart: true }, async (rows) => {
    const records = await recordsOf(rows);
    return rows.map((row, at) => {
      const outcome = records[at]?.outcome;
      if (outcome === undefined || !ATTENTION_KINDS.has(outcome.kind)) return undefined;
      const cell = movedCell(row, hers, isJson);
      return [...renamed.map(() => (isJson ? own(cell) : cell)), own(row.row), foreign(outcome.reason ?? '')];
    });
  });
}

/** What a row that cannot be read holds stays where it is, but for what a copy leaves out, because it looks like a number of ours. */
function movedCell({ cells, unreadable }: InputRow, at: number, isJson: boolean): string {
  const cell = cells[at] ?? '';
  const isMoved = !isJson && isSetAside((name) => (name === ROW ? cell : undefined));
  return unreadable === undefined || isMoved ? cell : '';
}
