import type { RowNumber } from '../../../core/row.ts';
import type { Batch, LedgerReader, RowRecord } from '../../../ledger/ledger.ts';
import type { KeptWork } from '../../../operations/team/planned-work.ts';
import { type EndedPart, endedParts, endOf, type RowEnd } from './parts.ts';
import type { Since } from './since.ts';

/** About which rows a person has something to decide, as `status` counts them. */
export interface InDoubt {
  /** It is asked about rows that ended in doubt alone; the others of them are pending. */
  has(row: RowNumber): boolean;
  /** Rows without an outcome that wait for a lost answer. */
  readonly leftInDoubt: Pick<ReadonlySet<RowNumber>, 'has'>;
}

export class SoFar {
  readonly #ledger: LedgerReader;
  readonly #batch: Batch;
  readonly #since: Since;
  readonly #inDoubt: InDoubt | undefined;

  /** @param inDoubt left out: every row that ended in doubt, and no other one. */
  constructor(ledger: LedgerReader, batch: Batch, since: Since, inDoubt: InDoubt | undefined) {
    this.#ledger = ledger;
    this.#batch = batch;
    this.#since = since;
    this.#inDoubt = inDoubt;
  }

  /** How each subject of a row stands. @param record undefined for a row without an outcome. */
  async partsOf(
    row: RowNumber,
    work: KeptWork,
    { record, isBeyond }: { readonly record: RowRecord | undefined; readonly isBeyond: boolean },
  ): Promise<readonly EndedPart[]> {
    if (record === undefined) return endedParts(work, await this.#endWithoutOutcome(row, work), isBeyond);
    const parts = endedParts(work, { ended: endOf(record), answers: record.answers }, isBeyond);
    if (this.#inDoubt?.has(row) !== false) return parts;
    return parts.map((each) => (each.ended === 'in_doubt' ? { ...each, ended: 'pending' } : each));
  }

  async #endWithoutOutcome(row: RowNumber, work: KeptWork): Promise<RowEnd> {
    const isInDoubt = this.#inDoubt?.leftInDoubt.has(row) === true;
    // Of millions of rows that nobody has begun the ledger knows nothing, and is not asked.
    const mayBeBegun = isInDoubt || this.#since.hasMoved(work);
    const answers = mayBeBegun ? await this.#answersOf(row) : [];
    return { ended: isInDoubt ? 'in_doubt' : 'pending', answers };
  }

  /** A run that is killed has kept the answers to a row, and not how the row ended. */
  async #answersOf(row: RowNumber): Promise<RowEnd['answers']> {
    const attempts = await this.#ledger.history(this.#batch.id, row);
    const keys = [...new Set(attempts.map(({ key }) => key))];
    const states = keys.length === 0 ? [] : await this.#ledger.find(keys);
    return states.flatMap((state) => (state.kind === 'answered' ? [state.answer] : []));
  }
}
