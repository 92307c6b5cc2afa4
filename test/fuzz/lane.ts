import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { inputOf, material } from './inputs.ts';
import { judged, openSheet } from './judge.ts';
import { type Report, Tally } from './tally.ts';

/** One thread of the fuzzer: every so many-th input of a seed, one after the other. */

export interface LaneOrder {
  readonly seed: string;
  /** The one that all inputs have; left out: all are tried. */
  readonly ending: string | undefined;
  readonly first: number;
  readonly step: number;
  /** Up to this input, not included. */
  readonly end: number;
  /** Where files are written, best on a memory file system. */
  readonly folder: string;
  /** Holds the number of the input that is being read, for whoever waits for this thread. */
  readonly at: Int32Array;
}

/** How many inputs are told of together. */
const INPUTS_PER_REPORT = 100;

if (parentPort !== null) {
  const port = parentPort;
  await work(workerData, (report) => port.postMessage(report));
}

async function work(order: LaneOrder, tell: (report: Report) => void): Promise<void> {
  const { seed, ending, first, step, end, at } = order;
  const from = await material(ending);
  const folder = await mkdtemp(join(order.folder, 'rowonce-fuzz-'));
  try {
    let tally = new Tally();
    for (let n = first; n < end; n += step) {
      Atomics.store(at, 0, n);
      const begun = process.threadCpuUsage();
      const verdict = await judged(inputOf(from, seed, n), folder, openSheet);
      const { user, system } = process.threadCpuUsage(begun);
      tally.add(n, verdict, (user + system) / 1000);
      if (tally.inputs < INPUTS_PER_REPORT) continue;
      tell(tally);
      tally = new Tally();
    }
    tell(tally);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
