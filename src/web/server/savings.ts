import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../core/clock.ts';
import type { Batch, LedgerReader } from '../../ledger/ledger.ts';
import { Paced } from './paced.ts';

/** Rows of one read: some milliseconds, so that the server answers others in between. */
const ROWS_AT_ONCE = 2_000;

/** Each is a number, and a month that is told asks for all of its batches at once. */
const MOST_KEPT = 20_000;

/** What batches saved by answers that were shared or bought before. It is added up from their rows. */
export class Savings {
  readonly #paced: Paced<number>;

  constructor(clock: Clock) {
    this.#paced = new Paced(clock, MOST_KEPT);
  }

  /** @param settled the number of its rows that have ended: as long as it stays, so does what was saved. */
  of(ledger: LedgerReader, { id }: Batch, settled: number): Promise<number> {
    return this.#paced.of(id, settled, async () => {
      let sum = 0;
      for (let from: number | undefined = 0; from !== undefined; ) {
        const part = await ledger.saved(id, from, ROWS_AT_ONCE);
        sum += part.credits;
        from = part.next;
        await setImmediate();
      }
      return sum;
    });
  }
}
