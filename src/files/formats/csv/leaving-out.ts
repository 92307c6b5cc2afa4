import { StopError } from '../../../core/errors.ts';
import type { LeftOut, ReadOptions } from '../../../core/format.ts';
import { present } from '../../../core/objects.ts';
import { ColumnLooks, LeftOutFinder, rowsWithout } from '../../shape/left-out.ts';
import { Digester } from './digests.ts';
import type { Layout } from './layout.ts';
import { readRecords } from './records.ts';

/** Only small files that were never read before are searched: a large export of a program has no remarks. */

/** Bytes of a file that is looked through. */
const MOST_BYTES = 1024 * 1024;

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
  let finder: LeftOutFinder | undefined;
  const digester = new Digester(layout.start);
  try {
    for await (const group of readRecords(layout, { digester })) {
      for (const { kind, cells, position } of group) {
        if (kind === 'header') finder = new LeftOutFinder(position.row, new ColumnLooks());
        // A line of nothing but delimiters is a blank row of a sheet.
        else if (kind === 'row' && cells.some((cell) => cell.trim() !== ''))
          finder?.take({ number: position.row, cells });
      }
    }
    // The parser went through all of it, so the reading that follows is held against that.
    layout.digests.pieces = digester.end();
    return finder?.end() ?? [];
  } catch (error) {
    // What refuses the file is said by its reading.
    if (error instanceof StopError) return [];
    throw error;
  }
}
