import type { CellsFor, CopyOptions, Sheet } from '../core/format.ts';
import type { InputRow } from '../core/row.ts';

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
  const names = await sheet.header();
  const ownMembers = ({ cells }: InputRow): readonly string[] =>
    names.flatMap((name, at) =>
      options.dropped.has(name) ? [] : [member(name, JSON.stringify(cells[at] ?? ''))],
    );
  for await (const rows of sheet.groups()) {
    const added = await cellsFor(rows);
    const lines = rows.flatMap((row, at) => {
      const cells = added[at];
      if (cells === undefined) return [];
      const own = row.unreadable === undefined ? ownMembers(row) : unreadMembers(row);
      return [`${objectText([...own, ...appendedMembers(options, cells)])}\n`];
    });
    if (lines.length > 0) yield Buffer.from(lines.join(''));
  }
}
