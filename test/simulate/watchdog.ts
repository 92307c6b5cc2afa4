/**
 * A thread that ends the simulation where a world takes too long: code that never waits, so that nothing else has a turn. The world cannot
 * be told as others are, because nothing of this process is done any more but what this thread does.
 */
import fs from 'node:fs';
import { parentPort, Worker, workerData } from 'node:worker_threads';

/** @param longestMs how long a world may take. @param folder what is removed then. */
export class Watchdog {
  readonly #worker: Worker;

  constructor(longestMs: number, folder: string) {
    this.#worker = new Worker(new URL(import.meta.url), { workerData: { longestMs, folder } });
    this.#worker.unref();
  }

  /** @param words what is said of the world that begins now, if it does not end. */
  watch(words: string): void {
    this.#worker.postMessage(words);
  }
}

const STDOUT = 1;

function bark(words: string, folder: string): void {
  fs.writeSync(STDOUT, `\n${words}\n`);
  fs.rmSync(folder, { recursive: true, force: true });
  process.kill(process.pid, 'SIGKILL');
}

if (parentPort !== null) {
  const { longestMs, folder } = workerData as { readonly longestMs: number; readonly folder: string };
  let timer: NodeJS.Timeout | undefined;
  parentPort.on('message', (words: string) => {
    clearTimeout(timer);
    timer = setTimeout(() => bark(words, folder), longestMs);
  });
}
