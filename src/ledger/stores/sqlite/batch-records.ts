import type { Position } from '../../../core/format.ts';
import { present } from '../../../core/objects.ts';
import type { JsonObject, Vendor } from '../../../core/operation.ts';
import type { Outcome, OutcomeKind } from '../../../core/row.ts';
import type { Batch, BatchLine, BatchState, FreshSince } from '../../ledger.ts';
import type { ReadRow } from './table.ts';
import { batchId, MARKS_TABLE } from './tables.ts';

/** Turns rows of the tables of batches into the contract's values. A row is checked here, so no altered one gets further. */

export interface BatchRow {
  readonly id: number;
  readonly key: string;
  readonly generation: number;
  readonly lineage: string;
  readonly state: BatchState;
  readonly identity: string;
  readonly account_name: string;
  readonly sandbox: number;
  readonly vendor: Vendor;
  readonly operation: string;
  readonly input_path: string;
  readonly input_sha256: string;
  readonly input_rows: number;
  readonly settings: string;
  readonly created_at: number;
  readonly output_path: string | null;
  readonly output_sha256: string | null;
  readonly command: string | null;
  readonly fresh_found: number | null;
  readonly fresh_no_match: number | null;
  readonly rows_beyond: number | null;
  readonly planned_rows: number;
}

type NamedRow = Pick<
  BatchRow,
  | 'id'
  | 'state'
  | 'identity'
  | 'account_name'
  | 'sandbox'
  | 'operation'
  | 'input_path'
  | 'created_at'
  | 'output_sha256'
>;

export interface LineRow extends NamedRow {
  readonly has_doubts: number;
}

export function lineFrom(row: LineRow): BatchLine {
  return { ...namedFrom(row), hasDoubts: row.has_doubts === 1 };
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

export function batchFrom(row: BatchRow): Batch {
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

export function outcomeOf(kind: OutcomeKind, matchedBy: string | null, reason: string | null): Outcome {
  return {
    kind,
    ...(matchedBy === null ? {} : { matchedBy }),
    ...(reason === null ? {} : { reason }),
  } as Outcome;
}

export function positionFrom(found: ReadRow<typeof MARKS_TABLE>): Position {
  const { row, byte_offset: byteOffset, lines } = MARKS_TABLE.checked(found);
  return { row, byteOffset, lines };
}
