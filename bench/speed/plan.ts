import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { abn } from '../program.ts';
import { costOf, medianCost, node } from './cost.ts';
import { Desk } from './fixture.ts';
import { type Measured, type Options, Rounds, rowsOf } from './measure.ts';

/** How long `plan` takes over a list of which the store knows every other row, beside nothing but parsing the same file. */
export async function measurePlan(options: Options): Promise<Measured> {
  const rows = rowsOf(options, 1_000_000, 100_000);
  const desk = await Desk.open(options.folder);
  await writeList(desk.list, rows);
  options.say(`a store that knows half of ${rows} answers is made`);
  await desk.fill('half', rows, 2);
  const words = node(join(import.meta.dirname, 'parse.ts'), desk.list);
  const planned = desk.rowonce('half', 'plan', 'enrich-company', desk.list, '--account', 'data');
  const rounds = await Rounds.of(options, [
    { name: 'csv-parse alone', rows, run: () => costOf({ words }) },
    { name: PLANNED, rows, run: () => costOf(planned) },
  ]);
  const { seconds } = medianCost(rounds.costs(PLANNED));
  const now = `${seconds.toFixed(1)} s, ${rounds.times(PLANNED, 'csv-parse alone')} × csv-parse, of ${rows} rows`;
  return { lines: rounds.lines('half bought before'), figures: [{ name: 'plan-half', now }] };
}

const PLANNED = 'plan with a job';

/** Rows that can be asked for by their ABN and by their website. */
async function writeList(path: string, rows: number): Promise<void> {
  const file = createWriteStream(path);
  file.write('ABN,Name,Street,Town,State,Postcode,Website\n');
  for (let row = 0; row < rows; row += 1) {
    const street = `"${row % 900} Example Street, Level ${row % 30}"`;
    const line = `${abn(row)},Company ${row} Pty Ltd,${street},Sydney,NSW,2000,https://www.company-${row}.example/about\n`;
    if (!file.write(line)) await once(file, 'drain');
  }
  file.end();
  await finished(file);
}
