import type { CallKey } from '../../../core/call-key.ts';
import type { BatchId } from '../../ledger.ts';
import type { Connection } from './connection.ts';
import { table } from './table.ts';
import { endingOf, OUTCOMES, shortAnswers, shortValue, shortWhy } from './words.ts';

/** The tables of the book of money, and how ids, keys and times stand in them. */

// An id of a batch is a random 32-bit number, shown as the eight hex digits that a user types.
export const batchId = (id: number): BatchId => id.toString(16).padStart(8, '0') as BatchId;
/** A word that is no id, such as a typing error, becomes a number that no batch has. */
export const batchNumber = (id: BatchId): number => (/^[0-9a-f]{8}$/.test(id) ? Number.parseInt(id, 16) : -1);

export const keyBytes = (key: CallKey): Buffer => Buffer.from(key, 'hex');
export const keyText = (key: Buffer): CallKey => key.toString('hex') as CallKey;

/** Times in the tables are whole milliseconds; a clock may give fractions. */
export const wholeMs = (ms: number): number => Math.floor(ms);

type Numbered =
  | 'attempts'
  | 'boots'
  | 'decisions'
  | 'erasures'
  | 'holds'
  | 'looks'
  | 'readings'
  | 'shapes'
  | 'subjects';

/**
 * The number of the next entry, which the caller writes. Nothing is ever deleted from these tables, so numbers only grow.
 * They are chosen here, because checksums cover them.
 */
export function nextNumber(connection: Connection, table: Numbered): number {
  const next = newestNumber(connection, table) + 1;
  connection.remember(newestOf(table), next);
  return next;
}

/** The number of the newest entry; 0 before the first. */
export function newestNumber(connection: Connection, table: Numbered): number {
  return connection.once(newestOf(table), () => {
    const sql = `SELECT max(id) AS newest FROM ${table}`;
    return connection.get<{ newest: number | null }>(sql)?.newest ?? 0;
  });
}

const newestOf = (table: Numbered): string => `newest ${table}`;

// ---------------------------------------------------------------------------------------------------- the tables

export const SHAPES_TABLE = table('shapes', {
  summed: { id: 'number', text: 'text' },
  what: ({ id }) => `shape ${id}`,
});

/** A question without a shape is JSON. */
export const CALLS_TABLE = table('calls', {
  summed: { id: 'number', account: 'number', call: 'text', shape: 'number or null' },
  omitted: 'shape',
  beside: { key: 'bytes', operation: 'text or null', subject: 'number or null', after: 'number or null' },
  generated: { columns: ['call'], from: ['own'], written: ({ call }) => [shortValue(call)] },
  keyFrom: { tables: 'calls t', key: 't.key' },
  what: ({ id }) => `call ${id}`,
});

/** The checksum covers the call's key and not its number. Attempts from before schema 4 have neither boot nor uptime. */
export const ATTEMPTS_TABLE = table('attempts', {
  summed: {
    id: 'number',
    batch: 'number',
    row: 'number',
    reserved: 'number',
    intent_at: 'number',
    decision: 'number or null',
    replaces: 'number or null',
    boot: 'number or null',
    uptime: 'number or null',
  },
  omitted: 'boot',
  beside: { call: 'number' },
  generated: { columns: ['call'], from: ['call_behind'], written: ({ id, call }) => [id - call] },
  keyFrom: { tables: 'attempts t LEFT JOIN calls c ON c.id = t.call', key: 'c.key' },
  what: ({ id }) => `attempt ${id}`,
});

export const BOOTS_TABLE = table('boots', {
  summed: {
    id: 'number',
    boot: 'text',
    seen_at: 'number',
    seen_uptime: 'number',
    confirmed_at: 'number or null',
    confirmed_uptime: 'number or null',
    refuted_at: 'number or null',
  },
  omitted: 'refuted_at',
  beside: { told_by: 'number or null' },
  what: ({ id }) => `boot ${id}`,
});

export const REPLIES_TABLE = table('replies', {
  summed: {
    attempt: 'number',
    status: 'number',
    headers: 'text',
    received_at: 'number',
    body: 'bytes',
    shape: 'number or null',
  },
  omitted: 'shape',
  what: ({ attempt }) => `the reply to attempt ${attempt}`,
});

/** `dialect` is NULL when this is no answer, or was settled before schema 5. */
export const CLOSURES_TABLE = table('closures', {
  summed: {
    attempt: 'number',
    kind: 'text',
    answer: 'text or null',
    charged: 'number',
    why: 'text',
    closed_at: 'number',
    dialect: 'number or null',
  },
  omitted: 'dialect',
  generated: {
    columns: ['kind', 'answer', 'why'],
    from: ['ending', 'said'],
    written: ({ kind, answer, why }) => [endingOf(kind, answer), shortWhy(why)],
  },
  what: ({ attempt }) => `the end of attempt ${attempt}`,
});

export const READINGS_TABLE = table('readings', {
  summed: {
    id: 'number',
    attempt: 'number',
    answer: 'text',
    charged: 'number',
    why: 'text',
    dialect: 'number',
    at: 'number',
  },
  what: ({ id }) => `reading ${id}`,
});

/** The highest price stays. */
export const PRICES_TABLE = table('prices', {
  summed: { account: 'number', operation: 'text', credits_max: 'number', highest: 'number' },
  onConflict: `ON CONFLICT (account, operation, credits_max)
    DO UPDATE SET highest = excluded.highest, checksum = excluded.checksum WHERE excluded.highest > highest`,
  what: ({ operation }) => `the price of ${operation}`,
});

export const AGREEMENTS_TABLE = table('agreements', {
  summed: { sha256: 'text', shown: 'text', agreed_at: 'number' },
  what: () => 'an agreement',
});

export const HOLDS_TABLE = table('holds', {
  summed: { id: 'number', batch: 'number', held: 'number', at: 'number' },
  what: ({ batch }) => `what is known of a pause of batch ${batchId(batch)}`,
});

export const DECISIONS_TABLE = table('decisions', {
  summed: {
    id: 'number',
    call: 'number',
    doubt: 'number',
    batch: 'number',
    kind: 'text',
    decided_by: 'text',
    why: 'text',
    at: 'number',
  },
  what: ({ id }) => `decision ${id}`,
});

export const TOLD_TABLE = table('told', {
  summed: {
    attempt: 'number',
    decision: 'number',
    charged: 'number',
    status: 'number',
    headers: 'text',
    received_at: 'number',
    body: 'bytes',
  },
  what: ({ attempt }) => `what was told about attempt ${attempt}`,
});

export const REQUESTS_TABLE = table('requests', {
  summed: {
    attempt: 'number',
    idempotency_key: 'text',
    method: 'text',
    path: 'text',
    first_sent_at: 'number',
    body: 'bytes or null',
  },
  what: ({ attempt }) => `the request of attempt ${attempt}`,
});

export const LOOKS_TABLE = table('looks', {
  summed: {
    id: 'number',
    attempt: 'number',
    kind: 'text',
    said: 'text',
    why: 'text',
    status: 'number',
    at: 'number',
    body: 'bytes',
  },
  what: ({ id }) => `look ${id}`,
});

export const RELEASES_TABLE = table('releases', {
  summed: { attempt: 'number', why: 'text', at: 'number' },
  what: ({ attempt }) => `the release of attempt ${attempt}`,
});

/** The checksum omits the sequence, which grows: the entries of `changes` add up to that. */
export const SUBJECTS_TABLE = table('subjects', {
  summed: { id: 'number', account: 'number', project: 'text', name: 'text' },
  what: ({ id }) => `subject ${id}`,
});

/** The checksum omits whether the erasure has ended, which changes once. The files are JSON. */
export const ERASURES_TABLE = table('erasures', {
  summed: { id: 'number', kind: 'text', at: 'number', key_check: 'text or null', files: 'text' },
  what: ({ id }) => `erasure ${id}`,
});

export const CHANGES_TABLE = table('changes', {
  summed: {
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

/** A planned row is JSON. */
export const PLANNED_TABLE = table('planned', {
  summed: { batch: 'number', row: 'number', planned: 'text' },
  ids: 2,
  what: ({ row }) => `planned row ${row}`,
});

/** The answers are JSON. `read_to` is NULL when none of them had a reading. */
export const ROWS_TABLE = table('rows', {
  summed: {
    batch: 'number',
    row: 'number',
    kind: 'text',
    matched_by: 'text or null',
    reason: 'text or null',
    answers: 'text',
    input: 'number or null',
    read_to: 'number or null',
  },
  omitted: 'read_to',
  generated: {
    columns: ['kind', 'answers'],
    from: ['ended', 'settled_by'],
    written: ({ kind, answers }) => [OUTCOMES.indexOf(kind), shortAnswers(answers)],
  },
  ids: 2,
  onConflict: `ON CONFLICT (batch, row) DO UPDATE
    SET ended = excluded.ended, matched_by = excluded.matched_by, reason = excluded.reason,
        settled_by = excluded.settled_by, input = excluded.input, read_to = excluded.read_to,
        checksum = excluded.checksum`,
  what: ({ batch, row }) => `row ${row} of batch ${batchId(batch)}`,
});

export const MARKS_TABLE = table('marks', {
  summed: { batch: 'number', row: 'number', byte_offset: 'number', lines: 'number' },
  onConflict: `ON CONFLICT (batch, row) DO UPDATE
    SET byte_offset = excluded.byte_offset, lines = excluded.lines, checksum = excluded.checksum`,
  what: ({ row }) => `what is known of where row ${row} stands`,
});

/** All of them but the replies, which are most of the bytes. */
export const SHORT_TABLES = [
  SHAPES_TABLE,
  CALLS_TABLE,
  ATTEMPTS_TABLE,
  AGREEMENTS_TABLE,
  HOLDS_TABLE,
  BOOTS_TABLE,
  CLOSURES_TABLE,
  READINGS_TABLE,
  DECISIONS_TABLE,
  TOLD_TABLE,
  REQUESTS_TABLE,
  PRICES_TABLE,
  LOOKS_TABLE,
  RELEASES_TABLE,
  SUBJECTS_TABLE,
  CHANGES_TABLE,
  ROWS_TABLE,
  ERASURES_TABLE,
  MARKS_TABLE,
  PLANNED_TABLE,
];
