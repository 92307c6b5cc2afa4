import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { inFolder } from './program.ts';
import { measureLatency, measureUnlimited } from './speed/end-to-end.ts';
import { measureGrowth } from './speed/growth.ts';
import { measureLimit } from './speed/limit.ts';
import { businessOf, businessWords, describeMachine, machineWords } from './speed/machine.ts';
import type { Figure, Line, Measured, Options } from './speed/measure.ts';
import { measureMemory } from './speed/memory.ts';
import { measurePlan } from './speed/plan.ts';
import { measureReplay } from './speed/replay.ts';
import { type Report, tables } from './speed/report.ts';
import { measureResume, measureStarts } from './speed/starts.ts';

/**
 * The promises of speed, side by side in one run: every figure beside what it must be, and what each contestant costs. It
 * judges nothing. Without flags it takes the lists that the promises are made for, up to ten million rows, and a day.
 */

const MEASURES = {
  unlimited: measureUnlimited,
  latency: measureLatency,
  replay: measureReplay,
  plan: measurePlan,
  starts: measureStarts,
  limit: measureLimit,
  growth: measureGrowth,
  memory: measureMemory,
  resume: measureResume,
} as const satisfies Readonly<Record<string, (options: Options) => Promise<Measured>>>;

const NAMES = Object.keys(MEASURES) as readonly (keyof typeof MEASURES)[];

const SPEED_FLAGS = `npm run bench speed -- [--only MEASURE …] [--quick] [--rows N] [--runs N] [--json FILE]
  --only MEASURE  ${NAMES.join(', ')}; left out: all
  --quick         lists of some ten thousand rows: minutes
  --rows N        lists of so many rows; where two are compared, the longer one
  --runs N        so many rounds; left out: 5
  --json FILE     where the figures are written`;

interface Flags extends Pick<Options, 'rows' | 'quick' | 'runs'> {
  readonly chosen: typeof NAMES;
  readonly json: string;
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
        json: { type: 'string', default: join(tmpdir(), 'rowonce-speed.json') },
      },
    });
    const { only, quick, json } = values;
    const chosen = NAMES.filter((name) => only.includes(name));
    const [rows, runs] = [values.rows === undefined ? undefined : Number(values.rows), Number(values.runs)];
    const isKnown = only.every((each) => chosen.some((name) => name === each));
    const isCounted = [rows ?? 1, runs].every((count) => Number.isSafeInteger(count) && count > 0);
    return isKnown && isCounted ? { chosen, rows, runs, quick, json } : undefined;
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
    const [machine, before] = [describeMachine(), businessOf(folder)];
    console.log(`${machineWords(machine)}\nBefore: ${businessWords(before)}`);
    const measured = await measureAll(folder, flags);
    const after = businessOf(folder);
    console.log(`After: ${businessWords(after)}\n`);
    // Where the figures go to is nothing of theirs, and a folder of this machine is nobody's business.
    const told = words.filter((word, at) => word !== '--json' && words[at - 1] !== '--json');
    const command = ['npm run bench speed --', ...told].join(' ');
    const report: Report = { at: new Date().toISOString(), command, machine, before, after, ...measured };
    writeFileSync(flags.json, `${JSON.stringify(report, undefined, 2)}\n`);
    return [...tables(report), '', `The same as JSON: ${flags.json}`];
  });
}

async function measureAll(folder: string, { chosen, ...flags }: Flags): Promise<Measured> {
  const figures: Figure[] = [];
  const lines: Line[] = [];
  for (const name of chosen) {
    const own = join(folder, name);
    mkdirSync(own);
    const say = (text: string): void => console.error(`${name}: ${text}`);
    const measured = await MEASURES[name]({ ...flags, folder: own, say });
    figures.push(...measured.figures);
    lines.push(...measured.lines);
  }
  return { figures, lines };
}
