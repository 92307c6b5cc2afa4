import type { Position } from '../../../core/format.ts';
import { present } from '../../../core/objects.ts';
import type { Call, JsonObject, Vendor } from '../../../core/operation.ts';
import type { Outcome, OutcomeKind } from '../../../core/row.ts';
import {
  type AnswerKind,
  type AnswerRecord,
  type AttemptId,
  type AttemptRecord,
  type Batch,
  type BatchLine,
  type BatchState,
  credits,
  type Decision,
  type DecisionId,
  type FreshSince,
  type KeyedRequest,
  type Look,
  type RawReply,
  type ReadAs,
  type Reading,
} from '../../ledger.ts';
import type { Connection } from './connection.ts';
import { dialectOf, headersOf, wholeOf } from './shapes.ts';
import type { ReadRow } from './table.ts';
import {
  ATTEMPTS_TABLE,
  batchId,
  CALLS_TABLE,
  CLOSURES_TABLE,
  DECISIONS_TABLE,
  keyText,
  LOOKS_TABLE,
  MARKS_TABLE,
  READINGS_TABLE,
  RELEASES_TABLE,
  REPLIES_TABLE,
  REQUESTS_TABLE,
  ROWS_TABLE,
  TOLD_TABLE,
} from './tables.ts';

/**
 * Turns rows of the tables into the contract's values. Rows of money are checked against their checksums here, so no
 * altered row gets further.
 */

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

export type CallRow = ReadRow<typeof CALLS_TABLE> & { readonly key: Buffer };
export type AttemptRow = ReadRow<typeof ATTEMPTS_TABLE> & { readonly paid_row: number };
export type ReplyRow = ReadRow<typeof REPLIES_TABLE>;
export type ClosureRow = ReadRow<typeof CLOSURES_TABLE>;
export type ReadingRow = ReadRow<typeof READINGS_TABLE>;
export type OutcomeRow = ReadRow<typeof ROWS_TABLE>;

export function callFrom(connection: Connection, row: CallRow): Call {
  const { shape, call } = CALLS_TABLE.checked(row, row.key);
  return wholeOf(connection, shape, call) as unknown as Call;
}

export function replyFrom(connection: Connection, row: ReplyRow): RawReply {
  const { status, shape, headers, body, received_at: receivedAtMs } = REPLIES_TABLE.checked(row);
  return { status, headers: headersOf(connection, shape, headers, receivedAtMs), body, receivedAtMs };
}

export function requestFrom(row: ReadRow<typeof REQUESTS_TABLE>): KeyedRequest {
  const {
    idempotency_key: idempotencyKey,
    path,
    body,
    first_sent_at: firstSentAtMs,
  } = REQUESTS_TABLE.checked(row);
  const method = row.method as KeyedRequest['method'];
  return { idempotencyKey, method, path, ...present({ body: body ?? undefined }), firstSentAtMs };
}

export function lookFrom(row: ReadRow<typeof LOOKS_TABLE>): Look {
  const { why, status, body, at: atMs } = LOOKS_TABLE.checked(row);
  const { kind, said } = row as Pick<Look, 'kind' | 'said'>;
  return { attempt: row.attempt as AttemptId, kind, said, why, status, body, atMs };
}

export function releaseFrom(row: ReadRow<typeof RELEASES_TABLE>): NonNullable<AttemptRecord['released']> {
  const { why, at: atMs } = RELEASES_TABLE.checked(row);
  return { why, atMs };
}

export function closureFrom(row: ClosureRow): NonNullable<AttemptRecord['closure']> {
  const { why, charged, closed_at: closedAtMs } = CLOSURES_TABLE.checked(row);
  const kind = row.kind as NonNullable<AttemptRecord['closure']>['kind'];
  if (kind !== 'settled') return { kind, why, closedAtMs };
  return { kind, answer: row.answer as AnswerKind, charged: credits(charged), why, closedAtMs };
}

export function decisionFrom(row: ReadRow<typeof DECISIONS_TABLE> & { readonly key: Buffer }): Decision {
  const { why, at: atMs } = DECISIONS_TABLE.checked(row);
  const { kind, decided_by: by } = row as {
    readonly kind: Decision['kind'];
    readonly decided_by: Decision['by'];
  };
  return { id: row.id as DecisionId, key: keyText(row.key), batch: batchId(row.batch), kind, by, why, atMs };
}

export function readingFrom(row: ReadingRow): Reading {
  const { charged, why, dialect, at: atMs } = READINGS_TABLE.checked(row);
  const answer = row.answer as ReadAs;
  return { attempt: row.attempt as AttemptId, answer, charged: credits(charged), why, dialect, atMs };
}

/** Everything that is kept about one attempt that became an answer. */
export interface AnswerRows {
  readonly call: CallRow;
  readonly attempt: AttemptRow;
  readonly closure: ClosureRow | undefined;
  readonly reply: ReplyRow | undefined;
  readonly told: (ReadRow<typeof TOLD_TABLE> & { readonly why: string }) | undefined;
  /** The newest reading that the reader may know, and the newest of all. */
  readonly reading: ReadingRow | undefined;
  readonly newest: ReadingRow | undefined;
  readonly withHeaders: boolean;
}

/** Undefined for an attempt that brought no answer, such as a lost one. What is none only by a reading is there. */
export function answerFrom(connection: Connection, rows: AnswerRows): AnswerRecord<ReadAs> | undefined {
  const { told } = rows;
  const attempt = ATTEMPTS_TABLE.checked(rows.attempt, rows.call.key);
  const call = callFrom(connection, rows.call);
  const common = {
    attempt: attempt.id as AttemptId,
    batch: batchId(attempt.batch),
    call,
    ...present({ erasedAtMs: call.erasedAtMs }),
    paidRow: attempt.paid_row,
  };
  if (told !== undefined) {
    const { why, charged } = TOLD_TABLE.checked(told);
    return { ...common, kind: 'found', why, charged: credits(charged), ...saidIn(told) };
  }
  const closure = rows.closure && closureFrom(rows.closure);
  const reading = rows.reading && readingFrom(rows.reading);
  const taken = reading ?? (closure?.kind === 'settled' ? closure : undefined);
  if (taken === undefined || rows.reply === undefined) return undefined;
  const said = rows.withHeaders
    ? wholeSaidIn(replyFrom(connection, rows.reply))
    : saidIn(REPLIES_TABLE.checked(rows.reply));
  const { answer: kind, why } = taken;
  const { charged } = rows.newest === undefined ? taken : readingFrom(rows.newest);
  const readBy = rows.closure?.dialect ?? undefined;
  const dialect = reading?.dialect ?? (readBy === undefined ? undefined : dialectOf(connection, readBy));
  return { ...common, kind, why, charged, ...said, ...present({ dialect }) };
}

function wholeSaidIn({ receivedAtMs: answeredAtMs, ...said }: RawReply) {
  return { ...said, answeredAtMs };
}

/** Reads a reply without its headers, which cost time. */
function saidIn({
  status,
  body,
  received_at: answeredAtMs,
}: Pick<ReplyRow, 'status' | 'body' | 'received_at'>) {
  return { status, body, answeredAtMs };
}

export function outcomeFrom(row: OutcomeRow): Outcome {
  const { kind, matched_by: matchedBy, reason } = ROWS_TABLE.checked(row);
  return outcomeOf(kind as OutcomeKind, matchedBy, reason);
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
