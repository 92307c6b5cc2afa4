import { present } from '../../../core/objects.ts';
import type { JsonObject, Vendor } from '../../../core/operation.ts';
import type { OutcomeKind } from '../../../core/row.ts';
import type { Batch, BatchLine, BatchState, FreshSince, LedgerReader } from '../../ledger.ts';
import type { Connection, Reads, Value } from './connection.ts';
import { checkedRows } from './lookups.ts';
import { checkBatch } from './table-sums.ts';
import { batchId, batchNumber, MARKS_TABLE } from './tables.ts';

/** Batches, and what is noted of them and their files. A row is checked here, so that no altered one gets further. */

/** What `BatchLine` has. */
interface NamedRow {
  readonly id: number;
  readonly state: BatchState;
  readonly identity: string;
  readonly account_name: string;
  readonly sandbox: number;
  readonly operation: string;
  readonly input_path: string;
  readonly created_at: number;
  readonly output_sha256: string | null;
}

interface BatchRow extends NamedRow {
  readonly key: string;
  readonly generation: number;
  readonly lineage: string;
  readonly vendor: Vendor;
  readonly input_sha256: string;
  readonly input_rows: number;
  readonly settings: string;
  readonly output_path: string | null;
  readonly command: string | null;
  readonly fresh_found: number | null;
  readonly fresh_no_match: number | null;
  readonly rows_beyond: number | null;
  readonly planned_rows: number;
}

function namedFrom(row: NamedRow): Omit<BatchLine, 'hasDoubts'> {
  return {
    id: batchId(row.id),
    state: row.state,
    accountIdentity: row.identity,
    accountName: row.account_name,
    sandbox: row.sandbox === 1,
    operation: row.operation,
    inputPath: row.input_path,
    createdAtMs: row.created_at,
    ...present({ outputSha256: row.output_sha256 ?? undefined }),
  };
}

function batchFrom(row: BatchRow): Batch {
  checkBatch(row);
  return {
    ...namedFrom(row),
    key: row.key,
    generation: row.generation,
    lineage: row.lineage,
    vendor: row.vendor,
    inputSha256: row.input_sha256,
    inputRows: row.input_rows,
    settings: JSON.parse(row.settings) as JsonObject,
    ...present({
      outputPath: row.output_path ?? undefined,
      command: row.command ?? undefined,
    }),
    ...freshSinceOf(row),
    ...present({ rowsBeyond: row.rows_beyond ?? undefined }),
    ...(row.planned_rows === 0 ? {} : { plannedRows: row.planned_rows }),
  };
}

function freshSinceOf({ fresh_found: foundMs, fresh_no_match: noMatchMs }: BatchRow): {
  freshSince?: FreshSince;
} {
  if (foundMs === null && noMatchMs === null) return {};
  return {
    freshSince: present({ foundMs: foundMs ?? undefined, noMatchMs: noMatchMs ?? undefined }),
  };
}

const BATCHES = 'SELECT b.*, p.identity FROM batches b JOIN accounts p ON p.id = b.account';

/** Nothing is decided by a line alone, so its sum, which is over much longer columns, is left for the batch itself. */
const LINES = `
SELECT b.id, b.state, p.identity, b.account_name, b.sandbox, b.operation, b.input_path, b.created_at,
    b.output_sha256, EXISTS (SELECT 1 FROM tallies t WHERE t.batch = b.id AND t.name = 'row:in_doubt' AND t.count > 0) AS has_doubts
  FROM batches b JOIN accounts p ON p.id = b.account ORDER BY b.ordinal DESC`;

const COUNTS = `
SELECT substr(name, 5) AS kind, count FROM tallies WHERE batch = ? AND name LIKE 'row:%' AND count > 0 ORDER BY name`;

const OPEN = `
SELECT count(*) AS n FROM calls c CROSS JOIN attempts a ON a.id = c.open WHERE c.open IS NOT NULL AND a.batch = ?`;

const batchesWhere = (connection: Connection, where: string, ...values: readonly Value[]): readonly Batch[] =>
  connection.all<BatchRow>(`${BATCHES} ${where}`, ...values).map(batchFrom);

export const BATCH_READS = {
  batches: (connection) => batchesWhere(connection, 'ORDER BY b.ordinal DESC'),
  batchLines: (connection) =>
    connection
      .all<NamedRow & { readonly has_doubts: number }>(LINES)
      .map((row) => ({ ...namedFrom(row), hasDoubts: row.has_doubts === 1 })),
  batch: (connection, id) => batchesWhere(connection, 'WHERE b.id = +?', batchNumber(id))[0],
  batchByKey(connection, key) {
    const newest = "WHERE b.key = ? AND b.state IN ('open', 'finished') ORDER BY b.generation DESC LIMIT 1";
    return batchesWhere(connection, newest, key)[0];
  },
  counts(connection, batch) {
    const tallies = connection.all<{ kind: OutcomeKind; count: number }>(COUNTS, batchNumber(batch));
    return Object.fromEntries(tallies.map(({ kind, count }) => [kind, count]));
  },
  metrics(connection, batch) {
    const sql = 'SELECT count FROM tallies WHERE batch = ? AND name = ?';
    const count = (name: string): number =>
      connection.get<{ count: number }>(sql, batchNumber(batch), name)?.count ?? 0;
    return { requests: count('requests'), calls: count('calls') };
  },
  openRequests: (connection, batch) => connection.get<{ n: number }>(OPEN, batchNumber(batch))?.n ?? 0,
  positionBefore(connection, batch, before) {
    const newest = 'batch = ? AND row <= ? ORDER BY row DESC LIMIT 1';
    const [mark] = checkedRows(connection, MARKS_TABLE, newest, batchNumber(batch), before);
    return mark && { row: mark.row, byteOffset: mark.byte_offset, lines: mark.lines };
  },
  written: (connection, path) =>
    connection
      .all<{ sha256: string }>('SELECT sha256 FROM files WHERE path = ?', path)
      .map(({ sha256 }) => sha256),
} satisfies Partial<Reads<LedgerReader>>;
