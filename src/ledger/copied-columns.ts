import type { CopiedTables } from './copying.ts';

/** The columns of what is copied, and what their cells are. Each store says where its tables differ. */

type Type = 'bigint' | 'bigint[]' | 'boolean' | 'bytea' | 'json' | 'text';
type Columns<Name extends keyof CopiedTables> = { readonly [Column in keyof CopiedTables[Name]]-?: Type };

const [id, text, flag, bytes, json] = ['bigint', 'text', 'boolean', 'bytea', 'json'] as const;

export const COLUMNS: { readonly [Name in keyof CopiedTables]: Columns<Name> } = {
  accounts: {
    ...{ identity: text, per_day: id, per_month: id, misses: id, misses_place: json, misses_kept: flag },
    ...{ paused_until: id, learned: json, usage: json },
  },
  boots: {
    ...{ id, boot: text, seen_at: id, seen_uptime: id, confirmed_at: id, confirmed_uptime: id },
    ...{ told_by: text, refuted_at: id },
  },
  batches: {
    ...{ id: text, ordinal: id, key: text, generation: id, lineage: text, state: text, account: text },
    ...{ account_name: text, sandbox: flag, vendor: text, operation: text, input_path: text },
    ...{ input_sha256: text, input_rows: id, settings: json, created_at: id, budget: id, extra_credits: id },
    ...{ output_path: text, output_sha256: text, command: text, fresh_found: id, fresh_no_match: id },
    ...{ held_since: id, rows_beyond: id, planned_rows: id },
  },
  planned: { batch: text, row: id, planned: json },
  subjects: { id, account: text, project: text, name: text, sequence: id },
  entries: {
    ...{ id, of: id, call: id, kind: text, sees: id, pays: id, batch: text, row: id, reserved: id },
    ...{ spent: id, held: id, at: id, boot: id, uptime: id, status: id, said: text, dialect: id },
    ...{ estimated: flag, words: json, headers: json, body: bytes, facts: json },
  },
  calls: {
    ...{ id, key: bytes, account: text, operation: text, credits_most: id, parameters: json, terms: json },
    ...{ state: text, stands: id },
  },
  changes: {
    ...{ attempt: id, subject: id, sequence: id, state: text, role: text, email: text, invite_code: text },
    ...{ user_id: text, project_id: text },
  },
  rows: {
    ...{ batch: text, row: id, outcome: text, matched_by: text, reason: json, answers: 'bigint[]' },
    ...{ input: id, read_to: id },
  },
  payers: { attempt: id, row: id },
  prices: { account: text, operation: text, credits_most: id, highest: id },
  pauses: { account: text, from_at: id, until_at: id, why: json, asked: flag },
  agreements: { sha256: text, shown: json, agreed_at: id },
  pieces: { batch: text, row: id, byte_offset: id, lines: id, reading: text, digest: bytes },
  files: { path: text, sha256: text, batch: text },
  reads: { path: text, batch: text, is_list: flag },
  erasures: { id, kind: text, at: id, key_check: text },
  erased: { what: text, id, batch: text, row: id, erasure: id },
  acts: { kind: text, batch: text, erasure: id, after: id, at: id, operator: text },
  listed: { batch: text, row: id, input: id, cells: json },
  orders: { batch: text, job: json, dialect: json, range_rows: id },
  notices: { id: text, kind: text, target: text, body: text, at: id, sent_at: id },
};

export const TABLES = Object.keys(COLUMNS) as readonly (keyof CopiedTables)[];

export const columnsOf = (table: keyof CopiedTables): readonly (readonly [column: string, type: Type])[] =>
  Object.entries(COLUMNS[table]);
