import type { RowNumber } from '../../core/row.ts';

/**
 * Finds the rows of a result in a file that its user has sorted, cut or added to since. The identifiers that were sent say
 * which row is meant; the number of a row only where they agree.
 */

/** A row of a result. */
export interface ResultLine {
  /** Its number in the list that it was made of. */
  readonly row: RowNumber;
  /** Its identifiers as they would be sent, in one text; empty where it has none. */
  readonly key: string;
  /** Its cells that are sent, as a row that was finished from them has them. */
  readonly input: string;
}

/** A row of the file that gets the result. */
export type IntoLine = ResultLine;

export interface Matches {
  /** The position of the result by the row that gets it. */
  readonly byRow: ReadonlyMap<RowNumber, number>;
  /** Positions of results that no row gets. */
  readonly nowhere: readonly number[];
}

/** @param sentAs what each row of the list was finished from, as far as it is known. */
export function matchRows(
  results: readonly ResultLine[],
  into: readonly IntoLine[],
  sentAs: ReadonlyMap<RowNumber, string>,
): Matches {
  const byRow = new Map<RowNumber, number>();
  const matched = new Set<number>();
  const match = (row: RowNumber, at: number): void => {
    byRow.set(row, at);
    matched.add(at);
  };
  const isFree = (at: number): boolean => !matched.has(at);
  const left = (): readonly IntoLine[] => into.filter(({ row }) => !byRow.has(row));

  const isMended = ({ row, input }: ResultLine): boolean => (sentAs.get(row) ?? input) !== input;
  const byKey = grouped(results, (line) => (line.key === '' || isMended(line) ? undefined : line.key));
  pair(into, ({ key }) => byKey.get(key));
  // A row that was mended since is known by what it was when it was sent, and so is one without identifiers.
  const byInput = grouped(results, ({ row }, at) => (isFree(at) ? sentAs.get(row) : undefined));
  const rowsOf = grouped(left(), ({ input }) => input);
  pair(left(), ({ input, row }) => {
    const ones = byInput.get(input) ?? [];
    const isSure = ones.length === 1 && rowsOf.get(input)?.length === 1;
    return isSure ? ones : ones.filter((at) => results[at]?.row === row);
  });
  // Its new identifiers may be those of another row, which is known by what that was.
  const known = new Set(sentAs.values());
  const byMended = grouped(results, ({ key }, at) => (isFree(at) && key !== '' ? key : undefined));
  const mayBe = (input: string, at: number): boolean =>
    !known.has(input) || sentAs.get(results[at]?.row ?? 0) === input;
  pair(left(), ({ key, input }) => byMended.get(key)?.filter((at) => mayBe(input, at)));
  const nameless = grouped(results, ({ key, row }, at) => (isFree(at) && key === '' ? row : undefined));
  pair(
    left().filter(({ key }) => key === ''),
    ({ row }) => nameless.get(row),
  );
  return { byRow, nowhere: [...results.keys()].filter(isFree) };

  /** Of several that may be meant the one with the row's number, then the first that is left. */
  function pair(
    lines: readonly IntoLine[],
    candidatesOf: (line: IntoLine) => readonly number[] | undefined,
  ): void {
    const others: IntoLine[] = [];
    for (const line of lines) {
      const same = candidatesOf(line)?.find((at) => isFree(at) && results[at]?.row === line.row);
      if (same === undefined) others.push(line);
      else match(line.row, same);
    }
    for (const line of others) {
      const first = candidatesOf(line)?.find(isFree);
      if (first !== undefined) match(line.row, first);
    }
  }
}

/** The positions of those that have the same key; those without one are in no group. */
function grouped<Line, Key>(
  lines: readonly Line[],
  keyOf: (line: Line, at: number) => Key | undefined,
): ReadonlyMap<Key, readonly number[]> {
  const groups = new Map<Key, number[]>();
  for (const [at, line] of lines.entries()) {
    const key = keyOf(line, at);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [at]);
    else group.push(at);
  }
  return groups;
}
