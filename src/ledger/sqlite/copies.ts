import { renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type CopyTarget, copyTables } from '../copy.ts';
import { Connection, sqlite } from '../db/sqlite.ts';
import { metaOf } from '../place.ts';
import type { StoreOptions } from '../store.ts';
import { damagedStore } from './errors.ts';
import {
  hasLedger,
  makePrivateFile,
  type StoreFolder,
  sizeOf,
  syncFile,
  syncFolder,
  takeLock,
} from './folder.ts';
import { APPLICATION_ID, connect } from './layout.ts';

/** A copy of another ledger is a file that no store opens before it has its name. */

export async function copyTarget(folder: StoreFolder, options: StoreOptions): Promise<CopyTarget> {
  const lock = await takeLock(folder, options);
  const copy = join(folder.path, 'ledger.db.copy');
  return {
    place: folder.path,
    present: hasLedger(folder) ? await identityIn(connect(folder, 'read')) : undefined,
    awaiting: sizeOf(copy) === undefined ? undefined : await identityIn(new Connection(copy, 'read')),
    async take(from) {
      rmSync(copy, { force: true });
      const connection = new Connection(copy, 'write');
      try {
        makePrivateFile(copy);
        connection.pragma(`application_id = ${APPLICATION_ID}`);
        // It is on the disk as a whole before anybody takes it for a ledger.
        connection.pragma('synchronous = OFF');
        const identity = await copyTables(from, sqlite(connection, connection), folder.path);
        const said = String(connection.pragma('integrity_check'));
        if (said !== 'ok') throw damagedStore(copy, `SQLite says "${said}"`);
        connection.raw.close();
        syncFile(copy);
        syncFolder(folder.path);
        return identity;
      } finally {
        connection.raw.close();
      }
    },
    async arrive() {
      renameSync(copy, folder.ledger);
      syncFolder(folder.path);
      syncFolder(dirname(folder.path));
    },
    async close() {
      lock.release();
    },
  };
}

/** The name of the ledger in a file; undefined where it has none, as in a copy that was not finished. */
async function identityIn(connection: Connection): Promise<string | undefined> {
  try {
    return await metaOf(sqlite(connection, connection), 'identity');
  } catch {
    return undefined;
  } finally {
    connection.raw.close();
  }
}
