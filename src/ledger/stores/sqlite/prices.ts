import { present } from '../../../core/objects.ts';
import type { Call } from '../../../core/operation.ts';
import { type AttemptId, type Credits, credits, type Intent } from '../../ledger.ts';
import { AlteredRow, type Connection } from './connection.ts';
import type { ReadRow } from './table.ts';
import { PRICES_TABLE } from './tables.ts';

/** The highest price that answers have shown, by account and operation, for each `credits_max` of jobs separately. */

/** The value of `credits_max` for a job that gave none. */
const NONE = -1;

/** Undefined before the first answer that showed a price. */
export function highestPrice(
  connection: Connection,
  accountIdentity: string,
  { operation, creditsMost = NONE }: Pick<Call, 'operation' | 'creditsMost'>,
): Credits | undefined {
  const row = connection.get<ReadRow<typeof PRICES_TABLE>>(
    `SELECT * FROM prices
      WHERE account = (SELECT id FROM accounts WHERE identity = +?) AND operation = +? AND credits_max = +?`,
    accountIdentity,
    operation,
    creditsMost,
  );
  return row && credits(PRICES_TABLE.checked(row).highest);
}

/**
 * What an attempt has to reserve: the requested amount, and at least the highest price known. A lost request that is
 * sent again byte for byte is charged once at most, and the lost attempt holds the money for that.
 */
export function reserveFor(connection: Connection, intent: Intent): Credits {
  if (intent.request !== undefined && isRepeat(connection, intent)) return intent.reserve;
  const known = highestPrice(connection, intent.accountIdentity, callAsKept(connection, intent)) ?? 0;
  return credits(Math.max(intent.reserve, known));
}

/** Keeps the price. This follows the closure of an attempt whose answer showed what it cost. */
export function keepPrice(connection: Connection, attempt: AttemptId, charged: Credits): void {
  const key = connection.get<{ account: number; operation: string; credits_max: number }>(
    `SELECT c.account, c.operation, coalesce(json_extract(c.call, '$.creditsMost'), ${NONE}) AS credits_max
       FROM attempts a JOIN calls c ON c.id = a.call WHERE a.id = +?`,
    attempt,
  );
  if (key === undefined) throw new AlteredRow(`attempt ${attempt} is missing`);
  PRICES_TABLE.insert(connection, { ...key, highest: charged });
}

/** The stored call: it is written once, so a job that gives another `credits_max` does not change it. */
function callAsKept(connection: Connection, { key, call }: Intent): Pick<Call, 'operation' | 'creditsMost'> {
  const sql = "SELECT json_extract(call, '$.creditsMost') AS most FROM calls WHERE key = ?";
  const kept = connection.get<{ most: number | null }>(sql, Buffer.from(key, 'hex'));
  if (kept === undefined) return call;
  return { operation: call.operation, ...present({ creditsMost: kept.most ?? undefined }) };
}

function isRepeat(connection: Connection, { decision }: Intent): boolean {
  if (decision === undefined) return false;
  const row = connection.get<{ kind: string }>('SELECT kind FROM decisions WHERE id = ?', decision);
  return row?.kind === 'repeat';
}
