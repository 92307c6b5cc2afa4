import { stop } from './errors.ts';

/**
 * Checks the names of an input's columns, whatever its format: a job addresses columns by name, so each needs one of
 * its own.
 * @returns the names without the blanks around them.
 * @throws StopError `input` that names the columns at fault by position, the first being column 1.
 */
export function checkedHeader(path: string, cells: readonly string[]): readonly string[] {
  const positions = new Map<string, number[]>();
  for (const [index, cell] of cells.entries()) {
    const name = cell.trim();
    const at = positions.get(name);
    if (at === undefined) positions.set(name, [index + 1]);
    else at.push(index + 1);
  }
  const nameless = positions.get('');
  if (nameless !== undefined) {
    const has = nameless.length === 1 ? 'has no name' : 'have no name';
    const next = 'Give every column of the header a name, or remove the columns that have none.';
    throw stop('input', `${path}: ${listed(nameless)} ${has}.`, next);
  }
  for (const [name, at] of positions) {
    if (at.length === 1) continue;
    const fact = `${path}: ${listed(at)} have the same name, ${JSON.stringify(name)}.`;
    throw stop('input', fact, 'Give every column of the header a name of its own.');
  }
  return [...positions.keys()];
}

/** A file may have a hundred thousand columns, and a person is to read this. */
const MOST_LISTED = 10;

/** "column 3", "columns 2 and 5", "columns 2, 5 and 6". */
function listed(positions: readonly number[]): string {
  const last = positions.at(-1);
  const more = positions.length - MOST_LISTED;
  if (more > 0) return `columns ${positions.slice(0, MOST_LISTED).join(', ')} and ${more} more`;
  if (positions.length === 1) return `column ${last}`;
  return `columns ${positions.slice(0, -1).join(', ')} and ${last}`;
}
