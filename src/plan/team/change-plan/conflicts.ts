import { subjectOfUser, subjectText } from '../../../core/membership.ts';
import { type Call, type PlannedWork, partsOf } from '../../../core/operation.ts';
import type { Outcome, RowNumber } from '../../../core/row.ts';
import type { WorkableRow } from './planned-rows.ts';

/** This file finds rows of one list about the same person or project. Only one of such rows can be carried out. */

type WantingRow = Pick<WorkableRow, 'row' | 'work' | 'calls'>;

interface Want {
  readonly row: RowNumber;
  readonly part: PlannedWork;
}

/**
 * The outcomes of rows that conflict with others. A row that only repeats earlier rows is `unchanged`. All rows that
 * contradict each other are `invalid`, because nobody knows which of them is meant. When only a part of a row repeats an
 * earlier row, the row stays as it is: the repeated call is equal, so it is made once.
 */
export function conflictOutcomes(rows: readonly WantingRow[]): ReadonlyMap<RowNumber, Outcome> {
  const outcomes = new Map<RowNumber, Outcome>();
  const crowds = crowdsOf(rows);
  // Contradictions come first, because a row that repeats one of two contradicting rows does not decide between them.
  for (const crowd of crowds.filter(isContradiction)) {
    const reason = contradictionWords(crowd);
    for (const { row } of crowd) outcomes.set(row, { kind: 'invalid', reason });
  }
  const repeated = new Map<PlannedWork, RowNumber>();
  for (const crowd of crowds) {
    const [first, ...later] = crowd.filter(({ row }) => outcomes.get(row)?.kind !== 'invalid');
    if (first === undefined) continue;
    for (const { part } of later) if (!repeated.has(part)) repeated.set(part, first.row);
  }
  for (const { row, work } of rows) {
    const earlier = partsOf(work).map((part) => repeated.get(part));
    if (outcomes.has(row) || earlier.includes(undefined)) continue;
    outcomes.set(row, { kind: 'unchanged', reason: `the same as row ${earlier[0]}` });
  }
  return outcomes;
}

/** Groups of two or more rows about one person or project, in the order of the list. */
function crowdsOf(rows: readonly WantingRow[]): readonly (readonly Want[])[] {
  const byName = new Map<string, Want[]>();
  for (const { row, work, calls } of rows) {
    for (const part of partsOf(work)) {
      for (const name of namesOf(part, calls)) {
        const crowd = byName.get(name);
        if (crowd === undefined) byName.set(name, [{ row, part }]);
        else crowd.push({ row, part });
      }
    }
  }
  return [...byName.values()].filter((crowd) => crowd.length > 1);
}

function isContradiction(crowd: readonly Want[]): boolean {
  return crowd.some(({ part }) => part.to !== crowd[0]?.part.to);
}

/**
 * All names of a part's subject. One row may give a person's user id beside the e-mail address, and another row the user
 * id alone.
 * @param calls the calls of the whole row; those in the part's project belong to the part.
 */
function namesOf({ subject }: PlannedWork, calls: readonly Call[]): ReadonlySet<string> {
  const users = calls.flatMap(({ project = '', parameters: { user_id: userId } }) =>
    typeof userId === 'string' && project === (subject.project ?? '')
      ? [subjectText({ project, name: subjectOfUser(userId) })]
      : [],
  );
  return new Set([subjectText(subject), ...users]);
}

/** `the list contradicts itself: row 4 says editor, row 9 says viewer; keep one of them`. */
function contradictionWords(crowd: readonly Want[]): string {
  const firstOf = new Map<string, RowNumber>();
  for (const { row, part } of crowd) if (!firstOf.has(part.to)) firstOf.set(part.to, row);
  const words = [...firstOf].map(([to, row]) => `row ${row} says ${to}`).join(', ');
  return `the list contradicts itself: ${words}; keep one of them`;
}
