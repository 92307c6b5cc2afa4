import type { Position } from '../../../core/format.ts';
import { present } from '../../../core/objects.ts';
import type { JsonObject } from '../../../core/operation.ts';
import type { OutcomeKind } from '../../../core/row.ts';
import type { Batch, BatchLine, LedgerReader } from '../../ledger.ts';
import type { Connection, Reads, Value } from './connection.ts';
import { checkedRows } from './lookups.ts';
import type { ReadRow } from './table.ts';
import { checkBatch } from './table-sums.ts';
import { batchId, batchNumber, PIECES_TABLE } from './tables.ts';

/** Batches, and what is noted of them and their files. A row is checked here, so that no altered one gets further. */

type Cells = Readonly<Record<string, string | number | null>>;

/** The members that stand in a column as they are, and are absent where it is NULL. */
const MEMBERS = Object.entries({
  ...{ key: 'key', generation: 'generation', lineage: 'lineage', state: 'state', vendor: 'vendor' },
  ...{ accountIdentity: 'identity', accountName: 'account_name', operation: 'operation' },
  ...{ inputPath: 'input_path', inputSha256: 'input_sha256', inputRows: 'input_rows' },
  ...{ createdAtMs: 'created_at', outputPath: 'output_path', outputSha256: 'output_sha256' },
  ...{ command: 'command', rowsBeyond: 'rows_beyond' },
} satisfies Partial<Record<keyof Batch, string>>);

function membersFrom(row: Cells): Partial<Batch> {
  const members: Record<string, unknown> = { id: batchId(Number(row.id)), sandbox: row.sandbox === 1 };
  for (const [member, column] of MEMBERS) {
    const value = row[column] ?? null;
    if (value !== null) members[member] = value;
  }
  return members;
}

function batchFrom(row: Cells): Batch {
  checkBatch(row);
  const { settings, fresh_found: foundMs, fresh_no_match: noMatchMs, planned_rows: plannedRows } = row;
  const freshSince = present({ foundMs: foundMs ?? undefined, noMatchMs: noMatchMs ?? undefined });
  return {
    ...membersFrom(row),
    settings: JSON.parse(String(settings)) as JsonObject,
    ...(Object.keys(freshSince).length === 0 ? {} : { freshSince }),
    ...(plannedRows === 0 ? {} : { plannedRows }),
  } as Batch;
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
  connection.all<Cells>(`${BATCHES} ${where}`, ...values).map(batchFrom);

const startOf = (piece: ReadRow<typeof PIECES_TABLE>): Position => ({
  row: piece.row,
  byteOffset: piece.byte_offset,
  lines: piece.lines,
});

export const BATCH_READS = {
  batches: (connection) => batchesWhere(connection, 'ORDER BY b.ordinal DESC'),
  batchLines: (connection) =>
    connection
      .all<Cells>(LINES)
      .map((row) => ({ ...membersFrom(row), hasDoubts: row.has_doubts === 1 }) as BatchLine),
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
    const [piece] = checkedRows(connection, PIECES_TABLE, newest, batchNumber(batch), before);
    return piece && startOf(piece);
  },
  piecesOf: (connection, batch, reading) =>
    checkedRows(
      connection,
      PIECES_TABLE,
      'batch = ? AND reading = ? ORDER BY row',
      batchNumber(batch),
      reading,
    ).map((piece) => ({ start: startOf(piece), digest: piece.digest.toString('hex') })),
  written: (connection, path) =>
    connection
      .all<{ sha256: string }>('SELECT sha256 FROM files WHERE path = ?', path)
      .map(({ sha256 }) => sha256),
} satisfies Partial<Reads<LedgerReader>>;
