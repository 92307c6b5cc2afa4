import { parse } from 'csv-parse/sync';
import { DELIMITER_NAMES, DELIMITERS, type Delimiter } from '../../core/reading.ts';
import { isColumnWord } from './column-words.ts';

/**
 * Lists with each line in one cell: a spreadsheet program that expects another separator opens all of it in
 * column A, and writes each line in quotes.
 */

/** The cells of a line that is one cell. Where its quotes do not fit, it stays one. */
export function cellsOfLine(line: string, delimiter: Delimiter): readonly string[] {
  try {
    const options = { delimiter: DELIMITERS[delimiter], relax_quotes: true, relax_column_count: true };
    const [cells = [line], ...others] = parse(line, options) as string[][];
    return others.length === 0 ? cells : [line];
  } catch {
    return [line];
  }
}

/** So many lines of a list show that it is one. */
const FEWEST_LINES = 2;

/**
 * What parts these lines into as many cells each, the names of columns first; undefined for a list of one
 * column, where a comma of a text has a blank behind it.
 */
export function partingOf(lines: readonly string[]): Delimiter | undefined {
  if (lines.length < FEWEST_LINES) return undefined;
  return DELIMITER_NAMES.filter((name) => name !== 'space').find((name) => {
    const [header = [], ...rows] = lines.map((line) => cellsOfLine(line, name));
    const areEven = header.length > 1 && rows.every(({ length }) => length === header.length);
    const isText = rows.every((cells) => cells.slice(1).every((cell) => cell.startsWith(' ')));
    return areEven && !isText && header.some((cell) => isColumnWord(cell.trim()));
  });
}

/** A line in quotes, and behind them what parts it from cells that are not there. */
const QUOTED_LINE = /"((?:[^"]|"")*)"[,;\t|]*(?:\r\n|\n|\r|$)|[ \t]*(?:\r\n|\n|\r)/y;

/** Whether each line of a text is one cell in quotes with a row in it. @param isCut at its end. */
export function areLinesQuoted(text: string, isCut: boolean): boolean {
  const lines: string[] = [];
  QUOTED_LINE.lastIndex = 0;
  while (QUOTED_LINE.lastIndex < text.length) {
    const match = QUOTED_LINE.exec(text);
    if (match === null) {
      if (!isCut) return false;
      break;
    }
    if (match[1] !== undefined) lines.push(match[1].replaceAll('""', '"'));
  }
  return partingOf(lines) !== undefined;
}
