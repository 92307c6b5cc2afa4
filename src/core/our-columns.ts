import { type StopError, stop } from './errors.ts';
import { foreignName } from './plain-text.ts';
import { ATTENTION_COLUMNS, OUR_COLUMNS } from './row.ts';

/**
 * Recognises our columns of a file by its header alone. All code that asks whether we wrote a file asks here.
 */

/**
 * Whether a file is an output of ours. The user may have a column with one of our names, so only a file with
 * all of them is one.
 */
export const isOutput = (header: readonly string[]): boolean =>
  OUR_COLUMNS.every((name) => header.includes(name));

/** Whether a file is a needs-attention file of ours. */
export const isAttention = (header: readonly string[]): boolean =>
  !isOutput(header) && ATTENTION_COLUMNS.every((name) => header.includes(name));

/**
 * The columns of an earlier run. Any other column is the user's, whatever its name.
 * @param file the words for the file in a refusal.
 * @throws StopError `input` for a user's column with one of our names, in any case of letters: two columns
 *   of one name cannot be told apart, and neither may be lost.
 */
export function ourColumnsIn(header: readonly string[], file = 'The input'): readonly string[] {
  const refused = ourNameRefused(header, file);
  if (refused !== undefined) throw refused;
  return oursAmong(header);
}

/** The same refusal, for a command that only reports it. */
export function ourNameRefused(header: readonly string[], file = 'The input'): StopError | undefined {
  const ours = oursAmong(header);
  for (const column of header) {
    const taken = OUR_COLUMNS.find((name) => name === column.trim().toLowerCase());
    if (taken === undefined || ours.includes(column)) continue;
    const fact = `${file} has a column ${foreignName(column)}, but every output gets a column ${taken}.`;
    return stop('input', fact, 'Rename that column.');
  }
  return undefined;
}

function oursAmong(header: readonly string[]): readonly string[] {
  if (isOutput(header)) return OUR_COLUMNS;
  return isAttention(header) ? ATTENTION_COLUMNS : [];
}
