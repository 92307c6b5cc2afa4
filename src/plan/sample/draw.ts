import { hash } from 'node:crypto';
import type { Call } from '../../core/operation.ts';
import type { RowNumber } from '../../core/row.ts';
import type { RowClassification } from '../row-classification.ts';

/** The number of rows that still need a purchase, and the most credits and requests that they take. */
interface Worst {
  readonly rows: number;
  readonly credits: number;
  readonly requests: number;
}

export interface Drawn extends Worst {
  /** The numbers of the drawn rows, in order. They include rows that the batch has bought already. */
  readonly numbers: readonly RowNumber[];
  /** The rows that are left to buy without the drawn ones. */
  readonly rest: Worst;
  /** The most that any one row costs; `mostRequests` is the most calls that any one row makes. */
  readonly mostCredits: number;
  readonly mostRequests: number;
}

interface DrawOptions {
  readonly size: number;
  readonly batchKey: string;
  /** Rows after it are not drawn. */
  readonly lastRow: RowNumber;
  creditsOf(calls: readonly Call[]): number;
}

interface Candidate {
  readonly row: RowNumber;
  readonly place: string;
  /** Empty for a row that the batch has bought already. */
  readonly toAsk: readonly Call[];
}

/**
 * How many candidates beyond two samples are held before all but the lowest are dropped, so that memory does not grow with
 * the file.
 */
const CANDIDATES_HELD = 1_000;

const NOTHING: Worst = { rows: 0, credits: 0, requests: 0 };

/**
 * Draws rows from those that need a purchase, by a hash of the batch and the row. Every row is equally likely, and the
 * same batch always draws the same rows, also after a crash. A larger sample contains the smaller one.
 */
export class Draw {
  readonly #options: DrawOptions;
  #candidates: Candidate[] = [];
  #all = NOTHING;
  #mostCredits = 0;
  #mostRequests = 0;

  constructor(options: DrawOptions) {
    this.#options = options;
  }

  add(classification: RowClassification): void {
    if (classification.kind === 'invalid' || classification.kind === 'duplicate' || !classification.isOfBatch)
      return;
    const { row, toAsk } = classification;
    const { size, batchKey, lastRow, creditsOf } = this.#options;
    if (row > lastRow) return;
    this.#all = this.#with(this.#all, toAsk);
    this.#mostCredits = Math.max(this.#mostCredits, creditsOf(toAsk));
    this.#mostRequests = Math.max(this.#mostRequests, toAsk.length);
    this.#candidates.push({ row, toAsk, place: hash('sha256', `${batchKey} ${row}`, 'hex') });
    if (this.#candidates.length >= 2 * size + CANDIDATES_HELD) this.#keepLowest();
  }

  result(): Drawn {
    this.#keepLowest();
    const drawn = this.#candidates.reduce((sum, { toAsk }) => this.#with(sum, toAsk), NOTHING);
    return {
      ...drawn,
      numbers: this.#candidates.map(({ row }) => row).sort((a, b) => a - b),
      rest: {
        rows: this.#all.rows - drawn.rows,
        credits: this.#all.credits - drawn.credits,
        requests: this.#all.requests - drawn.requests,
      },
      mostCredits: this.#mostCredits,
      mostRequests: this.#mostRequests,
    };
  }

  #keepLowest(): void {
    this.#candidates.sort((a, b) => (a.place < b.place ? -1 : 1));
    this.#candidates = this.#candidates.slice(0, this.#options.size);
  }

  #with(sum: Worst, toAsk: readonly Call[]): Worst {
    if (toAsk.length === 0) return sum;
    const { creditsOf } = this.#options;
    return {
      rows: sum.rows + 1,
      credits: sum.credits + creditsOf(toAsk),
      requests: sum.requests + toAsk.length,
    };
  }
}
