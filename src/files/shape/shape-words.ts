import type { FoundLayout, LeftOut } from '../../core/format.ts';
import { foreignName, foreignWords } from '../../core/plain-text.ts';
import { type RowRange, readHeaderRows, readRowRange } from '../../core/row-range.ts';

const NAMES_SHOWN = 4;

export function layoutNotes(
  { headerRow, leftOut = [] }: FoundLayout,
  header: RowRange,
  names: readonly string[],
): readonly string[] {
  return [
    ...(headerRow === undefined ? [] : [headerNote(headerRow, names)]),
    ...leftOut.map((each) => leftOutNote(each, header)),
  ];
}

function headerNote(rows: string, names: readonly string[]): string {
  if (rows === '0')
    return 'No row has the names of the columns, so they are called A, B and so on; use --header-row to change that.';
  const shown = names.slice(0, NAMES_SHOWN).map((name) => foreignName(name));
  const more = names.length > shown.length ? ' and others' : '';
  const { first, last } = readHeaderRows(rows) ?? { first: 1, last: 1 };
  const where = first === last ? `row ${first}` : `rows ${first} and ${last}`;
  return `The column names come from ${where} (${shown.join(', ')}${more}); use --header-row to change that.`;
}

function leftOutNote({ rows, why, text }: LeftOut, header: RowRange): string {
  const isOne = !rows.includes('-');
  const what = {
    totals: isOne ? 'is a line of totals' : 'are lines of totals',
    below: isOne ? 'stands below the table' : 'stand below the table',
  }[why];
  const say = `--rows ${header.last + 1}-${readRowRange(rows)?.last ?? header.last}`;
  return `${isOne ? 'Row' : 'Rows'} ${rows} ${what} (${foreignWords(text)}), left out; ${say} includes ${isOne ? 'it' : 'them'}.`;
}
