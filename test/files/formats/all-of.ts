import type { CellsFor, Position, PositionedRow, Sheet } from '../../../src/core/format.ts';
import type { InputRow } from '../../../src/core/row.ts';

/** What is appended to one row. */
export type CellsOfRow = (
  row: InputRow,
) => readonly string[] | undefined | Promise<readonly string[] | undefined>;

/** Appends to each row what is said of it by itself. */
export function rowByRow(cellsOf: CellsOfRow): CellsFor {
  return (rows) => Promise.all(rows.map((row) => cellsOf(row)));
}

/** Everything that a stream yields, in order. */
export async function allOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

export async function* eachRow(sheet: Pick<Sheet, 'groups'>, from?: Position): AsyncGenerator<PositionedRow> {
  for await (const group of sheet.groups(from)) yield* group;
}

export const rowsOf = (sheet: Pick<Sheet, 'groups'>, from?: Position): Promise<PositionedRow[]> =>
  allOf(eachRow(sheet, from));
