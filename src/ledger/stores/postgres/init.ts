import type { StoreGrants } from '../../store.ts';
import { connect, LOCKS, oneCell } from './connection.ts';
import { migrate } from './migration.ts';
import { layOutQueue, QUEUE_SCHEMA } from './queue.ts';
import { layOut } from './schema-laid-out.ts';

/** Lays out the ledger and its queue, as the owner of a database does once, or brings them up to date. A crash in here leaves what the same command completes. */
export async function initStore(location: string): Promise<StoreGrants> {
  const database = await connect(location);
  const kept = await database.keep();
  try {
    // Two owners may do so at once. The lock ends with the connection.
    await kept.sql.rows('SELECT pg_advisory_lock($1, 2)', [LOCKS.layingOut]);
    await migrate(database);
    await layOut(database);
    await layOutQueue(location);
    return grantsIn((await oneCell<string>(database, 'SELECT quote_ident(current_database())')) ?? '');
  } finally {
    kept.end();
    await database.close();
  }
}

/** A worker alters no schema, and what was entered it neither changes nor deletes. */
function grantsIn(database: string): StoreGrants {
  const schemas = `SCHEMA rowonce, ${QUEUE_SCHEMA}`;
  return {
    worker: [
      `GRANT CONNECT ON DATABASE ${database} TO rowonce_worker;`,
      `GRANT USAGE ON ${schemas} TO rowonce_worker;`,
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN ${schemas} TO rowonce_worker;`,
      `GRANT SELECT, USAGE ON ALL SEQUENCES IN ${schemas} TO rowonce_worker;`,
      'REVOKE UPDATE, DELETE ON rowonce.entries FROM rowonce_worker;',
    ],
    reader: [
      `GRANT CONNECT ON DATABASE ${database} TO rowonce_reader;`,
      `GRANT USAGE ON ${schemas} TO rowonce_reader;`,
      `GRANT SELECT ON ALL TABLES IN ${schemas} TO rowonce_reader;`,
      'GRANT SELECT ON ALL SEQUENCES IN SCHEMA rowonce TO rowonce_reader;',
    ],
  };
}
