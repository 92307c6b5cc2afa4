import type { AnswerRecord, ReadAs } from '../../ledger.ts';
import { type Attempt, answerOf, type History } from '../../rules/history.ts';
import type { Sql } from './connection.ts';
import { historiesOf } from './histories.ts';

/** An answer as it was read by then: `readTo` is the newest entry of kind `reading` or `read` that counts, 0 for none; left out: all. */
export interface WantedAnswer {
  readonly attempt: number;
  readonly readTo?: number | undefined;
}

/** The answers of these attempts in their order; undefined for one that brought none. */
export async function answersOf(
  sql: Sql,
  wanted: readonly WantedAnswer[],
): Promise<readonly (AnswerRecord<ReadAs> | undefined)[]> {
  const ids = wanted.map(({ attempt }) => attempt);
  const histories = await historiesOf(sql, 'attempts', ids);
  const attempts = new Map<number, { readonly history: History; readonly attempt: Attempt }>();
  for (const history of histories)
    for (const attempt of history.attempts) attempts.set(attempt.id, { history, attempt });
  const rows = await payingRows(sql, ids);
  return wanted.map(({ attempt: id, readTo }) => {
    const found = attempts.get(id);
    return found && answerOf(found.history, found.attempt, { readTo, paidRow: rows.get(id) ?? null });
  });
}

/** The rows that paid for answers, where they are others than those that asked first. */
export async function payingRows(
  sql: Sql,
  attempts: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const text = 'SELECT attempt, min(row) AS row FROM payers WHERE attempt = ANY($1) GROUP BY attempt';
  const found = await sql.rows<{ attempt: number; row: number }>(text, [attempts]);
  return new Map(found.map(({ attempt, row }) => [attempt, row]));
}
