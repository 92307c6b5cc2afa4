import { subjectOfUser, subjectText } from '../../../core/membership.ts';
import type { Call, PlannedWork } from '../../../core/operation.ts';
import type { Outcome, RowNumber } from '../../../core/row.ts';
import type { WorkableRow } from './planned-rows.ts';

/** This file finds rows of one list about the same person or project. Only one of such rows can be carried out. */

type WantingRow = Pick<WorkableRow, 'row' | 'work' | 'calls'>;

interface Want {
  readonly row: RowNumber;
  readonly work: PlannedWork;
}

/**
 * The outcomes of rows that conflict with others. A row that only repeats earlier rows is `unchanged`. All rows that
 * contradict each other are `invalid`, because nobody knows which of them is meant.
 */
export function conflictOutcomes(rows: readonly WantingRow[]): ReadonlyMap<RowNumber, Outcome> {
  const outcomes = new Map<RowNumber, Outcome>();
  const crowds = crowdsOf(rows);
  // Contradictions come first, because a row that repeats one of two contradicting rows does not decide between them.
  for (const crowd of crowds.filter(isContradiction)) {
    const reason = contradictionWords(crowd);
    for (const { row } of crowd) outcomes.set(row, { kind: 'invalid', reason });
  }
  for (const crowd of crowds) {
    const [first, ...later] = crowd.filter(({ row }) => outcomes.get(row)?.kind !== 'invalid');
    const outcome = { kind: 'unchanged', reason: `the same as row ${first?.row}` } as const;
    for (const { row } of later) if (!outcomes.has(row)) outcomes.set(row, outcome);
  }
  return outcomes;
}

/** Groups of two or more rows about one person or project, in the order of the list. */
function crowdsOf(rows: readonly WantingRow[]): readonly (readonly Want[])[] {
  const byName = new Map<string, Want[]>();
  for (const { row, work, calls } of rows) {
    for (const name of namesOf(work, calls)) {
      const crowd = byName.get(name);
      if (crowd === undefined) byName.set(name, [{ row, work }]);
      else crowd.push({ row, work });
    }
  }
  return [...byName.values()].filter((crowd) => crowd.length > 1);
}

function isContradiction(crowd: readonly Want[]): boolean {
  return crowd.some(({ work }) => work.to !== crowd[0]?.work.to);
}

/**
 * All names of a row's subject. One row may give a person's user id beside the e-mail address, and another row the user
 * id alone.
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
  for (const { row, work } of crowd) if (!firstOf.has(work.to)) firstOf.set(work.to, row);
  const words = [...firstOf].map(([to, row]) => `row ${row} says ${to}`).join(', ');
  return `the list contradicts itself: ${words}; keep one of them`;
}
