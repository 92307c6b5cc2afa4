import { randomBytes } from 'node:crypto';
import { invariant } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/operation.ts';
import { Mentions } from '../../mentions.ts';
import { erasedReason } from '../../person.ts';
import type { Connection } from './connection.ts';
import { insertDecision, insertTold } from './entries.ts';
import type { Erasable, ErasableRow } from './erasable.ts';
import { hiddenKey, keyCheck } from './erasure-key.ts';
import type { Target } from './erasure-target.ts';
import { hasKey, isOfCall } from './lookups.ts';
import { wholeOf } from './shapes.ts';
import { logChange } from './subjects.ts';
import type { WrittenRow } from './table.ts';
import {
  ATTEMPTS_TABLE,
  batchId,
  CALLS_TABLE,
  CHANGES_TABLE,
  CLOSURES_TABLE,
  DECISIONS_TABLE,
  ERASURES_TABLE,
  LOOKS_TABLE,
  nextNumber,
  PLANNED_TABLE,
  READINGS_TABLE,
  RELEASES_TABLE,
  REPLIES_TABLE,
  REQUESTS_TABLE,
  ROWS_TABLE,
  SUBJECTS_TABLE,
  TOLD_TABLE,
} from './tables.ts';

/**
 * Empties what was found, inside one transaction: first an entry, then the list of what it covers, then the content
 * with its checksums. The guards of the schema refuse everything else.
 */
export interface Erasing {
  readonly target: Target;
  readonly found: Erasable;
  readonly atMs: number;
  /** The key that hides calls about a person; undefined when erased answers may be bought again. */
  readonly secret: Buffer | undefined;
  /** Files that are removed once this is committed. */
  readonly files: readonly string[];
}

const ATTEMPTS_OF_CALL = `SELECT * FROM attempts WHERE ${isOfCall('id', 'call', ':call')}`;

const EMPTY = Buffer.alloc(0);

export function erase(connection: Connection, erasing: Erasing): void {
  const { found, target } = erasing;
  const atMs = Math.floor(erasing.atMs);
  if (target.kind === 'person') for (const call of found.calls) endDoubt(connection, call, atMs);
  cover(connection, insertErasure(connection, erasing, atMs), found);
  for (const subject of found.subjects) eraseSubject(connection, subject);
  for (const call of found.calls) {
    for (const { id } of connection.all<{ id: number }>(ATTEMPTS_OF_CALL, { call })) {
      emptyAttempt(connection, id, true);
    }
    eraseCall(connection, call, atMs, erasing.secret);
  }
  for (const { table, attempt, body } of found.cuts) {
    (table === 'told' ? TOLD_TABLE : REPLIES_TABLE).change(connection, 'attempt', attempt, { body });
  }
  for (const attempt of found.attempts) emptyAttempt(connection, attempt, false);
  const mentions = target.kind === 'person' ? new Mentions(target.person) : undefined;
  for (const at of found.rows) eraseRow(connection, at, erasedReason(atMs), mentions);
  if (mentions !== undefined) replaceNames(connection, mentions, found.batches);
}

/**
 * A call that a person has skipped is in doubt for other batches. Once it is erased nobody can ask what became of it, so it counts as
 * charged, as if a person had told so.
 */
function endDoubt(connection: Connection, call: number, atMs: number): void {
  const lost = connection.get<{ doubt: number; batch: number }>(
    'SELECT c.doubt, a.batch FROM calls c JOIN attempts a ON a.id = c.doubt WHERE c.id = ?',
    call,
  );
  if (lost === undefined) return;
  const told = { batch: batchId(lost.batch), kind: 'told', by: 'person', why: 'erased', atMs } as const;
  const decision = insertDecision(connection, told, call, lost.doubt);
  logChange(connection, lost.doubt, undefined);
  insertTold(connection, call, decision, { status: 200, headers: {}, body: EMPTY, receivedAtMs: atMs });
}

function insertErasure(connection: Connection, { target, secret, files }: Erasing, at: number): number {
  const id = nextNumber(connection, 'erasures');
  const kind = target.kind === 'person' ? 'person' : 'age';
  const key_check = secret === undefined ? null : keyCheck(secret);
  ERASURES_TABLE.insert(connection, { id, kind, at, key_check, files: JSON.stringify(files) });
  return id;
}

/** The names of files that were removed may name a person, and nobody needs them afterwards. */
export function endErasures(connection: Connection): void {
  connection.run('UPDATE erasures SET scrubbed = 1 WHERE scrubbed = 0');
  const named = "SELECT * FROM erasures WHERE files <> '[]'";
  for (const row of connection.all<WrittenRow<typeof ERASURES_TABLE>>(named))
    ERASURES_TABLE.changeOne(connection, row, { files: '[]' });
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
  const row = connection.get<CallToErase>('SELECT * FROM calls WHERE id = ?', id);
  invariant(row !== undefined, `there is no call ${id}`);
  const hidden = secret === undefined || row.subject !== null ? undefined : hiddenKey(secret, row.key);
  const isTaken =
    hidden !== undefined &&
    connection.get(`SELECT 1 FROM calls WHERE ${hasKey('calls', ':hidden')}`, { hidden }) !== undefined;
  const key = hidden === undefined || isTaken ? randomBytes(32) : hidden;
  const asked = wholeOf(connection, row.shape, row.call);
  const operation = String(asked.operation ?? '');
  const call = JSON.stringify(emptiedCall(connection, asked, row.subject, atMs));
  CALLS_TABLE.changeOne(connection, row, { key, call, operation, shape: null }, key);
  const attempts = connection.all<WrittenRow<typeof ATTEMPTS_TABLE>>(ATTEMPTS_OF_CALL, { call: id });
  for (const attempt of attempts) ATTEMPTS_TABLE.changeOne(connection, attempt, {}, key);
}

type CallToErase = WrittenRow<typeof CALLS_TABLE> & { readonly key: Buffer; readonly subject: number | null };

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
  const named = connection.get<WrittenRow<typeof SUBJECTS_TABLE>>(
    'SELECT * FROM subjects WHERE id = ?',
    subject,
  );
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
  const why = 'erased';
  const said = { headers: '{}', ...(whole ? { body: EMPTY } : {}) };
  CLOSURES_TABLE.change(connection, 'attempt', attempt, { why });
  READINGS_TABLE.change(connection, 'attempt', attempt, { why });
  DECISIONS_TABLE.change(connection, 'doubt', attempt, { why });
  RELEASES_TABLE.change(connection, 'attempt', attempt, { why });
  LOOKS_TABLE.change(connection, 'attempt', attempt, { why, body: EMPTY });
  REPLIES_TABLE.change(connection, 'attempt', attempt, { ...said, shape: null });
  TOLD_TABLE.change(connection, 'attempt', attempt, said);
  if (whole) REQUESTS_TABLE.change(connection, 'attempt', attempt, { path: 'erased', body: null });
}

// ------------------------------------------------------------------------------------------------ rows and subjects

/** A row in doubt is settled later, and keeps what it says until then, unless that names the person. */
function eraseRow(
  connection: Connection,
  { batch, row }: ErasableRow,
  reason: string,
  mentions: Mentions | undefined,
): void {
  const settled = connection.get<WrittenRow<typeof ROWS_TABLE> & { readonly reason: string | null }>(
    'SELECT * FROM rows WHERE batch = ? AND row = ?',
    batch,
    row,
  );
  if (settled !== undefined && (settled.kind !== 'in_doubt' || mentions?.in(settled.reason ?? ''))) {
    ROWS_TABLE.changeOne(connection, settled, { reason, input: null });
  }
  const planned = JSON.stringify({ kind: 'end', outcome: { kind: 'skipped', reason } });
  PLANNED_TABLE.changeOne(connection, { batch, row, planned }, { planned });
}

/** Erases who a member is. The membership itself stays, and how often it changed. */
function eraseSubject(connection: Connection, id: number): void {
  SUBJECTS_TABLE.change(connection, 'id', id, { name: `erased:${id}` });
  CHANGES_TABLE.change(connection, 'subject', id, { email: null, invite_code: null, user_id: null });
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
      if (row?.text == null || !mentions.in(row.text, 'name')) continue;
      connection.run(`UPDATE batches SET ${column} = ? WHERE id = ?`, mentions.replacedIn(row.text), id);
    }
  }
  // A file that is no longer known as ours is kept like a user's file.
  connection.run("DELETE FROM files WHERE named('name', path)");
  connection.run("DELETE FROM reads WHERE named('name', path)");
  connection.run("DELETE FROM pauses WHERE mentions('words', why, NULL)");
  connection.run(
    "UPDATE accounts SET misses_place = NULL WHERE misses_place IS NOT NULL AND named('name', misses_place)",
  );
}
