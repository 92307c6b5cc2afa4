import { stop } from '../../core/errors.ts';
import { checkBudgets } from '../check.ts';
import { isUrl, type Store } from '../store.ts';

/**
 * The store for hosts whose disk does not last: a database of PostgreSQL, from which many processes spend. Nothing of `postgres/` is
 * loaded for a store in a folder. That nothing is bought twice hangs on no lock of a process: the tables refuse it.
 */
const store: Store = {
  name: 'postgres',
  lookupsOnly: true,
  manySpend: true,
  handles: (location) => isUrl(location) && /^postgres(?:ql)?:/i.test(location),
  open: async (location, options) => (await (await place()).openSpender(location, options)).ledger,
  look: async (location, tell) => (await place()).openReader(location, tell),
  examine: async (location) => (await import('../postgres/examine.ts')).examine(location),
  upkeep: {
    bytes: async (location) =>
      (await place()).reading(location, (await import('../postgres/examine.ts')).bytesOf),
    /** Of itself the server says nothing: what is broken it meets where it reads. */
    check: async (location) =>
      (await place()).reading(location, async (db) => ({ broken: [], ...(await checkBudgets(db)) })),
    async backUp(location) {
      const fact = `The store ${location} is a database, which is not backed up into a file from here.`;
      throw stop('store', fact, 'Back it up where it runs, by pg_dump with both of its schemas.');
    },
  },
  erasing: async (location, options, work) =>
    (await import('../postgres/erasing.ts')).erasing(location, options, work),
  copying: {
    from: async (location, options) =>
      (await import('../postgres/copies.ts')).copySource(location, { ...options, create: false }),
    to: async (location, options) =>
      (await import('../postgres/copies.ts')).copyTarget(location, { ...options, create: true }),
  },
  init: async (location) => (await import('../postgres/init.ts')).initStore(location),
  async queue(location) {
    const { hasQueue, openQueue } = await import('../postgres/queue.ts');
    return (await hasQueue(location)) ? openQueue(location) : undefined;
  },
};

const place = () => import('../postgres/place.ts');

export default store;
