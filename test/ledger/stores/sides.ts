import { expect } from 'vitest';
import type { AttemptId, BatchId, DecisionId, Ledger } from '../../../src/ledger/ledger.ts';
import type { Store } from '../../../src/ledger/store.ts';
import type sqlite from '../../../src/ledger/stores/sqlite.ts';
import { batchSpec, DAY_MS, NOON_MS } from './book.ts';
import { freshPlace, openStore } from './places.ts';

// Ledgers side by side, for histories and their copies.

export const BATCHES = [0, 1] as const;

/** One of the two ledgers, with its batches. */
export interface Side {
  readonly place: string;
  readonly ledger: Ledger;
  readonly batches: readonly BatchId[];
  /** In the order in which they were made: stores number them differently. */
  readonly attempts: readonly AttemptId[];
  readonly decisions: readonly DecisionId[];
}

export async function sideOf(store: typeof sqlite): Promise<Side> {
  const place = freshPlace(store);
  const ledger = await openStore(store, place);
  const batches: BatchId[] = [];
  for (const index of BATCHES) {
    const { batch } = await ledger.beginBatch(
      batchSpec({
        key: `key-${index}`,
        lineage: `lineage-${index}`,
        freshSince: { foundMs: NOON_MS + index * 2 * DAY_MS, noMatchMs: NOON_MS + DAY_MS },
      }),
    );
    batches.push(batch.id);
  }
  const attempts: AttemptId[] = [];
  const decisions: DecisionId[] = [];
  const noted: Ledger = {
    ...ledger,
    async intent(intent) {
      const admission = await ledger.intent(intent);
      if (admission.kind === 'admitted') attempts.push(admission.attempt);
      return admission;
    },
    async decide(...about) {
      const decision = await ledger.decide(...about);
      decisions.push(decision);
      return decision;
    },
  };
  return { place, ledger: noted, batches, attempts, decisions };
}

/** An attempt by its place among all of them, from 1; one that is not there for a place that is not. */
export function attemptAt({ attempts }: Side, place: number): AttemptId {
  return attempts[place - 1] ?? (1e9 as AttemptId);
}

export function batchAt({ batches }: Side, index: number): BatchId {
  const id = batches[index];
  if (id === undefined) throw new Error(`there is no batch ${index}`);
  return id;
}

/** What a side said, with batches, attempts and decisions by their place, because their names differ. */
export function comparable({ batches, attempts, decisions }: Side, value: unknown): unknown {
  const text = JSON.stringify(value, (name, cell: unknown) => {
    // A body comes as text or as bytes, as the store likes.
    if (name === 'body' && typeof cell === 'object' && cell !== null && 'data' in cell)
      return Buffer.from(cell.data as number[]).toString();
    if (typeof cell !== 'number') return cell;
    if (name === 'attempt' || name === 'replaces') return `attempt ${attempts.indexOf(cell as AttemptId)}`;
    return name === 'id' || name === 'decision' ? `decision ${decisions.indexOf(cell as DecisionId)}` : cell;
  });
  return JSON.parse(
    batches.reduce((renamed, id, index) => renamed.replaceAll(id, `batch ${index}`), text ?? 'null'),
  );
}

/** Whatever happened, the database is whole and every budget is what the entries add up to. */
export async function expectSound(store: Store, place: string): Promise<void> {
  expect(await store.check(place)).toMatchObject({ broken: [], wrong: [] });
}
