import { isUrl, type Store } from '../store.ts';
import { connect } from './postgres/connection.ts';
import { postgresLedger } from './postgres/postgres-ledger.ts';
import { hasLedger, layOut, nothingThere } from './postgres/schema-laid-out.ts';

/**
 * The store of many machines: a database of PostgreSQL. No lock says who spends: each transition of a call is a
 * compare-and-swap on its row, so any number of processes may. Each file in `postgres/` has one concern.
 */
const postgres: Store = {
  name: 'postgres',
  manySpend: true,
  lookupsOnly: true,
  handles: (location) => isUrl(location) && /^postgres(?:ql)?:/i.test(location),

  async open(location, options) {
    const database = await connect(location);
    try {
      if (!(await hasLedger(database))) {
        if (!options.create) throw nothingThere(database);
        await layOut(database);
      }
      return postgresLedger(database, options.clock);
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
};

export default postgres;
