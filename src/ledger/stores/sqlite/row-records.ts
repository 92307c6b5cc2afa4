import type { OutcomeKind } from '../../../core/row.ts';
import { type RowRecord, rowAnswersOf } from '../../ledger.ts';
import { answersOf } from './answers.ts';
import { outcomeOf } from './batch-records.ts';
import type { Connection } from './connection.ts';
import { type ReadRow, sumOfText } from './table.ts';
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

/** Reads and checks an answer once, although many rows of a page may share it. */
export function recordsOf(
  connection: Connection,
  batch: number,
  rows: readonly RowCells[],
): readonly RowRecord[] {
  const wanted = new Map<string, readonly [attempt: number, readTo: number | null]>();
  const named = rows.map(([, , , , , by, readTo]) =>
    (JSON.parse(by) as readonly number[]).map((attempt) => {
      const name = `${attempt} ${readTo}`;
      wanted.set(name, [attempt, readTo]);
      return name;
    }),
  );
  const found = answersOf(connection, [...wanted.values()]);
  const answers = new Map([...wanted.keys()].map((name, at) => [name, rowAnswersOf(found[at])]));
  return rows.map(([row, kind, matchedBy, reason, input, , , list, sum], at) => {
    if (sum !== sumOfText(list, null)) checkRow(connection, batch, row);
    const record = {
      ...{ row, outcome: outcomeOf(kind, matchedBy, reason) },
      answers: (named[at] ?? []).flatMap((name) => answers.get(name) ?? []),
    };
    return input === null ? record : { ...record, input };
  });
}

/** @throws AlteredRow unless SQLite just wrote the list in another way than we do. */
function checkRow(connection: Connection, batch: number, row: number): void {
  const sql = 'SELECT * FROM rows WHERE batch = ? AND row = ?';
  for (const found of connection.all<ReadRow<typeof ROWS_TABLE>>(sql, batch, row)) ROWS_TABLE.checked(found);
}
