import { isMainThread, parentPort, Worker, type WorkerOptions, workerData } from 'node:worker_threads';

/**
 * Starts a file of ours in a thread of its own. Undefined where the system gives no further thread, as a container with a limit
 * does: the caller then does the work itself.
 * @param url of the file, which looks at `workerData` for what it is to do.
 */
export function startThread(url: string, options: WorkerOptions): Worker | undefined {
  try {
    // What Node was started with may be meant for no file, as `--input-type` is.
    return new Worker(new URL(url), { execArgv: [], ...options });
  } catch {
    return undefined;
  }
}

/**
 * Gives a thread of its own one task, and waits for what it says about it. Undefined where there is no further thread.
 * @param url of the file that does the task by `inThread`. @param task its name, which no other file has.
 */
export function askThread<Said>(url: string, task: string, data: unknown): Promise<Said> | undefined {
  const worker = startThread(url, { workerData: { [task]: data } });
  if (worker === undefined) return undefined;
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the thread for ${task} ended with ${code}`)));
  });
}

/** Does the task where this file is run by `askThread`, and nothing elsewhere. */
export function inThread<Data>(task: string, work: (data: Data) => unknown): void {
  const data: Data | undefined = isMainThread ? undefined : workerData?.[task];
  if (data !== undefined) void Promise.resolve(work(data)).then((said) => parentPort?.postMessage(said));
}
