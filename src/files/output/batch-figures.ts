import { type Money as Amount, type CreditPrice, moneyFor } from '../../client/account/price.ts';
import { needingAttention, type RowStatus } from '../../core/row.ts';
import type { Batch, Credits, Money } from '../../ledger/ledger.ts';
import { type AttentionReason, hasCosts, type Tally } from '../../ledger/tally.ts';

/** The report, the page, `--json` and the words take their figures from here, so that they never differ. */
export interface BatchFigures {
  readonly rows: number;
  readonly counts: Readonly<Partial<Record<RowStatus, number>>>;
  /** Rows that something can be asked for, those of them that were asked for by now, and those that were found. */
  readonly usable: number;
  readonly asked: number;
  readonly found: number;
  /** Rows that a person has to look at, and why, the most frequent reason first. */
  readonly attention: number;
  readonly reasons: readonly AttentionReason[];
  /** By what was asked about: for how many rows, and how many of them it found. */
  readonly identifiers: readonly { readonly name: string; readonly asked: number; readonly found: number }[];
  /** How many of the rows that were found have a value in each added column, in the order of the columns. */
  readonly columns: readonly { readonly name: string; readonly filled: number }[];
  readonly money: Money;
  /** What shared answers and earlier ones would have cost. */
  readonly saved: Credits;
  /** What the spent credits cost their owner; undefined where the account names no price. */
  readonly cost: Amount | undefined;
  /** Whether credits are told: the service's changes cost none. */
  readonly hasCosts: boolean;
}

/** @param price of a credit of the batch's account. */
export function figuresOf(
  batch: Batch,
  tally: Tally,
  money: Money,
  price: CreditPrice | undefined,
): BatchFigures {
  const ended = [...tally.counts].filter(([kind]) => kind !== 'pending');
  const pending = batch.inputRows - ended.reduce((sum, [, count]) => sum + count, 0);
  const counts = Object.fromEntries([...ended, ...(pending > 0 ? [['pending', pending] as const] : [])]);
  const usable = batch.inputRows - (tally.counts.get('invalid') ?? 0);
  return {
    rows: batch.inputRows,
    counts,
    usable,
    asked: usable - Math.max(0, pending),
    found: tally.counts.get('matched') ?? 0,
    attention: needingAttention(counts),
    reasons: tally.reasons,
    identifiers: [...tally.identifiers].map(([name, { asked, found }]) => ({ name, asked, found })),
    columns: (tally.counts.has('matched') ? tally.columns : []).map((name) => ({
      name,
      filled: tally.filled.get(name) ?? 0,
    })),
    money,
    saved: tally.saved,
    cost: price === undefined || batch.sandbox ? undefined : moneyFor(money.spent, price),
    hasCosts: hasCosts(batch, money),
  };
}
