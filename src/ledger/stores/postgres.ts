import { isUrl, type Store } from '../store.ts';

/**
 * The store for hosts whose disk does not last: a database of PostgreSQL, from which any number of processes spend at once. Each file in
 * `postgres/` has one concern; none of them is loaded for a store in a folder. Nothing is bought twice, because each transition of a
 * call is a compare-and-swap on its row.
 */
const postgres: Store = {
  name: 'postgres',
  lookupsOnly: true,
  manySpend: true,
  handles: (location) => isUrl(location) && /^postgres(?:ql)?:/i.test(location),
  open: async (location, options) =>
    (await opening()).openSpender(location, options, postgres.manySpend === true),
  look: async (location) => (await opening()).openReader(location),
  spender: async (location) => (await opening()).spenderAt(location),
  init: async (location) => (await import('./postgres/init.ts')).initStore(location),
  queue: async (location) => (await opening()).queueAt(location),
};

const opening = () => import('./postgres/open.ts');

export default postgres;
