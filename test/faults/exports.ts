import { readdirSync, readFileSync } from 'node:fs';
import type { CrashPoint } from '../../src/lib/faults.ts';
import type { Program } from './program.ts';
import type { Workplace } from './workplace.ts';

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

/**
 * Two exports to one path at once, one of which is killed: at a crash point, or whenever `kill` does it. What stands in the
 * folder afterwards is judged by its bytes: each file that has the name of an output, with a number or without, is the
 * whole output, and the export that was left alone says where it wrote it and ends with 0.
 * @returns what is wrong with that.
 */
export async function exportTwice(place: Workplace, exported: TwoExports): Promise<readonly string[]> {
  const { stores, batch = 'last', output, whole, crashAt, kill } = exported;
  const begin = (store: string, env = {}): Program =>
    place.type(['export', batch, '--store', place.path(store), '-o', place.path(output), '--json'], env);
  const killed = begin(stores[0], crashAt === undefined ? {} : { ROWONCE_CRASH_AT: crashAt });
  const left = begin(stores[1]);
  await kill?.(killed);
  const both = await Promise.all([killed.ended, left.ended]);
  const after = await begin(stores[1]).ended;
  const alive = [...both, after].filter(({ signal }) => signal === null);
  const isWhole = (path: string): boolean => whole.some((each) => each.equals(readFileSync(path)));
  const names = readdirSync(place.folder);
  const isOutput = (name: string): boolean => name.replace(/ \(\d+\)(?=\.csv$)/, '') === output;
  return [
    ...alive.filter(({ code }) => code !== 0).map(({ code }) => `an export ended with ${code}`),
    ...alive
      .filter(({ report }) => !isWhole(report?.output ?? '/dev/null'))
      .map(() => 'what it wrote is not there'),
    ...names
      .filter((name) => isOutput(name) && !isWhole(place.path(name)))
      .map((name) => `${name} is not whole`),
    ...names
      .filter((name) => name.endsWith('.tmp'))
      .map((name) => `${name} is left when another export has ended`),
  ];
}
