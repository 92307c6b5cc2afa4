import type { CellsFor } from '../../core/format.ts';
import { addedCellsBelow, ownCellsBelow } from '../value-copy.ts';
import { type WorkbookRow, workbookBytes } from '../workbook.ts';
import { linesOf } from './beside-copies.ts';

/** Rows of a table as they are shown, as a file of their own, for which no file of the user is read. */

export interface CopiedColumn {
  readonly name: string;
  /** Its cells are the user's, which stay as they are. */
  readonly isOwn: boolean;
}

type Cells = Awaited<ReturnType<CellsFor>>[number] & {};

/** @param rows are taken no faster than their bytes are. */
export function tableCopy(
  columns: readonly CopiedColumn[],
  rows: AsyncIterable<readonly Cells[]>,
  as: { readonly kind: 'csv'; readonly mark: string } | { readonly kind: 'xlsx' },
): AsyncIterable<Buffer> {
  return as.kind === 'csv' ? csvOf(columns, rows, as.mark) : workbookBytes('Sheet1', sheetOf(columns, rows));
}

async function* csvOf(
  columns: readonly CopiedColumn[],
  rows: AsyncIterable<readonly Cells[]>,
  mark: string,
): AsyncIterable<Buffer> {
  yield Buffer.from(mark + linesOf([columns.map(({ name }) => name)]));
  for await (const part of rows) if (part.length > 0) yield Buffer.from(linesOf(part));
}

async function* sheetOf(
  columns: readonly CopiedColumn[],
  rows: AsyncIterable<readonly Cells[]>,
): AsyncIterable<readonly WorkbookRow[]> {
  const names = columns.map(({ name }) => name);
  const [ownCell, addedCell] = [ownCellsBelow(names), addedCellsBelow(names, { day: '1', time: '2' })];
  let number = 1;
  yield [{ number, cells: names.map((text) => ({ text })) }];
  for await (const part of rows)
    yield part.map((cells): WorkbookRow => {
      number += 1;
      return { number, cells: cells.map((text, at) => (columns[at]?.isOwn ? ownCell : addedCell)(text, at)) };
    });
}
