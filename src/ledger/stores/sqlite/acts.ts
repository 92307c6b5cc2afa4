import type { Act, BatchId, LedgerReader } from '../../ledger.ts';
import type { Connection, Reads } from './connection.ts';
import { isThere } from './later-tables.ts';
import { checkedRows } from './lookups.ts';
import { ACTS_TABLE, batchNumber, nextNumber, wholeMs } from './tables.ts';

/** Who worked on batches, and who ordered erasures. */

/** A spender brings the ledger up to date; who only looks at an older one finds that nobody is known. */
function actsWhere(connection: Connection, where: string, ...values: readonly number[]): readonly Act[] {
  if (!isThere(connection, ACTS_TABLE.name)) return [];
  return checkedRows(connection, ACTS_TABLE, `${where} ORDER BY id`, ...values).map(
    ({ kind, operator, at, after }) => ({ kind: kind as Act['kind'], operator, atMs: at, after }),
  );
}

export const ACT_READS = {
  acts: (connection, batch) => actsWhere(connection, "of = ? AND kind <> 'erased'", batchNumber(batch)),
  erasures: (connection) => actsWhere(connection, "kind = 'erased'"),
} satisfies Partial<Reads<LedgerReader>>;

/** What goes on in the same hands: a run that is repeated, and decisions beside it, are not noted again. */
const GOES_ON: ReadonlySet<Act['kind']> = new Set(['gone_on', 'settled']);

export function noteAct(
  connection: Connection,
  kind: Exclude<Act['kind'], 'erased'>,
  batch: BatchId,
  { operator, atMs }: Pick<Act, 'operator' | 'atMs'>,
): void {
  const newest = ACT_READS.acts(connection, batch).at(-1);
  if (GOES_ON.has(kind) && newest?.operator === operator) return;
  insertAct(connection, kind, batchNumber(batch), { operator, atMs });
}

export function insertAct(
  connection: Connection,
  kind: Act['kind'],
  of: number,
  { operator, atMs }: Pick<Act, 'operator' | 'atMs'>,
): void {
  const after = nextNumber(connection, 'entries', 0) - 1;
  const id = nextNumber(connection, 'acts');
  ACTS_TABLE.insert(connection, { id, kind, of, after, at: wholeMs(atMs), operator });
}
