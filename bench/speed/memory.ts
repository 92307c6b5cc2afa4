import type { Cost } from './cost.ts';
import { Desk, writeWideList } from './fixture.ts';
import type { FigureName } from './goals.ts';
import { memoryWords } from './growth.ts';
import { type Figure, type Line, type Measured, type Options, rowsOf } from './measure.ts';
import { contestants } from './replay.ts';

/**
 * Memory must not grow with the file nor with what the ledger knows: the peak of each command that sends nothing, and how long
 * the longest list takes.
 */

/** Names of contestants, as the figures have them. */
const COMMANDS = {
  'memory-describe': 'plan without a job',
  'memory-plan': 'plan with a job',
  'memory-replay': 'replay',
  'memory-again': 'output written again',
} as const satisfies Partial<Record<FigureName, string>>;

export async function measureMemory(options: Options): Promise<Measured> {
  const most = rowsOf(options, 10_000_000, 200_000);
  const small = await peaksOf(options, Math.ceil(most / (options.quick ? 10 : 100)));
  const large = await peaksOf(options, most);
  const peaks = Object.entries(COMMANDS).map(([name, command]) => {
    const peak = (costs: Costs) => ({ rows: costs.rows, cost: costs.of.get(command) ?? { peakMiB: 0 } });
    return { name: name as keyof typeof COMMANDS, now: memoryWords(peak(small), peak(large)) };
  });
  const seconds = (command: string): string => `${large.of.get(command)?.seconds.toFixed(0)} s`;
  const long = ['replay', 'output written again'].map(seconds).join(' / ');
  const figures: readonly Figure[] = [...peaks, { name: 'long', now: `${long}, of ${most} rows` }];
  return { figures, lines: [...linesOf(small), ...linesOf(large)] };
}

interface Costs {
  readonly rows: number;
  readonly of: ReadonlyMap<string, Cost>;
}

async function peaksOf({ folder, say }: Options, rows: number): Promise<Costs> {
  const desk = await Desk.open(`${folder}/${rows}`);
  await writeWideList(desk.list, rows);
  say(`a store that knows ${rows} answers is made`);
  await desk.fill('bought', rows);
  const of = new Map<string, Cost>();
  for (const { name, run } of contestants(desk, rows)) {
    of.set(name, await run());
    say(`${rows} rows: ${name} ${of.get(name)?.peakMiB.toFixed(0)} MiB`);
  }
  await desk.remove('.');
  return { rows, of };
}

function linesOf({ rows, of }: Costs): readonly Line[] {
  return [...of].map(([contestant, cost]) => ({ measure: 'bought before', contestant, rows, cost }));
}
