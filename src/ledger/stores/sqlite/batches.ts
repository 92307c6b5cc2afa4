import { randomInt } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { invariant } from '../../../core/errors.ts';
import type { Digests } from '../../../core/format.ts';
import type {
  Batch,
  BatchChange,
  BatchId,
  BatchSpec,
  BatchStart,
  BatchState,
  PlannedRow,
} from '../../ledger.ts';
import type { Connection } from './connection.ts';
import { insertRow, setCells } from './table-sums.ts';
import { batchId, batchNumber, PIECES_TABLE, PLANNED_TABLE, wholeMs } from './tables.ts';

/** Batches, inside a group's transaction. A plan is written with its batch, and never altered. */

interface Started {
  readonly id: number;
  readonly start: BatchStart['start'];
  readonly superseded: readonly BatchId[];
}

export interface Beginning {
  readonly spec: BatchSpec;
  readonly account: number;
  /** Whether a finished batch is followed by a new generation. */
  readonly renew: boolean;
  readonly plan: readonly PlannedRow[];
}

export function beginBatch(connection: Connection, beginning: Beginning): Started {
  const { spec, renew } = beginning;
  const superseded = supersedeLineage(connection, spec);
  const newest = connection.get<{ id: number; generation: number; state: BatchState }>(
    'SELECT id, generation, state FROM batches WHERE key = ? ORDER BY generation DESC LIMIT 1',
    spec.key,
  );
  if (newest?.state === 'open' || (newest?.state === 'finished' && !renew)) {
    follow(connection, newest.id, spec);
    noteReads(connection, newest.id, spec);
    return { id: newest.id, start: newest.state === 'open' ? 'resumed' : 'finished', superseded };
  }
  const id = insertBatch(connection, beginning, (newest?.generation ?? 0) + 1);
  noteReads(connection, id, spec);
  return { id, start: 'new', superseded };
}

/** Ends unfinished batches over other content at the same place: they never resume. */
function supersedeLineage(connection: Connection, spec: BatchSpec): readonly BatchId[] {
  return connection
    .all<{ id: number }>(
      `UPDATE batches SET state = 'superseded' WHERE lineage = ? AND key <> ? AND state = 'open' RETURNING id`,
      spec.lineage,
      spec.key,
    )
    .map(({ id }) => batchId(id));
}

/** The same content may have been moved, and the account renamed, since the last run: the newest names are kept. */
function follow(connection: Connection, id: number, spec: BatchSpec): void {
  const { lineage, inputPath: input_path, accountName: account_name } = spec;
  setCells(connection, 'batches', id, { lineage, input_path, account_name });
}

/** A person who is forgotten may be in a copy of the list, or of the job, that another run has read. */
function noteReads(
  connection: Connection,
  batch: number,
  { inputPath, settings }: Pick<BatchSpec, 'inputPath' | 'settings'>,
): void {
  noteRead(connection, batch, inputPath, true);
  // An operation that was named instead of a job is no path.
  if (typeof settings.job === 'string' && isAbsolute(settings.job))
    noteRead(connection, batch, settings.job, false);
}

function noteRead(connection: Connection, batch: number, path: string, isList: boolean): void {
  const sql = 'INSERT INTO reads (path, batch, is_list) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
  connection.run(sql, path, batch, isList ? 1 : 0);
}

function insertBatch(connection: Connection, { spec, account, plan }: Beginning, generation: number): number {
  const { id, ordinal } = freePlace(connection);
  insertPlan(connection, id, plan);
  const { freshSince, rowsBeyond: rows_beyond = null } = spec;
  insertRow(connection, 'batches', {
    ...{ id, ordinal, key: spec.key, generation, lineage: spec.lineage, state: 'open', account },
    ...{ account_name: spec.accountName, sandbox: spec.sandbox ? 1 : 0, vendor: spec.vendor },
    ...{ operation: spec.operation, input_path: spec.inputPath, input_sha256: spec.inputSha256 },
    ...{ input_rows: spec.inputRows, settings: JSON.stringify(spec.settings) },
    ...{ created_at: wholeMs(spec.createdAtMs), fresh_found: cutOff(freshSince?.foundMs) },
    ...{ fresh_no_match: cutOff(freshSince?.noMatchMs), rows_beyond, planned_rows: plan.length },
  });
  return id;
}

const cutOff = (ms: number | undefined): number | null => (ms === undefined ? null : wholeMs(ms));

/** Each entry names its batch, by four bytes instead of six. */
const BATCH_IDS = 2 ** 31;

/** The number is random, so that nobody mistakes a batch of one store for one of another. */
function freePlace(connection: Connection): { readonly id: number; readonly ordinal: number } {
  const sql = 'SELECT count(*) AS ordinal, max(id = ?) AS isTaken FROM batches';
  for (;;) {
    const id = randomInt(BATCH_IDS);
    const found = connection.get<{ ordinal: number; isTaken: 0 | 1 | null }>(sql, id);
    if (found?.isTaken !== 1) return { id, ordinal: found?.ordinal ?? 0 };
  }
}

export function changeBatch(connection: Connection, batch: Batch, change: BatchChange): void {
  const ended = batch.state === 'superseded' || batch.state === 'cancelled';
  invariant(
    !ended || change.state === undefined || change.state === batch.state,
    `batch ${batch.id} is ${batch.state} and cannot become ${change.state}`,
  );
  const { inputPath } = change;
  if (inputPath !== undefined) noteRead(connection, batchNumber(batch.id), inputPath, true);
  setCells(connection, 'batches', batchNumber(batch.id), {
    state: change.state,
    budget: change.budget,
    extra_credits: change.extraCredits,
    settings: change.settings === undefined ? undefined : JSON.stringify(change.settings),
    output_path: change.outputPath,
    output_sha256: change.outputSha256,
    command: change.command,
    input_path: inputPath,
  });
}

/** Writes the plan. This comes before the batch itself, which completes the plan (`schema/changes.ts`). */
function insertPlan(connection: Connection, batch: number, plan: readonly PlannedRow[]): void {
  for (const { row, ...rest } of plan) {
    PLANNED_TABLE.insert(connection, { batch, row, planned: JSON.stringify(rest) });
  }
}

/** What stands at the path until it is replaced keeps its batch. */
export function noteWritten(
  connection: Connection,
  path: string,
  sha256s: readonly string[],
  batch?: BatchId,
): void {
  const stale = 'DELETE FROM files WHERE path = ? AND sha256 NOT IN (SELECT value FROM json_each(?))';
  connection.run(stale, path, JSON.stringify(sha256s));
  const add = 'INSERT INTO files (path, sha256, batch) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
  const of = batch === undefined ? null : batchNumber(batch);
  for (const sha256 of sha256s) connection.run(add, path, sha256, of);
}

export function keepPieces(connection: Connection, of: BatchId, { reading, pieces = [] }: Digests): void {
  const batch = batchNumber(of);
  PIECES_TABLE.insertAll(
    connection,
    pieces.map(({ start: { row, byteOffset: byte_offset, lines }, digest }) => {
      return { batch, row, byte_offset, lines, reading, digest: Buffer.from(digest, 'hex') };
    }),
  );
}
