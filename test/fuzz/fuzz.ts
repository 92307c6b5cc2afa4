import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { inputOf, material } from './inputs.ts';
import { judged, openSheet } from './judge.ts';
import type { LaneOrder } from './lane.ts';
import { type Report, Tally } from './tally.ts';

/**
 * `npm run fuzz -- --inputs 1000000 --seed 1`: scratched files for every reader, in threads side by side. Each must be
 * read whole and come back whole or be refused with a reason, within a second. `--ending .xlsx` tries one reader, `--from N` begins with the N-th input of
 * the seed, `--only N` reads that one alone, `--keep FOLDER` keeps the inputs that broke a promise. Ctrl-C ends it with what was found so far. Exit code 1 when a
 * promise was broken, or not all inputs were tried.
 */

/** Of a list of any length, enough to see what it is about. */
const LINES_SHOWN = 20;

const PROGRESS_EVERY_MS = 10_000;

/** A thread that is at one input for this long hangs, also on a machine that does much else. */
const HANGS_AFTER_MS = 30_000;

/** A file system in memory where there is one: an input is some ten files that are written and read. */
const FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

const { values } = parseArgs({
  options: {
    inputs: { type: 'string', default: '10000' },
    from: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '2' },
    ending: { type: 'string' },
    only: { type: 'string' },
    keep: { type: 'string' },
  },
});

await (values.only === undefined ? fuzz() : readOne(wholeNumber('only', values.only)));

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Error(`--${name} ${text} is not a whole number.`);
}

async function fuzz(): Promise<void> {
  const inputs = wholeNumber('inputs', values.inputs);
  const from = wholeNumber('from', values.from);
  const tally = new Tally();
  const startedMs = performance.now();
  const show = setInterval(
    () => console.error(`${tally.inputs} of ${inputs} inputs, ${tally.broken.length} broke a promise`),
    PROGRESS_EVERY_MS,
  );
  const step = wholeNumber('lanes', values.lanes);
  const lanes = Array.from({ length: step }, (_, at) =>
    lane({ first: from + at, step, end: from + inputs }, tally),
  );
  await Promise.all(lanes);
  clearInterval(show);
  await keepBroken(tally);
  for (const line of table(tally, (performance.now() - startedMs) / 1000)) console.log(line);
  process.exitCode = tally.broken.length > 0 || tally.inputs < inputs ? 1 : 0;
}

/** Ends with its last input, or at the one on which it hangs or dies: that one broke a promise. */
function lane(share: Pick<LaneOrder, 'first' | 'step' | 'end'>, tally: Tally): Promise<void> {
  const at = new Int32Array(new SharedArrayBuffer(4));
  const workerData: LaneOrder = { ...share, seed: values.seed, ending: values.ending, folder: FOLDER, at };
  const worker = new Worker(new URL('lane.ts', import.meta.url), { workerData });
  let last = { n: -1, sinceMs: performance.now() };
  const watch = setInterval(() => {
    const n = Atomics.load(at, 0);
    if (n !== last.n) last = { n, sinceMs: performance.now() };
    else if (performance.now() - last.sinceMs > HANGS_AFTER_MS) ended(`hangs for ${HANGS_AFTER_MS} ms`);
  }, HANGS_AFTER_MS / 10);
  const { promise, resolve } = Promise.withResolvers<void>();
  function ended(why?: string): void {
    clearInterval(watch);
    if (why !== undefined) tally.broken.push({ n: Atomics.load(at, 0), why });
    worker.terminate().then(() => resolve());
  }
  worker.on('message', (report: Report) => {
    tally.merge(report);
    for (const each of report.broken) console.error(lineOf(each));
  });
  process.once('SIGINT', () => ended());
  worker.on('error', (error) => ended(`ends the process: ${error.stack}`));
  worker.on('exit', () => ended());
  return promise;
}

async function keepBroken({ broken }: Tally): Promise<void> {
  if (values.keep === undefined || broken.length === 0) return;
  const from = await material(values.ending);
  await mkdir(values.keep, { recursive: true });
  for (const { n } of broken) {
    const { name, bytes, read } = inputOf(from, values.seed, n);
    await writeFile(join(values.keep, `${n}-${name}`), bytes);
    await writeFile(join(values.keep, `${n}.json`), JSON.stringify(read));
  }
}

function lineOf({ n, why }: Report['broken'][number]): string {
  return `--only ${n}: ${why}`;
}

function table(tally: Tally, seconds: number): readonly string[] {
  const refused = [...tally.refused].sort(([, a], [, b]) => b - a);
  const line = (name: string, value: string | number): string => `${name.padEnd(39)} ${value}`;
  return [
    line('seed', values.seed),
    line('inputs', tally.inputs),
    line('read whole, copied and read again', tally.read),
    line('rows of these', tally.rows),
    line(
      'refused with a reason',
      refused.reduce((sum, [, count]) => sum + count, 0),
    ),
    ...refused.slice(0, LINES_SHOWN).map(([words, count]) => `  ${String(count).padStart(8)}  ${words}`),
    line('slowest, ms of one processor', `${tally.slowest.ms.toFixed(0)} (input ${tally.slowest.n})`),
    line('seconds', seconds.toFixed(0)),
    line('broke a promise', tally.broken.length),
    ...tally.broken.slice(0, LINES_SHOWN).map(lineOf),
  ];
}

async function readOne(n: number): Promise<void> {
  const input = inputOf(await material(values.ending), values.seed, n);
  const folder = join(FOLDER, `rowonce-fuzz-only-${process.pid}`);
  await mkdir(folder, { recursive: true });
  console.log(input.name, input.read, JSON.stringify(input.bytes.toString('latin1').slice(0, 2000)));
  console.log(await judged(input, folder, openSheet));
  console.log(folder);
}
