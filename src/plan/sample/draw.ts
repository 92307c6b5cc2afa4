import { hash } from 'node:crypto';
import type { RowNumber } from '../../core/row.ts';
import { matchesLeft, type Pricing, worstCredits } from '../pricing.ts';
import type { LookedUp, RowClassification } from '../row-classification.ts';

/**
 * The number of rows that still need a purchase, the most credits and requests that they take, and what of these credits
 * counts as in doubt already.
 */
export interface Worst {
  readonly rows: number;
  readonly credits: number;
  readonly requests: number;
  readonly atRisk: number;
}

export interface Drawn extends Worst {
  /** What each of the drawn rows takes, in their order. They include rows that the batch has bought already. */
  readonly each: ReadonlyMap<RowNumber, Worst>;
  /** The rows that are left to buy without the drawn ones, of those among which they were drawn. */
  readonly rest: Worst;
  /** How many rows to buy stand behind those among which they were drawn. */
  readonly beyond: number;
  /** The most that any one row costs; `mostRequests` is the most calls that any one row makes. */
  readonly mostCredits: number;
  readonly mostRequests: number;
}

interface DrawOptions {
  readonly size: number;
  readonly batchKey: string;
  /** Rows after it are not drawn. */
  readonly lastRow: RowNumber;
  readonly pricing: Pricing;
}

interface Candidate {
  readonly row: RowNumber;
  readonly place: string;
  /** Nothing for a row that the batch has bought already. */
  readonly worst: Worst;
}

/**
 * How many candidates beyond two samples are held before all but the lowest are dropped, so that memory does not grow with
 * the file.
 */
const CANDIDATES_HELD = 1_000;

const NOTHING: Worst = { rows: 0, credits: 0, requests: 0, atRisk: 0 };

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
  #beyond = 0;

  constructor(options: DrawOptions) {
    this.#options = options;
  }

  add(classification: RowClassification): void {
    if (classification.kind === 'invalid' || classification.kind === 'duplicate') return;
    const { row, isOfBatch } = classification;
    const { size, batchKey, lastRow } = this.#options;
    const worst = this.#worstOf(classification);
    if (row > lastRow) {
      this.#beyond += worst.rows;
      return;
    }
    this.#all = sumOf(this.#all, worst);
    if (!isOfBatch) return;
    this.#mostCredits = Math.max(this.#mostCredits, worst.credits);
    this.#mostRequests = Math.max(this.#mostRequests, worst.requests);
    this.#candidates.push({ row, worst, place: hash('sha256', `${batchKey} ${row}`, 'hex') });
    if (this.#candidates.length >= 2 * size + CANDIDATES_HELD) this.#keepLowest();
  }

  result(): Drawn {
    this.#keepLowest();
    const inOrder = this.#candidates.toSorted((a, b) => a.row - b.row);
    const drawn = inOrder.reduce((sum, { worst }) => sumOf(sum, worst), NOTHING);
    return {
      ...drawn,
      each: new Map(inOrder.map(({ row, worst }) => [row, worst])),
      rest: sumOf(this.#all, drawn, -1),
      beyond: this.#beyond,
      mostCredits: this.#mostCredits,
      mostRequests: this.#mostRequests,
    };
  }

  #keepLowest(): void {
    this.#candidates.sort((a, b) => (a.place < b.place ? -1 : 1));
    this.#candidates = this.#candidates.slice(0, this.#options.size);
  }

  #worstOf(row: LookedUp): Worst {
    if (row.toAsk.length === 0) return NOTHING;
    const { pricing } = this.#options;
    const requests = row.toAsk.length * matchesLeft(pricing, row);
    return { rows: 1, credits: worstCredits(pricing, row), requests, atRisk: row.again?.atRisk ?? 0 };
  }
}

/** @param times -1 takes the other one away. */
export function sumOf(one: Worst, other: Worst, times = 1): Worst {
  return {
    rows: one.rows + times * other.rows,
    credits: one.credits + times * other.credits,
    requests: one.requests + times * other.requests,
    atRisk: one.atRisk + times * other.atRisk,
  };
}
