import { stop } from '../core/errors.ts';
import { zipped } from './workbook/archive.ts';
import { PARTS, SHEET_END, SHEET_PART, SHEET_START, workbookXml } from './workbook/parts.ts';
import { lettersOf, rowXml, type WorkbookRow } from './workbook/row-xml.ts';

/**
 * Writes Excel workbooks of one sheet, by value. Rows are taken no faster than their bytes are, so memory does not grow
 * with the sheet; and nothing in the file tells when it was written, so the same rows give the same bytes.
 */

export type { WorkbookCell, WorkbookRow } from './workbook/row-xml.ts';
export { lettersOf } from './workbook/row-xml.ts';

/** The most rows and columns that a sheet of Excel holds. */
export const MOST_ROWS = 1_048_576;
export const MOST_COLUMNS = 16_384;

/**
 * @param rows in groups, their numbers rising; numbers that are left out are blank rows.
 * @throws StopError `output` at the first row that a sheet of Excel has no room for.
 */
export function workbookBytes(
  sheetName: string,
  rows: AsyncIterable<readonly WorkbookRow[]>,
): AsyncGenerator<Buffer, void, undefined> {
  return zipped([
    ...PARTS.map(({ name, xml }) => ({ name, chunks: [Buffer.from(xml)] })),
    { name: 'xl/workbook.xml', chunks: [Buffer.from(workbookXml(sheetName))] },
    { name: SHEET_PART, chunks: sheetXml(rows) },
  ]);
}

async function* sheetXml(
  rows: AsyncIterable<readonly WorkbookRow[]>,
): AsyncGenerator<Buffer, void, undefined> {
  yield Buffer.from(SHEET_START);
  for await (const group of rows) {
    for (const { number, cells } of group) requireRoom(number, cells.length);
    yield Buffer.from(group.map(rowXml).join(''));
  }
  yield Buffer.from(SHEET_END);
}

/** @throws StopError `output` when a sheet has not so many rows or columns. */
export function requireRoom(rows: number, columns: number): void {
  if (rows <= MOST_ROWS && columns <= MOST_COLUMNS) return;
  const found = rows > MOST_ROWS ? `row ${rows}` : `column ${lettersOf(columns - 1)}`;
  const most = rows > MOST_ROWS ? `row ${MOST_ROWS}` : `column ${lettersOf(MOST_COLUMNS - 1)}`;
  const fact = `The output needs ${found}, but a sheet of Excel ends with ${most}.`;
  throw stop(
    'output',
    fact,
    'Have it written as CSV: leave --for-excel out, or name a file that ends in .csv.',
  );
}
