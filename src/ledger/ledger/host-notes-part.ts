import type { Position } from '../../core/format.ts';
import type { RowNumber } from '../../core/row.ts';
import type { BatchId } from './records.ts';

/** What is true on this machine alone: positions in files, and what we wrote where. What any process may read beside a running spender. */
export interface HostNotesReader {
  /** The last remembered position that is not after `row`. */
  positionBefore(batch: BatchId, row: RowNumber): Promise<Position | undefined>;
  /** SHA-256 of what we last wrote at that path; two of them while the file is being replaced. */
  written(path: string): Promise<readonly string[]>;
}

/** What only the one spender writes of them. */
export interface HostNotes extends HostNotesReader {
  /**
   * Replaces what is noted about a path: the hashes of the files of ours that may stand there from now on.
   * @param batch whose rows are in what is new there.
   */
  noteWritten(path: string, sha256s: readonly string[], batch?: BatchId): Promise<void>;
  /** Remembers where a row starts in the file. */
  mark(batch: BatchId, position: Position): Promise<void>;
}
