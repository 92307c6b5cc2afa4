import { randomBytes } from 'node:crypto';
import { invariant } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/operation.ts';
import { erasedReason, Mentions } from '../../person.ts';
import type { ErasureOrder } from '../../store.ts';
import {
  type AttemptRow,
  attemptChecksum,
  type CallRow,
  type ChangeRow,
  type ClosureRow,
  callChecksum,
  changeChecksum,
  closureChecksum,
  type DecisionRow,
  decisionChecksum,
  erasureChecksum,
  type LookRow,
  lookChecksum,
  type OutcomeRow,
  outcomeChecksum,
  plannedChecksum,
  type ReadingRow,
  type ReleaseRow,
  type ReplyRow,
  type RequestRow,
  readingChecksum,
  releaseChecksum,
  replyChecksum,
  requestChecksum,
  type SubjectRow,
  subjectChecksum,
  type ToldRow,
  toldChecksum,
} from './checksums.ts';
import type { Connection } from './connection.ts';
import type { Erasable } from './erasable.ts';
import { hiddenKey, keyCheck } from './erasure-key.ts';

/**
 * Empties what was found, inside one transaction: first an entry, then the list of what it covers, then the content
 * with its checksums. The guards of the schema refuse everything else.
 */
export interface Erasing {
  readonly order: ErasureOrder;
  readonly found: Erasable;
  readonly atMs: number;
  /** The key that hides calls about a person; undefined when erased answers may be bought again. */
  readonly secret: Buffer | undefined;
  /** Files that are removed once this is committed. */
  readonly files: readonly string[];
}

const EMPTY = Buffer.alloc(0);

export function erase(connection: Connection, erasing: Erasing): void {
  const { found, order } = erasing;
  const atMs = Math.floor(erasing.atMs);
  cover(connection, insertErasure(connection, erasing, atMs), found);
  for (const subject of found.subjects) eraseSubject(connection, subject);
  for (const call of found.calls) {
    for (const { id } of connection.all<{ id: number }>('SELECT id FROM attempts WHERE call = ?', call)) {
      emptyAttempt(connection, id, true);
    }
    eraseCall(connection, call, atMs, erasing.secret);
  }
  for (const { table, attempt, body } of found.cuts) setBody(connection, table, attempt, body);
  for (const attempt of found.attempts) emptyAttempt(connection, attempt, false);
  for (const { batch, row } of found.rows) eraseRow(connection, batch, row, erasedReason(atMs));
  if (order.kind === 'person') replaceNames(connection, new Mentions(order.person), found.batches);
}

function insertErasure(connection: Connection, { order, secret, files }: Erasing, at: number): number {
  const last = connection.get<{ id: number | null }>('SELECT max(id) AS id FROM erasures')?.id ?? 0;
  const row = {
    id: last + 1,
    kind: order.kind,
    at,
    key_check: secret === undefined ? null : keyCheck(secret),
    files: JSON.stringify(files),
  };
  connection.run(
    `INSERT INTO erasures (id, kind, at, key_check, files, checksum)
       VALUES (:id, :kind, :at, :key_check, :files, :checksum)`,
    { ...row, checksum: erasureChecksum(row) },
  );
  return row.id;
}

function cover(connection: Connection, erasure: number, found: Erasable): void {
  const sql = 'INSERT INTO erased (what, id, row, erasure) VALUES (?, ?, ?, ?)';
  for (const id of found.calls) connection.run(sql, 'call', id, 0, erasure);
  for (const id of found.attempts) connection.run(sql, 'attempt', id, 0, erasure);
  for (const id of found.subjects) connection.run(sql, 'subject', id, 0, erasure);
  for (const { batch, row } of found.rows) connection.run(sql, 'row', batch, row, erasure);
}

// ----------------------------------------------------------------------------------------------- calls and attempts

/**
 * Empties a call and replaces its key. A person's call gets its hidden key, so that it is recognised when it is asked
 * again. Two kinds of calls get a random key: a change, which is never answered from an older one, and a call whose
 * hidden key an earlier one has already.
 */
function eraseCall(connection: Connection, id: number, atMs: number, secret: Buffer | undefined): void {
  const row = connection.get<CallRow & { subject: number | null }>('SELECT * FROM calls WHERE id = ?', id);
  invariant(row !== undefined, `there is no call ${id}`);
  const hidden = secret === undefined || row.subject !== null ? undefined : hiddenKey(secret, row.key);
  const isTaken =
    hidden !== undefined && connection.get('SELECT 1 FROM calls WHERE key = ?', hidden) !== undefined;
  const key = hidden === undefined || isTaken ? randomBytes(32) : hidden;
  const call = JSON.stringify(emptiedCall(connection, JSON.parse(row.call) as JsonObject, row.subject, atMs));
  const next = { ...row, key, call };
  connection.run(
    'UPDATE calls SET key = ?, call = ?, checksum = ? WHERE id = ?',
    key,
    call,
    callChecksum(next),
    id,
  );
  for (const attempt of connection.all<AttemptRow>('SELECT * FROM attempts WHERE call = ?', id)) {
    const sql = 'UPDATE attempts SET checksum = ? WHERE id = ?';
    connection.run(sql, attemptChecksum(attempt, key), attempt.id);
  }
}

/**
 * The call without its content. What rules need stays: the operation, its most, and of a change its subject and its
 * sequence.
 */
function emptiedCall(
  connection: Connection,
  { operation, project, after, change, creditsMost }: JsonObject,
  subject: number | null,
  erasedAtMs: number,
): JsonObject {
  const kept = Object.entries({ project, after, creditsMost }).filter(([, value]) => value !== undefined);
  const left = { operation: operation ?? '', parameters: {}, ifLost: 'hold', erasedAtMs };
  const emptied = { ...left, ...(Object.fromEntries(kept) as JsonObject) };
  if (change === undefined || subject === null) return emptied;
  const named = connection.get<SubjectRow>('SELECT * FROM subjects WHERE id = ?', subject);
  invariant(named !== undefined, `there is no subject ${subject}`);
  const { name, project: where } = named;
  const { leaves } = change as { readonly leaves?: JsonObject };
  return {
    ...emptied,
    change: {
      subject: where === '' ? { name } : { project: where, name },
      leaves: { state: leaves?.state ?? 'done' },
    },
  };
}

/** @param whole whether bodies and requests are erased as well. */
function emptyAttempt(connection: Connection, attempt: number, whole: boolean): void {
  const change = <Row extends object>(
    sql: string,
    set: Partial<Row>,
    checksum: (row: Row) => number,
    update: string,
  ): void => {
    for (const row of connection.all<Row>(sql, attempt)) {
      const next = { ...row, ...set };
      connection.run(update, { ...(next as Record<string, never>), checksum: checksum(next) });
    }
  };
  const why = { why: 'erased' };
  const body = whole ? { body: EMPTY } : {};
  change<ClosureRow>('SELECT * FROM closures WHERE attempt = ?', why, closureChecksum, SET_CLOSURE);
  change<ReadingRow>('SELECT * FROM readings WHERE attempt = ?', why, readingChecksum, SET_READING);
  change<DecisionRow>('SELECT * FROM decisions WHERE doubt = ?', why, decisionChecksum, SET_DECISION);
  change<ReleaseRow>('SELECT * FROM releases WHERE attempt = ?', why, releaseChecksum, SET_RELEASE);
  change<LookRow>('SELECT * FROM looks WHERE attempt = ?', { ...why, body: EMPTY }, lookChecksum, SET_LOOK);
  const said = { headers: '{}', ...body };
  change<ReplyRow>('SELECT * FROM replies WHERE attempt = ?', said, replyChecksum, setSaid('replies'));
  change<ToldRow>('SELECT * FROM told WHERE attempt = ?', said, toldChecksum, setSaid('told'));
  if (!whole) return;
  const sent = { path: 'erased', body: null };
  change<RequestRow>('SELECT * FROM requests WHERE attempt = ?', sent, requestChecksum, SET_REQUEST);
}

const SET_CLOSURE = 'UPDATE closures SET why = :why, checksum = :checksum WHERE attempt = :attempt';
const SET_READING = 'UPDATE readings SET why = :why, checksum = :checksum WHERE id = :id';
const SET_DECISION = 'UPDATE decisions SET why = :why, checksum = :checksum WHERE id = :id';
const SET_RELEASE = 'UPDATE releases SET why = :why, checksum = :checksum WHERE attempt = :attempt';
const SET_LOOK = 'UPDATE looks SET why = :why, body = :body, checksum = :checksum WHERE id = :id';
const SET_REQUEST =
  'UPDATE requests SET path = :path, body = :body, checksum = :checksum WHERE attempt = :attempt';
const setSaid = (table: 'replies' | 'told'): string =>
  `UPDATE ${table} SET headers = :headers, body = :body, checksum = :checksum WHERE attempt = :attempt`;

function setBody(connection: Connection, table: 'replies' | 'told', attempt: number, body: Buffer): void {
  const row = connection.get<ToldRow>(`SELECT * FROM ${table} WHERE attempt = ?`, attempt);
  invariant(row !== undefined, `there is no answer to attempt ${attempt}`);
  const next = { ...row, body };
  const checksum = table === 'told' ? toldChecksum(next) : replyChecksum(next);
  connection.run(`UPDATE ${table} SET body = ?, checksum = ? WHERE attempt = ?`, body, checksum, attempt);
}

// ------------------------------------------------------------------------------------------------ rows and subjects

function eraseRow(connection: Connection, batch: number, row: number, reason: string): void {
  const where = 'WHERE batch = ? AND row = ?';
  const settled = connection.get<OutcomeRow>(`SELECT * FROM rows ${where}`, batch, row);
  if (settled !== undefined && settled.kind !== 'in_doubt') {
    const checksum = outcomeChecksum({ ...settled, reason, input: null });
    const sql = `UPDATE rows SET reason = ?, input = NULL, checksum = ? ${where}`;
    connection.run(sql, reason, checksum, batch, row);
  }
  const planned = JSON.stringify({ kind: 'end', outcome: { kind: 'skipped', reason } });
  const checksum = plannedChecksum({ batch, row, planned });
  connection.run(`UPDATE planned SET planned = ?, checksum = ? ${where}`, planned, checksum, batch, row);
}

/** Erases who a member is. The membership itself stays, and how often it changed. */
function eraseSubject(connection: Connection, id: number): void {
  const row = connection.get<SubjectRow>('SELECT * FROM subjects WHERE id = ?', id);
  invariant(row !== undefined, `there is no subject ${id}`);
  const name = `erased:${id}`;
  const checksum = subjectChecksum({ ...row, name });
  connection.run('UPDATE subjects SET name = ?, checksum = ? WHERE id = ?', name, checksum, id);
  for (const change of connection.all<ChangeRow>('SELECT * FROM changes WHERE subject = ?', id)) {
    const next = { ...change, email: null, invite_code: null, user_id: null };
    connection.run(
      'UPDATE changes SET email = NULL, invite_code = NULL, user_id = NULL, checksum = ? WHERE attempt = ?',
      changeChecksum(next),
      change.attempt,
    );
  }
}

/** Replaces the person in words beside the book, which need no guard because they may change at any time. */
function replaceNames(connection: Connection, mentions: Mentions, batches: ReadonlySet<number>): void {
  const columns = ['settings', 'command', 'input_path', 'output_path', 'lineage'] as const;
  for (const id of batches) {
    for (const column of columns) {
      const row = connection.get<{ text: string | null }>(
        `SELECT ${column} AS text FROM batches WHERE id = ?`,
        id,
      );
      if (row?.text == null || !mentions.in(row.text)) continue;
      connection.run(`UPDATE batches SET ${column} = ? WHERE id = ?`, mentions.replacedIn(row.text), id);
    }
  }
  // A file that is no longer known as ours is kept like a user's file.
  connection.run('DELETE FROM files WHERE mentions(path, NULL)');
  connection.run('DELETE FROM pauses WHERE mentions(why, NULL)');
  connection.run(
    'UPDATE accounts SET misses_place = NULL WHERE misses_place IS NOT NULL AND mentions(misses_place, NULL)',
  );
}
