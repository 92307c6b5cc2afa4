import { join } from 'node:path';
import { type Cost, costOf, medianCost, node } from '../program.ts';
import { Desk, writeWideList } from './fixture.ts';
import type { FigureName } from './goals.ts';
import { memoryWords } from './growth.ts';
import { type Contestant, type Figure, type Measured, type Options, Rounds, rowsOf } from './measure.ts';

/** Lists of which the store knows what was bought, beside csv-parse alone. No vendor is there. */

export async function measureReplay(options: Options): Promise<Measured> {
  const rounds = await replayed(options, rowsOf(options, 1_000_000, 100_000));
  return {
    lines: rounds.lines('bought before'),
    figures: [
      { name: 'replay', now: timesOfParse(rounds, 'replay') },
      { name: 'plan', now: timesOfParse(rounds, 'plan with a job') },
      { name: 'describe', now: timesOfParse(rounds, 'plan without a job') },
      { name: 'again', now: timesOfParse(rounds, 'output written again') },
    ],
  };
}

/** The same over a list of a tenth, of which the starts are a part that shows. */
export async function measureReplayStart(options: Options): Promise<Measured> {
  const rounds = await replayed(options, rowsOf(options, 100_000, 20_000));
  return {
    lines: rounds.lines('bought before, starts included'),
    figures: [
      { name: 'replay-start', now: timesOfParse(rounds, 'replay') },
      { name: 'plan-start', now: timesOfParse(rounds, 'plan with a job') },
      { name: 'describe-start', now: timesOfParse(rounds, 'plan without a job') },
    ],
  };
}

async function replayed(options: Options, rows: number): Promise<Rounds> {
  return Rounds.of(options, contestants(await deskThatKnows(options, rows), rows));
}

const timesOfParse = (rounds: Rounds, name: string): string => rounds.times(name, 'csv-parse alone');

/** How long `plan` takes over a list of which the store knows every other row. */
export async function measurePlan(options: Options): Promise<Measured> {
  const rows = rowsOf(options, 1_000_000, 100_000);
  const desk = await deskThatKnows(options, rows, 2);
  const compared = ['csv-parse alone', 'plan with a job'];
  const rounds = await Rounds.of(
    options,
    contestants(desk, rows).filter(({ name }) => compared.includes(name)),
  );
  const { seconds } = medianCost(rounds.costs('plan with a job'));
  const times = rounds.times('plan with a job', 'csv-parse alone');
  const now = `${seconds.toFixed(1)} s, ${times} × csv-parse, of ${rows} rows`;
  return { lines: rounds.lines('half bought before'), figures: [{ name: 'plan-half', now }] };
}

/** Names of contestants, as the figures have them. */
const COMMANDS = {
  'memory-describe': 'plan without a job',
  'memory-windows': 'plan without a job, Windows-1252',
  'memory-plan': 'plan with a job',
  'memory-replay': 'replay',
  'memory-again': 'output written again',
} as const satisfies Partial<Record<FigureName, string>>;

/**
 * Memory must not grow with the file nor with what the ledger knows: the peak of each command that sends nothing, and how long
 * the longest list takes.
 */
export async function measureMemory(options: Options): Promise<Measured> {
  const most = rowsOf(options, 10_000_000, 200_000);
  const sizes = [Math.ceil(most / (options.quick ? 10 : 100)), most];
  const rounds: Rounds[] = [];
  for (const rows of sizes) {
    const desk = await deskThatKnows({ ...options, folder: join(options.folder, String(rows)) }, rows);
    await writeWideList(desk.path('windows.csv'), rows, { isWindows1252: true });
    const run = () => costOf(desk.rowonce('bought', 'plan', desk.path('windows.csv')));
    const all = [...contestants(desk, rows), { name: COMMANDS['memory-windows'], rows, run }];
    rounds.push(await Rounds.of({ ...options, runs: 1 }, all));
    await desk.remove('.');
  }
  const costOfEach = (name: string): readonly Cost[] => rounds.map((each) => medianCost(each.costs(name)));
  const peaks: readonly Figure[] = Object.entries(COMMANDS).map(([name, command]) => {
    const [small, large] = costOfEach(command).map((cost, at) => ({ cost, rows: sizes[at] ?? 0 }));
    return { name: name as FigureName, now: small && large ? memoryWords(small, large) : '' };
  });
  const seconds = ['replay', 'output written again'].map(
    (name) => `${costOfEach(name)[1]?.seconds.toFixed(0)} s`,
  );
  return {
    figures: [...peaks, { name: 'long', now: `${seconds.join(' / ')}, of ${most} rows` }],
    lines: rounds.flatMap((each) => each.lines('bought before')),
  };
}

async function deskThatKnows({ folder, say }: Options, rows: number, every = 1): Promise<Desk> {
  const desk = await Desk.open(folder);
  await writeWideList(desk.list, rows);
  say(`${Math.ceil(rows / every)} rows are bought`);
  // A list of the same bytes is the same batch: a run of it would write its output again, and replay nothing.
  await desk.fill('bought', rows + every, every);
  return Desk.open(folder);
}

/** Over a store `bought`, in their order: what is written again was replayed. */
function contestants(desk: Desk, rows: number): readonly Contestant[] {
  const { list } = desk;
  const words = node(join(import.meta.dirname, 'parse.ts'), list);
  const replay = async () => {
    const store = await desk.newStore();
    await desk.copyStore('bought', store);
    return costOf(desk.run(store));
  };
  return [
    { name: 'csv-parse alone', rows, run: () => costOf({ words }) },
    { name: 'plan without a job', rows, run: () => costOf(desk.rowonce('bought', 'plan', list)) },
    { name: 'plan with a job', rows, run: () => costOf(desk.rowonce('bought', 'plan', desk.job, list)) },
    { name: 'replay', rows, run: replay },
    { name: 'output written again', rows, run: () => costOf(desk.run(desk.newest)) },
  ];
}
