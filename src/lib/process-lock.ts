import { chmodSync } from 'node:fs';
import Database from 'better-sqlite3';
import { FILE_MODE } from './private-file.ts';

/**
 * A lock that one process has. The kernel holds it, by a transaction of SQLite that may write in a file of
 * its own. The kernel refuses a second process even while the first is suspended, and frees the lock as soon
 * as the first has ended in any way. A file with a process id in it could do neither.
 */
export interface ProcessLock {
  release(): void;
}

/** Takes the lock at once; undefined while another process, or this one, has it. */
export function tryLock(path: string): ProcessLock | undefined {
  let database: Database.Database | undefined;
  try {
    // There is no timeout: SQLite would wait by blocking the thread, and does not use our clock.
    database = new Database(path, { timeout: 0 });
    // WAL would let a reader's lock survive; with the rollback journal the lock is one lock on one file.
    database.pragma('journal_mode = DELETE');
    if (process.platform !== 'win32') chmodSync(path, FILE_MODE);
    // An exclusive transaction would have to wait for all processes that have only begun to ask: of two that
    // ask at the same moment, neither got it.
    database.exec('BEGIN IMMEDIATE'); // rule 1
    const taken = database;
    return { release: () => void taken.close() };
  } catch (error) {
    database?.close();
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) return undefined;
    throw error;
  }
}
