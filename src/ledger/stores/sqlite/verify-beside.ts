import { askThread, inThread } from '../../../lib/threads.ts';
import type { Connection } from './connection.ts';
import { isSmall } from './integrity.ts';
import { type Problem, problemOf, refuse } from './thread-problem.ts';
import { verify } from './verify.ts';

const TASK = 'the full check of the ledger';

interface Task {
  readonly path: string;
  readonly folder: string;
}

/**
 * The full check for a reader, in a thread of its own: for a million rows it takes half a minute, and the page's server
 * answers everything else meanwhile. The thread only reads, under SQLite's own locks.
 */
export async function verifyBeside(connection: Connection, folder: string): Promise<void> {
  const { path } = connection;
  const task: Task = { path, folder };
  const said = isSmall(path) ? undefined : askThread<Problem | undefined>(import.meta.url, TASK, task);
  if (said === undefined) return verify(connection, folder, false);
  refuse(await said);
}

inThread(TASK, (task: Task) => problemOf(task, (connection) => verify(connection, task.folder, false)));
