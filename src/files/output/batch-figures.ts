import { type CreditPrice, moneyFor } from '../../client/account/price.ts';
import { present } from '../../core/objects.ts';
import type { RowStatus } from '../../core/row.ts';
import type { Batch, Money } from '../../ledger/ledger.ts';
import type { FiguresObject } from '../../objects/figures-object.ts';
import { hasCosts, type Tally, vendorCountOf } from './tally.ts';

/** The figures of a batch, and the facts that their words need besides. */
export interface BatchFigures extends FiguresObject {
  readonly counts: Readonly<Partial<Record<RowStatus, number>>>;
  readonly money: Money;
  /** Whether credits are shown. The service's changes cost none. */
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
    asked: usable - Math.max(0, pending) - tally.leftOut,
    found: tally.counts.get('matched') ?? 0,
    attention: tally.reasons.reduce((sum, { count }) => sum + count, 0),
    reasons: tally.reasons.map(({ count, ...reason }) => ({ ...reason, rows: count })),
    identifiers: [...tally.identifiers].map(([name, { asked, found }]) => ({ name, asked, found })),
    columns: (tally.counts.has('matched') ? tally.columns : []).map((name) => ({
      name,
      filled: tally.filled.get(name) ?? 0,
    })),
    money,
    saved: tally.saved,
    ...present({ vendor_counted: vendorCountOf([batch], money.spent) }),
    cost: price === undefined || batch.sandbox ? null : moneyFor(money.spent, price),
    hasCosts: hasCosts(batch, money),
  };
}
