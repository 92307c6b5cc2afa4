import { stop } from '../../core/errors.ts';
import { checkBudgets } from '../check.ts';
import { copySource, copyTarget } from '../postgres/copies.ts';
import { erasing } from '../postgres/erasing.ts';
import { bytesOf, examine } from '../postgres/examine.ts';
import { initStore } from '../postgres/init.ts';
import { openReader, openSpender, reading } from '../postgres/place.ts';
import { hasQueue, openQueue } from '../postgres/queue.ts';
import type { Store } from '../store.ts';

/**
 * The store for hosts whose disk does not last: a database of PostgreSQL, from which many processes spend. That nothing is bought twice
 * hangs on no lock of a process: the tables refuse it.
 */
const store: Store = {
  name: 'postgres',
  manySpend: true,
  open: async (location, options) => (await openSpender(location, options)).ledger,
  look: openReader,
  prepare: async (location) => (await openReader(location)).close(),
  init: initStore,
  queue: async (location) => ((await hasQueue(location)) ? openQueue(location) : undefined),
  spender: async () => undefined,
  examine,
  bytes: (location) => reading(location, bytesOf),
  /** Of itself the server says nothing: what is broken it meets where it reads. */
  check: (location) => reading(location, async (db) => ({ broken: [], ...(await checkBudgets(db)) })),
  async backUp(location) {
    const fact = `The store ${location} is a database, which is not backed up into a file from here.`;
    throw stop('store', fact, 'Back it up where it runs, by pg_dump with both of its schemas.');
  },
  copyFrom: (location, options) => copySource(location, { ...options, create: false }),
  copyTo: (location, options) => copyTarget(location, { ...options, create: true }),
  erasing,
};

export default store;
