import type { AnswerRecord, AttemptRecord, ReadAs } from '../../ledger.ts';
import { type Attempt, answerOf, recordIn } from '../../rules/history.ts';
import { oneColumn, type Sql } from './connection.ts';
import { historiesOf, type PaidHistory } from './histories.ts';

export async function recordsOf(sql: Sql, attempts: readonly number[]): Promise<readonly AttemptRecord[]> {
  const found = await attemptsIn(sql, attempts);
  return attempts.flatMap((id) => {
    const each = found.get(id);
    return each === undefined ? [] : [recordIn(each.history, each.attempt)];
  });
}

interface Found {
  readonly history: PaidHistory;
  readonly attempt: Attempt;
}

async function attemptsIn(sql: Sql, ids: readonly number[]): Promise<ReadonlyMap<number, Found>> {
  const histories = await historiesOf(sql, 'attempts', ids);
  return new Map(
    histories.flatMap((history) => history.attempts.map((attempt) => [attempt.id, { history, attempt }])),
  );
}

export async function recordsBy(
  sql: Sql,
  text: string,
  values: readonly unknown[],
): Promise<readonly AttemptRecord[]> {
  return recordsOf(sql, await oneColumn<number>(sql, text, values));
}

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
  const found = await attemptsIn(
    sql,
    wanted.map(({ attempt }) => attempt),
  );
  return wanted.map(({ attempt: id, readTo }) => {
    const { history, attempt } = found.get(id) ?? {};
    if (history === undefined || attempt === undefined) return undefined;
    return answerOf(history, attempt, { readTo, paidRow: history.paidRows.get(id) ?? null });
  });
}
