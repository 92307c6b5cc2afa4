import { closeSync, fdatasyncSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { inFolder, median } from './program.ts';
import { measureMemory, measurePlan, measureReplay, measureReplayStart } from './speed/bought-before.ts';
import { measureLatency, measureUnlimited } from './speed/end-to-end.ts';
import { GOALS } from './speed/goals.ts';
import { measureGrowth } from './speed/growth.ts';
import { measureLimit } from './speed/limit.ts';
import type { Line, Measured, Options } from './speed/measure.ts';
import { measureResume, measureStarts } from './speed/starts.ts';

/**
 * The promises of speed, side by side in one run: every figure beside what it must be, and what each contestant costs. It
 * judges nothing. Without flags it takes the lists that the promises are made for, up to ten million rows, and a day.
 */

const MEASURES = {
  unlimited: measureUnlimited,
  latency: measureLatency,
  replay: measureReplay,
  'replay-start': measureReplayStart,
  plan: measurePlan,
  starts: measureStarts,
  limit: measureLimit,
  growth: measureGrowth,
  memory: measureMemory,
  resume: measureResume,
} as const satisfies Readonly<Record<string, (options: Options) => Promise<Measured>>>;

const NAMES = Object.keys(MEASURES) as readonly (keyof typeof MEASURES)[];

const SPEED_FLAGS = `npm run bench speed -- [--only MEASURE …] [--quick] [--rows N] [--runs N]
  --only MEASURE  ${NAMES.join(', ')}; left out: all
  --quick         lists of some ten thousand rows: minutes
  --rows N        lists of so many rows; where two are compared, the longer one
  --runs N        so many rounds; left out: 5`;

interface Flags extends Pick<Options, 'rows' | 'quick' | 'runs'> {
  readonly chosen: typeof NAMES;
}

/** Undefined for words that nothing can be measured by. */
function flagsOf(words: readonly string[]): Flags | undefined {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        only: { type: 'string', multiple: true, default: [...NAMES] },
        rows: { type: 'string' },
        runs: { type: 'string', default: '5' },
        quick: { type: 'boolean', default: false },
      },
    });
    const { only, quick } = values;
    const chosen = NAMES.filter((name) => only.includes(name));
    const [rows, runs] = [values.rows === undefined ? undefined : Number(values.rows), Number(values.runs)];
    const isKnown = only.every((each) => chosen.some((name) => name === each));
    const isCounted = [rows ?? 1, runs].every((count) => Number.isSafeInteger(count) && count > 0);
    return isKnown && isCounted ? { chosen, rows, runs, quick } : undefined;
  } catch {
    return undefined;
  }
}

export function measureSpeed(words: readonly string[]): Promise<readonly string[]> {
  const flags = flagsOf(words);
  if (flags === undefined) {
    process.exitCode = words.includes('--help') ? 0 : 2;
    return Promise.resolve([SPEED_FLAGS]);
  }
  return inFolder(async (folder) => {
    const before = businessOf(folder);
    const measured: Measured[] = [];
    for (const name of flags.chosen) {
      const own = join(folder, name);
      mkdirSync(own);
      const say = (text: string): void => console.error(`${name}: ${text}`);
      measured.push(await MEASURES[name]({ ...flags, folder: own, say }));
    }
    const figures = measured.flatMap((each) => each.figures);
    const lines = measured.flatMap((each) => each.lines);
    return [
      `Before: ${before}. After: ${businessOf(folder)}.\n`,
      ...tableOf(
        ['measure', 'now', 'must'],
        figures.map(({ name, now }) => [GOALS[name].what, now, GOALS[name].must]),
      ),
      '',
      ...(lines.length === 0 ? [] : tableOf(['measure', ...CONTESTANTS], lines.map(cellsOf))),
    ];
  });
}

const CONTESTANTS = ['contestant', 'rows', 'seconds', 'rows a second', 'processor a row', 'peak memory'];

/** A table as pages have them. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (each: readonly string[]): string => `| ${each.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

function cellsOf({ measure, contestant, rows, cost }: Line): readonly string[] {
  const { seconds, processorSeconds, peakMiB } = cost;
  const whole = (count: number): string => Math.round(count).toLocaleString('en');
  return [
    ...[measure, contestant, whole(rows), seconds.toFixed(2), whole(rows / seconds)],
    ...[`${((processorSeconds / rows) * 1000).toFixed(3)} ms`, `${peakMiB.toFixed(0)} MiB`],
  ];
}

const SYNCS = 200;

/** How busy others keep the machine, and its disk. Where they do, only ratios of processor time say something. */
export function businessOf(folder: string): string {
  const path = join(folder, 'fdatasync');
  const file = openSync(path, 'w');
  const page = Buffer.alloc(4096, 1);
  const times = Array.from({ length: SYNCS }, () => {
    writeSync(file, page);
    const startedMs = performance.now();
    fdatasyncSync(file);
    return performance.now() - startedMs;
  });
  closeSync(file);
  rmSync(path);
  return `load ${loadavg()[0]?.toFixed(1)}, fdatasync ${median(times).toFixed(2)} ms`;
}
