/**
 * Goal: a long list takes no more memory than a short one: V8 keeps little garbage.
 * Method: work that leaves as much garbage as a long list does, in a process of its own; V8 tells what it holds.
 */
import { execFileSync } from 'node:child_process';
import { expect } from 'vitest';
import { proof } from '../../combinations.ts';

const MEMORY = new URL('../../../src/cli/shell/main/memory.ts', import.meta.url).href;

/** Rows come in groups, each of which outlives a collection. */
const WORK = `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { setImmediate } from 'node:timers/promises';
  let group = [];
  for (let row = 0; row < 6_000_000; row += 1) {
    group.push({ row, cells: ['a', 'b', String(row)] });
    if (group.length < 40_000) continue;
    group = [];
    await setImmediate();
  }
  const bytes = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size;
  console.log(bytes / 1024 / 1024);
`;

function youngMiBAfter(first: string): number {
  const words = ['--input-type=module', '--disable-warning=ExperimentalWarning', '--eval', first + WORK];
  return Number(execFileSync(process.execPath, words, { encoding: 'utf8' }));
}

proof('memory for young objects stays small, however long the work', () => {
  const kept = youngMiBAfter(`import { keepGarbageLow } from '${MEMORY}'; keepGarbageLow();`);
  expect(kept).toBeLessThanOrEqual(32);
  expect(youngMiBAfter('')).toBeGreaterThan(kept);
});
