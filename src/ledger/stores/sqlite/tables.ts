import type { CallKey } from '../../../core/call-key.ts';
import { OUTCOME_KINDS } from '../../../core/row.ts';
import { ACTS, type BatchId, NOTICE_KINDS } from '../../ledger.ts';
import { ENDED, type Kind, MOVES, REPLIED, SENT, STANDS } from '../../rules/moves.ts';
import type { Connection } from './connection.ts';
import { isOneOf } from './lookups.ts';
import { table } from './table.ts';

/** The tables of the ledger that have sums, and how ids, keys and times stand in them. */

// An id of a batch is a random 31-bit number, shown as the eight hex digits that a user types.
export function batchId(id: number): BatchId {
  // Thousands of rows that follow each other are of one batch.
  if (id !== last.id) last = { id, text: id.toString(16).padStart(8, '0') as BatchId };
  return last.text;
}
let last = { id: 0, text: '00000000' as BatchId };
/** A word that is no id, such as a typing error, becomes a number that no batch has. */
export const batchNumber = (id: BatchId): number => (/^[0-9a-f]{8}$/.test(id) ? Number.parseInt(id, 16) : -1);

export const keyBytes = (key: CallKey): Buffer => Buffer.from(key, 'hex');
export const keyText = (key: Buffer): CallKey => key.toString('hex') as CallKey;

/** Times in the tables are whole milliseconds; a clock may give fractions. */
export const wholeMs = (ms: number): number => Math.floor(ms);

/**
 * The number of the next row, which the caller writes, or the first of so many. Nothing is ever deleted from these tables, so
 * numbers only grow. They are chosen here, because sums cover them. At the beginning of a transaction all entries are booked.
 */
export function nextNumber(
  connection: Connection,
  of: 'acts' | 'entries' | 'erasures' | 'holds' | 'subjects',
  count = 1,
): number {
  const name = `newest of ${of}`;
  const sql = of === 'entries' ? 'SELECT booked AS newest FROM book' : `SELECT max(id) AS newest FROM ${of}`;
  const next = connection.once(name, () => connection.get<{ newest: number | null }>(sql)?.newest ?? 0) + 1;
  connection.remember(name, next + count - 1);
  return next;
}

export function tableOf(kind: Kind): 'attempts' | 'replies' | 'ends' | 'notes' {
  if ((SENT as readonly Kind[]).includes(kind)) return 'attempts';
  if ((REPLIED as readonly Kind[]).includes(kind)) return 'replies';
  return (ENDED as readonly Kind[]).includes(kind) ? 'ends' : 'notes';
}

/** An entry of another kind among the notes would move its call without what its own table demands. */
const NOTE_KINDS = MOVES.map(({ kind }) => kind).filter((kind) => tableOf(kind) === 'notes');

export const CALLS_TABLE = table('calls', {
  columns: {
    id: 'INTEGER PRIMARY KEY',
    key: 'BLOB NOT NULL CHECK (length(key) = 32)',
    account: 'INTEGER NOT NULL',
    operation: 'TEXT NOT NULL',
    credits_most: 'INTEGER',
    parameters: 'TEXT NOT NULL',
    terms: 'TEXT',
    subject: 'INTEGER REFERENCES subjects (id)',
    after: 'INTEGER CHECK ((after IS NULL) = (subject IS NULL))',
  },
  moving: {
    // A word that grew when a call is answered would divide the page that the call is on, which is full by then. 0 and 1 take no byte.
    state_number: 'INTEGER NOT NULL DEFAULT 0 CHECK (state_number >= 0 AND state_number <= 2)',
    stands: 'INTEGER CHECK ((stands IS NULL) = (state_number = 0))',
    open: 'INTEGER',
    head: 'INTEGER',
    state: `TEXT GENERATED ALWAYS AS (CASE state_number ${STANDS.map((state, at) => `WHEN ${at} THEN '${state}'`).join(' ')} END) VIRTUAL`,
  },
  beginning: { open: 'id', head: 'id' },
  what: ({ id }) => `call ${id}`,
});

export const ATTEMPTS_TABLE = table('attempts', {
  columns: {
    id: 'INTEGER PRIMARY KEY',
    kind: `TEXT NOT NULL CHECK ${isOneOf('kind', SENT)}`,
    call: 'INTEGER NOT NULL',
    sees: "INTEGER CHECK ((sees IS NULL) = (kind = 'intent'))",
    batch: 'INTEGER NOT NULL',
    row: 'INTEGER NOT NULL',
    reserved: 'INTEGER NOT NULL CHECK (reserved >= 0)',
    at: 'INTEGER NOT NULL',
  },
  what: ({ id }) => `attempt ${id}`,
});

export const REPLIES_TABLE = table('replies', {
  columns: {
    of: 'INTEGER PRIMARY KEY',
    call: 'INTEGER NOT NULL',
    at: 'INTEGER NOT NULL',
    status: 'INTEGER NOT NULL',
    dated: 'INTEGER',
    typed: 'INTEGER',
  },
  contents: { headers: 'TEXT NOT NULL', body: 'BLOB NOT NULL' },
  what: ({ of }) => `the reply to attempt ${of}`,
});

export const ENDS_TABLE = table('ends', {
  columns: {
    of: 'INTEGER PRIMARY KEY',
    id: 'INTEGER NOT NULL',
    kind: `TEXT NOT NULL CHECK ${isOneOf('kind', ENDED)}`,
    call: 'INTEGER NOT NULL',
    pays: 'INTEGER',
    spent: "INTEGER NOT NULL CHECK (spent = 0 OR (spent > 0 AND kind = 'answered'))",
    at: 'INTEGER NOT NULL',
    said: 'TEXT',
    status: 'INTEGER',
    dialect: 'INTEGER',
    estimated: 'INTEGER NOT NULL CHECK (estimated = 0 OR estimated = 1)',
  },
  contents: { words: 'TEXT' },
  what: ({ of }) => `the end of attempt ${of}`,
});

export const NOTES_TABLE = table('notes', {
  columns: {
    id: 'INTEGER PRIMARY KEY',
    kind: `TEXT NOT NULL CHECK ${isOneOf('kind', NOTE_KINDS)}`,
    call: 'INTEGER NOT NULL',
    of: 'INTEGER NOT NULL',
    sees: 'INTEGER',
    pays: 'INTEGER',
    batch: 'INTEGER',
    spent: 'INTEGER NOT NULL',
    held: 'INTEGER NOT NULL',
    at: 'INTEGER NOT NULL',
    said: 'TEXT',
    status: 'INTEGER',
    dialect: 'INTEGER',
    estimated: 'INTEGER NOT NULL CHECK (estimated = 0 OR estimated = 1)',
    facts: 'TEXT',
  },
  contents: { headers: 'TEXT', words: 'TEXT', body: 'BLOB' },
  what: ({ id, kind }) => `note ${id} (${kind})`,
});

export const REQUESTS_TABLE = table('requests', {
  columns: {
    attempt: 'INTEGER PRIMARY KEY REFERENCES attempts (id)',
    idempotency_key: 'TEXT NOT NULL',
    method: `TEXT NOT NULL CHECK ${isOneOf('method', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])}`,
    first_sent_at: 'INTEGER NOT NULL',
  },
  contents: { path: 'TEXT NOT NULL', body: 'BLOB' },
  what: ({ attempt }) => `the request of attempt ${attempt}`,
});

/** The answers are JSON. `read_to` is NULL when none of them had a reading. A row that is finished twice alike stays as it was. */
export const ROWS_TABLE = table('rows', {
  columns: {
    batch: 'INTEGER NOT NULL REFERENCES batches (id)',
    row: 'INTEGER NOT NULL',
    outcome: `TEXT NOT NULL CHECK ${isOneOf('outcome', OUTCOME_KINDS)}`,
    matched_by: 'TEXT',
    reason: 'TEXT',
    answers: "TEXT NOT NULL CHECK (json_type(answers) = 'array')",
    input: 'INTEGER',
    read_to: 'INTEGER',
  },
  primaryKey: ['batch', 'row'],
  rules: ["CHECK ((outcome = 'matched') = (matched_by IS NOT NULL))"],
  onConflict: `ON CONFLICT (batch, row) DO UPDATE
    SET outcome = excluded.outcome, matched_by = excluded.matched_by, reason = excluded.reason,
        answers = excluded.answers, input = excluded.input, read_to = excluded.read_to, sum = excluded.sum
    WHERE rows.outcome = 'in_doubt' OR (rows.outcome, rows.matched_by, rows.reason, rows.answers, rows.input)
      IS NOT (excluded.outcome, excluded.matched_by, excluded.reason, excluded.answers, excluded.input)`,
  what: ({ batch, row }) => `row ${row} of batch ${batchId(batch)}`,
});

export const PLANNED_TABLE = table('planned', {
  columns: {
    batch: 'INTEGER NOT NULL REFERENCES batches (id) DEFERRABLE INITIALLY DEFERRED',
    row: 'INTEGER NOT NULL',
    planned: 'TEXT NOT NULL',
  },
  primaryKey: ['batch', 'row'],
  what: ({ row }) => `planned row ${row}`,
});

export const PIECES_TABLE = table('pieces', {
  columns: {
    batch: 'INTEGER NOT NULL REFERENCES batches (id)',
    row: 'INTEGER NOT NULL',
    byte_offset: 'INTEGER NOT NULL',
    lines: 'INTEGER NOT NULL',
    reading: 'TEXT NOT NULL',
    digest: 'BLOB NOT NULL CHECK (length(digest) = 16)',
  },
  primaryKey: ['batch', 'row'],
  onConflict: 'ON CONFLICT DO NOTHING',
  what: ({ row }) => `what is known of where row ${row} stands`,
});

/** The sum omits the sequence, which grows: the rows of `changes` add up to that. */
export const SUBJECTS_TABLE = table('subjects', {
  columns: {
    id: 'INTEGER PRIMARY KEY',
    account: 'INTEGER NOT NULL REFERENCES accounts (id)',
    project: 'TEXT NOT NULL',
    name: 'TEXT NOT NULL',
  },
  moving: { sequence: 'INTEGER NOT NULL DEFAULT 0' },
  rules: ['UNIQUE (account, project, name)'],
  what: ({ id }) => `subject ${id}`,
});

export const CHANGES_TABLE = table('changes', {
  columns: {
    attempt: 'INTEGER PRIMARY KEY REFERENCES attempts (id)',
    subject: 'INTEGER NOT NULL REFERENCES subjects (id)',
    sequence: 'INTEGER NOT NULL',
    state: `TEXT CHECK ${isOneOf('state', ['invited', 'member', 'between', 'gone', 'unsure', 'done'])}`,
    role: `TEXT CHECK ${isOneOf('role', ['viewer', 'editor', 'admin'])}`,
    email: 'TEXT',
    invite_code: 'TEXT',
    user_id: 'TEXT',
    project_id: 'TEXT',
  },
  rules: [
    'UNIQUE (subject, sequence)',
    'CHECK (state IS NOT NULL OR coalesce(role, email, invite_code, user_id, project_id) IS NULL)',
  ],
  what: ({ attempt }) => `the change by attempt ${attempt}`,
});

/** The highest price stays. */
export const PRICES_TABLE = table('prices', {
  columns: {
    account: 'INTEGER NOT NULL REFERENCES accounts (id)',
    operation: 'TEXT NOT NULL',
    credits_max: 'INTEGER NOT NULL',
    highest: 'INTEGER NOT NULL CHECK (highest >= 0)',
  },
  primaryKey: ['account', 'operation', 'credits_max'],
  onConflict: `ON CONFLICT (account, operation, credits_max)
    DO UPDATE SET highest = excluded.highest, sum = excluded.sum WHERE excluded.highest > highest`,
  what: ({ operation }) => `the price of ${operation}`,
});

/** The requests of jobs and dialects to which a person agreed, by the hash of what decides them. `shown`: as they were shown. */
export const AGREEMENTS_TABLE = table('agreements', {
  columns: {
    sha256: 'TEXT NOT NULL CHECK (length(sha256) = 64)',
    shown: 'TEXT NOT NULL',
    agreed_at: 'INTEGER NOT NULL',
  },
  primaryKey: ['sha256'],
  what: () => 'an agreement',
});

/** When a person paused a batch, and let it go on again. The newest entry of a batch says which. */
export const HOLDS_TABLE = table('holds', {
  columns: {
    id: 'INTEGER PRIMARY KEY',
    batch: 'INTEGER NOT NULL REFERENCES batches (id)',
    held: 'INTEGER NOT NULL CHECK (held IN (0, 1))',
    at: 'INTEGER NOT NULL',
  },
  what: ({ batch }) => `what is known of a pause of batch ${batchId(batch)}`,
});

/**
 * Who worked on a batch or ordered an erasure, by their own word: no decision about money depends on it. `of` is an erasure for
 * an act of kind `erased`, else a batch; `after` is the newest entry of the book before it.
 */
export const ACTS_TABLE = table('acts', {
  columns: {
    id: 'INTEGER PRIMARY KEY',
    kind: `TEXT NOT NULL CHECK ${isOneOf('kind', ACTS)}`,
    of: 'INTEGER NOT NULL',
    after: 'INTEGER NOT NULL',
    at: 'INTEGER NOT NULL',
  },
  contents: { operator: 'TEXT NOT NULL' },
  what: ({ id }) => `act ${id}`,
});

/** The sum omits whether the erasure has ended, which changes once. The files are JSON. */
export const ERASURES_TABLE = table('erasures', {
  columns: {
    id: 'INTEGER PRIMARY KEY',
    kind: "TEXT NOT NULL CHECK (kind IN ('person', 'age'))",
    at: 'INTEGER NOT NULL',
    key_check: "TEXT CHECK ((key_check IS NULL) = (kind = 'age'))",
    files: "TEXT NOT NULL CHECK (json_type(files) = 'array')",
  },
  moving: { scrubbed: 'INTEGER NOT NULL DEFAULT 0 CHECK (scrubbed IN (0, 1))' },
  what: ({ id }) => `erasure ${id}`,
});

/** Where a ledger went that was copied, at most one row: it spends no more. `identity` is the name of the copy. */
export const COPIES_TABLE = table('copies', {
  columns: {
    id: 'INTEGER PRIMARY KEY CHECK (id = 1)',
    identity: 'TEXT NOT NULL CHECK (length(identity) = 32)',
    place: 'TEXT NOT NULL',
    at: 'INTEGER NOT NULL',
  },
  what: () => 'to where this ledger was copied',
});

/** What jobs tell outside. It is no money: nothing is decided by it. `sent_at` is NULL until somebody has received it. */
export const NOTICES_TABLE = table('notices', {
  columns: {
    id: 'TEXT NOT NULL',
    kind: `TEXT NOT NULL CHECK ${isOneOf('kind', NOTICE_KINDS)}`,
    ...{ target: 'TEXT NOT NULL', body: 'TEXT NOT NULL', at: 'INTEGER NOT NULL' },
  },
  moving: { sent_at: 'INTEGER' },
  primaryKey: ['id'],
  what: ({ id }) => `the notice ${id}`,
});
