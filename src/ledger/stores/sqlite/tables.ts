import type { CallKey } from '../../../core/call-key.ts';
import type { BatchId } from '../../ledger.ts';
import type { Connection } from './connection.ts';
import { table } from './table.ts';

/** The tables of the ledger that have sums, and how ids, keys and times stand in them. */

// An id of a batch is a random 31-bit number, shown as the eight hex digits that a user types.
export const batchId = (id: number): BatchId => id.toString(16).padStart(8, '0') as BatchId;
/** A word that is no id, such as a typing error, becomes a number that no batch has. */
export const batchNumber = (id: BatchId): number => (/^[0-9a-f]{8}$/.test(id) ? Number.parseInt(id, 16) : -1);

export const keyBytes = (key: CallKey): Buffer => Buffer.from(key, 'hex');
export const keyText = (key: Buffer): CallKey => key.toString('hex') as CallKey;

/** Times in the tables are whole milliseconds; a clock may give fractions. */
export const wholeMs = (ms: number): number => Math.floor(ms);

/**
 * The number of the next row, which the caller writes. Nothing is ever deleted from these tables, so numbers only grow.
 * They are chosen here, because sums cover them. At the beginning of a transaction all entries are booked.
 */
export function nextNumber(
  connection: Connection,
  of: 'boots' | 'entries' | 'erasures' | 'holds' | 'subjects',
): number {
  const name = `newest of ${of}`;
  const sql = of === 'entries' ? 'SELECT booked AS newest FROM book' : `SELECT max(id) AS newest FROM ${of}`;
  const next = connection.once(name, () => connection.get<{ newest: number | null }>(sql)?.newest ?? 0) + 1;
  connection.remember(name, next);
  return next;
}

// ---------------------------------------------------------------------------------------------------- the book

export const CALLS_TABLE = table('calls', {
  columns: {
    id: 'number',
    key: 'key',
    account: 'number',
    operation: 'text',
    credits_most: 'number or null',
    question: 'text',
    subject: 'number or null',
    after: 'number or null',
  },
  what: ({ id }) => `call ${id}`,
});

export const ATTEMPTS_TABLE = table('attempts', {
  columns: {
    id: 'number',
    kind: 'text',
    call: 'number',
    sees: 'number or null',
    batch: 'number',
    row: 'number',
    reserved: 'number',
    at: 'number',
    boot: 'number or null',
    uptime: 'number or null',
  },
  what: ({ id }) => `attempt ${id}`,
});

export const REPLIES_TABLE = table('replies', {
  columns: { of: 'number', call: 'number', at: 'number', status: 'number' },
  contents: { headers: 'text', body: 'bytes' },
  what: ({ of }) => `the reply to attempt ${of}`,
});

export const ENDS_TABLE = table('ends', {
  columns: {
    of: 'number',
    id: 'number',
    kind: 'text',
    call: 'number',
    pays: 'number or null',
    spent: 'number',
    at: 'number',
    said: 'text or null',
    status: 'number or null',
    dialect: 'number or null',
    estimated: 'number',
  },
  contents: { words: 'text or null' },
  what: ({ of }) => `the end of attempt ${of}`,
});

export const NOTES_TABLE = table('notes', {
  columns: {
    id: 'number',
    kind: 'text',
    call: 'number',
    of: 'number',
    sees: 'number or null',
    pays: 'number or null',
    batch: 'number or null',
    spent: 'number',
    held: 'number',
    at: 'number',
    said: 'text or null',
    status: 'number or null',
    dialect: 'number or null',
    estimated: 'number',
    facts: 'text or null',
  },
  contents: { headers: 'text or null', words: 'text or null', body: 'bytes or null' },
  what: ({ id, kind }) => `note ${id} (${kind})`,
});

export const REQUESTS_TABLE = table('requests', {
  columns: {
    attempt: 'number',
    idempotency_key: 'text',
    method: 'text',
    first_sent_at: 'number',
  },
  contents: { path: 'text', body: 'bytes or null' },
  what: ({ attempt }) => `the request of attempt ${attempt}`,
});

// ---------------------------------------------------------------------------------------------------- beside it

/** The answers are JSON. `read_to` is NULL when none of them had a reading. A row that is finished twice alike stays as it was. */
export const ROWS_TABLE = table('rows', {
  columns: {
    batch: 'number',
    row: 'number',
    outcome: 'text',
    matched_by: 'text or null',
    reason: 'text or null',
    answers: 'text',
    input: 'number or null',
    read_to: 'number or null',
  },
  ids: 2,
  onConflict: `ON CONFLICT (batch, row) DO UPDATE
    SET outcome = excluded.outcome, matched_by = excluded.matched_by, reason = excluded.reason,
        answers = excluded.answers, input = excluded.input, read_to = excluded.read_to, sum = excluded.sum
    WHERE rows.outcome = 'in_doubt' OR (rows.outcome, rows.matched_by, rows.reason, rows.answers, rows.input)
      IS NOT (excluded.outcome, excluded.matched_by, excluded.reason, excluded.answers, excluded.input)`,
  what: ({ batch, row }) => `row ${row} of batch ${batchId(batch)}`,
});

/** A planned row is JSON. */
export const PLANNED_TABLE = table('planned', {
  columns: { batch: 'number', row: 'number', planned: 'text' },
  ids: 2,
  what: ({ row }) => `planned row ${row}`,
});

export const MARKS_TABLE = table('marks', {
  columns: { batch: 'number', row: 'number', byte_offset: 'number', lines: 'number' },
  onConflict: `ON CONFLICT (batch, row) DO UPDATE
    SET byte_offset = excluded.byte_offset, lines = excluded.lines, sum = excluded.sum`,
  what: ({ row }) => `what is known of where row ${row} stands`,
});

/** The sum omits the sequence, which grows: the rows of `changes` add up to that. */
export const SUBJECTS_TABLE = table('subjects', {
  columns: { id: 'number', account: 'number', project: 'text', name: 'text' },
  what: ({ id }) => `subject ${id}`,
});

export const CHANGES_TABLE = table('changes', {
  columns: {
    attempt: 'number',
    subject: 'number',
    sequence: 'number',
    state: 'text or null',
    role: 'text or null',
    email: 'text or null',
    invite_code: 'text or null',
    user_id: 'text or null',
    project_id: 'text or null',
  },
  what: ({ attempt }) => `the change by attempt ${attempt}`,
});

export const BOOTS_TABLE = table('boots', {
  columns: {
    id: 'number',
    boot: 'text',
    seen_at: 'number',
    seen_uptime: 'number',
    confirmed_at: 'number or null',
    confirmed_uptime: 'number or null',
    told_by: 'number or null',
    refuted_at: 'number or null',
  },
  what: ({ id }) => `boot ${id}`,
});

/** The highest price stays. */
export const PRICES_TABLE = table('prices', {
  columns: { account: 'number', operation: 'text', credits_max: 'number', highest: 'number' },
  onConflict: `ON CONFLICT (account, operation, credits_max)
    DO UPDATE SET highest = excluded.highest, sum = excluded.sum WHERE excluded.highest > highest`,
  what: ({ operation }) => `the price of ${operation}`,
});

export const AGREEMENTS_TABLE = table('agreements', {
  columns: { sha256: 'text', shown: 'text', agreed_at: 'number' },
  what: () => 'an agreement',
});

export const HOLDS_TABLE = table('holds', {
  columns: { id: 'number', batch: 'number', held: 'number', at: 'number' },
  what: ({ batch }) => `what is known of a pause of batch ${batchId(batch)}`,
});

/** The sum omits whether the erasure has ended, which changes once. The files are JSON. */
export const ERASURES_TABLE = table('erasures', {
  columns: { id: 'number', kind: 'text', at: 'number', key_check: 'text or null', files: 'text' },
  what: ({ id }) => `erasure ${id}`,
});

/** All of them but the replies, which are most of the bytes. */
export const SHORT_TABLES = [
  CALLS_TABLE,
  ATTEMPTS_TABLE,
  ENDS_TABLE,
  NOTES_TABLE,
  REQUESTS_TABLE,
  ROWS_TABLE,
  PLANNED_TABLE,
  MARKS_TABLE,
  SUBJECTS_TABLE,
  CHANGES_TABLE,
  BOOTS_TABLE,
  PRICES_TABLE,
  AGREEMENTS_TABLE,
  HOLDS_TABLE,
  ERASURES_TABLE,
] as const;
