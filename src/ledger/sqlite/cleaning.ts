import { statfsSync } from 'node:fs';
import { stop } from '../../core/errors.ts';
import type { Connection } from '../db/sqlite.ts';
import type { Cleaning } from '../eraser.ts';
import { isDiskFull } from './errors.ts';

/**
 * Overwrites what an erasure leaves. What it empties is set to zero page by page as it is written, and the log is cut. What
 * older writes have left in unused parts of pages goes when the whole ledger is written anew, which takes room: once for the
 * log, and for a large ledger once more for the copy that SQLite makes.
 */

/** A copy of up to this size is made in memory, so that it gets into no other folder. */
const IN_MEMORY_BYTES = 64 << 20;

/** The log has a header for each page, and one of its own. */
const roomFor = (bytes: number): number =>
  Math.ceil(bytes * 1.02) + (1 << 16) + (bytes > IN_MEMORY_BYTES ? bytes : 0);

/** @returns bytes of the ledger's pages. */
function sizeIn(connection: Connection, which: 'all' | 'used'): number {
  const number = (name: string): number => Number(connection.pragma(name));
  const unused = which === 'all' ? 0 : number('freelist_count');
  return (number('page_count') - unused) * number('page_size');
}

function freeIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** @throws StopError `disk_full` where an erasure would begin and could not be finished. */
export function requireRoom(connection: Connection, folder: string): void {
  const neededBytes = roomFor(sizeIn(connection, 'all'));
  const freeBytes = freeIn(folder);
  if (freeBytes >= neededBytes) return;
  throw stop(
    'disk_full',
    `Nothing was erased: the ledger in ${folder} must be rewritten for that, which needs ${megabytes(neededBytes)} MB, but ${megabytes(freeBytes)} MB are free.`,
    'Free some space, then run the same command again.',
  );
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);

export function clean(connection: Connection, folder: string): Cleaning {
  connection.pragma('secure_delete = ON');
  const isCut = (): boolean => connection.pragma('wal_checkpoint(TRUNCATE)') === 0;
  if (!isCut()) return { isDue: true, why: LOG_HELD };
  const bytes = sizeIn(connection, 'used');
  const lacking = (): Cleaning => ({
    isDue: true,
    why: `The ledger in ${folder} must still be rewritten after an erasure, so that nothing is left between its entries. That needs ${megabytes(roomFor(bytes))} MB, but ${megabytes(freeIn(folder))} MB are free. Free some space; the next command that writes does it.`,
  });
  if (freeIn(folder) < roomFor(bytes)) return lacking();
  connection.pragma(`temp_store = ${bytes > IN_MEMORY_BYTES ? 'FILE' : 'MEMORY'}`);
  try {
    connection.raw.exec('VACUUM');
  } catch (error) {
    if (isDiskFull(error)) return lacking();
    throw error;
  }
  return isCut() ? { isDue: false } : { isDue: true, why: LOG_HELD };
}

const LOG_HELD =
  'Another process is reading the ledger, so its log still has what was erased; opening the store next time overwrites it.';
