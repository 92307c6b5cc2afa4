import { readdirSync, readFileSync } from 'node:fs';
import type { CrashPoint } from '../../src/lib/faults.ts';
import type { Program } from './program.ts';
import type { Workplace } from './workplace.ts';

/**
 * Two exports to one path at once, one of which is killed: at a crash point, or whenever `kill` does it. What stands in the
 * folder afterwards is judged by its bytes: each file that has the name of an output, with a number or without, is the
 * whole output, and the export that was left alone says where it wrote it and ends with 0.
 */

export interface TwoExports {
  /** The batch, by the store that holds it; two stores may export to one path. */
  readonly stores: readonly [killed: string, left: string];
  /** Left out: the last one. */
  readonly batch?: string;
  /** A path in the workplace, such as `both.csv`. */
  readonly output: string;
  /** Every byte of the output; of each store, which bought at another time and says so. */
  readonly whole: readonly Buffer[];
  readonly crashAt?: Extract<CrashPoint, `output-${string}`>;
  /** Kills the first one, whenever it likes; left out: only the crash point does. */
  readonly kill?: (program: Program) => Promise<unknown>;
}

/** 0 in all of them. */
export interface BrokenExports {
  /** Files with the name of the output that are not the whole output. */
  readonly notWhole: number;
  /** Exports that nobody killed, and that did not end with 0. */
  readonly failed: number;
  /** Outputs that an export said it had written, and that are not there whole. */
  readonly notThere: number;
  /** Temporary files that are left when another export has ended after the kill. */
  readonly leftBehind: number;
}

export const WHOLE_EXPORTS: BrokenExports = { notWhole: 0, failed: 0, notThere: 0, leftBehind: 0 };

export async function exportTwice(workplace: Workplace, exported: TwoExports): Promise<BrokenExports> {
  const { stores, batch = 'last', output, whole, crashAt, kill } = exported;
  const begin = (store: string, env = {}): Program =>
    workplace.type(
      ['export', batch, '--store', workplace.path(store), '-o', workplace.path(output), '--json'],
      env,
    );
  const killed = begin(stores[0], crashAt === undefined ? {} : { ROWONCE_CRASH_AT: crashAt });
  const left = begin(stores[1]);
  await kill?.(killed);
  const both = await Promise.all([killed.ended, left.ended]);
  const after = await begin(stores[1]).ended;
  const isWhole = (path: string): boolean => {
    const bytes = readFileSync(path);
    return whole.some((each) => each.equals(bytes));
  };
  const alive = [...both, after].filter(({ signal }) => signal === null);
  const named = alive.flatMap(({ report }) => report?.output ?? []);
  const names = readdirSync(workplace.folder);
  return {
    notWhole: names.filter((name) => isOutput(name, output) && !isWhole(workplace.path(name))).length,
    failed: alive.filter(({ code }) => code !== 0).length,
    notThere: alive.length - named.filter(isWhole).length,
    leftBehind: names.filter((name) => name.endsWith('.tmp')).length,
  };
}

/** `both.csv`, `both (2).csv`, … */
function isOutput(name: string, output: string): boolean {
  const [stem = '', ending = ''] = output.split(/(?=\.[^.]+$)/);
  return (
    name.startsWith(stem) &&
    name.endsWith(ending) &&
    /^(?: \(\d+\))?$/.test(name.slice(stem.length, -ending.length))
  );
}
