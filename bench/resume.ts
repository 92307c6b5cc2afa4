import { appendFile, open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, finish, inFolder, startRun, startVendor, writeList } from './program.ts';

const ROWS = 1_000_000;

/**
 * How long a batch with a million settled rows takes until its first new request. The run is killed when all but the
 * last few rows are settled, which leaves an unclean store: the check of the whole ledger is part of the figure.
 */
export function measureResume(): Promise<readonly string[]> {
  return inFolder(async (folder) => {
    const log = join(folder, 'requests.log');
    await appendFile(log, '');
    const requests = new GrowingFile(log);
    const list = join(folder, 'list.csv');
    await writeList(list, ROWS);
    const vendor = await startVendor(['--log', log]);
    const env = await connect(folder, vendor.url, 64);

    const first = startRun(env, list);
    const firstEnd = finish(first);
    while ((await requests.lines()) < ROWS - 2_000) await sleep(20);
    first.kill('SIGKILL');
    await firstEnd;
    const before = await requests.lines();

    const started = performance.now();
    const second = startRun(env, list);
    const secondEnd = finish(second);
    while ((await requests.lines()) === before && second.exitCode === null) await sleep(5);
    const seconds = (performance.now() - started) / 1000;
    const run = await secondEnd;
    vendor.stop();
    return [
      `killed after ${before} requests; ${ROWS - before} or so were left`,
      `first new request after ${seconds.toFixed(1)} s (goal: under 10)`,
      `the rest and the output took ${(run.seconds - seconds).toFixed(1)} s, exit ${run.exitCode}`,
    ];
  });
}

/** Counts the lines of a growing file, reading each byte once: reading it whole would slow what is measured. */
class GrowingFile {
  readonly #path: string;
  #offset = 0;
  #lines = 0;

  constructor(path: string) {
    this.#path = path;
  }

  async lines(): Promise<number> {
    const file = await open(this.#path);
    const buffer = Buffer.alloc(1024 * 1024);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, this.#offset);
      if (bytesRead === 0) break;
      this.#offset += bytesRead;
      for (let at = 0; at < bytesRead; at += 1) if (buffer[at] === 10) this.#lines += 1;
    }
    await file.close();
    return this.#lines;
  }
}
