import type { DigestedPiece, Digests, Position } from '../../core/format.ts';
import type { RowNumber } from '../../core/row.ts';
import type { BatchId } from './records.ts';

/** What is true on this machine alone: the pieces of files, and what we wrote where. What any process may read beside a running spender. */
export interface HostNotesReader {
  /** The pieces of a batch's list, if they were found by the same reading; else none. */
  piecesOf(batch: BatchId, reading: Digests['reading']): Promise<readonly DigestedPiece[]>;
  /** Where the last of them begins that does not begin after `row`. */
  positionBefore(batch: BatchId, row: RowNumber): Promise<Position | undefined>;
  /** SHA-256 of what we last wrote at that path; two of them while the file is being replaced. */
  written(path: string): Promise<readonly string[]>;
}

export interface HostNotes extends HostNotesReader {
  /** @param sha256s of our files that may stand there from now on. @param batch whose rows are in what is new there. */
  noteWritten(path: string, sha256s: readonly string[], batch?: BatchId): Promise<void>;
  /** Remembers the pieces of a batch's list, until a row of that list is erased. */
  keepPieces(batch: BatchId, digests: Digests): Promise<void>;
}
