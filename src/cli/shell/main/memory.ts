import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Of new objects. V8 by itself goes up to 64 MiB in a long list, however little of it is alive. */
const ENOUGH_BYTES = 16 * 1024 * 1024;

const GROWTH = '--semi-space-growth-factor=2';
const NO_GROWTH = '--semi-space-growth-factor=1';

/** Most commands have ended by then, and need not load what looks at collections. */
const LONG_MS = 300;

/** Threads begin with so much, because what is told to V8 below is told to all threads. */
const OF_A_THREAD_MIB = 4;

/**
 * Has V8 take less memory. It takes sizes from the command line alone, and a second start with a longer one would cost every
 * command 30 ms; by how much to grow, it reads each time that it grows.
 */
export function keepGarbageLow(): void {
  setFlagsFromString('--heap-growing-percent=100');
  setFlagsFromString(`--min-semi-space-size=${OF_A_THREAD_MIB}`);
  setFlagsFromString(NO_GROWTH);
  setTimeout(growToEnough, LONG_MS).unref();
}

/**
 * Has the main thread compile what is compiled first, and most. A thread of V8 that compiles while the program ends may wait for a
 * collection which nobody does any more, and the program for that thread: it never ends (nodejs/node, issue 54918).
 */
export function compileInPlace(): void {
  setFlagsFromString('--no-concurrent-sparkplug');
}

async function growToEnough(): Promise<void> {
  const { PerformanceObserver } = await import('node:perf_hooks');
  new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    setFlagsFromString((young?.space_size ?? 0) < ENOUGH_BYTES ? GROWTH : NO_GROWTH);
  }).observe({ entryTypes: ['gc'] });
}
