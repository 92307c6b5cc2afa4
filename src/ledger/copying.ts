import type { JsonObject } from '../core/operation.ts';
import type { AccountState, Batch, BatchId, Ledger, LedgerReader } from './ledger.ts';
import type { Entry } from './rules/history.ts';
import type { Standing } from './rules/replay.ts';

/**
 * How a ledger goes from one store to another: all that it holds, as rows that every store can give and take. What is only counted or
 * added up of them is left out, and each store makes it anew. A missing value is null.
 */
export interface CopiedTables {
  accounts: {
    readonly identity: string;
    readonly per_day: number | null;
    readonly per_month: number | null;
    /** As in `AccountState`. */
    readonly misses: number;
    readonly misses_place: string | null;
    readonly misses_kept: boolean;
    readonly paused_until: number | null;
    readonly learned: AccountState['learned'] | null;
    readonly usage: AccountState['usage'] | null;
  };
  boots: {
    readonly id: number;
    readonly boot: string;
    readonly seen_at: number;
    readonly seen_uptime: number;
    readonly confirmed_at: number | null;
    readonly confirmed_uptime: number | null;
    /** The account that confirmed it. */
    readonly told_by: string | null;
    readonly refuted_at: number | null;
  };
  /** In the order of their beginnings. */
  batches: {
    readonly id: BatchId;
    /** 0, 1, 2 and so on. */
    readonly ordinal: number;
    readonly key: string;
    readonly generation: number;
    readonly lineage: string;
    readonly state: Batch['state'];
    readonly account: string;
    readonly account_name: string;
    readonly sandbox: boolean;
    readonly vendor: string;
    readonly operation: string;
    readonly input_path: string;
    readonly input_sha256: string;
    readonly input_rows: number;
    readonly settings: JsonObject;
    readonly created_at: number;
    readonly budget: number | null;
    readonly extra_credits: number | null;
    readonly output_path: string | null;
    readonly output_sha256: string | null;
    readonly command: string | null;
    readonly fresh_found: number | null;
    readonly fresh_no_match: number | null;
    readonly held_since: number | null;
    readonly rows_beyond: number | null;
    readonly planned_rows: number;
  };
  planned: { readonly batch: BatchId; readonly row: number; readonly planned: JsonObject };
  subjects: {
    readonly id: number;
    readonly account: string;
    readonly project: string;
    readonly name: string;
    readonly sequence: number;
  };
  /**
   * Numbers tell which is which, and grow in the order of writing. Those that begin an attempt, end one or come later are in that
   * order; whoever takes them may give others. Every entry comes after those that it names.
   */
  entries: Omit<Entry, 'worker'> & { readonly call: number; readonly estimated: boolean };
  /** Each has the number of its first attempt. Nothing is under way. */
  calls: Pick<Standing, 'state' | 'stands'> & {
    readonly id: number;
    readonly key: Buffer;
    readonly account: string;
    readonly operation: string;
    readonly credits_most: number | null;
    readonly parameters: JsonObject;
    readonly terms: JsonObject | null;
  };
  changes: {
    readonly attempt: number;
    readonly subject: number;
    readonly sequence: number;
    readonly state: string | null;
    readonly role: string | null;
    readonly email: string | null;
    readonly invite_code: string | null;
    readonly user_id: string | null;
    readonly project_id: string | null;
  };
  rows: {
    readonly batch: BatchId;
    readonly row: number;
    readonly outcome: string;
    readonly matched_by: string | null;
    readonly reason: string | null;
    readonly answers: readonly number[];
    readonly input: number | null;
    readonly read_to: number | null;
  };
  payers: { readonly attempt: number; readonly row: number };
  prices: {
    readonly account: string;
    readonly operation: string;
    /** -1 where a call names none. */
    readonly credits_most: number;
    readonly highest: number;
  };
  pauses: {
    readonly account: string;
    readonly from_at: number;
    readonly until_at: number;
    readonly why: string;
    readonly asked: boolean;
  };
  agreements: { readonly sha256: string; readonly shown: string; readonly agreed_at: number };
  pieces: {
    readonly batch: BatchId;
    readonly row: number;
    readonly byte_offset: number;
    readonly lines: number;
    readonly reading: string;
    readonly digest: Buffer;
  };
  /** What was written on this host, and which lists and jobs were read there. */
  files: { readonly path: string; readonly sha256: string; readonly batch: BatchId | null };
  reads: { readonly path: string; readonly batch: BatchId; readonly is_list: boolean };
  erasures: {
    readonly id: number;
    readonly kind: string;
    readonly at: number;
    readonly key_check: string | null;
  };
  /** What an erasure covers: a call or an attempt by its number, a subject, or a row of a batch. */
  erased: {
    readonly what: string;
    readonly id: number | null;
    readonly batch: BatchId | null;
    readonly row: number;
    readonly erasure: number;
  };
  /** In their order. Each is of a batch or of an erasure; `after` as in `Act`, and an entry of that number need not be there. */
  acts: {
    readonly kind: string;
    readonly batch: BatchId | null;
    readonly erasure: number | null;
    readonly after: number;
    readonly at: number;
    readonly operator: string;
  };
  /** Rows of submitted lists, with their cells or why one cannot be read, and by what they are worked on: for processes without the file. */
  listed: {
    readonly batch: BatchId;
    readonly row: number;
    readonly input: number;
    readonly cells: JsonObject | string;
  };
  orders: {
    readonly batch: BatchId;
    readonly job: JsonObject;
    readonly dialect: JsonObject;
    readonly range_rows: number;
  };
  /** Of one that nobody has received `sent_at` is null. */
  notices: {
    readonly id: string;
    readonly kind: string;
    readonly target: string;
    readonly body: string;
    readonly at: number;
    readonly sent_at: number | null;
  };
}

/** Rows of one table. A table may come in several parts, and tables come in the order above. */
export type CopiedPart = {
  [Name in keyof CopiedTables]: { readonly table: Name; readonly rows: readonly CopiedTables[Name][] };
}[keyof CopiedTables];

/** To which ledger one was copied. It spends no more from then on. */
export interface Copied {
  /** The name of that ledger, which no other has. */
  readonly identity: string;
  readonly place: string;
  readonly atMs: number;
}

/** A ledger that is copied. Nobody spends from it meanwhile. */
export interface CopySource {
  readonly ledger: Ledger;
  /** Where it is shown to a user. */
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
  /** Where it is shown to a user. */
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
