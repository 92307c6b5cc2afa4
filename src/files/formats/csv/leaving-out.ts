import { StopError } from '../../../core/errors.ts';
import type { LeftOut, ReadOptions } from '../../../core/format.ts';
import { present } from '../../../core/objects.ts';
import type { RowNumber } from '../../../core/row.ts';
import { readRowRange } from '../../../core/row-range.ts';
import { ColumnLooks } from '../../shape/column-looks.ts';
import { joinedNames } from '../../shape/header-rows.ts';
import { LeftOutFinder, rowsWithout } from '../../shape/left-out.ts';
import { Digester } from './digests.ts';
import type { Layout } from './layout.ts';
import { type CsvRecord, readRecords } from './records.ts';

/**
 * Lines of totals and other tables below the table of a text, as people paste and export them. Only what was never read before is
 * looked through for them, and no more of it than takes a moment: a large export of a program has none.
 */

/** Bytes of a file that is looked through. */
const MOST_BYTES = 1024 * 1024;
/** Rows of a packed one, which may be far longer than it looks. */
const MOST_ROWS = 20_000;

export async function leavingOut(layout: Layout, options: ReadOptions): Promise<Layout> {
  if (options.asBefore !== undefined || options.rows !== undefined || layout.size > MOST_BYTES) return layout;
  const leftOut = await leftOutIn(layout);
  if (leftOut.length === 0) return layout;
  return {
    ...layout,
    hasRow: rowsWithout(leftOut, undefined),
    found: { ...layout.found, ...present({ leftOut }) },
  };
}

async function leftOutIn(layout: Layout): Promise<readonly LeftOut[]> {
  const search = new Search(layout);
  const digester = new Digester(layout.start);
  try {
    for await (const group of readRecords(layout, { digester })) {
      for (const record of group) search.take(record);
      if (search.rows > MOST_ROWS) return [];
    }
    // The parser went through all of it, so the reading that follows is held against that.
    layout.digests.pieces = digester.end();
    return search.end();
  } catch (error) {
    // What refuses the file is said by its reading.
    if (error instanceof StopError) return [];
    throw error;
  }
}

class Search {
  readonly #layout: Layout;
  #finder: LeftOutFinder | undefined;
  rows = 0;

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  take({ kind, cells, position }: CsvRecord): void {
    if (kind === 'header') this.#begin(cells, position.row);
    if (kind !== 'row') return;
    this.rows += 1;
    // A line of nothing but delimiters is a blank row of a sheet.
    if (cells.some((cell) => cell.trim() !== ''))
      this.#finder?.take({ number: position.row, cells, lacksValues: false });
  }

  #begin(cells: readonly string[], row: RowNumber): void {
    const { upper } = this.#layout;
    const names = upper === undefined ? cells : joinedNames(upper, cells);
    this.#finder = new LeftOutFinder(names, row, new ColumnLooks());
  }

  end(): readonly LeftOut[] {
    const found = this.#finder?.end() ?? [];
    const rows = found.reduce((sum, each) => sum + rowsIn(each), 0);
    // A list of which nothing would be left is one of which nothing is known.
    return rows < this.rows ? found : [];
  }
}

function rowsIn({ rows }: LeftOut): number {
  const { first, last } = readRowRange(rows) ?? { first: 0, last: -1 };
  return last - first + 1;
}
