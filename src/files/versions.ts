import { createReadStream } from 'node:fs';
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
 * The rows in which the next version of a list takes over corrections: those that are as they were, and those
 * that have changed in other cells. Undefined for a cell that says something else now, and for a row that may
 * be one of several.
 * @param changed the rows of before whose other cells have changed, with their numbers of now.
 * @throws StopError `input` where one of the versions cannot be read.
 */
export async function placesNow(
  corrections: readonly Correction[],
  read: ReadOptions,
  before: string,
  now: string,
  changed: ReadonlyMap<RowNumber, RowNumber> = new Map(),
): Promise<readonly (RowNumber | undefined)[]> {
  if (corrections.length === 0) return [];
  const { sheet } = await openFile(before, read);
  const header = await sheet.header();
  const wanted = new Set(corrections.map(({ row }) => row));
  const texts = new Map<RowNumber, string>();
  await eachRow(sheet, header, (row, text) => wanted.has(row) && texts.set(row, text));
  const places = new Map([...texts.values()].map((text): [string, RowNumber[]] => [text, []]));
  const movedTo = new Set([...wanted].flatMap((row) => changed.get(row) ?? []));
  const textsNow = new Map<RowNumber, string>();
  await eachRow((await openFile(now, read)).sheet, header, (row, text) => {
    places.get(text)?.push(row);
    if (movedTo.has(row)) textsNow.set(row, text);
  });
  const says = (text: string | undefined, column: string): string | undefined =>
    text && JSON.parse(text)[header.indexOf(column)];
  return corrections.map(({ row: before, column }) => {
    const text = texts.get(before);
    const rows = places.get(text ?? '') ?? [];
    const [row, second] = rows.includes(before) ? [before] : rows;
    if (row !== undefined) return second === undefined ? row : undefined;
    const newRow = changed.get(before);
    const was = says(text, column);
    return was !== undefined && was === says(textsNow.get(newRow ?? 0), column) ? newRow : undefined;
  });
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
