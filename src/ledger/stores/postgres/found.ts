import type { Hit } from '../../eraser.ts';
import type { BatchId } from '../../ledger.ts';

/** The parts of a ledger that are about a person, or older than a time. */
export interface Found {
  /** Calls that are erased with everything about them. */
  readonly calls: ReadonlySet<number>;
  /** Attempts of other calls; what was said about these attempts is erased. */
  readonly attempts: ReadonlySet<number>;
  /** Bodies of other answers, without the person. */
  readonly cuts: readonly Cut[];
  readonly rows: readonly ErasableRow[];
  readonly subjects: ReadonlySet<number>;
  readonly unsettled: readonly ErasableRow[];
  readonly hits: readonly Hit[];
  /** For each call that stays a batch that goes on with it. */
  readonly needed: readonly BatchId[];
  readonly batches: ReadonlySet<BatchId>;
  /** In how many other places something is named after the person. */
  readonly names: number;
}

export interface Cut {
  readonly id: number;
  readonly of: number;
  readonly call: number;
  readonly body: Buffer;
}

export interface ErasableRow {
  readonly batch: BatchId;
  readonly row: number;
}

/** The rows that were finished by these calls. */
export const ROWS = `
SELECT DISTINCT r.batch, r.row FROM rows r CROSS JOIN unnest(r.answers) u (attempt)
  JOIN entries a ON a.of = u.attempt AND a.id = a.of WHERE a.call = ANY ($1)`;
