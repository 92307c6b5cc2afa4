import { OUR_COLUMNS } from '../../../core/row.ts';
import type { OpenedFile } from '../../../files/input.ts';
import { filesOf, suffixOf } from '../../../files/output/output.ts';
import { columnsOf, togetherIn } from '../../../job/job-settings.ts';
import type { Batch } from '../../../ledger/ledger.ts';

/**
 * Finds the batches that made a result. Its rows are told apart by what was sent for it, so another batch over the same list would
 * take one company for another. Where several may have made it, the identifiers of all of them tell its rows apart.
 */

/** @param all of a ledger, the newest first. @param into the file that gets the result. @returns none where nobody knows. */
export async function makersOf(
  all: readonly Batch[],
  result: OpenedFile,
  into: string,
): Promise<readonly Batch[]> {
  const batches = all.filter(({ state }) => state !== 'cancelled');
  const digest = await result.file.sha256();
  const writer = batches.find(({ outputSha256 }) => outputSha256?.split(' ').includes(digest));
  if (writer !== undefined) return [writer];
  const header = await result.sheet.header();
  const fitting = batches.filter(({ settings }) =>
    Object.values(columnsOf(settings)?.columns ?? {}).every((column) => header.includes(column)),
  );
  const over = fitting.filter(({ inputPath }) => inputPath === into);
  const together = [...over, ...fitting]
    .map(({ settings }) => batches.filter(({ id }) => togetherIn(settings).includes(id)))
    .find((parts) => hasAllOf(header, parts));
  if (together !== undefined) return together;
  const named = fitting.find((batch) => filesAt(batch).includes(result.path));
  return named === undefined ? likelyMakers(over, result) : [named];
}

export const filesAt = ({ outputPath }: Batch): readonly string[] =>
  outputPath === undefined ? [] : filesOf(outputPath);

/** Whether an output has our columns of each operation, of which those behind the first have a word of it in their names. */
function hasAllOf(header: readonly string[], parts: readonly Batch[]): boolean {
  const isThere = (suffix: string): boolean =>
    OUR_COLUMNS.every((name) => header.includes(`${name}${suffix}`));
  const suffixed = parts.filter((batch) => isThere(`_${suffixOf(batch)}`));
  return parts.length > 1 && isThere('') && suffixed.length >= parts.length - 1;
}

/** The newest of each operation that may have found what the result says. */
async function likelyMakers(batches: readonly Batch[], { sheet }: OpenedFile): Promise<readonly Batch[]> {
  const newest = new Map<string, Batch>();
  for (const batch of batches) {
    const key = JSON.stringify([batch.operation, columnsOf(batch.settings)?.columns]);
    if (!newest.has(key)) newest.set(key, batch);
  }
  const candidates = [...newest.values()];
  if (candidates.length < 2) return candidates;
  const at = (await sheet.header()).indexOf('_matched_by');
  const words = new Set<string>();
  for await (const rows of sheet.groups()) for (const { cells } of rows) words.add(cells[at] ?? '');
  words.delete('');
  const likely = candidates.filter(({ settings }) =>
    [...words].every((word) => columnsOf(settings)?.columns[word] !== undefined),
  );
  return likely.length === 0 ? candidates : likely;
}
