import { join } from 'node:path';
import { type ProcessLock, tryLock } from '../../src/lib/process-lock.ts';

/**
 * `node lock-racer.ts FOLDER ROUNDS STEP_MS START_MS`: asks for a lock of each round when its moment has come, as its rivals do, keeps
 * what it gets, and says at the end for each round whether it got it.
 */
const [folder = '', rounds, stepMs, startMs] = process.argv.slice(2);
const got: (ProcessLock | undefined)[] = [];
for (let round = 0; round < Number(rounds); round += 1) {
  const atMs = Number(startMs) + round * Number(stepMs);
  while (performance.timeOrigin + performance.now() < atMs);
  got.push(tryLock(join(folder, `${round}.db`)));
}
process.stdout.write(`${JSON.stringify(got.map((lock) => lock !== undefined))}\n`);
// A lock that nothing refers to any more is closed when memory is collected.
process.stdin.on('end', () => got.forEach((lock) => void lock?.release())).resume();
