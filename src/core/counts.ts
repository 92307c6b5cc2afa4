import type { RowStatus } from './row.ts';

/** What follows from the counts of a batch: every face takes it from here, so that all say the same. */

/** Outcomes that make a run end with exit code 3. */
export const ATTENTION_KINDS: ReadonlySet<RowStatus> = new Set<RowStatus>(['invalid', 'refused', 'in_doubt']);

/** Number of rows by outcome; rows without an outcome are not counted. */
type ByOutcome = Readonly<Partial<Record<string, number>>>;

export interface Counted {
  /** Rows of the list. */
  readonly rows: number;
  /** Rows beyond the list: people who are removed because it does not name them. */
  readonly rows_beyond?: number | undefined;
  readonly counts: ByOutcome;
}

/** How many rows have ended in one of these ways. */
const countIn = (counts: ByOutcome, kinds: Iterable<string>): number =>
  [...kinds].reduce((sum, kind) => sum + (counts[kind] ?? 0), 0);

export const rowsIn = (counts: ByOutcome): number => countIn(counts, Object.keys(counts));

export const allRows = ({ rows, rows_beyond: beyond = 0 }: Counted): number => rows + beyond;

/** Rows that have no end yet. */
export const rowsPending = (of: Counted): number => allRows(of) - rowsIn(of.counts);

/** Rows that have ended without a question: damaged cells, the job or a person keeps them from it. */
export const rowsUnasked = (counts: ByOutcome): number => countIn(counts, UNASKED_KINDS);
export const UNASKED_KINDS = ['invalid', 'skipped'] as const satisfies readonly RowStatus[];

/** Rows that a person has to look at, by how they have ended. */
export const needingAttention = (counts: ByOutcome): number => countIn(counts, ATTENTION_KINDS);

/** Rows for which something was found, or which are as the list wants them. */
export const rowsFound = (counts: ByOutcome): number => countIn(counts, ['matched', 'applied', 'unchanged']);

/** The rows for which something is wanted: all that neither their cells, the job nor a person leaves out. */
export const rowsWanted = (of: Counted): number => allRows(of) - (of.counts.skipped ?? 0);

/** Only all of them are 100 %, and only none of them is 0 %. */
export function percentOf(part: number, all: number): number {
  const rounded = all === 0 ? 0 : Math.round((part / all) * 100);
  return part === 0 || part === all ? rounded : Math.min(Math.max(rounded, 1), 99);
}
