import type { RowNumber } from '../../../core/row.ts';
import type { Batch, LedgerReader, RowRecord } from '../../../ledger/ledger.ts';
import type { KeptWork } from '../../../operations/team/planned-work.ts';
import { type EndedPart, endedParts, endOf, type RowEnd } from './parts.ts';
import type { Since } from './since.ts';

export class SoFar {
  readonly #ledger: LedgerReader;
  readonly #batch: Batch;
  readonly #since: Since;

  constructor(ledger: LedgerReader, batch: Batch, since: Since) {
    this.#ledger = ledger;
    this.#batch = batch;
    this.#since = since;
  }

  /** How each subject of a row stands. @param record undefined for a row without an outcome. */
  async partsOf(
    row: RowNumber,
    work: KeptWork,
    { record, isBeyond }: { readonly record: RowRecord | undefined; readonly isBeyond: boolean },
  ): Promise<readonly EndedPart[]> {
    if (record === undefined) return endedParts(work, await this.#endWithoutOutcome(row, work), isBeyond);
    return endedParts(work, { ended: endOf(record), answers: record.answers }, isBeyond);
  }

  async #endWithoutOutcome(row: RowNumber, work: KeptWork): Promise<RowEnd> {
    // Of millions of rows that nobody has begun the ledger knows nothing, and is not asked.
    return { ended: 'pending', answers: this.#since.hasMoved(work) ? await this.#answersOf(row) : [] };
  }

  /** A run that is killed has kept the answers to a row, and not how the row ended. */
  async #answersOf(row: RowNumber): Promise<RowEnd['answers']> {
    const attempts = await this.#ledger.history(this.#batch.id, row);
    const keys = [...new Set(attempts.map(({ key }) => key))];
    const states = keys.length === 0 ? [] : await this.#ledger.find(keys);
    return states.flatMap((state) => (state.kind === 'answered' ? [state.answer] : []));
  }
}
