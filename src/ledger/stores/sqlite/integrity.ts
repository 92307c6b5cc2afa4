import { askThread, inThread } from '../../../lib/threads.ts';
import { type Connection, damagedStore } from './connection.ts';
import { sizeOf } from './folder.ts';
import { REPLIES_TABLE, ROWS_TABLE } from './tables.ts';
import { type Problem, problemOf, refuse } from './thread-problem.ts';

/** A database of at most this size is checked faster than a thread starts. */
const SMALL_BYTES = 4 * 1024 * 1024;

export const isSmall = (path: string): boolean => (sizeOf(path) ?? 0) < SMALL_BYTES;

const TASK = "SQLite's check of the ledger, and our sums of its longest tables";

interface Task {
  readonly path: string;
  readonly folder: string;
  readonly withReplies: boolean;
}

/**
 * SQLite's own full check of a database, and the sums of the replies and of the rows: half of all there is to check, so it runs in
 * a thread of its own beside the other half. That thread only reads, under SQLite's own locks.
 *
 * @throws StopError `store_damaged`.
 */
export async function checkIntegrity(task: Task): Promise<void> {
  // Nothing is waited for before the thread begins: its caller goes on with checks that keep this thread busy to their end.
  const said = isSmall(task.path) ? undefined : askThread<Problem | undefined>(import.meta.url, TASK, task);
  refuse(await (said ?? problemIn(task)));
}

const problemIn = (task: Task): Promise<Problem | undefined> =>
  problemOf(task, (connection) => check(connection, task));

function check(connection: Connection, { folder, withReplies }: Task): void {
  refuseBroken(connection, folder);
  ROWS_TABLE.checkAll(connection);
  REPLIES_TABLE.checkAll(connection, withReplies);
}

/** Room for most of the index of the keys of some millions of calls, which are looked up in no order. */
const CACHE_KIB = 48 * 1024;

function refuseBroken(connection: Connection, folder: string): void {
  // SQLite goes through all pages with their cells first, and stops there at what is wrong. Looking at the cells again whenever it
  // comes back to a page of an index would take a tenth of the time.
  connection.pragma('cell_size_check = OFF');
  connection.pragma(`cache_size = -${CACHE_KIB}`);
  const [first] = connection.all<{ integrity_check: string }>('PRAGMA integrity_check(1)');
  connection.pragma('cell_size_check = ON');
  const words = first?.integrity_check ?? 'nothing';
  if (words !== 'ok') throw damagedStore(folder, `SQLite says "${words}"`);
}

inThread(TASK, problemIn);
