import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { messageOf, StopError } from '../../../core/errors.ts';
import { startThread } from '../../../lib/threads.ts';
import { Connection } from './connection.ts';
import { sizeOf } from './folder.ts';
import { verify } from './verify.ts';

/** A ledger of at most this size is checked faster than a thread starts. */
const SMALL_BYTES = 4 * 1024 * 1024;

const TASK = 'rowonce: check the ledger';

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
  const task: Task = { path: connection.path, folder };
  const isSmall = (sizeOf(connection.path) ?? 0) < SMALL_BYTES;
  const worker = isSmall ? undefined : startThread(import.meta.url, { workerData: { [TASK]: task } });
  if (worker === undefined) return verify(connection, folder, false);
  const problem = await new Promise<Problem | undefined>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) =>
      reject(new Error(`the thread that checks ${task.path} ended with ${code}`)),
    );
  });
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

const task: Task | undefined = isMainThread ? undefined : workerData?.[TASK];
if (task !== undefined) problemIn(task).then((problem) => parentPort?.postMessage(problem));
