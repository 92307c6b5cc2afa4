import { Hono } from 'hono';
import type { z } from 'zod';
import { ATTENTION_KINDS, type InputRow, type RowNumber, type RowStatus } from '../../core/row.ts';
import {
  type Addition,
  addedCells,
  cellsOrWhy,
  ourCells,
  shownAnswer,
  textCells,
} from '../../files/output/output.ts';
import { settingsKept } from '../../job/job-settings.ts';
import type { Batch, LedgerReader, RowRecord } from '../../ledger/ledger.ts';
import { CellSafety } from '../../lib/formulas.ts';
import { rowsOf } from '../../plan/batch.ts';
import { type FoundBatch, finishedIn, lookInto } from '../../run/open-ledger.ts';
import { additionIn, MOST_ADDED, rowsPerRead } from '../../run/table.ts';
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
    const { columns: all } = await additionIn(ledger, batch);
    const columns = all.slice(0, MOST_ADDED);
    return {
      ...namedOf(batch),
      counts: countsOf(batch, await ledger.counts(batch.id)),
      last: await ledger.lastSubmitted(batch.id),
      header: [...batch.header],
      added: columns.map(({ name }) => name),
      more_columns: all.length - columns.length,
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

const LONGEST_CELL = 300;

/** A page shows texts and runs no formula. */
const CELLS = textCells(new CellSafety('raw'));

interface BothOfRow {
  readonly row: RowNumber;
  /** Absent where it is none of the list, or its cells were erased. */
  readonly input: InputRow | undefined;
  /** Absent while the row is pending. */
  readonly record: RowRecord | undefined;
}

async function bothOfRows(
  ledger: LedgerReader,
  { id }: Batch,
  rows: readonly RowNumber[],
): Promise<readonly BothOfRow[]> {
  const inputs = await ledger.cellsOf(id, rows);
  const records = await ledger.recordsOf(id, rows);
  return rows.map((row) => ({ row, record: records.get(row), input: inputs.get(row) }));
}

function viewOfRow(batch: Batch, columns: Addition['columns'], { row, input, record }: BothOfRow): RowView {
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
