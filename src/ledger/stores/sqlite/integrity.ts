import { messageOf } from '../../../core/errors.ts';
import { askThread, inThread } from '../../../lib/threads.ts';
import { Connection } from './connection.ts';
import { sizeOf } from './folder.ts';

/** A database of at most this size is checked faster than a thread starts. */
const SMALL_BYTES = 4 * 1024 * 1024;

export const isSmall = (path: string): boolean => (sizeOf(path) ?? 0) < SMALL_BYTES;

const TASK = "SQLite's check of the ledger";

/**
 * SQLite's own full check of a database. It reads every page, and for a large one it takes as long as all our other
 * checks together, so it runs in a thread of its own beside them. That thread only reads, under SQLite's own locks.
 *
 * @returns `ok`, or SQLite's message.
 */
export async function integrityOf(path: string): Promise<string> {
  // Nothing is waited for before the thread begins: its caller goes on with checks that keep this thread busy to their end.
  return (isSmall(path) ? undefined : askThread<string>(import.meta.url, TASK, path)) ?? check(path);
}

function check(path: string): string {
  try {
    const connection = new Connection(path, { readonly: true, timeoutMs: 0 });
    const [first] = connection.all<{ integrity_check: string }>('PRAGMA integrity_check(1)');
    connection.close();
    return first?.integrity_check ?? 'nothing';
  } catch (error) {
    return messageOf(error);
  }
}

inThread(TASK, check);
