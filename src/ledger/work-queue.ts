import type { BatchRange, RangeLeft } from './ledger.ts';

/**
 * The contract of a queue: it hands ranges of submitted batches to workers, each at least once. What it forgets is sent again, and what
 * it hands out twice is bought once, because the ledger says so: nothing about money depends on it.
 */
export interface WorkQueue {
  /**
   * Sends ranges. One that waits or is worked on is not sent twice. One that was set aside is sent again where rows of it were finished
   * since it was sent, or where a person asks for it.
   */
  send(ranges: readonly RangeLeft[], sender: 'person' | 'worker'): Promise<void>;
  /** The next range of an account; undefined when none waits. Until its end is told, this process answers for it. */
  take(accountIdentity: string): Promise<TakenRange | undefined>;
  /** Resolves when the database has answered. */
  beat(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A range that a worker has. When its process dies, somebody else gets it within some seconds. After five deaths in which no row of it was
 * finished it is set aside, so that the rest of the batch goes on.
 */
export interface TakenRange extends BatchRange {
  /** Nothing of it is left to do for now. */
  done(): Promise<void>;
  /** Somebody else may take it, after so long. It counts as no death. */
  handBack(afterMs: number): Promise<void>;
  /** It ended by a bug of ours, which counts as a death. */
  failed(why: string): Promise<void>;
}
