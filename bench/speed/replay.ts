import { join } from 'node:path';
import { costOf, node } from './cost.ts';
import { Desk, writeWideList } from './fixture.ts';
import { type Contestant, type Measured, type Options, Rounds, rowsOf } from './measure.ts';

/** A list whose every call was bought before: what it takes beside csv-parse alone. No vendor is there. */
export async function measureReplay(options: Options): Promise<Measured> {
  const rows = rowsOf(options, 1_000_000, 100_000);
  const desk = await Desk.open(options.folder);
  await writeWideList(desk.list, rows);
  options.say(`a store that knows ${rows} answers is made`);
  await desk.fill('bought', rows);
  const rounds = await Rounds.of(options, contestants(desk, rows));
  return {
    lines: rounds.lines('bought before'),
    figures: [
      { name: 'replay', now: rounds.times('replay', 'csv-parse alone') },
      { name: 'plan', now: rounds.times('plan with a job', 'csv-parse alone') },
      { name: 'describe', now: rounds.times('plan without a job', 'csv-parse alone') },
      { name: 'again', now: rounds.times('output written again', 'csv-parse alone') },
    ],
  };
}

/** Over a store `bought`, in their order: what is written again was replayed. */
export function contestants(desk: Desk, rows: number): readonly Contestant[] {
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
