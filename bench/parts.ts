import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { framesOfBytes, framesOfTime, partsOf, SQLITE } from './parts/profile.ts';
import { type Threads, ThreadWatch } from './parts/threads.ts';
import { inFolder } from './program.ts';
import { type Command, costOf } from './speed/cost.ts';
import { Desk, startSpeedVendor, writeWideList } from './speed/fixture.ts';
import { businessOf, businessWords } from './speed/machine.ts';
import { tableOf } from './speed/report.ts';

/**
 * What a bought row costs, in parts that add up to all the processor time of `rowonce run`: the threads as the kernel counts them, and
 * of the main thread each part as V8 samples it. The command runs three times: as it is, with a profile of its time, and with
 * one of its garbage.
 */

const FLAGS = `npm run bench parts -- [--rows N]
  --rows N  a list of so many rows; left out: 100000`;

export async function measureParts(words: readonly string[]): Promise<readonly string[]> {
  const rows = rowsOf(words);
  if (rows !== undefined) return inFolder((folder) => measureIn(folder, rows));
  process.exitCode = words.includes('--help') ? 0 : 2;
  return [FLAGS];
}

function rowsOf(words: readonly string[]): number | undefined {
  try {
    const options = { rows: { type: 'string', default: '100000' } } as const;
    const rows = Number(parseArgs({ args: [...words], options }).values.rows);
    return Number.isSafeInteger(rows) && rows > 0 ? rows : undefined;
  } catch {
    return undefined;
  }
}

async function measureIn(folder: string, rows: number): Promise<readonly string[]> {
  const before = businessWords(businessOf(folder));
  const { bare, time, garbage } = await measureRuns(folder, rows);
  const { whole, parts, threads } = time;
  const aRow = (amount: number, digits = 1): string => (amount / rows).toFixed(digits);
  const bytes = [...garbage.values()].reduce((total, each) => total + each, 0);
  const timed = new Map(parts.map(({ name, microseconds }) => [name, microseconds]));
  const lines = [...new Set([...timed.keys(), ...garbage.keys()])].map((name) => {
    const microseconds = timed.get(name) ?? 0;
    const share = `${((microseconds / whole) * 100).toFixed(1)} %`;
    const own = garbage.get(name);
    return [name, aRow(microseconds), share, own === undefined ? '' : aRow(own, 0)];
  });
  return [
    `${rows} rows; before: ${before}; after: ${businessWords(businessOf(folder))}`,
    `Without a profile a row takes ${aRow(bare)} µs of the processor. With it the main thread also waited, which is not in the table:`,
    `${aRow(threads.main.onDisk)} µs a row for the disk and ${aRow(threads.main.ready)} µs for a core.`,
    '',
    ...tableOf(
      ['part', 'µs a row', 'share', 'bytes allocated a row'],
      [...lines, ['the whole', aRow(whole), '100 %', aRow(bytes, 0)]],
    ),
  ];
}

interface Runs {
  /** Processor time without a profile. */
  readonly bare: number;
  readonly time: Profiled;
  /** Bytes on the heap of the main thread, by part. */
  readonly garbage: ReadonlyMap<string, number>;
}

interface Profiled {
  readonly whole: number;
  readonly parts: readonly Part[];
  readonly threads: Threads;
}

/** All times are microseconds. */
export async function measureRuns(folder: string, rows: number): Promise<Runs> {
  const vendor = await startSpeedVendor([]);
  try {
    const desk = await Desk.open(folder, vendor.url);
    await writeWideList(desk.list, rows);
    const bare = await processorOf(desk.run(await desk.newStore()));
    const time = await profileTime(desk);
    return { bare, time, garbage: await profileGarbage(desk) };
  } finally {
    vendor.stop();
  }
}

async function processorOf(command: Command, started?: (pid: number) => void): Promise<number> {
  return (await costOf(command, started)).processorSeconds * 1_000_000;
}

/** Between two samples. The profile then takes a twentieth of the processor time, and is a part of its own. */
const INTERVAL_US = '500';

async function profileTime(desk: Desk): Promise<Profiled> {
  const kept = desk.path('profile');
  const flags = ['--cpu-prof', '--cpu-prof-interval', INTERVAL_US, '--cpu-prof-dir', kept];
  const watch = new ThreadWatch();
  const command = flagged(desk.run(await desk.newStore()), flags);
  const whole = await processorOf(command, (pid) => watch.begin(pid));
  const threads = watch.end();
  // Threads have profiles of their own, under other numbers.
  const file = readdirSync(kept).find((name) => /\.0\.\d+\.cpuprofile$/.test(name)) ?? '';
  const profile = JSON.parse(readFileSync(join(kept, file), 'utf8'));
  return { whole, threads, parts: processorParts(partsOf(framesOfTime(profile)), threads, whole) };
}

async function profileGarbage(desk: Desk): Promise<ReadonlyMap<string, number>> {
  const NOTED_GARBAGE = desk.path('garbage.json');
  const { words, env } = flagged(desk.run(await desk.newStore()), [
    '--import',
    join(import.meta.dirname, 'parts/note-garbage.ts'),
  ]);
  await costOf({ words, env: { ...env, NOTED_GARBAGE } });
  return partsOf(framesOfBytes(JSON.parse(readFileSync(NOTED_GARBAGE, 'utf8')).head));
}

/** A command of Node with further flags for Node itself. */
function flagged({ words: [program = '', ...words], env = {} }: Command, flags: readonly string[]) {
  return { words: [program, ...flags, ...words], env };
}

/** What the kernel counted of the main thread and no sample explains: its beginning, its end, and what sampling is wrong by. */
export const UNEXPLAINED = 'main thread, not in the profile';

export interface Part {
  readonly name: string;
  readonly microseconds: number;
}

/**
 * Adds up to the whole. V8 samples a thread also while it waits: for the disk that is in SQLite, and for a core anywhere, in
 * proportion. What the kernel counted and nothing explains is a part as well.
 * @param sampled the time of the main thread, by part. @param whole processor time of the process.
 */
export function processorParts(
  sampled: ReadonlyMap<string, number>,
  { main, others }: Threads,
  whole: number,
): readonly Part[] {
  const onCore = main.onCore / (main.onCore + main.ready);
  const explained = [...sampled].map(([name, wall]) => ({
    name,
    microseconds: (name === SQLITE ? wall - main.onDisk : wall) * onCore,
  }));
  const unexplained = { name: UNEXPLAINED, microseconds: main.onCore - sum(explained) };
  const beside = [...others].map(([name, microseconds]) => ({ name, microseconds }));
  const looks = {
    name: 'between the last look and the end',
    microseconds: whole - main.onCore - sum(beside),
  };
  return [...descending(explained), unexplained, ...descending(beside), looks];
}

const sum = (parts: readonly Part[]): number =>
  parts.reduce((total, { microseconds }) => total + microseconds, 0);

const descending = (parts: readonly Part[]): readonly Part[] =>
  parts.toSorted((one, other) => other.microseconds - one.microseconds);
