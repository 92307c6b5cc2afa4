import type { CallKey } from '../../../core/call-key.ts';
import type { Call } from '../../../core/operation.ts';
import { type Entry, type History, historyOf, type KeptCall } from '../../rules/history.ts';
import { callOf } from '../../rules/kept-call.ts';
import { oneColumn, type Sql } from './connection.ts';
import { keyBytes } from './session.ts';

/** Reads all that the book has of calls; each statement sees one state of it. */

interface CallCells {
  readonly key: Buffer | null;
  readonly account: string;
  readonly operation: string;
  readonly credits_most: number | null;
  readonly parameters: Call['parameters'];
  readonly terms: Partial<Call> | null;
  readonly state: KeptCall['state'];
  readonly stands: number | null;
  readonly phase: KeptCall['phase'];
  readonly open: number | null;
}

type Row = Entry & CallCells & { readonly call: number; readonly paid: number | null };

export interface PaidHistory extends History {
  /** The rows that paid for answers, by attempt, where they are others than those that asked first. Empty unless all was read. */
  readonly paidRows: ReadonlyMap<number, number>;
}

/** Each is looked up by its key: the planner takes a young table for small, and would join all of it. */
const CALLS_OF_ATTEMPTS = `
SELECT DISTINCT a.call AS id FROM unnest($1::bigint[]) u (attempt)
  CROSS JOIN LATERAL (SELECT call FROM entries WHERE of = u.attempt AND id = u.attempt LIMIT 1) a`;

const WANTED = {
  keys: 'SELECT id FROM calls WHERE key = ANY($1)',
  attempts: CALLS_OF_ATTEMPTS,
  calls: 'SELECT unnest($1::bigint[]) AS id',
} as const;

const FACTS = `e.id, e.of, e.call, e.kind, e.sees, e.pays, e.batch, e.row, e.reserved, e.spent, e.held, e.at, e.worker,
  e.status, e.said, e.dialect, e.words, e.facts, c.key, c.account, c.operation, c.credits_most, c.parameters, c.terms, c.state,
  c.stands, c.phase, c.open`;

/** A call has the number of its first entry, beside which its columns stand. */
const text = (wanted: string, cells: string): string => `
SELECT ${cells} FROM (${wanted}) w CROSS JOIN LATERAL (SELECT id FROM entries WHERE call = w.id AND id = of OFFSET 0) a
  CROSS JOIN LATERAL (SELECT * FROM entries WHERE of = a.id OFFSET 0) e LEFT JOIN LATERAL (SELECT * FROM calls WHERE id = e.id OFFSET 0) c ON true
 ORDER BY e.id`;

const WHOLE = `${FACTS}, e.headers, e.body, CASE WHEN e.id = e.of THEN (SELECT min(p.row) FROM payers p WHERE p.attempt = e.id) END AS paid`;
const SHORT = `${FACTS}, NULL AS headers, NULL AS body, NULL AS paid`;

/** @param isWhole whether bodies and headers are read as well, and which rows paid. */
export async function historiesOf(
  sql: Sql,
  by: keyof typeof WANTED,
  values: readonly (number | Buffer)[],
  isWhole = true,
): Promise<readonly PaidHistory[]> {
  if (values.length === 0) return [];
  const rows = await sql.rows<Row>(text(WANTED[by], isWhole ? WHOLE : SHORT), [values]);
  const histories: PaidHistory[] = [];
  for (const entries of Map.groupBy(rows, ({ call }) => call).values()) {
    const call = entries[0]?.key == null ? undefined : callFrom(entries[0]);
    if (call === undefined) continue;
    const paidRows = new Map(entries.flatMap(({ id, paid }) => (paid === null ? [] : [[id, paid] as const])));
    histories.push({ ...historyOf(call, entries), paidRows });
  }
  return histories;
}

function callFrom(row: Row): KeptCall {
  const { call: id, key, account, state, stands, phase, open } = row;
  const call = callOf(row.operation, row.credits_most, row.parameters, row.terms);
  return { id, key: (key?.toString('hex') ?? '') as CallKey, account, call, state, stands, phase, open };
}

/** Takes the row of a call, so that nobody else writes of it before this transaction ends, and reads its history. */
export async function lockedHistory(
  sql: Sql,
  by: { readonly key: CallKey } | { readonly attempt: number },
): Promise<History | undefined> {
  const [where, value] =
    'key' in by
      ? ['key = $1', keyBytes(by.key)]
      : ['id = (SELECT call FROM entries WHERE of = $1 AND id = of)', by.attempt];
  const ids = await oneColumn<number>(sql, `SELECT id FROM calls WHERE ${where} FOR UPDATE`, [value]);
  return (await historiesOf(sql, 'calls', ids, false))[0];
}
