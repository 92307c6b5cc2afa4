import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs programs for a measurement, and tells what each cost: time on the wall, time of the processor, memory. */

export const PROGRAM = join(import.meta.dirname, '../src/bin.js');

export async function inFolder<T>(measure: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'rowonce-bench-'));
  try {
    return await measure(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A number that passes the checksum: the two leading digits are what makes the weighted sum divide by 89. */
export function abn(serial: number): string {
  const rest = String(100_000_000 + serial);
  const weights = [1, 3, 5, 7, 9, 11, 13, 15, 17, 19].slice(1);
  const sum = [...rest].reduce((total, digit, at) => total + Number(digit) * (weights[at] ?? 0), 0);
  for (let lead = 10; lead <= 99; lead += 1) {
    const first = Math.floor(lead / 10) - 1;
    if ((first * 10 + (lead % 10) * 1 + sum) % 89 === 0) return `${lead}${rest}`;
  }
  return abn(serial + 500_000_000);
}

export interface Command {
  readonly words: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** The process of a server that works for it and is not ended by it. */
  readonly server?: number;
}

/** A program of Node, as the words of a command. */
export function node(...words: readonly string[]): readonly string[] {
  return [process.execPath, '--disable-warning=ExperimentalWarning', ...words];
}

export interface Server {
  readonly url: string;
  stop(): void;
}

/** Starts a program that prints where it listens, and ends when its standard input does. */
export async function startServer([program = '', ...words]: readonly string[]): Promise<Server> {
  const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const found = /listening on (\S+)/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error('the server ended before it listened')));
  });
  return { url, stop: () => child.kill() };
}

export interface Cost {
  readonly seconds: number;
  /** User and system time of the process and of those that it waited for. NaN where the kernel does not tell. */
  readonly processorSeconds: number;
  /** The same of the server that worked for it; 0 without one. */
  readonly serverSeconds: number;
  /** The largest resident set that the kernel saw while the process was there. */
  readonly peakMiB: number;
}

/** Runs a command to its end. Nothing else that this process has started may end meanwhile. */
export async function costOf({ words, env = process.env, server }: Command): Promise<Cost> {
  const [program = '', ...rest] = words;
  const serverBefore = await processorOf(server);
  const [before, startedMs] = [await processorOfChildren(), performance.now()];
  const child = spawn(program, rest, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let [said, peakMiB] = ['', 0];
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2000);
  });
  const watch = setInterval(async () => {
    peakMiB = Math.max(peakMiB, await memoryOf(child.pid, 'VmHWM'));
  }, 100);
  const exitCode = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  clearInterval(watch);
  if (exitCode !== 0) throw new Error(`${words.join(' ')} ended with ${exitCode}: ${said}`);
  const seconds = (performance.now() - startedMs) / 1000;
  const processorSeconds = (await processorOfChildren()) - before;
  return { seconds, peakMiB, processorSeconds, serverSeconds: (await processorOf(server)) - serverBefore };
}

/** MiB. */
export async function memoryOf(pid: number | undefined, name: 'VmHWM' | 'VmRSS'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024;
}

/** Seconds are counted in such parts of them, on every Linux that Node runs on. */
const TICKS = 100;

/** What all children used that have ended, and theirs, by the kernel's own count. */
async function processorOfChildren(): Promise<number> {
  return (await usedBy('self')).children;
}

/** What a process used, and all that it started. */
async function processorOf(pid: number | undefined): Promise<number> {
  if (pid === undefined) return 0;
  const { own, children } = await usedBy(pid);
  const running = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const theirs = await Promise.all(running.split(' ').filter(Boolean).map(Number).map(processorOf));
  return theirs.reduce((sum, seconds) => sum + seconds, own + children);
}

/** @returns seconds of all threads of a process, and of its children that have ended. */
async function usedBy(pid: number | 'self'): Promise<{ readonly own: number; readonly children: number }> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name of the program may have spaces, so fields are counted from behind it: `utime` to `cstime` are 14 to 17.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const seconds = (at: number): number => (Number(fields[at] ?? Number.NaN) + Number(fields[at + 1])) / TICKS;
  return { own: seconds(11), children: seconds(13) };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const [low = Number.NaN, high = Number.NaN] = [
    sorted[(sorted.length - 1) >> 1],
    sorted[sorted.length >> 1],
  ];
  return (low + high) / 2;
}

/** Median of each figure apart. */
export function medianCost(costs: readonly Cost[]): Cost {
  return {
    seconds: median(costs.map(({ seconds }) => seconds)),
    processorSeconds: median(costs.map(({ processorSeconds }) => processorSeconds)),
    serverSeconds: median(costs.map(({ serverSeconds }) => serverSeconds)),
    peakMiB: Math.max(...costs.map(({ peakMiB }) => peakMiB)),
  };
}
