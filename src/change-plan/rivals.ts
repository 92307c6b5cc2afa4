import { subjectOfUser, subjectText } from '../membership.ts';
import type { Call, PlannedWork } from '../operation.ts';
import type { Outcome, RowNumber } from '../row.ts';

/** Rows of one list that are about the same person or thing. Only one of them can be worked off. */

export interface WantingRow {
  readonly row: RowNumber;
  readonly work: PlannedWork;
  readonly calls: readonly Call[];
}

/**
 * How the rows end that cannot be worked off beside another: those that want the same as an earlier one are `unchanged`,
 * and all that contradict each other are `invalid`, because nobody knows which of them is meant.
 */
export function rivalOutcomes(rows: readonly WantingRow[]): ReadonlyMap<RowNumber, Outcome> {
  const outcomes = new Map<RowNumber, Outcome>();
  const crowds = crowdsOf(rows);
  // Contradictions first: a row that repeats one of two that contradict each other does not settle which is meant.
  for (const crowd of crowds.filter(isContradiction)) {
    const reason = contradictionWords(crowd);
    for (const { row } of crowd) outcomes.set(row, { kind: 'invalid', reason });
  }
  for (const crowd of crowds) {
    const [first, ...later] = crowd.filter(({ row }) => outcomes.get(row)?.kind !== 'invalid');
    const reason = `the same as row ${first?.row}`;
    for (const { row } of later.filter((each) => !outcomes.has(each.row)))
      outcomes.set(row, { kind: 'unchanged', reason });
  }
  return outcomes;
}

/** Rows about one person or thing, in the order of the list, wherever there are several. */
function crowdsOf(rows: readonly WantingRow[]): readonly (readonly WantingRow[])[] {
  const byName = new Map<string, WantingRow[]>();
  for (const row of rows) {
    for (const name of namesOf(row)) {
      const crowd = byName.get(name);
      if (crowd === undefined) byName.set(name, [row]);
      else crowd.push(row);
    }
  }
  return [...byName.values()].filter((crowd) => crowd.length > 1);
}

function isContradiction(crowd: readonly WantingRow[]): boolean {
  return crowd.some(({ work }) => work.to !== crowd[0]?.work.to);
}

/** A person is also known by a user id, which one row may give beside an e-mail address and another alone. */
function namesOf({ work, calls }: WantingRow): ReadonlySet<string> {
  const users = calls.flatMap(({ project = '', parameters: { user_id: userId } }) =>
    typeof userId === 'string' ? [subjectText({ project, name: subjectOfUser(userId) })] : [],
  );
  return new Set([subjectText(work.subject), ...users]);
}

/** `the list contradicts itself: row 4 says editor, row 9 says viewer; keep one of them`. */
function contradictionWords(crowd: readonly WantingRow[]): string {
  const firstOf = new Map<string, RowNumber>();
  for (const { row, work } of crowd) if (!firstOf.has(work.to)) firstOf.set(work.to, row);
  const words = [...firstOf].map(([to, row]) => `row ${row} says ${to}`).join(', ');
  return `the list contradicts itself: ${words}; keep one of them`;
}
