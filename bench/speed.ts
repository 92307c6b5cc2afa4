import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inFolder } from './program.ts';
import { measureLatency, measurePinned, measureUnlimited } from './speed/end-to-end.ts';
import { GOALS } from './speed/goals.ts';
import { describeMachine, type Machine, machineWords } from './speed/machine.ts';
import type { Figure, Line, Measured, Options } from './speed/measure.ts';
import { measureReplay } from './speed/replay.ts';

/** The promises of speed, side by side in one run: every figure beside what it must be. It judges nothing. */

const MEASURES: Readonly<Record<string, (options: Options) => Promise<Measured>>> = {
  unlimited: measureUnlimited,
  pinned: measurePinned,
  latency: measureLatency,
  replay: measureReplay,
};

export interface SpeedWords {
  /** One of the measures, or all. */
  readonly only: string | undefined;
  readonly rows: number | undefined;
  readonly runs: number;
  readonly quick: boolean;
  /** Where the figures are written as JSON. */
  readonly json: string;
}

interface Result extends Measured {
  readonly machine: Machine;
  readonly runs: number;
}

export async function measureSpeed({ only, json, ...words }: SpeedWords): Promise<readonly string[]> {
  const chosen = Object.entries(MEASURES).filter(([name]) => only === undefined || name === only);
  if (chosen.length === 0) throw new Error(`known measures are: ${Object.keys(MEASURES).join(', ')}`);
  return inFolder(async (folder) => {
    const machine = describeMachine(folder);
    console.log(machineWords(machine));
    const figures: Figure[] = [];
    const lines: Line[] = [];
    for (const [name, measure] of chosen) {
      const own = join(folder, name);
      mkdirSync(own);
      const say = (text: string): void => console.error(`${name}: ${text}`);
      const measured = await measure({ ...words, folder: own, say });
      figures.push(...measured.figures);
      lines.push(...measured.lines);
    }
    const result: Result = { machine, runs: words.runs, figures, lines };
    writeFileSync(json, `${JSON.stringify(result, undefined, 2)}\n`);
    return tables(result);
  });
}

function tables({ figures, lines }: Result): readonly string[] {
  const text = ['', '| measure | now | must | goal |', '|---|---|---|---|'];
  for (const { name, now } of figures) {
    const { what, must, goal } = GOALS[name];
    text.push(`| ${what} | ${now} | ${must} | ${goal} |`);
  }
  const names = ['contestant', 'rows', 'seconds', 'rows a second', 'processor a row', 'peak memory'];
  text.push('', `| ${['measure', ...names].join(' | ')} |`, '|---|---|---|---|---|---|---|');
  for (const line of lines)
    text.push(`| ${line.measure} | ${line.contestant} | ${cells(line).join(' | ')} |`);
  return text;
}

function cells({ rows, cost, absent }: Line): readonly string[] {
  if (cost === undefined) return [absent ?? '', '', '', '', ''];
  const { seconds, processorSeconds, peakMiB } = cost;
  const thousands = (count: number): string => Math.round(count).toLocaleString('en');
  return [
    ...[thousands(rows), seconds.toFixed(2), thousands(rows / seconds)],
    ...[`${((processorSeconds / rows) * 1000).toFixed(3)} ms`, `${peakMiB.toFixed(0)} MiB`],
  ];
}
