import type { CallKey } from '../../../core/call-key.ts';
import type { Position } from '../../../core/format.ts';
import { present } from '../../../core/objects.ts';
import type { Call, JsonObject, Vendor } from '../../../core/operation.ts';
import type { Outcome } from '../../../core/row.ts';
import {
  type AnswerKind,
  type AnswerRecord,
  type AttemptId,
  type Batch,
  type BatchId,
  type BatchState,
  type Closure,
  credits,
  type Decision,
  type DecisionId,
  type DecisionKind,
  type DecisionSpec,
  type FreshSince,
  type KeyedRequest,
  type Look,
  type RawReply,
  type Reading,
} from '../../ledger.ts';
import {
  type AttemptRow,
  attemptChecksum,
  type CallRow,
  type ClosureRow,
  callChecksum,
  closureChecksum,
  type DecisionRow,
  type LookRow,
  lookChecksum,
  type MarkRow,
  markChecksum,
  type OutcomeRow,
  outcomeChecksum,
  type ReadingRow,
  type ReleaseRow,
  type ReplyRow,
  type RequestRow,
  readingChecksum,
  releaseChecksum,
  replyChecksum,
  requestChecksum,
  type ToldRow,
  toldChecksum,
} from './checksums.ts';
import { AlteredRow } from './connection.ts';

/**
 * Turns rows of the tables into the contract's values, and back. Rows of money are checked against their checksums
 * here, so no altered row gets further.
 */

function check(found: number | null, expected: number, what: string): void {
  if (found !== expected) throw new AlteredRow(`${what} was altered`);
}

// An id is a random 32-bit number, shown as the eight hex digits that a user types.
export const batchId = (id: number): BatchId => id.toString(16).padStart(8, '0') as BatchId;
/** A word that is no id, such as a typing error, becomes a number that no batch has. */
export const batchNumber = (id: BatchId): number => (/^[0-9a-f]{8}$/.test(id) ? Number.parseInt(id, 16) : -1);

export const keyBytes = (key: CallKey): Buffer => Buffer.from(key, 'hex');
export const keyText = (key: Buffer): CallKey => key.toString('hex') as CallKey;

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
}

export function batchOf(row: BatchRow): Batch {
  return {
    id: batchId(row.id),
    key: row.key,
    generation: row.generation,
    lineage: row.lineage,
    state: row.state,
    accountIdentity: row.identity,
    accountName: row.account_name,
    sandbox: row.sandbox === 1,
    vendor: row.vendor,
    operation: row.operation,
    inputPath: row.input_path,
    inputSha256: row.input_sha256,
    inputRows: row.input_rows,
    settings: JSON.parse(row.settings) as JsonObject,
    createdAtMs: row.created_at,
    ...present({
      outputPath: row.output_path ?? undefined,
      outputSha256: row.output_sha256 ?? undefined,
      command: row.command ?? undefined,
    }),
    ...freshSinceOf(row),
    ...present({ rowsBeyond: row.rows_beyond ?? undefined }),
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

export type StoredCall = CallRow & { readonly checksum: number };

export function callOf(row: StoredCall): Call {
  check(row.checksum, callChecksum(row), `call ${row.id}`);
  return JSON.parse(row.call) as Call;
}

export type StoredAttempt = AttemptRow & { readonly checksum: number; readonly paid_row: number };

export function checkAttempt(row: StoredAttempt, key: Buffer): void {
  check(row.checksum, attemptChecksum(row, key), `attempt ${row.id}`);
}

export type StoredReply = ReplyRow & { readonly checksum: number };

export function replyOf(row: StoredReply): RawReply {
  checkReply(row);
  return {
    status: row.status,
    headers: JSON.parse(row.headers) as Record<string, string>,
    body: row.body,
    receivedAtMs: row.received_at,
  };
}

function checkReply(row: StoredReply): void {
  check(row.checksum, replyChecksum(row), `the reply to attempt ${row.attempt}`);
}

export type StoredTold = ToldRow & { readonly checksum: number };

function checkTold(row: StoredTold): void {
  check(row.checksum, toldChecksum(row), `what was told about attempt ${row.attempt}`);
}

export type StoredRequest = RequestRow & { readonly checksum: number };

export function requestOf(row: StoredRequest): KeyedRequest {
  check(row.checksum, requestChecksum(row), `the request of attempt ${row.attempt}`);
  return {
    idempotencyKey: row.idempotency_key,
    method: row.method as KeyedRequest['method'],
    path: row.path,
    ...present({ body: row.body ?? undefined }),
    firstSentAtMs: row.first_sent_at,
  };
}

export function lookOf(row: LookRow & { readonly checksum: number }): Look {
  check(row.checksum, lookChecksum(row), `look ${row.id}`);
  const { kind, said } = row as Pick<Look, 'kind' | 'said'>;
  const { why, status, body, at: atMs } = row;
  return { attempt: row.attempt as AttemptId, kind, said, why, status, body, atMs };
}

export function releaseOf(row: ReleaseRow & { readonly checksum: number }): {
  readonly why: string;
  readonly atMs: number;
} {
  check(row.checksum, releaseChecksum(row), `the release of attempt ${row.attempt}`);
  return { why: row.why, atMs: row.at };
}

export type StoredClosure = ClosureRow & { readonly checksum: number };

export function closureOf(row: StoredClosure): Closure & { readonly closedAtMs: number } {
  check(row.checksum, closureChecksum(row), `the end of attempt ${row.attempt}`);
  const { why, closed_at: closedAtMs } = row;
  const kind = row.kind as Closure['kind'];
  if (kind !== 'settled') return { kind, why, closedAtMs };
  return { kind, answer: row.answer as AnswerKind, charged: credits(row.charged), why, closedAtMs };
}

export function decisionOf(row: DecisionRow & { readonly key: Buffer }): Decision {
  return {
    id: row.id as DecisionId,
    key: keyText(row.key),
    batch: batchId(row.batch),
    kind: row.kind as DecisionKind,
    by: row.decided_by as DecisionSpec['by'],
    why: row.why,
    atMs: row.at,
  };
}

export type StoredReading = ReadingRow & { readonly checksum: number };

export function readingOf(row: StoredReading): Reading {
  check(row.checksum, readingChecksum(row), `reading ${row.id}`);
  const { why, dialect, at: atMs } = row;
  const answer = row.answer as AnswerKind;
  return {
    attempt: row.attempt as AttemptId,
    answer,
    charged: credits(row.charged),
    why,
    dialect,
    atMs,
  };
}

/** Everything that is kept about one attempt that became an answer. */
export interface AnswerRows {
  readonly call: StoredCall;
  readonly attempt: StoredAttempt;
  readonly closure: StoredClosure | undefined;
  readonly reply: StoredReply | undefined;
  readonly told: (StoredTold & { readonly why: string }) | undefined;
  /** The newest reading that the reader may know, and the newest of all. */
  readonly reading: StoredReading | undefined;
  readonly newest: StoredReading | undefined;
}

/** Undefined for an attempt that brought no answer, such as a lost one. */
export function answerOf(rows: AnswerRows): AnswerRecord | undefined {
  const { attempt, told } = rows;
  checkAttempt(attempt, rows.call.key);
  const call = callOf(rows.call);
  const common = {
    attempt: attempt.id as AttemptId,
    batch: batchId(attempt.batch),
    call,
    ...present({ erasedAtMs: call.erasedAtMs }),
    paidRow: attempt.paid_row,
  };
  if (told !== undefined) {
    checkTold(told);
    return { ...common, kind: 'found', why: told.why, charged: credits(told.charged), ...saidIn(told) };
  }
  const closure = rows.closure && closureOf(rows.closure);
  const reading = rows.reading && readingOf(rows.reading);
  const taken = reading ?? (closure?.kind === 'settled' ? closure : undefined);
  if (taken === undefined || rows.reply === undefined) return undefined;
  checkReply(rows.reply);
  const { answer: kind, why } = taken;
  const { charged } = rows.newest === undefined ? taken : readingOf(rows.newest);
  const dialect = reading?.dialect ?? rows.closure?.dialect ?? undefined;
  return {
    ...common,
    kind,
    why,
    charged,
    ...saidIn(rows.reply),
    ...present({ dialect }),
  };
}

/** Reads a reply without its headers, which are not part of an answer. */
function saidIn({ status, body, received_at: answeredAtMs }: ReplyRow) {
  return { status, body, answeredAtMs };
}

export function outcomeOf(row: OutcomeRow & { readonly checksum: number | null }): Outcome {
  check(row.checksum, outcomeChecksum(row), `row ${row.row} of batch ${batchId(row.batch)}`);
  const { kind, matched_by: matchedBy, reason } = row;
  return {
    kind,
    ...present({ matchedBy: matchedBy ?? undefined, reason: reason ?? undefined }),
  } as Outcome;
}

export function positionOf(row: MarkRow & { readonly checksum: number | null }): Position {
  check(row.checksum, markChecksum(row), `what is known of where row ${row.row} stands`);
  return { row: row.row, byteOffset: row.byte_offset, lines: row.lines };
}
