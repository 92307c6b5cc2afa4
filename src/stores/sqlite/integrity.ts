import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { messageOf } from '../../errors.ts';
import { Connection } from './connection.ts';

/**
 * SQLite's own full check of a database, in a thread of its own: it reads every page, and takes as long as all our
 * other checks together, which go on beside it. The thread only reads, under SQLite's own locks.
 *
 * @returns `ok`, or what SQLite says.
 */
export function integrityOf(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { [TASK]: path } });
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
