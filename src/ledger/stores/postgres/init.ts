import type { StoreGrants } from '../../store.ts';
import { connect, LOCKS, oneCell } from './connection.ts';
import { layOutQueue, QUEUE_SCHEMA } from './queue.ts';
import { layOut } from './schema-laid-out.ts';

/** A crash in here leaves what the same command completes. @throws StopError `store_version` for another version. */
export async function initStore(location: string): Promise<StoreGrants> {
  const database = await connect(location);
  const kept = await database.keep();
  try {
    // Two owners may do so at once. The lock ends with the connection.
    await kept.sql.rows('SELECT pg_advisory_lock($1, 2)', [LOCKS.layingOut]);
    await layOut(database);
    await layOutQueue(location);
    return grantsIn((await oneCell<string>(database, 'SELECT quote_ident(current_database())')) ?? '');
  } finally {
    kept.end();
    await database.close();
  }
}

/** What is kept only while it is needed, and that a worker deletes. */
const PASSING = ['files', 'listed', 'pauses', 'quota_uses', 'shares', 'workers'];

/**
 * A worker alters no schema. What was bought it neither deletes nor empties, for that is the owner's: of a call it moves where that
 * stands, and entries it only adds. What an earlier version had granted is taken back first.
 */
function grantsIn(database: string): StoreGrants {
  const schemas = `SCHEMA rowonce, ${QUEUE_SCHEMA}`;
  return {
    worker: [
      `GRANT CONNECT ON DATABASE ${database} TO rowonce_worker;`,
      `GRANT USAGE ON ${schemas} TO rowonce_worker;`,
      'REVOKE ALL ON ALL TABLES IN SCHEMA rowonce FROM rowonce_worker;',
      'GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA rowonce TO rowonce_worker;',
      'REVOKE INSERT, UPDATE ON rowonce.erasures, rowonce.erased FROM rowonce_worker;',
      'REVOKE UPDATE ON rowonce.entries, rowonce.calls FROM rowonce_worker;',
      'GRANT UPDATE (state, stands, kind, of, over_at) ON rowonce.calls TO rowonce_worker;',
      `GRANT DELETE ON ${PASSING.map((table) => `rowonce.${table}`).join(', ')} TO rowonce_worker;`,
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${QUEUE_SCHEMA} TO rowonce_worker;`,
      `GRANT SELECT, USAGE ON ALL SEQUENCES IN ${schemas} TO rowonce_worker;`,
    ],
    reader: [
      `GRANT CONNECT ON DATABASE ${database} TO rowonce_reader;`,
      `GRANT USAGE ON ${schemas} TO rowonce_reader;`,
      `GRANT SELECT ON ALL TABLES IN ${schemas} TO rowonce_reader;`,
      'GRANT SELECT ON ALL SEQUENCES IN SCHEMA rowonce TO rowonce_reader;',
    ],
  };
}
