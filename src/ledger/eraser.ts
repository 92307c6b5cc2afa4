import { isoTime } from '../core/clock.ts';
import type { RowNumber } from '../core/row.ts';
import type { BatchId, Credits, LedgerReader } from './ledger.ts';

/**
 * The contract of erasing. A ledger finds and empties what it holds itself, and says which files it knows. Whoever orders the
 * erasure searches those files, and says how a person is written (`run/tasks/erase.ts`).
 */
export interface Eraser {
  /** The folder of the store, with all that is kept beside the ledger. */
  readonly folder: string;
  /** Undefined where nothing was run yet. */
  readonly ledger: Pick<LedgerReader, 'account' | 'batchLines'> | undefined;
  /** What the ledger holds of it; nothing is changed. */
  find(target: ErasureTarget): Promise<Erasable>;
}

export type ErasureTarget =
  | { readonly kind: 'person'; readonly person: Person }
  | {
      readonly kind: 'old';
      readonly beforeMs: number;
      /** Whether a person named the day, which no clock decides. */
      readonly isNamed: boolean;
      /** The account whose answers are erased; without it those of all accounts. */
      readonly accountIdentity?: string | undefined;
    };

/** Where a text is from: in a name, such as a path or a command, and in a list other letters separate than in any text. */
export type Where = 'text' | 'name' | 'list';

/** Somebody who is to be forgotten: where texts and answers name them, and what is left without them. */
export interface Person {
  in(text: string, where?: Where): boolean;
  /** The whole cells and values in which the person stands, as they are written. */
  cellsIn(text: string | Buffer, where?: Where): readonly string[];
  /** A name with another word in the person's place. */
  replacedIn(name: string): string;
  /**
   * An answer without the person.
   * @param about `company`: single values that name them are cut as well as members of lists.
   * @returns undefined when the answer is about that person, so that all of it must go.
   */
  cutFrom(answer: Buffer, about: 'company' | 'anything'): Buffer | undefined;
}

export interface Erasable {
  readonly calls: number;
  /** Number of answers about others from which one person is removed, or what was said with them. */
  readonly cut: number;
  readonly rows: number;
  /** Number of memberships whose person is no longer known afterwards. */
  readonly memberships: number;
  /** Number of other places that name the person: commands, names of lists and outputs, reasons of pauses. */
  readonly names: number;
  /** Rows that stay because they are not settled: a person is erased only when there are none. */
  readonly unsettled: readonly { readonly batch: BatchId; readonly row: RowNumber }[];
  /** What lost requests among these may have been charged: it stays counted, and nobody can decide about it afterwards. */
  readonly heldCredits: Credits;
  /** Where a person was found; empty for what is old. */
  readonly hits: readonly Hit[];
  /** Calls that stay because batches may buy them again: of an open one, all answers to its operation on its account. */
  readonly needed: { readonly calls: number; readonly by: readonly BatchId[] };
  readonly inputs: readonly KnownInput[];
  readonly files: readonly KnownFile[];
  /** The batches whose outputs hold something of what is erased. */
  readonly written: ReadonlySet<BatchId>;
  /** The role that alone may erase here; undefined for whoever asks. */
  readonly owner?: string | undefined;
  /** @throws StopError `disk_full` where an erasure would begin and could not be finished. */
  requireRoom(): void;
  /**
   * Erases all of that for good. An entry about the erasure comes first; amounts, times and kinds stay. After a crash the
   * erasure has not begun, or the next opening for spending finishes it.
   * @param files are removed with it.
   */
  erase(files: readonly string[], atMs: number): Promise<Cleaning>;
}

/** A whole cell or value that names a person, once for each kind of place: `request`, `answer`, a file of the store and so on. */
export interface Hit {
  readonly place: string;
  readonly cell: string;
}

export interface KnownInput {
  readonly batch: BatchId;
  readonly path: string;
  /** Whether the batch goes on: it is open, or has a row in doubt, which is worked through once more. */
  readonly goesOn: boolean;
  /** Whether the batch may be too young for its list to be erased for its age. */
  readonly isYoung: boolean;
}

/** A content that was written or read at a path. */
export interface KnownFile {
  readonly path: string;
  /** SHA-256 of its bytes, hex; null: not known. */
  readonly sha256: string | null;
  /** Whether rows of what is erased are in it. */
  readonly isAffected: boolean;
}

/** What is due is done by the next opening that can, and keeps nobody from working. `why`: sentences for a user. */
export type Cleaning = { readonly isDue: false } | { readonly isDue: true; readonly why: string };

/** Why a row has no answer any more. The ledger accepts no other words in the place of erased ones. */
export function erasedReason(atMs: number): string {
  return `erased on ${isoTime(atMs).slice(0, 10)}`;
}
