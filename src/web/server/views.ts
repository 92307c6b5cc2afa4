import { Readable } from 'node:stream';
import { type Context, Hono } from 'hono';
import { stop } from '../../core/errors.ts';
import { foreignName } from '../../core/plain-text.ts';
import { listMark, tableCopy } from '../../files/output/output.ts';
import type { Batch } from '../../ledger/ledger.ts';
import { nameParts } from '../../lib/file-name.ts';
import { asItIs, safeCell } from '../../lib/formulas.ts';
import { valuesInBatch, type WholeTable, wholeTable } from '../../run/batch-table.ts';
import { type FoundBatch, findBatch, lookAtLedger, lookInto } from '../../run/open-ledger.ts';
import { type CellSince, type ColumnValues, ValuesRequest, ViewRequest } from '../api.ts';
import { bodyOf } from './answers.ts';
import { disposition, outputName } from './batches.ts';
import { keptLists } from './list-files.ts';
import { standingsOf } from './list-standing.ts';
import type { Server } from './server.ts';

/**
 * What a person sees of a table, as a file: its rows in their order, and its columns. The files of a whole
 * list are those that the terminal writes, see `downloadRoutes`.
 */

export function viewRoutes(server: Server): Hono {
  const found = (context: Context): Promise<FoundBatch> =>
    findBatch(context.req.param('id') ?? '', server.store);
  return new Hono()
    .post('/batches/:id/values', async (context) => {
      const { column, search } = await bodyOf(context, ValuesRequest);
      const { batch, location } = await found(context);
      const values = await lookInto(location, (ledger) => valuesInBatch(ledger, batch, column, search));
      return context.json(values satisfies ColumnValues);
    })
    .post('/batches/:id/view', async (context) => {
      const request = await bodyOf(context, ViewRequest);
      const of = await found(context);
      const chunks = viewOfBatch(of, request, await mendedSince(server, of.batch));
      return viewFile(context, chunks, viewName(outputName(of), request));
    });
}

type Request = ReturnType<typeof ViewRequest.parse>;

async function* viewOfBatch(
  { batch, location }: FoundBatch,
  { as, columns, ...order }: Request,
  mended: readonly CellSince[],
): AsyncIterable<Buffer> {
  const ledger = await lookAtLedger(location);
  try {
    // Text in a workbook never becomes a formula.
    const table = await wholeTable(ledger, batch, order, as === 'csv' ? safeCell : asItIs);
    yield* viewCopy(withMends(table, mended), { as, columns }, await listMark(batch.inputPath, OF_TEXT));
  } finally {
    await ledger.close();
  }
}

export const OF_TEXT = { isWorkbook: false } as const;

/** The cells that say something else by now than in this start, where her list shows it. */
async function mendedSince(server: Server, { id, inputPath }: Batch): Promise<readonly CellSince[]> {
  const list = (await keptLists(server)).find(({ path }) => path === inputPath);
  const standing = list && (await standingsOf(server, [list])).get(list.id);
  return standing?.batch === id ? standing.cells : [];
}

/** What was found for a row whose mend was taken back answers the mend, and so it is not shown any more. */
function withMends({ columns, rows }: WholeTable, mended: readonly CellSince[]): WholeTable {
  if (mended.length === 0) return { columns, rows };
  const byRow = Map.groupBy(mended, ({ row }) => row);
  async function* changed(): WholeTable['rows'] {
    for await (const part of rows)
      yield part.map(({ row, cells }) => {
        const changedCells = byRow.get(row) ?? [];
        const isTaken = changedCells.some(({ taken }) => taken);
        const cellAt = (name: string): string | undefined =>
          changedCells.find((each) => each.column === name)?.value;
        const now = columns.map(({ name, from }, at) => {
          if (from !== 'list') return isTaken ? '' : (cells[at] ?? '');
          return cellAt(name) ?? cells[at] ?? '';
        });
        return { row, cells: now };
      });
  }
  return { columns, rows: changed() };
}

/** @throws StopError `usage` for a column that the table does not have. */
export function viewCopy(
  { columns, rows }: WholeTable,
  { as, columns: chosen }: Pick<Request, 'as' | 'columns'>,
  mark: string,
): AsyncIterable<Buffer> {
  const wanted: readonly { readonly name: string; readonly as?: string | undefined }[] = chosen ?? columns;
  const places = wanted.map(({ name }) => {
    const at = columns.findIndex((column) => column.name === name);
    if (at === -1) throw stop('usage', `There is no column ${foreignName(name)}.`, 'Load the page again.');
    return at;
  });
  const names = wanted.map((column) => column.as ?? column.name);
  const named = places.map((at, nth) => ({ name: names[nth] ?? '', isOwn: columns[at]?.from === 'list' }));
  async function* shown() {
    for await (const part of rows) yield part.map(({ cells }) => places.map((at) => cells[at] ?? ''));
  }
  return tableCopy(named, shown(), as === 'csv' ? { kind: as, mark } : { kind: as });
}

/** `Renewals Q4.in view.csv`: all columns have the name of the whole list. */
export const viewName = (name: string, { as, columns }: Pick<Request, 'as' | 'columns'>): string =>
  `${nameParts(name).stem}${columns === undefined ? '' : '.in view'}.${as}`;

/** Sends a file while it is made. What is wrong with the question is said in the place of its first byte. */
export async function viewFile(
  context: Context,
  chunks: AsyncIterable<Buffer>,
  name: string,
): Promise<Response> {
  const reading = chunks[Symbol.asyncIterator]();
  const first = await reading.next();
  async function* all(): AsyncGenerator<Buffer> {
    try {
      for (let next = first; !next.done; next = await reading.next()) yield next.value;
    } finally {
      await reading.return?.();
    }
  }
  return context.body(Readable.toWeb(Readable.from(all())) as ReadableStream, 200, {
    'content-type': 'application/octet-stream',
    'content-disposition': disposition(name),
  });
}
