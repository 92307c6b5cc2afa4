import type { AnswerRecord, AttemptRecord, BootMoment, ReadAs } from '../../ledger.ts';
import {
  type Attempt,
  answerOf,
  attemptIn,
  type Entry,
  type History,
  type Moments,
  recordIn,
} from '../../rules/history.ts';
import type { Sql } from './connection.ts';
import { historiesOf, type PaidHistory } from './histories.ts';

/** All that is known about these attempts, in their order. */
export async function recordsOf(sql: Sql, attempts: readonly number[]): Promise<readonly AttemptRecord[]> {
  const histories = await historiesOf(sql, 'attempts', attempts);
  return attempts.flatMap((id) => {
    const history = historyWith(histories, id);
    const attempt = history && attemptIn(history, id);
    return attempt === undefined ? [] : [recordIn(history as History, attempt)];
  });
}

/** Of those that a statement finds. */
export async function recordsBy(
  sql: Sql,
  text: string,
  values: readonly unknown[],
): Promise<readonly AttemptRecord[]> {
  const found = await sql.rows<{ attempt: number }>(text, values);
  return recordsOf(
    sql,
    found.map(({ attempt }) => attempt),
  );
}

const historyWith = (histories: readonly History[], attempt: number): History | undefined =>
  histories.find((history) => attemptIn(history, attempt) !== undefined);

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

/** When attempts began, on the boot clock. A time that was refuted later may have been true, so how long ago it was is unknown. */
export async function momentsOf(sql: Sql): Promise<Moments> {
  const boots = await sql.rows<BootRow>(
    'SELECT id, boot, confirmed_at IS NOT NULL AS is_confirmed, refuted_at IS NOT NULL AS is_refuted FROM boots ORDER BY id',
  );
  return ({ boot, uptime }: Entry): BootMoment | undefined => {
    const at = boots.findIndex(({ id }) => id === boot);
    const found = boots[at];
    if (found === undefined || uptime === null) return undefined;
    const isConfirmed = boots.some((each) => each.boot === found.boot && each.is_confirmed);
    const isRefuted = boots.slice(at).some(({ is_refuted }) => is_refuted);
    return { id: found.boot, uptimeMs: uptime, isConfirmed: isConfirmed && !isRefuted };
  };
}

interface BootRow {
  readonly id: number;
  readonly boot: string;
  readonly is_confirmed: boolean;
  readonly is_refuted: boolean;
}
