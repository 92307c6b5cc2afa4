import type { Store } from '../../src/store.ts';
import { batchesConform } from './conformance/batches.ts';
import { callsConform } from './conformance/calls.ts';
import { doubtsConform } from './conformance/doubts.ts';
import { moneyConforms } from './conformance/money.ts';
import { openingConforms } from './conformance/opening.ts';
import { rowsConform } from './conformance/rows.ts';

/**
 * What every store owes, whatever it is made of. A new file in `src/stores/` is tested by being there.
 * The tests use the contract alone, so they hold for a store that is a server elsewhere as well.
 */
export function conformsTo(store: Store): void {
  openingConforms(store);
  batchesConform(store);
  callsConform(store);
  moneyConforms(store);
  doubtsConform(store);
  rowsConform(store);
}
