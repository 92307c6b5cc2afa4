import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Starts a file of ours in a thread. Undefined where the system gives no further one: the caller then does the work itself. */
export function startThread(url: string, options: WorkerOptions): Worker | undefined {
  try {
    // What Node was started with may be meant for no file, as `--input-type` is.
    return new Worker(new URL(url), { execArgv: [], ...options });
  } catch {
    return undefined;
  }
}
