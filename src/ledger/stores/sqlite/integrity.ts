import { statSync } from 'node:fs';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../../core/errors.ts';
import { startThread } from '../../../lib/threads.ts';
import { Connection } from './connection.ts';

/** A database of at most this size is checked faster than a thread starts. */
const SMALL_BYTES = 4 * 1024 * 1024;

/**
 * SQLite's own full check of a database. It reads every page, and for a large one it takes as long as all our other
 * checks together, so it runs in a thread of its own beside them. That thread only reads, under SQLite's own locks.
 *
 * @returns `ok`, or SQLite's message.
 */
export async function integrityOf(path: string): Promise<string> {
  // Nothing is waited for before the thread begins: its caller goes on with checks that keep this thread busy to their end.
  const { size } = statSync(path);
  const worker =
    size < SMALL_BYTES ? undefined : startThread(import.meta.url, { workerData: { [TASK]: path } });
  if (worker === undefined) return check(path);
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the thread that checks ${path} ended with ${code}`)));
  });
}

const TASK = 'rowonce: check the integrity of';

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

if (!isMainThread && typeof workerData?.[TASK] === 'string') parentPort?.postMessage(check(workerData[TASK]));
