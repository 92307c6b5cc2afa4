import { randomBytes } from 'node:crypto';
import { invariant } from '../../../core/errors.ts';
import { erasedReason, type Person } from '../../eraser.ts';
import { toldErased } from '../../rules/drafts.ts';
import { type Erasing as ErasingOf, erasedPlan, NAMES_OF_BATCH } from '../../rules/found.ts';
import { hiddenKey, keyCheck } from '../../rules/hidden-keys.ts';
import { emptiedTerms } from '../../rules/kept-call.ts';
import { historyOf } from './attempt-records.ts';
import type { Connection } from './connection.ts';
import { type ErasableRow, type Found, NAMES } from './erasable.ts';
import { follow } from './follow.ts';
import { attemptsOf, hasKey } from './lookups.ts';
import { insertAct } from './people.ts';
import type { WrittenRow } from './table.ts';
import {
  ACTS_TABLE,
  CALLS_TABLE,
  CHANGES_TABLE,
  ENDS_TABLE,
  ERASURES_TABLE,
  NOTES_TABLE,
  nextNumber,
  PLANNED_TABLE,
  REPLIES_TABLE,
  REQUESTS_TABLE,
  ROWS_TABLE,
  SUBJECTS_TABLE,
} from './tables.ts';

/**
 * Empties what was found, inside one transaction: first an entry, then the list of what it covers, then the content
 * with its checksums. The guards of the schema refuse everything else.
 */
export interface Erasing extends ErasingOf<Found> {
  /** Files that are removed once this is committed. */
  readonly files: readonly string[];
}

const ATTEMPTS_OF_CALL = `SELECT id FROM ${attemptsOf(':call')}`;

const EMPTY = Buffer.alloc(0);

/** Of every list in which a row is erased, whichever batch remembers them. */
const REMOVE_PIECES = `
DELETE FROM pieces WHERE batch IN (
  SELECT same.id FROM batches b JOIN batches same ON same.input_sha256 = b.input_sha256
   WHERE b.id IN (SELECT value FROM json_each(?)))`;

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
  for (const { heldIn, entry, body } of found.cuts) {
    if (heldIn === 'replies') REPLIES_TABLE.change(connection, 'of', entry, { body });
    else NOTES_TABLE.change(connection, 'id', entry, { body });
  }
  for (const attempt of found.attempts) emptyAttempt(connection, attempt, false);
  const person = target.kind === 'person' ? target.person : undefined;
  connection.run(REMOVE_PIECES, JSON.stringify(found.rows.map(({ batch }) => batch)));
  for (const at of found.rows) eraseRow(connection, at, erasedReason(atMs), person);
  if (person !== undefined) replaceNames(connection, person);
}

function endDoubt(connection: Connection, call: number, atMs: number): void {
  if (connection.get("SELECT 1 FROM calls WHERE id = ? AND state = 'doubt'", call) === undefined) return;
  const history = historyOf(connection, call);
  const told = toldErased(history, atMs);
  if (told !== undefined) follow(connection, history, told);
}

function insertErasure(connection: Connection, { target, secret, files, by }: Erasing, at: number): number {
  const id = nextNumber(connection, 'erasures');
  const kind = target.kind === 'person' ? 'person' : 'age';
  const key_check = secret === undefined ? null : keyCheck(secret);
  ERASURES_TABLE.insert(connection, { id, kind, at, key_check, files: JSON.stringify(files) });
  if (by !== undefined) insertAct(connection, 'erased', id, by);
  return id;
}

/** The names of files that were removed may name a person, and nobody needs them afterwards. */
export function endErasures(connection: Connection): void {
  connection.run('UPDATE erasures SET scrubbed = 1 WHERE scrubbed = 0');
  const named = "SELECT * FROM erasures WHERE files <> '[]'";
  for (const row of connection.all<WrittenRow<typeof ERASURES_TABLE>>(named))
    ERASURES_TABLE.changeOne(connection, row, { files: '[]' });
}

function cover(connection: Connection, erasure: number, found: Found): void {
  const sql = 'INSERT INTO erased (what, id, row, erasure) VALUES (?, ?, ?, ?)';
  for (const id of found.calls) connection.run(sql, 'call', id, 0, erasure);
  for (const id of found.attempts) connection.run(sql, 'attempt', id, 0, erasure);
  for (const id of found.subjects) connection.run(sql, 'subject', id, 0, erasure);
  for (const { batch, row } of found.rows) connection.run(sql, 'row', batch, row, erasure);
}

/**
 * Empties a call and replaces its key. A person's call gets its hidden key, so that it is recognised when it is asked
 * again. Two kinds of calls get a random key: a change, which is never answered from an older one, and a call whose
 * hidden key an earlier one has already.
 */
function eraseCall(connection: Connection, id: number, atMs: number, secret: Buffer | undefined): void {
  const row = connection.get<WrittenRow<typeof CALLS_TABLE>>('SELECT * FROM calls WHERE id = ?', id);
  invariant(row !== undefined, `there is no call ${id}`);
  const hidden = secret === undefined || row.subject !== null ? undefined : hiddenKey(secret, row.key);
  const isTaken =
    hidden !== undefined &&
    connection.get(`SELECT 1 FROM calls WHERE ${hasKey('calls', ':hidden')}`, { hidden }) !== undefined;
  const key = hidden === undefined || isTaken ? randomBytes(32) : hidden;
  const sql = 'SELECT name FROM subjects WHERE id = ?';
  const name = connection.get<{ name: string }>(sql, row.subject)?.name;
  const terms = JSON.stringify(emptiedTerms(JSON.parse(row.terms ?? '{}'), atMs, name));
  CALLS_TABLE.changeOne(connection, row, { key, parameters: '{}', terms });
}

type NoteRow = WrittenRow<typeof NOTES_TABLE>;

/** @param whole whether bodies of answers and requests are erased as well. */
function emptyAttempt(connection: Connection, attempt: number, whole: boolean): void {
  const body = whole ? { body: EMPTY } : {};
  REPLIES_TABLE.change(connection, 'of', attempt, { headers: '{}', ...body });
  const ends = connection.all<WrittenRow<typeof ENDS_TABLE>>('SELECT * FROM ends WHERE of = ?', attempt);
  for (const end of ends) if (end.words !== null) ENDS_TABLE.changeOne(connection, end, { words: 'erased' });
  const notes = connection.all<NoteRow>('SELECT * FROM notes WHERE of = ?', attempt);
  for (const note of notes) NOTES_TABLE.changeOne(connection, note, emptiedNote(note, whole));
  if (whole) REQUESTS_TABLE.change(connection, 'attempt', attempt, { path: 'erased', body: null });
}

/** What a look found names the person as well, although it is no answer. */
function emptiedNote({ kind, headers, words, body }: NoteRow, whole: boolean): Partial<NoteRow> {
  return {
    headers: headers === null ? null : '{}',
    words: words === null ? null : 'erased',
    body: body !== null && (whole || kind === 'look') ? EMPTY : body,
  };
}

/** A row in doubt is settled later, and keeps what it says until then, unless that names the person. */
function eraseRow(
  connection: Connection,
  { batch, row }: ErasableRow,
  reason: string,
  person: Person | undefined,
): void {
  const settled = connection.get<WrittenRow<typeof ROWS_TABLE> & { readonly reason: string | null }>(
    'SELECT * FROM rows WHERE batch = ? AND row = ?',
    batch,
    row,
  );
  if (settled !== undefined && (settled.outcome !== 'in_doubt' || person?.in(settled.reason ?? ''))) {
    ROWS_TABLE.changeOne(connection, settled, { reason, input: null });
  }
  const planned = erasedPlan(reason);
  PLANNED_TABLE.changeOne(connection, { batch, row, planned }, { planned });
}

/** Erases who a member is. The membership itself stays, and how often it changed. */
function eraseSubject(connection: Connection, id: number): void {
  SUBJECTS_TABLE.change(connection, 'id', id, { name: `erased:${id}` });
  CHANGES_TABLE.change(connection, 'subject', id, { email: null, invite_code: null, user_id: null });
}

/** Replaces the person in words beside the book, which need no guard because they may change at any time. */
function replaceNames(connection: Connection, person: Person): void {
  connection.define('renamed', (name) => person.replacedIn(name));
  for (const name of NAMES_OF_BATCH)
    connection.run(`UPDATE batches SET ${name} = renamed(${name}) WHERE named('name', ${name})`);
  // A file that is no longer known as ours is kept like a user's file.
  for (const table of ['files', 'reads', 'pauses'] as const)
    connection.run(`DELETE FROM ${table} WHERE ${NAMES[table]}`);
  connection.run(`UPDATE accounts SET misses_place = NULL WHERE ${NAMES.accounts}`);
  const acts = `SELECT * FROM acts WHERE ${NAMES.acts}`;
  for (const act of connection.all<WrittenRow<typeof ACTS_TABLE>>(acts))
    ACTS_TABLE.changeOne(connection, act, { operator: person.replacedIn(act.operator) });
}
