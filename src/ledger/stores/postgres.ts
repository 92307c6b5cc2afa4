import { isUrl, type Store } from '../store.ts';
import { connect } from './postgres/connection.ts';
import { spenderOf, takeLock } from './postgres/lock.ts';
import { postgresLedger } from './postgres/postgres-ledger.ts';
import { hasLedger, layOut, newestEntry, nothingThere } from './postgres/schema-laid-out.ts';

/**
 * The store for hosts whose disk does not last: a database of PostgreSQL, from which one process spends at a time, whichever host
 * it is on. Each file in `postgres/` has one concern. That nothing is bought twice does not hang on the lock: each transition of a
 * call is a compare-and-swap on its row.
 */
const postgres: Store = {
  name: 'postgres',
  lookupsOnly: true,
  handles: (location) => isUrl(location) && /^postgres(?:ql)?:/i.test(location),

  async open(location, options) {
    const database = await connect(location);
    try {
      if (!(await hasLedger(database))) {
        if (!options.create) throw nothingThere(database);
        await layOut(database);
      }
      const lock = await takeLock(database, options);
      return postgresLedger(database, { clock: options.clock, lock, newest: await newestEntry(database) });
    } catch (error) {
      await database.close();
      throw error;
    }
  },

  async look(location) {
    const database = await connect(location, { isReader: true });
    try {
      if (!(await hasLedger(database))) throw nothingThere(database);
      return postgresLedger(database);
    } catch (error) {
      await database.close();
      throw error;
    }
  },

  async spender(location) {
    const database = await connect(location, { isReader: true });
    try {
      return (await hasLedger(database)) ? await spenderOf(database) : undefined;
    } finally {
      await database.close();
    }
  },
};

export default postgres;
