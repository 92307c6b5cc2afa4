import { stop } from '../../../core/errors.ts';
import type { Ledger } from '../../ledger.ts';

/** What changes altered: on this store nothing does. */
export const subjects = (): Pick<Ledger, 'subjects'> => ({
  async subjects() {
    throw changesNothing();
  },
});

/** Why a job that changes something is refused. */
export const changesNothing = () =>
  stop(
    'unsupported',
    'The store is a database of PostgreSQL, where jobs only look things up, and this one changes something at the service.',
    'Run it with a store on the disk of one machine: a folder after --store.',
  );
