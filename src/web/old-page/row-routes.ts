import { Hono } from 'hono';
import type { z } from 'zod';
import { ATTENTION_KINDS, type InputRow, type RowNumber, type RowStatus } from '../../core/row.ts';
import { stepNames } from '../../core/steps.ts';
import { identifierNames } from '../../files/columns/column-kind.ts';
import { PART_ROWS } from '../../files/kept-rows.ts';
import {
  type Addition,
  addedCells,
  additionOf,
  automaticAddition,
  cellsOrWhy,
  ourCells,
  shownAnswer,
  surveyFields,
  textCells,
} from '../../files/output/output.ts';
import { settingsKept } from '../../job/job-settings.ts';
import type { Batch, LedgerReader, RowRecord } from '../../ledger/ledger.ts';
import { CellSafety } from '../../lib/formulas.ts';
import { rowsOf } from '../../plan/batch.ts';
import { type FoundBatch, finishedIn, lookInto } from '../../run/open-ledger.ts';
import { type RowFilter, type RowPage, RowPageQuery, type RowView } from '../api.ts';
import { queryOf } from '../server/answers.ts';
import type { Server } from '../server/server.ts';
import { batchOf, namedOf } from './batch.ts';

export function rowRoutes(server: Server): Hono {
  return new Hono().get('/batches/:id/rows', async (context) => {
    const found = await batchOf(context, server);
    return context.json(await rowPage(found, queryOf(context, RowPageQuery)));
  });
}

const MOST_ROWS = 500;

async function rowPage(
  { batch, location }: FoundBatch,
  { from, limit: wanted, status }: z.output<typeof RowPageQuery>,
): Promise<RowPage> {
  const limit = Math.min(rowsPerRead(batch, MOST_ROWS), wanted);
  return lookInto(location, async (ledger) => {
    // The next page begins at the row that is read beyond this one.
    const found = await ledger.rowsAt(batch.id, { from }, limit + 1, statesOf(status));
    const rows = found.slice(0, limit).map(({ row }) => row);
    const both = await bothOfRows(ledger, batch, rows);
    const { columns, more } = await shownColumns(ledger, batch);
    return {
      ...namedOf(batch),
      counts: countsOf(batch, await ledger.counts(batch.id)),
      last: await ledger.lastSubmitted(batch.id),
      header: [...batch.header],
      added: columns.map(({ name }) => name),
      more_columns: more,
      rows: both.map((each) => viewOfRow(batch, columns, each)),
      next: found[limit]?.row ?? null,
    };
  });
}

function countsOf(batch: Batch, counts: Awaited<ReturnType<LedgerReader['counts']>>): Record<string, number> {
  const pending = Math.max(0, rowsOf(batch) - finishedIn(counts));
  return { ...counts, ...(pending === 0 ? {} : { pending }) };
}

function statesOf(filter: RowFilter | undefined): readonly RowStatus[] {
  if (filter === undefined) return [];
  return filter === 'attention' ? [...ATTENTION_KINDS] : [filter];
}

/** The output has every column; a table for the eye has an end. */
const MOST_ADDED = 40;

const LONGEST_CELL = 300;

/** The fields of so many answers become columns. Those of others are in the output. */
const ROWS_SURVEYED = 200;

/** A page shows texts and runs no formula. */
const AS_IT_IS = new CellSafety('raw');
const CELLS = textCells(AS_IT_IS);

/** How many rows are read at once: answers that are lists are large, so fewer of them are. */
function rowsPerRead(batch: Batch, usual: number): number {
  return settingsKept(batch.settings).operation.resultsFile === undefined
    ? usual
    : Math.min(usual, PART_ROWS.lists);
}

type AddedColumns = Addition['columns'];

interface ShownColumns {
  readonly columns: AddedColumns;
  readonly more: number;
}

/** The columns that are added to the list: those of the job, else the fields of the first answers. */
async function shownColumns(ledger: LedgerReader, batch: Batch): Promise<ShownColumns> {
  const { header } = batch;
  const kept = settingsKept(batch.settings);
  const { add, on_existing: onExisting, answer_at: answerPlace, operation } = kept;
  const isOfOther = kept.input_of_other;
  if (add !== undefined) return cut(additionOf(header, add, onExisting, isOfOther, answerPlace).columns);
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

function cut(columns: AddedColumns): ShownColumns {
  return { columns: columns.slice(0, MOST_ADDED), more: Math.max(0, columns.length - MOST_ADDED) };
}

interface BothOfRow {
  readonly row: RowNumber;
  /** Absent where it is none of the list, or its cells were erased. */
  readonly input: InputRow | undefined;
  /** Absent while the row is pending. */
  readonly record: RowRecord | undefined;
}

/**
 * Rows by rising numbers, each with its cells and its record. Records bring their answers, so where few of
 * many are wanted, each is asked for by itself.
 */
async function bothOfRows(
  ledger: LedgerReader,
  { id }: Batch,
  rows: readonly RowNumber[],
): Promise<readonly BothOfRow[]> {
  const [from = 0, last = 0] = [rows[0], rows.at(-1)];
  const inputs = await ledger.cellsOf(id, rows);
  const records =
    last - from < rows.length * 2
      ? await ledger.rows(id, from, last - from + 1)
      : (await Promise.all(rows.map((row) => ledger.rows(id, row, 1)))).flat();
  const byRow = new Map(records.map((record) => [record.row, record]));
  return rows.map((row) => ({ row, record: byRow.get(row), input: inputs.get(row) }));
}

function viewOfRow(batch: Batch, columns: AddedColumns, { row, input, record }: BothOfRow): RowView {
  const { answer_at: answerPlace } = settingsKept(batch.settings);
  const shown = shownAnswer(record?.answers ?? [], answerPlace);
  const asked = input ?? { row, cells: [] };
  const made = cellsOrWhy(columns.length, () => addedCells(columns, asked, shown, batch, CELLS), shown);
  const [status = '', reason = '', , credits = '', source = ''] = ourCells(
    batch,
    { row },
    record,
    made.why,
    CELLS,
  );
  const short = (text: string): string =>
    text.length > LONGEST_CELL ? `${text.slice(0, LONGEST_CELL)}…` : text;
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
