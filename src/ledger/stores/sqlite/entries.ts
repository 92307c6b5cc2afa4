import { invariant } from '../../../core/errors.ts';
import type { Subject } from '../../../core/membership.ts';
import {
  type AttemptId,
  type Closure,
  type Credits,
  credits,
  type DecisionSpec,
  type Intent,
  type KeyedRequest,
  type Look,
  type RawReply,
  type Reading,
} from '../../ledger.ts';
import {
  attemptChecksum,
  type ChangeRow,
  callChecksum,
  changeChecksum,
  closureChecksum,
  decisionChecksum,
  lookChecksum,
  readingChecksum,
  releaseChecksum,
  replyChecksum,
  requestChecksum,
  subjectChecksum,
  toldChecksum,
} from './checksums.ts';
import type { Connection } from './connection.ts';
import { batchNumber, keyBytes } from './records.ts';

/** Writes the entries of the book of money: once, each with its checksum. Triggers then update totals and states. */
type Cell = string | number | null | Buffer;

function insert(connection: Connection, table: string, row: Readonly<Record<string, Cell>>): void {
  const columns = Object.keys(row);
  const values = columns.map((column) => `:${column}`);
  connection.run(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values.join(', ')})`, row);
}

/** The number of an account in the tables; a new account gets one. */
export function accountNumber(connection: Connection, identity: string): number {
  const known = connection.get<{ id: number }>('SELECT id FROM accounts WHERE identity = ?', identity);
  return known?.id ?? connection.run('INSERT INTO accounts (identity) VALUES (?)', identity).id;
}

/**
 * Nothing is ever deleted from these tables, so numbers only grow. They are chosen here, because checksums cover them.
 */
export function nextNumber(
  connection: Connection,
  table: 'attempts' | 'calls' | 'decisions' | 'looks' | 'readings' | 'subjects',
): number {
  return (connection.get<{ last: number | null }>(`SELECT max(id) AS last FROM ${table}`)?.last ?? 0) + 1;
}

/** Times in the tables are whole milliseconds; a clock may give fractions. */
export const wholeMs = (ms: number): number => Math.floor(ms);

/** @param boot the number of the boot in which the attempt is made; undefined when it is unknown. */
export function insertAttempt(connection: Connection, intent: Intent, boot?: number): AttemptId {
  const key = keyBytes(intent.key);
  const row = {
    id: nextNumber(connection, 'attempts'),
    batch: batchNumber(intent.batch),
    row: intent.row,
    reserved: intent.reserve,
    intent_at: wholeMs(intent.atMs),
    decision: intent.decision ?? null,
    replaces: intent.replaces ?? null,
    ...(boot === undefined || intent.uptimeMs === undefined
      ? { boot: null, uptime: null }
      : { boot, uptime: wholeMs(intent.uptimeMs) }),
  };
  const call = callNumber(connection, intent, key);
  insert(connection, 'attempts', { ...row, call, paid_row: row.row, checksum: attemptChecksum(row, key) });
  if (intent.request !== undefined) insertRequest(connection, row.id, intent.request);
  return row.id as AttemptId;
}

function insertRequest(connection: Connection, attempt: number, request: KeyedRequest): void {
  const row = {
    attempt,
    idempotency_key: request.idempotencyKey,
    method: request.method,
    path: request.path,
    first_sent_at: wholeMs(request.firstSentAtMs),
    body: request.body ?? null,
  };
  insert(connection, 'requests', { ...row, checksum: requestChecksum(row) });
}

function callNumber(connection: Connection, intent: Intent, key: Buffer): number {
  const { operation, change, after } = intent.call;
  const account = accountNumber(connection, intent.accountIdentity);
  const subject = change === undefined ? null : subjectNumber(connection, account, change.subject);
  const known = connection.get<{ id: number; subject: number | null }>(
    'SELECT id, subject FROM calls WHERE key = ?',
    key,
  );
  if (known !== undefined) {
    invariant(known.subject === subject, `call ${intent.key} is a change of another subject`);
    return known.id;
  }
  const row = { id: nextNumber(connection, 'calls'), key, account, call: JSON.stringify(intent.call) };
  const checksum = callChecksum(row);
  insert(connection, 'calls', { ...row, operation, subject, after: after ?? null, checksum });
  return row.id;
}

/** The number of a subject in the tables; a new subject gets one. */
function subjectNumber(connection: Connection, account: number, { project = '', name }: Subject): number {
  const known = connection.get<{ id: number }>(
    'SELECT id FROM subjects WHERE account = +? AND project = +? AND name = +?',
    account,
    project,
    name,
  );
  if (known !== undefined) return known.id;
  const row = { id: nextNumber(connection, 'subjects'), account, project, name };
  insert(connection, 'subjects', { ...row, checksum: subjectChecksum(row) });
  return row.id;
}

/** Advances the subject of a change; the same transaction must then settle the attempt. */
export function insertChange(connection: Connection, row: ChangeRow): void {
  insert(connection, 'changes', { ...row, checksum: changeChecksum(row) });
}

export function insertReply(connection: Connection, attempt: AttemptId, reply: RawReply): void {
  const row = { attempt, ...replyCells(reply) };
  insert(connection, 'replies', { ...row, checksum: replyChecksum(row) });
}

export function insertClosure(
  connection: Connection,
  attempt: AttemptId,
  closure: Closure,
  atMs: number,
): void {
  const settled = closure.kind === 'settled';
  const row = {
    attempt,
    kind: closure.kind,
    answer: settled ? closure.answer : null,
    charged: settled ? closure.charged : 0,
    why: closure.why,
    closed_at: wholeMs(atMs),
    dialect: settled ? (closure.dialect ?? null) : null,
  };
  insert(connection, 'closures', { ...row, checksum: closureChecksum(row) });
}

/** @returns the cost that is booked now, which is never less than before. */
export function insertReading(connection: Connection, reading: Reading): Credits {
  const { attempt, answer, why, dialect, atMs } = reading;
  const booked = connection.get<{ charged: number | null }>(
    `SELECT max(charged) AS charged FROM (
       SELECT iif(k.kind = 'in_doubt', a.reserved, k.charged) AS charged
         FROM closures k JOIN attempts a ON a.id = k.attempt WHERE k.attempt = :attempt
       UNION ALL SELECT charged FROM readings WHERE attempt = :attempt)`,
    { attempt },
  );
  const charged = credits(Math.max(reading.charged, booked?.charged ?? 0));
  const id = nextNumber(connection, 'readings');
  const row = { id, attempt, answer, charged, why, dialect, at: wholeMs(atMs) };
  insert(connection, 'readings', { ...row, checksum: readingChecksum(row) });
  return charged;
}

/** @returns the number of the decision. */
export function insertDecision(
  connection: Connection,
  spec: DecisionSpec,
  call: number,
  doubt: number,
): number {
  const row = {
    id: nextNumber(connection, 'decisions'),
    call,
    doubt,
    batch: batchNumber(spec.batch),
    kind: spec.kind,
    decided_by: spec.by,
    why: spec.why,
    at: wholeMs(spec.atMs),
  };
  insert(connection, 'decisions', { ...row, checksum: decisionChecksum(row) });
  return row.id;
}

/** A person tells about the call, so every attempt of it that holds money is settled; the newest one is its answer. */
export function insertTold(connection: Connection, call: number, decision: number, reply: RawReply): void {
  const lost = connection.all<{ id: number; reserved: number }>(
    'SELECT attempt AS id, reserved FROM held_attempts WHERE call = ? ORDER BY attempt',
    call,
  );
  for (const { id, reserved } of lost) {
    const row = { attempt: id, decision, charged: reserved, ...replyCells(reply) };
    insert(connection, 'told', { ...row, checksum: toldChecksum(row) });
  }
}

export function insertLook(connection: Connection, look: Look): void {
  const row = {
    id: nextNumber(connection, 'looks'),
    attempt: look.attempt,
    kind: look.kind,
    said: look.said,
    why: look.why,
    status: look.status,
    at: wholeMs(look.atMs),
    body: look.body,
  };
  insert(connection, 'looks', { ...row, checksum: lookChecksum(row) });
}

export function insertRelease(connection: Connection, attempt: AttemptId, why: string, atMs: number): void {
  const row = { attempt, why, at: wholeMs(atMs) };
  insert(connection, 'releases', { ...row, checksum: releaseChecksum(row) });
}

function replyCells(reply: RawReply) {
  return {
    status: reply.status,
    headers: JSON.stringify(reply.headers),
    received_at: wholeMs(reply.receivedAtMs),
    body: reply.body,
  };
}
