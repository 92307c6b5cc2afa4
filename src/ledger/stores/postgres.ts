import { stop } from '../../core/errors.ts';
import { isUrl, type Store } from '../store.ts';

/**
 * The store for hosts whose disk does not last: a database of PostgreSQL, from which many processes spend. Each file in `postgres/`
 * has one concern; none of them is loaded for a store in a folder. That nothing is bought twice hangs on no lock: each transition of
 * a call is a compare-and-swap on its row.
 */
const postgres: Store = {
  name: 'postgres',
  lookupsOnly: true,
  manySpend: true,
  handles: (location) => isUrl(location) && /^postgres(?:ql)?:/i.test(location),
  open: async (location, options) => (await opening()).openSpender(location, options),
  look: async (location, tell) => (await opening()).openReader(location, tell),
  examine: async (location) => (await import('./postgres/examine.ts')).examine(location),
  upkeep: {
    bytes: async (location) => (await import('./postgres/examine.ts')).bytesOf(location),
    check: async (location) => (await import('./postgres/ledger-check.ts')).check(location),
    async backUp(location) {
      const fact = `The store ${location} is a database, which is not backed up into a file from here.`;
      throw stop('store', fact, 'Back it up where it runs, by pg_dump with both of its schemas.');
    },
  },
  erasing: async (location, options, work) =>
    (await import('./postgres/erasing.ts')).erasing(location, options, work),
  copying: {
    from: async (location, options) =>
      (await import('./postgres/copies.ts')).copySource(location, { ...options, create: false }),
    to: async (location, options) =>
      (await import('./postgres/copies.ts')).copyTarget(location, { ...options, create: true }),
  },
  init: async (location) => (await import('./postgres/init.ts')).initStore(location),
  queue: async (location) => (await opening()).queueAt(location),
};

const opening = () => import('./postgres/open.ts');

export default postgres;
