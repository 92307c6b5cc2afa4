import { statfsSync } from 'node:fs';
import type { Connection } from '../db/sqlite.ts';
import type { Cleaning } from '../eraser.ts';
import { isDiskFull } from './errors.ts';

/** A copy of up to this size is made in memory, so that it gets into no other folder. */
const IN_MEMORY_BYTES = 64 << 20;

/**
 * Overwrites what an erasure leaves. The whole ledger is written anew, because a page that is split leaves copies between its entries,
 * which `secure_delete` does not reach; then the log is cut.
 */
export function clean(connection: Connection, folder: string): Cleaning {
  const isCut = (): boolean => connection.pragma('wal_checkpoint(TRUNCATE)') === 0;
  if (!isCut()) return { isDue: true, why: LOG_HELD };
  const bytes = Number(connection.pragma('page_count')) * Number(connection.pragma('page_size'));
  const isLarge = bytes > IN_MEMORY_BYTES;
  // Once for the log, and once for the copy that SQLite makes of a large ledger.
  const neededBytes = bytes * (isLarge ? 2.1 : 1.1) + (1 << 20);
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < neededBytes) return lacking(folder, neededBytes);
  connection.pragma(`temp_store = ${isLarge ? 'FILE' : 'MEMORY'}`);
  try {
    connection.raw.exec('VACUUM');
  } catch (error) {
    if (isDiskFull(error)) return lacking(folder, neededBytes);
    throw error;
  }
  return isCut() ? { isDue: false } : { isDue: true, why: LOG_HELD };
}

const lacking = (folder: string, bytes: number): Cleaning => ({
  isDue: true,
  why: `The ledger in ${folder} must still be rewritten after an erasure, so that nothing is left between its entries. That needs ${(bytes / 1e6).toFixed(1)} MB of free space. Free some; the next command that writes does it.`,
});

const LOG_HELD =
  'Another process is reading the ledger, so its log still has what was erased; opening the store next time overwrites it.';
