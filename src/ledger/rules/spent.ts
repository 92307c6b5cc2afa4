import { type BatchId, credits, type Spent } from '../ledger.ts';

/** What attempts of a batch, a day since 1970 and an act cost, as stores read it. */
export interface SpentRow<Batch = BatchId> extends Pick<Spent, 'requests'> {
  readonly batch: Batch;
  readonly day: number;
  readonly operator: string | null;
  readonly spent: number;
  readonly held: number;
}

export const DAY_MS = 86_400_000;

export const spentFrom = <Batch>(
  { batch, day, operator, spent, held, requests }: SpentRow<Batch>,
  idOf: (batch: Batch) => BatchId,
): Spent => ({
  ...{ batch: idOf(batch), dayMs: day * DAY_MS, ...(operator === null ? {} : { operator }) },
  ...{ spent: credits(spent), inDoubt: credits(held), requests },
});
