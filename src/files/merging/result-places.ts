import type { RowNumber } from '../../core/row.ts';
import { counted } from './matching.ts';

/**
 * Finds out which row of the list each row of an output is, where its user has sorted or cut that as well: the place of a row is
 * all that says what it was before she mended it.
 */

/** The number of the row in the list. Of one that is adrift only what it says is known, and of one that is unclear not even that. */
export type Place = RowNumber | 'adrift' | 'unclear';

export interface Said {
  /** Its place in the output. */
  readonly row: RowNumber;
  readonly input: string;
  /** Whether its operation has said nothing of it yet, so that it may be none of those that are known. */
  readonly isOpen?: boolean;
}

/** Whether nothing has come of a row of an output yet. */
export const isOpen = (status: string): boolean => ['', 'pending', 'in_doubt'].includes(status);

/** The number of a row of which nobody knows where it was in the list. */
export const NO_ROW: RowNumber = 0;

/**
 * The numbers of rows in the list: their own; or, in an output of another kind than its list, which begins with another number and has
 * no blank lines, those that the list has one after the other. Whichever has more rows say what was sent for them.
 */
export function numbersOf(
  rows: readonly Said[],
  sentAs: ReadonlyMap<RowNumber, string>,
): readonly RowNumber[] {
  const inOrder = [...sentAs.keys()].sort((a, b) => a - b).values();
  const own = rows.map(({ row }) => row);
  const inTurn = rows.map(({ isOpen }) => (isOpen === true ? NO_ROW : (inOrder.next().value ?? NO_ROW)));
  const fitting = (numbers: readonly RowNumber[]): number =>
    rows.filter(({ input }, at) => sentAs.get(numbers[at] ?? NO_ROW) === input).length;
  return fitting(inTurn) > fitting(own) ? inTurn : own;
}

/** @param sentAs what each row of the list was finished from, as far as it is known. */
export function placesOf(said: readonly Said[], sentAs: ReadonlyMap<RowNumber, string>): readonly Place[] {
  const numbers = numbersOf(said, sentAs);
  const rows = said.map((each, at) => ({ ...each, row: numbers[at] ?? NO_ROW }));
  const isInPlace = ({ row, input }: Said): boolean => sentAs.get(row) === input;
  const inPlace = rows.filter(isInPlace);
  const claims = claimsOf(
    rows.filter((said) => !isInPlace(said)),
    inPlace,
    sentAs,
  );
  const end = [...sentAs.keys()].reduce((most, row) => Math.max(most, row), 0);
  const isCut = (rows.at(-1)?.row ?? end) < end;
  if (claims.size === 0 && !isCut) return rows.map(({ row }) => row);
  const counts = counted(sentAs.values());
  // Of rows that were sent alike any may have slid here.
  const isSure = (said: Said): boolean => isInPlace(said) && counts.get(said.input) === 1;
  const last = rows.findLastIndex(isSure);
  const between = rows.filter((said, at) => at < last && !isInPlace(said));
  const places = new Set(between.map(({ row }) => row));
  // Rows that have changed places among themselves were moved; others were mended, maybe to what another row was.
  const theirs = between.map((said) => claims.get(said));
  const areMoved = [...new Set(theirs)].every((same) => same?.every((row) => places.has(row)) === true);
  const isOrdered = rows.filter(isSure).length > claims.size && !areMoved;
  const mended = new Set(isOrdered ? between : []);
  const claimed = new Set([...new Set(claims.values())].flat());
  const mendedPlace = (said: Said): Place => {
    if (claims.has(said)) return 'unclear';
    return claimed.has(said.row) ? 'adrift' : said.row;
  };
  return rows.map((said) => {
    if (mended.has(said)) return mendedPlace(said);
    const row = isInPlace(said) ? said.row : claims.get(said)?.[0];
    return row !== undefined && counts.get(said.input) === 1 ? row : 'adrift';
  });
}

/** The rows of the list that were what a row says which is not in its place, and are in theirs no more. */
function claimsOf(
  rows: readonly Said[],
  inPlace: readonly Said[],
  sentAs: ReadonlyMap<RowNumber, string>,
): ReadonlyMap<Said, readonly RowNumber[]> {
  const taken = new Set(inPlace.map(({ row }) => row));
  const left = [...sentAs.keys()].filter((row) => !taken.has(row));
  const free = Map.groupBy(left, (row) => sentAs.get(row));
  return new Map(
    rows.flatMap((said) => {
      const claim = free.get(said.input);
      return claim === undefined ? [] : [[said, claim] as const];
    }),
  );
}
