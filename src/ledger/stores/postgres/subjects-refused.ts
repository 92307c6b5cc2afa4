import { invariant } from '../../../core/errors.ts';
import type { Ledger } from '../../ledger.ts';

/** What changes altered. Jobs that change something are refused before a batch begins, see `lookupsOnly`. */
export const subjects = (): Pick<Ledger, 'subjects'> => ({
  async subjects() {
    invariant(false, 'a store for lookups has no subjects');
  },
});
