import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { z } from 'zod';
import type { Correction, ReadOptions, Sheet } from '../core/format.ts';
import type { RowNumber } from '../core/row.ts';
import type { Chunks } from '../lib/atomic-file.ts';
import { firstPlaces } from './header.ts';
import { openFile } from './input.ts';

/** The versions of a list that comes again, and the corrections that are kept beside it. */

/** The list with its corrections. Undefined where a format has none, such as JSON lines. */
export const withCorrections = async (
  path: string,
  read: ReadOptions,
  corrections: readonly Correction[],
): Promise<Chunks | undefined> =>
  corrections.length === 0
    ? createReadStream(path)
    : (await openFile(path, read)).sheet.corrected?.(corrections);

/**
 * The corrections that the next version of a list takes over: those of rows that are as they were, under the
 * numbers that these rows have now. None of a row that was edited or may be one of several.
 * @throws StopError `input` where one of the versions cannot be read.
 */
export async function stillFitting<Kept extends Correction>(
  corrections: readonly Kept[],
  read: ReadOptions,
  before: string,
  now: string,
): Promise<Kept[]> {
  if (corrections.length === 0) return [];
  const { sheet } = await openFile(before, read);
  const header = await sheet.header();
  const wanted = new Set(corrections.map(({ row }) => row));
  const texts = new Map<RowNumber, string>();
  await eachRow(sheet, header, (row, text) => wanted.has(row) && texts.set(row, text));
  const places = new Map([...texts.values()].map((text): [string, RowNumber[]] => [text, []]));
  await eachRow((await openFile(now, read)).sheet, header, (row, text) => places.get(text)?.push(row));
  return corrections.flatMap((each) => {
    const rows = places.get(texts.get(each.row) ?? '') ?? [];
    const [row, second] = rows.includes(each.row) ? [each.row] : rows;
    return row === undefined || second !== undefined ? [] : { ...each, row };
  });
}

/** How many rows of a list are new, changed and as they were in an earlier version of it. */
export const Edited = z.object({ added: z.number(), changed: z.number(), same: z.number() });
type Edited = z.infer<typeof Edited>;

/**
 * Compares the rows of two versions by their cells, in any order. A row without its like counts as changed as
 * long as a row of before has gone, and then as new.
 * @throws StopError `input` where one of the versions cannot be read.
 */
export async function editedSince(read: ReadOptions, before: string, now: string): Promise<Edited> {
  const { sheet } = await openFile(before, read);
  const header = await sheet.header();
  const gone = new Map<string, number>();
  // The hashes of a million rows fit into memory, and their texts may not.
  const hashOf = (text: string): string => hash('sha1', text, 'base64');
  let rows = 0;
  await eachRow(sheet, header, (_, text) => {
    const known = hashOf(text);
    gone.set(known, (gone.get(known) ?? 0) + 1);
    rows += 1;
  });
  let same = 0;
  let others = 0;
  await eachRow((await openFile(now, read)).sheet, header, (_, text) => {
    const known = hashOf(text);
    const left = gone.get(known) ?? 0;
    if (left > 0) gone.set(known, left - 1);
    if (left > 0) same += 1;
    else others += 1;
  });
  const changed = Math.min(others, rows - same);
  return { added: others - changed, changed, same };
}

/** @param names the columns by which rows are compared: others may have come since. */
async function eachRow(
  sheet: Sheet,
  names: readonly string[],
  onRow: (row: RowNumber, text: string) => unknown,
): Promise<void> {
  const placeOf = firstPlaces(await sheet.header());
  const places = names.map((name) => placeOf.get(name) ?? -1);
  for await (const group of sheet.groups())
    for (const { row, cells } of group) onRow(row, JSON.stringify(places.map((at) => cells[at])));
}
