import type { AnswerRecord, ReadAs } from '../../ledger.ts';
import { type Attempt, answerOf } from '../../rules/history.ts';
import type { Sql } from './connection.ts';
import { historiesOf, type PaidHistory } from './histories.ts';

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
  const attempts = new Map<number, { readonly history: PaidHistory; readonly attempt: Attempt }>();
  for (const history of histories)
    for (const attempt of history.attempts) attempts.set(attempt.id, { history, attempt });
  return wanted.map(({ attempt: id, readTo }) => {
    const found = attempts.get(id);
    if (found === undefined) return undefined;
    return answerOf(found.history, found.attempt, {
      readTo,
      paidRow: found.history.paidRows.get(id) ?? null,
    });
  });
}
