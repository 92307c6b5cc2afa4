import type { OutcomeKind } from '../../../core/row.ts';
import type { RowAnswer, RowRecord } from '../../ledger.ts';
import { outcomeOf } from './batch-records.ts';
import type { Connection } from './connection.ts';
import { answersOfAttempts } from './plain-answers.ts';
import { sumOfText } from './table.ts';
import { ROWS_TABLE } from './tables.ts';

/**
 * Rows with their answers, a page of them at a time. A page has a thousand rows, so nothing is made of one that is not handed
 * on: SQLite makes the lists that the sums cover, and cells have no names.
 */

/** The cells of a row of `rows w`, for `recordsOf`. */
export const ROW_CELLS = `w.row, w.outcome, w.matched_by, w.reason, w.input, w.answers, w.read_to,
       ${ROWS_TABLE.listInSql('w')}, w.sum`;

export type RowCells = [
  ...[row: number, kind: OutcomeKind, matchedBy: string | null, reason: string | null, input: number | null],
  ...[answers: string, readTo: number | null, list: string, sum: number],
];

/** How a row or an answer is read by itself: one that is unusual, or that does not agree with its sum. */
interface OneByOne {
  records(row: number): readonly RowRecord[];
  /** Blank when the attempt brought no answer. */
  answers(attempt: number, readTo: number | null): readonly RowAnswer[];
}

/** Reads and checks an answer once, although many rows of a page may share it. */
export function recordsOf(
  connection: Connection,
  rows: readonly RowCells[],
  oneByOne: OneByOne,
): readonly RowRecord[] {
  const attempts = rows.map(([, , , , , by]) => JSON.parse(by) as readonly number[]);
  const plain = answersOfAttempts(connection, new Set(attempts.flat()));
  const others = new Map<string, readonly RowAnswer[]>();
  const otherAnswers = (attempt: number, readTo: number | null): readonly RowAnswer[] => {
    const key = `${attempt} ${readTo}`;
    const answers = others.get(key) ?? oneByOne.answers(attempt, readTo);
    others.set(key, answers);
    return answers;
  };
  const records: RowRecord[] = [];
  for (const [at, cells] of rows.entries()) {
    const [row, kind, matchedBy, reason, input, , readTo, list, sum] = cells;
    if (sum !== sumOfText(list, null)) {
      records.push(...oneByOne.records(row));
      continue;
    }
    const answers: RowAnswer[] = [];
    for (const attempt of attempts[at] ?? []) {
      const found = plain.get(attempt);
      // What was read again later is not what settled the row.
      if (found === undefined || found.reading > (readTo ?? 0))
        answers.push(...otherAnswers(attempt, readTo));
      else answers.push(found.answer);
    }
    const outcome = outcomeOf(kind, matchedBy, reason);
    records.push(input === null ? { row, outcome, answers } : { row, outcome, answers, input });
  }
  return records;
}
