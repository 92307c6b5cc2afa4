import type { AttemptRecord, BootMoment } from '../../ledger.ts';
import { attemptIn, type Entry, type History, type Moments, recordIn } from '../../rules/history.ts';
import type { Sql } from './connection.ts';
import { historiesOf } from './histories.ts';

/** All that is known about these attempts, in their order. */
export async function recordsOf(sql: Sql, attempts: readonly number[]): Promise<readonly AttemptRecord[]> {
  const histories = await historiesOf(sql, 'attempts', attempts);
  return attempts.flatMap((id) => {
    const history = historyWith(histories, id);
    const attempt = history && attemptIn(history, id);
    return attempt === undefined ? [] : [recordIn(history as History, attempt)];
  });
}

const historyWith = (histories: readonly History[], attempt: number): History | undefined =>
  histories.find((history) => attemptIn(history, attempt) !== undefined);

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
