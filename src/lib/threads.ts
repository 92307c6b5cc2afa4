import { Worker, type WorkerOptions } from 'node:worker_threads';

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
