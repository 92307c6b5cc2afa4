import { isoTime } from '../core/clock.ts';
import { type StopError, stop } from '../core/errors.ts';
import type { JsonObject } from '../core/operation.ts';
import type { AccountState, Batch, BatchId, Ledger, LedgerReader } from './ledger.ts';
import type { Entry } from './rules/history.ts';
import type { Standing } from './rules/moves.ts';

/**
 * How a ledger goes from one store to another: all that it holds, as rows that every store can give and take. What is only counted or
 * added up of them is left out, and each store makes it anew. Tables come in the order of this list, and parts of a table one behind the
 * other. A missing value is null, which only cells with a question mark may be.
 */

const [id, ids, text, flag] = ['bigint', 'bigint[]', 'text', 'boolean'] as const;
const [bytes, json] = ['bytea', 'json'] as const;
const [maybeId, maybeText, maybeBytes, maybeJson] = ['bigint?', 'text?', 'bytea?', 'json?'] as const;

const COLUMNS = {
  /** Misses as in `AccountState`. */
  accounts: {
    ...{ identity: text, per_day: maybeId, per_month: maybeId, misses: id, misses_place: maybeJson },
    ...{ misses_kept: flag, paused_until: maybeId, learned: maybeJson, usage: maybeJson, told: maybeId },
  },
  /** In the order of their beginnings, which `ordinal` counts from 0. */
  batches: {
    ...{ id: text, ordinal: id, key: text, generation: id, lineage: text, state: text, account: text },
    ...{ account_name: text, sandbox: flag, vendor: text, operation: text, input_path: text },
    ...{ input_sha256: text, input_rows: id, settings: json, created_at: id, budget: maybeId },
    ...{ extra_credits: maybeId, output_path: maybeText, output_sha256: maybeText, command: maybeText },
    ...{ fresh_found: maybeId, fresh_no_match: maybeId, held_since: maybeId, rows_beyond: maybeId },
    planned_rows: id,
  },
  planned: { batch: text, row: id, planned: json },
  subjects: { id, account: text, project: text, name: text, sequence: id },
  /**
   * Numbers tell which is which, and grow in the order of writing. Those that begin an attempt, end one or come later are in that
   * order; whoever takes them may give others. Every entry comes after those that it names.
   */
  entries: {
    ...{ id, of: id, call: id, kind: text, sees: maybeId, pays: maybeId, batch: maybeText, row: maybeId },
    ...{ reserved: maybeId, spent: id, held: id, at: id, status: maybeId },
    ...{ said: maybeText, dialect: maybeId, estimated: flag, words: maybeJson, headers: maybeJson },
    ...{ body: maybeBytes, facts: maybeJson },
  },
  /** Each has the number of its first attempt. Nothing is under way. */
  calls: {
    ...{ id, key: bytes, account: text, operation: text, credits_most: maybeId, parameters: json },
    ...{ terms: maybeJson, state: text, stands: maybeId },
  },
  changes: {
    ...{ attempt: id, subject: id, sequence: id, state: maybeText, role: maybeText, email: maybeText },
    ...{ invite_code: maybeText, user_id: maybeText, project_id: maybeText },
  },
  rows: {
    ...{ batch: text, row: id, outcome: text, matched_by: maybeText, reason: maybeJson },
    ...{ answers: ids, input: maybeId, read_to: maybeId },
  },
  payers: { attempt: id, row: id },
  /** `credits_most` is -1 where a call names none. */
  prices: { account: text, operation: text, credits_most: id, highest: id },
  pauses: { account: text, from_at: id, until_at: id, why: json, asked: flag },
  agreements: { sha256: text, shown: json, agreed_at: id },
  pieces: { batch: text, row: id, byte_offset: id, lines: id, reading: text, digest: bytes },
  /** What was written on this host, and which lists and jobs were read there. */
  files: { path: text, sha256: text, batch: maybeText },
  reads: { path: text, batch: text, is_list: flag },
  erasures: { id, kind: text, at: id, key_check: maybeText },
  /** What an erasure covers: a call or an attempt by its number, a subject, or a row of a batch. */
  erased: { what: text, id: maybeId, batch: maybeText, row: id, erasure: id },
  /** In their order. Each is of a batch or of an erasure; `after` as in `Act`, and an entry of that number need not be there. */
  acts: { kind: text, batch: maybeText, erasure: maybeId, after: id, at: id, operator: text },
  /** Rows of submitted lists, with their cells or why one cannot be read, and by what they are worked on: for processes without the file. */
  listed: { batch: text, row: id, input: id, cells: json },
  orders: { batch: text, job: json, dialect: json, range_rows: id },
  /** Of one that nobody has received `sent_at` is null. */
  notices: { id: text, kind: text, target: text, body: text, at: id, sent_at: maybeId },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Type>>>>;

type Columns = typeof COLUMNS;

interface Cells {
  readonly bigint: number;
  readonly 'bigint[]': readonly number[];
  readonly boolean: boolean;
  readonly bytea: Buffer;
  readonly json: JsonObject;
  readonly text: string;
}
type Type = keyof Cells | `${keyof Cells}?`;
type CellOf<Of> = Of extends keyof Cells
  ? Cells[Of]
  : Of extends `${infer Held extends keyof Cells}?`
    ? Cells[Held] | null
    : never;

/** Cells of which more is known than their type says. A text may be JSON, because PostgreSQL cannot hold some in another way. */
interface Known {
  readonly accounts: {
    readonly misses_place: string | null;
    readonly learned: AccountState['learned'] | null;
    readonly usage: AccountState['usage'] | null;
  };
  readonly batches: Pick<Batch, 'id' | 'state'>;
  readonly entries: Entry;
  readonly calls: Standing;
  readonly rows: { readonly reason: string | null };
  readonly pauses: { readonly why: string };
  readonly agreements: { readonly shown: string };
  readonly listed: { readonly cells: JsonObject | string };
}
type KnownOf<Name> = Name extends keyof Known ? Known[Name] : Record<never, never>;

export type CopiedTables = {
  readonly [Name in keyof Columns]: {
    readonly [Column in keyof Columns[Name]]: Column extends keyof KnownOf<Name>
      ? KnownOf<Name>[Column]
      : Column extends 'batch'
        ? BatchId | Extract<CellOf<Columns[Name][Column]>, null>
        : CellOf<Columns[Name][Column]>;
  };
};

export const TABLES = Object.keys(COLUMNS) as readonly (keyof CopiedTables)[];

/** The columns of a table with the types of their cells, by the names that PostgreSQL has for these. */
export const columnsOf = (table: keyof CopiedTables): readonly (readonly [column: string, type: string])[] =>
  Object.entries<string>(COLUMNS[table]).map(([column, type]) => [column, type.replace('?', '')]);

export type CopiedPart = {
  [Name in keyof CopiedTables]: { readonly table: Name; readonly rows: readonly CopiedTables[Name][] };
}[keyof CopiedTables];

/** To which ledger one was copied. It spends no more from then on. */
export interface Copied {
  readonly identity: string;
  readonly place: string;
  readonly atMs: number;
}

/** What ends who would buy from a ledger that was copied. @param works what still does with it. */
export function wasCopied(ledger: string, { place, atMs }: Copied, works: string): StopError {
  const fact = `The ledger ${ledger} was copied to ${place} on ${isoTime(atMs)}, and nothing is bought from it any more; ${works} still work.`;
  return stop('store', fact, `Name the copy: --store ${place}`);
}

/** A ledger that is copied. Nobody spends from it meanwhile. */
export interface CopySource {
  readonly ledger: Ledger;
  readonly place: string;
  /** Where it went before, of one that was copied already. */
  readonly copied: Copied | undefined;
  /** The key that hides calls of forgotten people; undefined where nobody was forgotten. */
  readonly secret: Buffer | undefined;
  parts(): AsyncIterable<CopiedPart>;
  /** Nothing is spent from it any more once this resolves, whatever happens afterwards. */
  leave(copied: Copied): Promise<void>;
  close(): Promise<void>;
}

/** The place of a copy. Nobody else makes one there meanwhile. */
export interface CopyTarget {
  readonly place: string;
  /** The name of the ledger that is there and holds something. */
  readonly present: string | undefined;
  /** The name of a whole copy that is there and that nobody can open yet. */
  readonly awaiting: string | undefined;
  /**
   * Makes the copy, in the place of one that nobody could open. It survives a loss of power once this resolves, and a crash before
   * leaves nothing that anybody takes for a ledger.
   * @returns the name of the copy.
   */
  take(parts: AsyncIterable<CopiedPart>, secret: Buffer | undefined): Promise<string>;
  /** The copy that was taken, which nobody else can open yet. */
  look(): Promise<LedgerReader>;
  /** Opens the copy to everybody. */
  arrive(): Promise<void>;
  close(): Promise<void>;
}
