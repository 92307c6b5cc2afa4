import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { connect, finish, inFolder, PROGRAM, writeList } from './program.ts';
import { fillStore } from './store.ts';

/**
 * Memory must not grow with what the ledger knows: the peak of planning a list that was bought before, of running it,
 * which sends nothing, and of writing its output again. Every row asks about another company, so nothing is shared.
 */

const ROWS = [100_000, 2_000_000];

const STEPS = {
  plan: (list: string) => ['plan', 'enrich-company', list, '--account', 'data'],
  run: (list: string) => ['run', 'enrich-company', list, '--account', 'data', '--budget', '1'],
  export: () => ['export', 'last'],
} as const;

export function measureKnown(): Promise<readonly string[]> {
  return inFolder(async (folder) => {
    const lines: string[] = [];
    const peaks: Record<string, number[]> = {};
    // No vendor is there: a list that was bought before asks for nothing.
    const env = await connect(folder, 'http://127.0.0.1:1', 64);
    for (const rows of ROWS) {
      const list = join(folder, `${rows}.csv`);
      await writeList(list, rows);
      const ROWONCE_STORE = join(folder, `store-${rows}`);
      await fillStore(ROWONCE_STORE, rows, 1);
      for (const [step, wordsOf] of Object.entries(STEPS)) {
        const words = [PROGRAM, ...wordsOf(list), '--quiet'];
        const child = spawn(process.execPath, words, {
          env: { ...env, ROWONCE_STORE },
          stdio: ['ignore', 'ignore', 'inherit'],
        });
        const { peakMiB, seconds, exitCode } = await finish(child);
        peaks[step] = [...(peaks[step] ?? []), peakMiB];
        lines.push(
          `${rows} rows, ${step}: peak ${peakMiB.toFixed(0)} MiB, ${seconds.toFixed(1)} s, exit ${exitCode}`,
        );
      }
    }
    const ratios = Object.entries(peaks).map(
      ([step, [small = 1, large = 0]]) => `${step} ${(large / small).toFixed(2)}`,
    );
    return [...lines, `peak ratios: ${ratios.join(', ')} (goal: at most 1.2)`];
  });
}
