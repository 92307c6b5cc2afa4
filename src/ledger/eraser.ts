import { isoTime } from '../core/clock.ts';
import type { RowNumber } from '../core/row.ts';
import type { LedgerReader } from './ledger.ts';
import type { BatchId, Credits } from './records.ts';

/** What is erased, and what a ledger says of it. Who orders it searches the files of the store, and says how a person is written. */

export type ErasureTarget =
  | { readonly kind: 'person'; readonly person: Person }
  /** Without an account that of all of them. */
  | { readonly kind: 'old'; readonly beforeMs: number; readonly accountIdentity?: string | undefined };

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

/** A whole cell or value that names a person, once for each kind of place: `request`, `answer`, a file of the store and so on. */
export interface Hit {
  readonly place: string;
  readonly cell: string;
}

/** What a ledger holds of a target. Nothing is changed yet. */
export interface Erasable {
  readonly calls: number;
  /** Number of answers about others from which one person is removed, or what was said with them. */
  readonly cut: number;
  readonly rows: number;
  /** Number of memberships whose person is no longer known afterwards. */
  readonly memberships: number;
  /** Number of other places that name the person: commands, names of lists and outputs, reasons of pauses. */
  readonly names: number;
  /** Rows whose call is under way or in doubt: a person is erased only when there are none, and of what is old these stay. */
  readonly unsettled: readonly { readonly batch: BatchId; readonly row: RowNumber }[];
  /** What lost requests among these may have been charged: it stays counted, and nobody can decide about it afterwards. */
  readonly heldCredits: Credits;
  /** Where a person was found; empty for what is old. */
  readonly hits: readonly Hit[];
  /** Calls that stay because a row in doubt, or of an open batch, rests on them. */
  readonly needed: { readonly calls: number; readonly by: readonly BatchId[] };
  readonly inputs: readonly KnownInput[];
  readonly files: readonly KnownFile[];
  /** The batches whose outputs hold something of what is erased. */
  readonly written: ReadonlySet<BatchId>;
  /** Erases all of that for good, and removes the files. After a crash it has not begun, or the next opening for spending finishes it. */
  erase(files: readonly string[], atMs: number): Promise<Cleaning>;
}

export interface KnownInput {
  readonly batch: BatchId;
  readonly path: string;
  /** Whether the batch goes on: it is open, or has a row in doubt, which is worked through once more. */
  readonly goesOn: boolean;
  /** Whether the batch is too young for its list to be erased for its age. */
  readonly isYoung: boolean;
}

/** A file that was written, or read. */
export interface KnownFile {
  readonly path: string;
  /** Whether rows of what is erased are in it. */
  readonly isAffected: boolean;
}

/** What is due is done by the next opening that can, and keeps nobody from working. `why`: sentences for a user. */
export type Cleaning = { readonly isDue: false } | { readonly isDue: true; readonly why: string };

/** A ledger as it is opened to erase from it. */
export interface Eraser {
  /** The folder of the store, with all that is kept beside the ledger. */
  readonly folder: string;
  /** Undefined where nothing was run yet. */
  readonly ledger: Pick<LedgerReader, 'account' | 'batches'> | undefined;
  /** The role that alone may erase here; undefined for whoever asks. */
  readonly owner?: string | undefined;
  find(target: ErasureTarget): Promise<Erasable>;
  /** Gives back the room of what is gone, also where nothing is erased now. */
  compact(): Promise<Cleaning>;
}

/** Why a row has no answer any more. */
export const erasedReason = (atMs: number): string => `erased on ${isoTime(atMs).slice(0, 10)}`;
