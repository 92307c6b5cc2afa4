/**
 * Loaded before a program (`node --import`): counts what the program allocates, also what is collected again, and writes the
 * profile to `ALLOCATIONS` as the program ends.
 */
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';

/** Bytes between two samples, on average. With 4,096, chance alone moves a row by a kilobyte. */
const INTERVAL = 1024;

const session = new Session();
session.connect();
session.post('HeapProfiler.startSampling', {
  samplingInterval: INTERVAL,
  includeObjectsCollectedByMajorGC: true,
  includeObjectsCollectedByMinorGC: true,
});
process.once('exit', () =>
  session.post('HeapProfiler.stopSampling', (_error, { profile }) =>
    writeFileSync(process.env.ALLOCATIONS ?? '', JSON.stringify(profile)),
  ),
);
