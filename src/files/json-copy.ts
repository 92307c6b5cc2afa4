import type { CellsFor, CopyOptions, Sheet } from '../core/format.ts';
import type { InputRow } from '../core/row.ts';
import { valueRows } from './header.ts';

/** Rows as JSON lines. Programs read them, so nothing is altered for spreadsheets. */

/** The member with all cells of a row that cannot be read: nobody knows below which names they belong. */
const UNREAD_CELLS = '_cells';

/** An object on one line, without a line end. @param members each as JSON with its name. */
export function objectText(members: readonly string[]): string {
  return `{${members.join(',')}}`;
}

export function member(name: string, json: string): string {
  return `${JSON.stringify(name)}:${json}`;
}

/** The appended cells, as members. A blank cell says nothing, which is `null` where cells are JSON. */
export function appendedMembers(
  { columns, isJson }: Pick<CopyOptions, 'columns' | 'isJson'>,
  cells: readonly string[],
): readonly string[] {
  return columns.map((name, at) => {
    const cell = cells[at] ?? '';
    return member(name, isJson === true ? cell || 'null' : JSON.stringify(cell));
  });
}

export function unreadMembers({ cells }: Pick<InputRow, 'cells'>): readonly string[] {
  return [member(UNREAD_CELLS, JSON.stringify(cells))];
}

export async function* jsonCopy(
  sheet: Pick<Sheet, 'header' | 'groups'>,
  options: CopyOptions,
  cellsFor: CellsFor,
): AsyncIterable<Buffer> {
  const names = (await sheet.header()).filter((name) => !options.dropped.has(name));
  for await (const rows of valueRows(sheet, options, cellsFor)) {
    const lines = rows.map(({ row, own, ours }) => {
      const read = names.map((name, at) => member(name, JSON.stringify(own[at] ?? '')));
      const members = row.unreadable === undefined ? read : unreadMembers(row);
      return `${objectText([...members, ...appendedMembers(options, ours)])}\n`;
    });
    if (lines.length > 0) yield Buffer.from(lines.join(''));
  }
}
