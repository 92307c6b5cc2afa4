import type { AttemptId, BatchId, Closure } from '../../ledger.ts';
import type { Connection } from './connection.ts';
import { batchNumber } from './tables.ts';

/** The batches whose spent credits are the most that was charged. */

/** Notes the batches of these attempts, and those that risked the money of the ones that repeat a lost request. */
export function estimate(connection: Connection, attempts: readonly (AttemptId | number)[]): void {
  if (attempts.length === 0) return;
  connection.run(
    `INSERT OR IGNORE INTO estimates (batch)
       SELECT a.batch FROM json_each(:attempts) j CROSS JOIN attempts a ON a.id = j.value
       UNION
       SELECT a.batch FROM json_each(:attempts) j CROSS JOIN repeated_attempts r ON r.attempt = j.value
         CROSS JOIN attempts a ON a.id = r.held`,
    { attempts: JSON.stringify(attempts) },
  );
}

export function isSpentAtMost(
  connection: Connection,
  of: { readonly batch: BatchId } | { readonly account: string },
): boolean {
  const sql =
    'batch' in of
      ? 'SELECT 1 FROM estimates WHERE batch = ?'
      : `SELECT 1 FROM estimates e JOIN batches b ON b.id = e.batch JOIN accounts p ON p.id = b.account
          WHERE p.identity = ? LIMIT 1`;
  return connection.get(sql, 'batch' in of ? batchNumber(of.batch) : of.account) !== undefined;
}

/** The attempts whose cost is the most that they may have been charged. */
export function estimatedIn(
  ends: readonly { readonly attempt: AttemptId; readonly closure: Closure }[],
): readonly AttemptId[] {
  return ends.flatMap(({ attempt, closure }) =>
    closure.kind === 'settled' && closure.isAtMost === true && closure.charged > 0 ? [attempt] : [],
  );
}
