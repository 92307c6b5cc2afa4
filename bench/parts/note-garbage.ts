/**
 * Loaded before a program by `--import`: writes which functions allocated how many bytes into the file that `NOTED_GARBAGE`
 * names, also of what was collected since. Every 16 KiB of the heap are sampled once.
 */
import { writeFileSync } from 'node:fs';
import { type HeapProfiler, Session } from 'node:inspector';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  const session = new Session();
  session.connect();
  session.post('HeapProfiler.startSampling', {
    samplingInterval: 16 * 1024,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  process.once('exit', () =>
    session.post('HeapProfiler.stopSampling', (_, { profile }: HeapProfiler.StopSamplingReturnType) =>
      writeFileSync(process.env.NOTED_GARBAGE ?? '', JSON.stringify(profile)),
    ),
  );
}
