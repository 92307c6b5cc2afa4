import { messageOf, StopError } from '../../../core/errors.ts';
import { askThread, inThread } from '../../../lib/threads.ts';
import { Connection } from './connection.ts';
import { isSmall } from './integrity.ts';
import { verify } from './verify.ts';

const TASK = 'the full check of the ledger';

interface Task {
  readonly path: string;
  readonly folder: string;
}

type Problem = Pick<StopError, 'code' | 'message' | 'next'> | { readonly bug: string };

/**
 * The full check for a reader, in a thread of its own: for a million rows it takes half a minute, and the page's server
 * answers everything else meanwhile. The thread only reads, under SQLite's own locks.
 */
export async function verifyBeside(connection: Connection, folder: string): Promise<void> {
  const { path } = connection;
  const task: Task = { path, folder };
  const said = isSmall(path) ? undefined : askThread<Problem | undefined>(import.meta.url, TASK, task);
  if (said === undefined) return verify(connection, folder, false);
  const problem = await said;
  if (problem === undefined) return;
  throw 'bug' in problem ? new Error(problem.bug) : new StopError(problem);
}

async function problemIn({ path, folder }: Task): Promise<Problem | undefined> {
  const connection = new Connection(path, { readonly: true, timeoutMs: 2_000 });
  try {
    await verify(connection, folder, false);
    return undefined;
  } catch (error) {
    if (!(error instanceof StopError)) return { bug: messageOf(error) };
    const { code, message, next } = error;
    return { code, message, next };
  } finally {
    connection.close();
  }
}

inThread(TASK, problemIn);
