/**
 * Goal: a long list takes no more memory than a short one: V8 keeps little garbage. And no thread of V8 compiles while the program ends.
 * Method: work that leaves as much garbage as a long list does, in a process of its own; V8 tells what it holds. And the real program,
 * ended in every way; V8 tells what it compiles where.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { expect } from 'vitest';
import { proof } from '../../combinations.ts';
import { environmentOf, PROGRAM } from '../rowonce.ts';

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

/** V8 tells of each function that it compiles, of which no others are waited for. */
const TELLS = ['--trace-baseline', '--baseline-batch-compilation-threshold=1'];
const IN_A_THREAD = '[Concurrent Sparkplug] compiling';
const IN_PLACE = '[compiling method';

proof.each([
  ['no command', []],
  ['help', ['--help']],
  ['help of a command', ['help', 'accounts']],
  ['help within a command', ['accounts', 'list', '--help']],
  ['the version', ['--version', '--json']],
  ['the version behind a command', ['accounts', 'list', '--version']],
  ['an unknown command', ['acounts']],
  ['an unknown command within a command', ['accounts', 'lst']],
  ['an unknown option', ['--jsn']],
  ['an unknown option of a command', ['accounts', 'list', '--jsn']],
  ['a missing argument', ['accounts', 'remove']],
  ['too many arguments', ['accounts', 'list', 'x']],
  ['an option without its value', ['--store']],
  ['a command that stops', ['accounts', 'remove', 'x']],
  ['a command that is done', ['accounts', 'list']],
])('no thread compiles when a command line ends by %s', (_, words) => {
  const env = environmentOf({ env: { ROWONCE_CONFIG: '/nonexistent' } });
  const { stdout } = spawnSync(process.execPath, [...TELLS, PROGRAM, ...words], { encoding: 'utf8', env });
  expect(stdout).toContain(IN_A_THREAD);
  expect(stdout.lastIndexOf(IN_PLACE)).toBeGreaterThan(stdout.lastIndexOf(IN_A_THREAD));
});
