import type { Store } from '../../../src/ledger/store.ts';
import { accountsConform } from './conformance/accounts.ts';
import { activityConforms } from './conformance/activity.ts';

import { batchesConform } from './conformance/batches.ts';
import { callsConform } from './conformance/calls.ts';
import { changesConform } from './conformance/changes.ts';
import { doubtsConform } from './conformance/doubts.ts';
import { erasuresConform } from './conformance/erasures.ts';
import { knownConforms } from './conformance/known.ts';
import { logConforms } from './conformance/log.ts';
import { missesConform } from './conformance/misses.ts';
import { moneyConforms } from './conformance/money.ts';
import { noticesConform } from './conformance/notices.ts';
import { openingConforms } from './conformance/opening.ts';
import { plansConform } from './conformance/plans.ts';
import { pricesConform } from './conformance/prices.ts';
import { readingsConform } from './conformance/readings.ts';
import { refreshesConform } from './conformance/refreshes.ts';
import { releasesConform } from './conformance/releases.ts';
import { repeatsConform } from './conformance/repeats.ts';
import { rowsConform } from './conformance/rows.ts';
import { stepsConform } from './conformance/steps.ts';
import { timesConform } from './conformance/times.ts';
import { togetherConforms } from './conformance/together.ts';

/** Each is about one thing that every store owes. */
type Part = (store: Store) => void;

/** In the order in which a ledger is used. */
const PARTS: readonly Part[] = [
  openingConforms,
  batchesConform,
  callsConform,
  togetherConforms,
  knownConforms,
  moneyConforms,
  pricesConform,
  doubtsConform,
  repeatsConform,
  releasesConform,
  refreshesConform,
  readingsConform,
  rowsConform,
  stepsConform,
  changesConform,
  plansConform,
  accountsConform,
  missesConform,
  activityConforms,
  logConforms,
  timesConform,
  erasuresConform,
  noticesConform,
];

/**
 * What every store owes, whatever it is made of.
 * The tests use the contract alone, so they hold for a store that is a server elsewhere as well.
 */
export function conformsTo(store: Store): void {
  for (const conforms of PARTS) conforms(store);
}
