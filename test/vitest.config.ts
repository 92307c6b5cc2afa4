import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statfsSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './support/longest-first.ts';

/**
 * Node keeps there what it compiled, so that neither the thousands of programs that are started nor the workers need
 * compile it again. Workers have it from this process.
 */
process.env.NODE_COMPILE_CACHE = join(import.meta.dirname, '..', 'node_modules', '.cache', 'compiled');

/** Tests that start the program start what is built now, whatever is edited while they run. No start looks for that again. */
execFileSync(process.execPath, [join(import.meta.dirname, '..', 'src', 'build.js'), '--if-older'], {
  stdio: 'inherit',
});
const stamp = join(import.meta.dirname, '..', 'dist', 'built-from.json');
process.env.ROWONCE_BUILD = JSON.parse(readFileSync(stamp, 'utf8')).build;

/** As the program has it: a thread of V8 that compiles while a process ends may keep it for ever (nodejs/node, issue 54918). */
const COMPILES_IN_PLACE = '--no-concurrent-sparkplug';
setFlagsFromString(COMPILES_IN_PLACE);

/**
 * A file system in memory, where there is one with room enough and no one names another by `TMPDIR`. Stores commit some ten
 * thousand times, and each commit waits for the disk. What a kill leaves behind is the same on both.
 */
const MEMORY = '/dev/shm';
const ROOM = 4 * 1024 ** 3;

function isRoomy(path: string): boolean {
  if (!existsSync(path)) return false;
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize >= ROOM;
}

if (process.env.TMPDIR === undefined && isRoomy(MEMORY)) process.env.TMPDIR = MEMORY;

/** Everything that tests write is in it, and is gone with it. A server that is told to end writes for a moment longer. */
const folder = mkdtempSync(join(tmpdir(), 'rowonce-tests-'));
process.env.TMPDIR = folder;
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));

/** Tests type in folders of a project that has this checkout installed, so printed commands name it as they do there. */
const BINS = join(folder, 'node_modules', '.bin');
mkdirSync(BINS, { recursive: true });
symlinkSync(realpathSync(join(import.meta.dirname, '..', 'src', 'bin.js')), join(BINS, 'rowonce'));

/** What is known of ledgers outside of their stores is no one's of the tester. Programs that are started have it as well. */
process.env.XDG_STATE_HOME = join(folder, 'state');

const FILES = '**/*.test.ts';

/**
 * Files that alter the process which they run in for longer than a test takes, as its time zone or its prototypes, and those
 * that measure it. Each has a process of its own.
 */
const ALONE = [
  ...['ceilings', 'fuzz'].map((folder) => `${folder}/${FILES}`),
  ...['client/rate-hints', 'docs'].map((name) => `${name}.test.ts`),
];

export default defineConfig({
  test: {
    root: import.meta.dirname,
    execArgv: [COMPILES_IN_PLACE],
    setupFiles: ['./support/same-every-time.ts'],
    // Real processes, sockets and files. Only what hangs for ever meets these limits, however slow the machine is, so no test
    // has others of its own.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    teardownTimeout: 180_000,
    expect: { poll: { timeout: 180_000 } },
    // A file waits for programs, vendors and the page, which asks for what is new each second, for a third of its time and
    // more: four share two cores well.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: 'alone', include: ALONE } },
      {
        extends: true,
        test: {
          name: 'together',
          include: [FILES],
          exclude: ['**/node_modules/**', ...ALONE],
          // To load the source anew for each would take longer than these tests do.
          isolate: false,
          setupFiles: ['./support/same-every-time.ts', './support/no-trace.ts'],
        },
      },
    ],
  },
});
