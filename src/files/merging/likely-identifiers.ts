import type { Normalised } from '../../core/operation.ts';
import {
  normaliseAbn,
  normaliseCompanyProfile,
  normaliseDomain,
  normaliseEmail,
  normalisePersonProfile,
  normaliseWebsite,
} from '../../operations/lookup/identifiers.ts';
import { isPersonProfile } from '../../operations/lookup/recognise.ts';
import { isAboutAnother, isLookupName, kindByName, kindOfInput, squeezed } from '../columns/column-kind.ts';
import type { CellKind } from '../quality/cell-issues.ts';

/**
 * The columns that tell rows apart in a result that no store knows: all that may have been sent. A row is found only where all of
 * them agree, so one column too many leaves rows out, and one too few would take one company for another.
 */

export interface Identifier {
  readonly column: string;
  readonly kind: CellKind | undefined;
}

type Cells = (column: string) => string;

/** Rows of an output by the inputs that they say they were matched by. */
type MatchedRows = ReadonlyMap<string, readonly Cells[]>;

/** The cells of so many rows from the top say what a column is. */
export const ROWS_SAMPLED = 200;

export function matchedRows(header: readonly string[], rows: readonly Cells[]): MatchedRows {
  // The column of a later operation has a word of it behind its name.
  const columns = header.filter((name) => name.startsWith('_matched_by'));
  const matched = new Map<string, Cells[]>();
  for (const cell of rows) {
    for (const input of columns.flatMap((column) => cell(column).split('+'))) {
      if (input === '') continue;
      const group = matched.get(input);
      if (group === undefined) matched.set(input, [cell]);
      else if (group.length < ROWS_SAMPLED) group.push(cell);
    }
  }
  return matched;
}

/** @param into rows of the other file: where none was matched, the names and the cells of its columns have to do. */
export function likelyIdentifiers(
  shared: readonly string[],
  matched: MatchedRows,
  into: readonly Cells[],
): readonly Identifier[] {
  const isAny = matched.size === 0;
  const inputs = isAny ? new Map([...SENDABLE.keys()].map((input) => [input, into])) : matched;
  return shared.flatMap((column) => {
    const input = [...inputs].find(([input, rows]) => mayFeed(column, input, rows))?.[0] ?? '';
    const isLikely = input !== '' || (isAny && isLookupName(column));
    return isLikely ? [{ column, kind: kindByName(column, []) ?? kindOfInput(input) }] : [];
  });
}

/** What rows were matched by though none of these columns has it. */
export function inputWithout(shared: readonly string[], matched: MatchedRows): string | undefined {
  return [...matched].find(([input, rows]) => !shared.some((column) => mayFeed(column, input, rows)))?.[0];
}

/** @param columns input → column. */
export function mayHaveMatched(columns: Readonly<Record<string, string>>, matched: MatchedRows): boolean {
  const inputs = Object.keys(columns);
  if (!inputs.every((input) => SENDABLE.has(input))) return true;
  const others = [...matched].filter(([input]) => SENDABLE.has(input) && !inputs.includes(input));
  return inputWithout(Object.values(columns), new Map(others)) === undefined;
}

/** Whether a column may be what was sent for these rows as the input: it is called so, or half of its cells there can be sent. */
function mayFeed(column: string, input: string, rows: readonly Cells[]): boolean {
  const kind = kindByName(column, []);
  const isCalled =
    squeezed(column) === squeezed(input) || (kind !== undefined && kind === kindOfInput(input));
  if (isCalled && !isAboutAnother(column)) return true;
  const isSendable = SENDABLE.get(input);
  if (isSendable === undefined) return false;
  return rows.filter((cell) => isSendable(cell(column))).length * 2 >= rows.length;
}

const isUsable = ({ kind }: Normalised): boolean => kind === 'usable';

const SENDABLE: ReadonlyMap<string, (cell: string) => boolean> = new Map([
  ['abn', (cell: string) => isUsable(normaliseAbn(cell))],
  ['email', (cell: string) => isUsable(normaliseEmail(cell))],
  ['domain', (cell: string) => isUsable(normaliseDomain(cell))],
  ['website', (cell: string) => isUsable(normaliseWebsite(cell))],
  [
    'profile_url',
    (cell) => isUsable(normaliseCompanyProfile(cell)) || isUsable(normalisePersonProfile(cell)),
  ],
  // By itself a slug may be any word, so it is known by the address that it is a part of.
  ['profile_slug', isPersonProfile],
]);
