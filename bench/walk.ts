import { globSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { inFolder } from './program.ts';
import { Desk, startSpeedVendor, writeWideList } from './speed/fixture.ts';

/**
 * The files and functions of the source that each bought row passes, from its reading to its output: those that run at least once
 * for nearly every row of a list. V8 counts them. A function that waits is counted again each time it goes on.
 */

const ROWS = 1000;

/** What is done for a group of rows at once is run less often, and no group is that small. */
const FEWEST = 0.9 * ROWS;

const SOURCE = join(import.meta.dirname, '../src');

interface Passed {
  readonly file: string;
  /** Each by its name, with how often it runs a row. */
  readonly functions: readonly string[];
}

export function measureWalk(): Promise<readonly string[]> {
  return inFolder(async (folder) => {
    const vendor = await startSpeedVendor([]);
    try {
      const desk = await Desk.open(folder, vendor.url);
      await writeWideList(desk.list, ROWS);
      const passed = await passedIn(() => buyHere(desk));
      return [...Map.groupBy(passed, ({ file }) => file.split('/')[0] ?? '')].flatMap(([room, files]) => [
        '',
        `${room}: ${files.length} files, ${files.flatMap(({ functions }) => functions).length} functions`,
        ...files.map(({ file, functions }) => `  ${file}: ${functions.join(', ')}`),
      ]);
    } finally {
      vendor.stop();
    }
  });
}

/** In this process, from the sources themselves: the built program has no files of its own for them. */
async function buyHere(desk: Desk): Promise<void> {
  const { env = {}, words } = desk.run('store');
  Object.assign(process.env, env);
  const { runCommandLine } = await import('../src/cli/shell/main.ts');
  const stream = (): PassThrough => new PassThrough().resume();
  const streams = { stdin: stream(), stdout: stream(), stderr: stream(), env };
  await runCommandLine(words.slice(words.indexOf('run')), streams);
}

async function passedIn(work: () => Promise<void>): Promise<readonly Passed[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  const scripts = new Map(result.map((script) => [script.url, script]));
  return globSync('**/*.ts', { cwd: SOURCE })
    .sort()
    .flatMap((file) => {
      const all = scripts.get(pathToFileURL(join(SOURCE, file)).href)?.functions ?? [];
      const often = all.filter(({ ranges: [whole] }) => (whole?.count ?? 0) >= FEWEST);
      const functions = often.map(
        ({ functionName, ranges: [whole] }) =>
          `${functionName || 'unnamed'} ${((whole?.count ?? 0) / ROWS).toFixed(1)}`,
      );
      return functions.length === 0 ? [] : [{ file, functions }];
    });
}
