import type { CallKey } from '../../../core/call-key.ts';
import type { Call } from '../../../core/operation.ts';
import { type Entry, type History, historyOf, type KeptCall } from '../../rules/history.ts';
import { callOf } from '../../rules/kept-call.ts';
import type { Sql } from './connection.ts';
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

type Row = Entry & CallCells & { readonly call: number };

/** By what calls are found. */
const WANTED = {
  keys: 'SELECT id FROM calls WHERE key = ANY($1)',
  attempts: 'SELECT DISTINCT call AS id FROM entries WHERE of = ANY($1) AND id = of',
  calls: 'SELECT unnest($1::bigint[]) AS id',
} as const;

const FACTS = `e.id, e.of, e.call, e.kind, e.sees, e.pays, e.batch, e.row, e.reserved, e.spent, e.held, e.at, e.boot, e.uptime, e.worker,
  e.status, e.said, e.dialect, e.words, e.facts, c.key, c.account, c.operation, c.credits_most, c.parameters, c.terms, c.state,
  c.stands, c.phase, c.open`;

/** A call has the number of its first entry, beside which its columns stand. */
const text = (wanted: string, cells: string): string => `
SELECT ${cells} FROM (${wanted}) w JOIN entries a ON a.call = w.id AND a.id = a.of
  JOIN entries e ON e.of = a.id LEFT JOIN calls c ON c.id = e.id ORDER BY e.id`;

/** @param isWhole whether bodies and headers are read as well. */
export async function historiesOf(
  sql: Sql,
  by: keyof typeof WANTED,
  values: readonly (number | Buffer)[],
  isWhole = true,
): Promise<readonly History[]> {
  if (values.length === 0) return [];
  const cells = isWhole ? `${FACTS}, e.headers, e.body` : `${FACTS}, NULL AS headers, NULL AS body`;
  const rows = await sql.rows<Row>(text(WANTED[by], cells), [values]);
  const histories: History[] = [];
  for (const entries of Map.groupBy(rows, ({ call }) => call).values()) {
    const call = entries[0]?.key == null ? undefined : callFrom(entries[0]);
    if (call !== undefined) histories.push(historyOf(call, entries));
  }
  return histories;
}

function callFrom(row: Row): KeptCall {
  const {
    call: id,
    key,
    account,
    operation,
    credits_most,
    parameters,
    terms,
    state,
    stands,
    phase,
    open,
  } = row;
  const call = callOf(operation, credits_most, parameters, terms);
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
  const found = await sql.row<{ id: number }>(`SELECT id FROM calls WHERE ${where} FOR UPDATE`, [value]);
  return found && (await historiesOf(sql, 'calls', [found.id], false))[0];
}
