import type { CallKey } from '../../../core/call-key.ts';
import { invariant } from '../../../core/errors.ts';
import type { Subject } from '../../../core/membership.ts';
import {
  type AttemptId,
  type Closure,
  type Credits,
  credits,
  type DecisionSpec,
  type Intent,
  type Look,
  type RawReply,
  type Reading,
} from '../../ledger.ts';
import type { Connection } from './connection.ts';
import { estimate } from './estimates.ts';
import { hasKey, isOfCall } from './lookups.ts';
import { dialectCell, headerCells, questionCells } from './shapes.ts';
import {
  ATTEMPTS_TABLE,
  batchNumber,
  CALLS_TABLE,
  CLOSURES_TABLE,
  DECISIONS_TABLE,
  keyBytes,
  LOOKS_TABLE,
  nextNumber,
  READINGS_TABLE,
  RELEASES_TABLE,
  REPLIES_TABLE,
  REQUESTS_TABLE,
  SUBJECTS_TABLE,
  TOLD_TABLE,
  wholeMs,
} from './tables.ts';

/** Writes the entries of the book of money: once, each with its checksum. Triggers then update totals and states. */

/** The number of an account in the tables; undefined when it has none. */
export function knownAccount(connection: Connection, identity: string): number | undefined {
  return connection.once(
    accountNamed(identity),
    () => connection.get<{ id: number }>('SELECT id FROM accounts WHERE identity = +?', identity)?.id,
  );
}

/** The number of an account in the tables; a new account gets one. */
export function accountNumber(connection: Connection, identity: string): number {
  const known = knownAccount(connection, identity);
  if (known !== undefined) return known;
  const { id } = connection.run('INSERT INTO accounts (identity) VALUES (?)', identity);
  connection.remember(accountNamed(identity), id);
  return id;
}

const accountNamed = (identity: string): string => `account ${identity}`;

/** A call as far as a further attempt needs it. */
export interface KeptCall {
  readonly id: number;
  readonly subject: number | null;
  /** The `creditsMost` with which it was first made. */
  readonly most: number | null;
  /** Whether it has an answer or is in doubt. */
  readonly isKnown: 0 | 1;
}

/** The call in the tables; undefined before its first attempt. */
export function keptCall(connection: Connection, key: CallKey): KeptCall | undefined {
  return connection.get(
    `SELECT id, subject, (SELECT credits_most FROM asked WHERE call = id) AS most,
            coalesce(answer, doubt) IS NOT NULL AS isKnown
       FROM calls WHERE ${hasKey('calls', '+:key')}`,
    { key: keyBytes(key) },
  );
}

interface AttemptOf {
  readonly account: number;
  /** The call in the tables, when it is there. */
  readonly kept: KeptCall | undefined;
  /** The number of the boot in which the attempt is made; undefined when it is unknown. */
  readonly boot: number | undefined;
}

export function insertAttempt(
  connection: Connection,
  intent: Intent,
  { account, kept, boot }: AttemptOf,
): AttemptId {
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
  const call = callNumber(connection, intent, { account, kept, first: row.id });
  ATTEMPTS_TABLE.insert(connection, { ...row, call }, intent.key);
  if (intent.request !== undefined) {
    const { idempotencyKey: idempotency_key, method, path, firstSentAtMs, body = null } = intent.request;
    const first_sent_at = wholeMs(firstSentAtMs);
    REQUESTS_TABLE.insert(connection, {
      attempt: row.id,
      idempotency_key,
      method,
      path,
      first_sent_at,
      body,
    });
  }
  return row.id as AttemptId;
}

/** @param first the number of the attempt, which its call gets when it is new. */
function callNumber(
  connection: Connection,
  intent: Intent,
  { account, kept, first }: Pick<AttemptOf, 'account' | 'kept'> & { readonly first: number },
): number {
  const { change, after } = intent.call;
  const subject = change === undefined ? null : subjectNumber(connection, account, change.subject);
  if (kept !== undefined) {
    invariant(kept.subject === subject, `call ${intent.key} is a change of another subject`);
    return kept.id;
  }
  const asked = questionCells(connection, intent.call);
  const row = { id: first, key: keyBytes(intent.key), account, ...asked, subject, after: after ?? null };
  CALLS_TABLE.insert(connection, row, intent.key);
  return first;
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
  const id = nextNumber(connection, 'subjects');
  SUBJECTS_TABLE.insert(connection, { id, account, project, name });
  return id;
}

export function insertReply(connection: Connection, attempt: AttemptId, reply: RawReply): void {
  const cells = replyCells(reply);
  REPLIES_TABLE.insert(connection, {
    attempt,
    ...cells,
    ...headerCells(connection, reply.headers, cells.received_at),
  });
}

/** How an attempt ended, and when. */
export interface Ended {
  readonly attempt: AttemptId;
  readonly closure: Closure;
  readonly atMs: number;
}

export function insertClosures(connection: Connection, ends: readonly Ended[]): void {
  CLOSURES_TABLE.insertAll(
    connection,
    ends.map(({ attempt, closure, atMs }) => {
      const settled = closure.kind === 'settled';
      return {
        attempt,
        kind: closure.kind,
        answer: settled ? closure.answer : null,
        charged: settled ? closure.charged : 0,
        why: closure.why,
        closed_at: wholeMs(atMs),
        dialect: dialectCell(connection, settled ? closure.dialect : undefined),
      };
    }),
  );
}

/** @returns the cost that is booked now, which is never less than before. */
export function insertReading(connection: Connection, reading: Reading): Credits {
  const { attempt, answer, why, dialect, atMs } = reading;
  const booked = connection.get<{ charged: number | null; lost: number | null }>(
    `SELECT max(charged) AS charged, max(lost) AS lost FROM (
       SELECT iif(k.kind = 'in_doubt', a.reserved, k.charged) AS charged, k.kind = 'in_doubt' AS lost
         FROM closures k JOIN attempts a ON a.id = k.attempt WHERE k.attempt = :attempt
       UNION ALL SELECT charged, 0 FROM readings WHERE attempt = :attempt)`,
    { attempt },
  );
  const charged = credits(Math.max(reading.charged, booked?.charged ?? 0));
  const id = nextNumber(connection, 'readings');
  READINGS_TABLE.insert(connection, { id, attempt, answer, charged, why, dialect, at: wholeMs(atMs) });
  // What is booked is then another price than today's, or one that a lost answer was reserved at.
  if (charged > 0 && (charged !== reading.charged || charged !== booked?.charged || booked.lost === 1))
    estimate(connection, [attempt]);
  return charged;
}

/** @returns the number of the decision. */
export function insertDecision(
  connection: Connection,
  spec: DecisionSpec,
  call: number,
  doubt: number,
): number {
  const id = nextNumber(connection, 'decisions');
  DECISIONS_TABLE.insert(connection, {
    id,
    call,
    doubt,
    batch: batchNumber(spec.batch),
    kind: spec.kind,
    decided_by: spec.by,
    why: spec.why,
    at: wholeMs(spec.atMs),
  });
  return id;
}

/** A person tells about the call, so every attempt of it that holds money is settled; the newest one is its answer. */
export function insertTold(connection: Connection, call: number, decision: number, reply: RawReply): void {
  const lost = connection.all<{ id: number; reserved: number }>(
    `SELECT attempt AS id, reserved FROM held_attempts WHERE ${isOfCall('attempt', 'call', ':call')} ORDER BY attempt`,
    { call },
  );
  for (const { id, reserved } of lost) {
    const headers = JSON.stringify(reply.headers);
    TOLD_TABLE.insert(connection, {
      attempt: id,
      decision,
      charged: reserved,
      headers,
      ...replyCells(reply),
    });
  }
  // Nobody says whether it was charged.
  estimate(
    connection,
    lost.flatMap(({ id, reserved }) => (reserved > 0 ? [id] : [])),
  );
}

export function insertLook(connection: Connection, look: Look): void {
  const { attempt, kind, said, why, status, body, atMs } = look;
  const id = nextNumber(connection, 'looks');
  LOOKS_TABLE.insert(connection, { id, attempt, kind, said, why, status, at: wholeMs(atMs), body });
}

export function insertRelease(connection: Connection, attempt: AttemptId, why: string, atMs: number): void {
  RELEASES_TABLE.insert(connection, { attempt, why, at: wholeMs(atMs) });
}

function replyCells(reply: RawReply) {
  return {
    status: reply.status,
    received_at: wholeMs(reply.receivedAtMs),
    body: reply.body,
  };
}
