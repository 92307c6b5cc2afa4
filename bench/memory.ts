import { join } from 'node:path';
import { connect, finish, inFolder, startRun, startVendor, writeList } from './program.ts';

/** Memory must not grow with the file: the peak at a million rows against that at a hundred thousand. */
export function measureMemory(): Promise<readonly string[]> {
  return inFolder(async (folder) => {
    const lines: string[] = [];
    const peaks: number[] = [];
    for (const rows of [100_000, 1_000_000]) {
      const vendor = await startVendor();
      const list = join(folder, `${rows}.csv`);
      await writeList(list, rows);
      const run = await finish(startRun(await connect(folder, vendor.url, 64), list));
      vendor.stop();
      peaks.push(run.peakMiB);
      const rate = Math.round(rows / run.seconds);
      lines.push(
        `${rows} rows: peak ${run.peakMiB.toFixed(0)} MiB, ${run.seconds.toFixed(1)} s, ${rate} rows/s, exit ${run.exitCode}`,
      );
    }
    const [small = 0, large = 0] = peaks;
    return [...lines, `peak ratio ${(large / small).toFixed(2)} (goal: at most 1.2)`];
  });
}
