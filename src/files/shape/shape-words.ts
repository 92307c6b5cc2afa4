import type { FoundLayout, LeftOut, TopRow } from '../../core/format.ts';
import { counted, foreignName, foreignWords, listed } from '../../core/plain-text.ts';
import type { RowNumber } from '../../core/row.ts';
import { type RowRange, readHeaderRows, readRowRange } from '../../core/row-range.ts';

/** What was guessed about a table, as sentences that name the flag which says otherwise. */

const NAMES_SHOWN = 4;
const RANGES_SHOWN = 5;

/** @param names of all columns. */
export function layoutNotes(
  { headerRow, leftOut = [] }: FoundLayout,
  header: RowRange,
  names: readonly string[],
): readonly string[] {
  return [
    ...(headerRow === undefined ? [] : [headerNote(headerRow, names)]),
    ...(['totals', 'header', 'table', 'below'] as const).flatMap((why) => {
      const those = leftOut.filter((each) => each.why === why);
      return those.length === 0 ? [] : [leftOutNote(those, header)];
    }),
  ];
}

function headerNote(rows: string, names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).map((name) => foreignName(name));
  const more = names.length > shown.length ? ' and others' : '';
  const { first, last } = readHeaderRows(rows) ?? { first: 1, last: 1 };
  const where = first === last ? `row ${first}` : `rows ${first} and ${last}`;
  return `The column names come from ${where} (${shown.join(', ')}${more}); use --header-row to change that.`;
}

function leftOutNote(those: readonly LeftOut[], header: RowRange): string {
  const [first, ...others] = those;
  const last = readRowRange(those.at(-1)?.rows ?? '')?.last ?? header.last;
  const rows = listed(those.slice(0, RANGES_SHOWN).map((each) => each.rows));
  const more = those.length > RANGES_SHOWN ? ` and ${counted(those.length - RANGES_SHOWN, 'other')}` : '';
  const isOne = others.length === 0 && !first?.rows.includes('-');
  const what = {
    totals: isOne ? 'is a line of totals' : 'are lines of totals',
    header: isOne ? 'repeats the header' : 'repeat the header',
    table: isOne ? 'is another table' : 'are another table',
    below: isOne ? 'stands below the table' : 'stand below the table',
  }[first?.why ?? 'totals'];
  const text = foreignWords(first?.text ?? '');
  const say = `--rows ${header.last + 1}-${last}`;
  return `${isOne ? 'Row' : 'Rows'} ${rows}${more} ${what} (${text}), left out; ${say} includes ${isOne ? 'it' : 'them'}.`;
}

const CELLS_SHOWN = 4;
const LONGEST_CELL = 60;

/** What the first filled cells of a row say. */
export function rowWords(cells: readonly string[]): string {
  const filled = cells.map((cell) => cell.trim()).filter(Boolean);
  const shown = filled.slice(0, CELLS_SHOWN).map((cell) => foreignWords(cell, LONGEST_CELL));
  return shown.join(', ') + (filled.length > CELLS_SHOWN ? ', …' : '');
}

const TOP_ROWS = 12;

/** The first rows that hold something, for a person who looks for the header among them. */
export function topRows(
  rows: readonly { readonly number: RowNumber; readonly cells: readonly string[] }[],
): readonly TopRow[] {
  return rows
    .slice(0, TOP_ROWS)
    .map(({ number, cells }) => ({ row: number, text: rowWords(cells) }))
    .filter(({ text }) => text !== '');
}
