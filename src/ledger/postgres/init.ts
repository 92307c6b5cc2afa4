import { postgres } from '../db/postgres.ts';
import { SCHEMA } from '../db.ts';
import { layOut } from '../place.ts';
import type { StoreGrants } from '../store.ts';
import { hasLedger } from './place.ts';
import { layOutQueue, QUEUE_SCHEMA } from './queue.ts';

/** A crash in here leaves what the same command completes. @throws StopError `store_version` for another version. */
export async function initStore(location: string): Promise<StoreGrants> {
  const db = await postgres(location);
  try {
    await hasLedger(db);
    await layOut(db);
    await layOutQueue(location);
    const [found] = await db.rows<{ name: string }>('SELECT quote_ident(current_database()) AS name');
    return grantsIn(found?.name ?? '');
  } finally {
    await db.close();
  }
}

/** What is kept only while it is needed, and that a worker deletes; of `notes` pauses alone, by a rule of the table. */
const PASSING = ['cells', 'files', 'notes', 'pieces', 'places', 'quota_uses'];

/** What becomes of a call. What it was stays. */
const MOVES = 'state, is_current, row, moved, ended_at, said, charged, is_at_most, why, dialect, reply';

/**
 * A worker alters no schema. What was bought it does not delete, for that is the owner's: of a call it moves where that stands. A reply it
 * may shorten, because one that a person told for an answer makes room for what comes late. What an earlier version had granted is
 * taken back first.
 */
function grantsIn(database: string): StoreGrants {
  const schemas = `SCHEMA ${SCHEMA}, ${QUEUE_SCHEMA}`;
  return {
    worker: [
      `GRANT CONNECT ON DATABASE ${database} TO rowonce_worker;`,
      `GRANT USAGE ON ${schemas} TO rowonce_worker;`,
      `REVOKE ALL ON ALL TABLES IN SCHEMA ${SCHEMA} FROM rowonce_worker;`,
      `GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA ${SCHEMA} TO rowonce_worker;`,
      `REVOKE UPDATE ON ${SCHEMA}.calls FROM rowonce_worker;`,
      `GRANT UPDATE (${MOVES}) ON ${SCHEMA}.calls TO rowonce_worker;`,
      `GRANT DELETE ON ${PASSING.map((table) => `${SCHEMA}.${table}`).join(', ')} TO rowonce_worker;`,
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${QUEUE_SCHEMA} TO rowonce_worker;`,
      `GRANT SELECT, USAGE ON ALL SEQUENCES IN ${schemas} TO rowonce_worker;`,
    ],
    reader: [
      `GRANT CONNECT ON DATABASE ${database} TO rowonce_reader;`,
      `GRANT USAGE ON ${schemas} TO rowonce_reader;`,
      `GRANT SELECT ON ALL TABLES IN ${schemas} TO rowonce_reader;`,
      `GRANT SELECT ON ALL SEQUENCES IN SCHEMA ${SCHEMA} TO rowonce_reader;`,
    ],
  };
}
