import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { finish } from '../program.ts';

/** What a command costs: time on the wall, time of the processor, memory. */

export interface Cost {
  readonly seconds: number;
  /** User and system time of the process and of those that it waited for. NaN where the kernel does not tell. */
  readonly processorSeconds: number;
  readonly peakMiB: number;
}

export interface Command {
  readonly words: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

const NODE_FLAGS = ['--disable-warning=ExperimentalWarning'];

/** A program of Node, as the words of a command. */
export function node(...words: readonly string[]): readonly string[] {
  return [process.execPath, ...NODE_FLAGS, ...words];
}

/** Runs a command to its end. Nothing else that this process has started may end meanwhile. */
export async function costOf({ words, env = process.env }: Command): Promise<Cost> {
  const [program = '', ...rest] = words;
  const before = processorOfChildren();
  const child = spawn(program, rest, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2000);
  });
  const { seconds, peakMiB, exitCode } = await finish(child);
  if (exitCode !== 0) throw new Error(`${words.join(' ')} ended with ${exitCode}: ${said}`);
  return { seconds, peakMiB, processorSeconds: processorOfChildren() - before };
}

/** Seconds are counted in such parts of them, on every Linux that Node runs on. */
const TICKS = 100;

/** What all children used that have ended, and theirs, by the kernel's own count. */
function processorOfChildren(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // The name of the program may have spaces, so fields are counted from behind it: `cutime` and `cstime` are 16 and 17.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[13]) + Number(fields[14])) / TICKS;
  } catch {
    return Number.NaN;
  }
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
    peakMiB: Math.max(...costs.map(({ peakMiB }) => peakMiB)),
  };
}
