import type { InputRow, RowNumber } from '../../../core/row.ts';
import { stepNames } from '../../../core/steps.ts';
import { identifierNames } from '../../../files/columns/column-kind.ts';
import {
  type Addition,
  addedCells,
  additionOf,
  automaticAddition,
  cellsOrWhy,
  ourCells,
  shownBody,
  surveyFields,
  textCells,
} from '../../../files/output/output.ts';
import { isOutputOfOther, outputSettings } from '../../../job/job-settings.ts';
import type { Batch, LedgerReader, RowRecord } from '../../../ledger/ledger.ts';
import { PAGE_ROWS } from '../../../ledger/rows.ts';
import { CellSafety } from '../../../lib/formulas.ts';
import type { RowView } from '../../api.ts';

/** What is shown of rows: the cells of the list, what was found for them, and how they ended, as the output has it. */

/** The output has every column; a table for the eye has an end. */
const MOST_ADDED = 40;

/** Longer cells are shown whole on the page of their row. */
const LONGEST_CELL = 300;

/** The fields of so many answers become columns. Those of others are in the output and on the pages of their rows. */
const ROWS_SURVEYED = 200;

/** A page shows texts and runs no formula. */
const AS_IT_IS = new CellSafety('raw');
const CELLS = textCells(AS_IT_IS);

/** How many rows are read at once: answers that are lists are large, so fewer of them are. */
export function rowsPerRead(batch: Batch, usual: number): number {
  return outputSettings(batch.settings).operation.resultsFile === undefined
    ? usual
    : Math.min(usual, PAGE_ROWS.lists);
}

export type Columns = Addition['columns'];

interface ShownColumns {
  readonly columns: Columns;
  readonly more: number;
}

/** The columns that are added to the list: those of the job, else the fields of the first answers. */
export async function shownColumns(ledger: LedgerReader, batch: Batch): Promise<ShownColumns> {
  const { header } = batch;
  const { add, onExisting, answerPlace, operation } = outputSettings(batch.settings);
  const isOfOther = isOutputOfOther(batch.settings);
  if (add !== undefined) return cut(additionOf(header, add, onExisting, isOfOther).columns);
  const most = rowsPerRead(batch, ROWS_SURVEYED);
  const first: Pick<LedgerReader, 'rows'> = {
    rows: async (id, from) => (from === 0 ? ledger.rows(id, 0, most) : []),
  };
  const survey = await surveyFields(first, batch, answerPlace, most, operation.resultsFile !== undefined);
  return cut(
    automaticAddition(
      header,
      survey.names,
      AS_IT_IS,
      await identifierNames(),
      isOfOther,
      stepNames(batch.operation),
    ).columns,
  );
}

function cut(columns: Columns): ShownColumns {
  return { columns: columns.slice(0, MOST_ADDED), more: Math.max(0, columns.length - MOST_ADDED) };
}

interface BothOfRow {
  readonly row: RowNumber;
  /** Absent where it is none of the list, or its cells were erased. */
  readonly input: InputRow | undefined;
  /** Absent while the row is pending. */
  readonly record: RowRecord | undefined;
}

/** Rows by rising numbers, each with its cells and its record. */
export async function bothOfRows(
  ledger: LedgerReader,
  batch: Batch,
  rows: readonly RowNumber[],
): Promise<readonly BothOfRow[]> {
  const both: BothOfRow[] = [];
  const inputs = await ledger.cellsOf(batch.id, rows);
  for (const [from, before] of stretches(rows)) {
    const wanted = new Set(rows.filter((row) => row >= from && row < before));
    const records = await recordsBetween(ledger, batch, wanted, from, before);
    for (const row of wanted) both.push({ row, record: records.get(row), input: inputs.get(row) });
  }
  return both;
}

/** Rows that stand so near to each other that they are read at once. */
const NEAR = 500;

function stretches(rows: readonly RowNumber[]): readonly (readonly [from: RowNumber, before: RowNumber])[] {
  const found: [RowNumber, RowNumber][] = [];
  for (const row of rows) {
    const last = found.at(-1);
    if (last === undefined || row - last[1] > NEAR) found.push([row, row + 1]);
    else last[1] = row + 1;
  }
  return found;
}

/** Records bring their answers, so where few of many are wanted, each is asked for by itself. */
async function recordsBetween(
  ledger: LedgerReader,
  batch: Batch,
  wanted: ReadonlySet<RowNumber>,
  from: RowNumber,
  before: RowNumber,
): Promise<ReadonlyMap<RowNumber, RowRecord>> {
  const records =
    wanted.size * 2 > before - from
      ? await ledger.rows(batch.id, from, before - from)
      : (await Promise.all([...wanted].map((row) => ledger.rows(batch.id, row, 1)))).flat();
  return new Map(records.filter(({ row }) => wanted.has(row)).map((record) => [record.row, record]));
}

/** @param longest the longest text of a cell that is shown whole. */
export function viewOfRow(
  batch: Batch,
  columns: Columns,
  { row, input, record }: BothOfRow,
  longest = LONGEST_CELL,
): RowView {
  const { answerPlace } = outputSettings(batch.settings);
  const body = shownBody(record?.answers ?? [], answerPlace);
  const asked = input ?? { row, cells: [] };
  const made = cellsOrWhy(columns.length, () => addedCells(columns, asked, body, answerPlace, CELLS), body);
  const [status = '', reason = '', , credits = '', source = ''] = ourCells(
    batch,
    { row },
    record,
    made.why,
    CELLS,
  );
  const short = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text);
  return {
    row,
    cells:
      input === undefined
        ? null
        : Array.from({ length: batch.header.length }, (_, at) => short(input.cells[at] ?? '')),
    found: made.cells.map(short),
    status,
    reason,
    credits: Number(credits),
    source,
  };
}
