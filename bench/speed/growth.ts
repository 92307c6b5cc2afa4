import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Cost, costOf, medianCost } from '../program.ts';
import { Desk, startSpeedVendor, writeWideList } from './fixture.ts';
import { type Line, type Measured, type Options, rowsOf } from './measure.ts';
import { ANSWER_BYTES } from './vendor.ts';

/** What becomes of a row's cost as lists grow: processor, memory, and what is kept of a bought call. */

/** Longer lists are bought once: that takes long enough to be steady. */
const LONG = 100_000;

/** As long as a list of a working day is. */
const SHORT = 1000;

interface Bought {
  readonly rows: number;
  readonly cost: Cost;
  readonly ledgerBytes: number;
}

export async function measureGrowth(options: Options): Promise<Measured> {
  const most = rowsOf(options, 10_000_000, 40_000);
  const sizes = options.quick ? [most / 8, most] : [most / 1000, most / 100, most / 10, most];
  const vendor = await startSpeedVendor([]);
  try {
    const desk = await Desk.open(options.folder, vendor.url);
    // What a start costs is no row's.
    const start = await buy(options, desk, 1);
    const short = await buy(options, desk, SHORT);
    const bought: Bought[] = [];
    for (const rows of sizes) bought.push(await buy(options, desk, Math.ceil(rows)));
    return measured(start, short, bought);
  } finally {
    vendor.stop();
  }
}

async function buy({ runs, say }: Options, desk: Desk, rows: number): Promise<Bought> {
  await writeWideList(desk.list, rows);
  const costs: Cost[] = [];
  for (let run = 0; run < (rows > LONG ? 1 : runs); run += 1) {
    costs.push(await costOf(desk.run(await desk.newStore())));
    say(`${rows} rows: ${costs.at(-1)?.processorSeconds.toFixed(2)} s of processor`);
  }
  const ledgerBytes = statSync(join(desk.path(desk.newest), 'ledger.db')).size;
  return { rows, cost: medianCost(costs), ledgerBytes };
}

function measured(start: Bought, short: Bought, bought: readonly Bought[]): Measured {
  const perRow = bought.map(
    ({ rows, cost }) => (cost.processorSeconds - start.cost.processorSeconds) / (rows - 1),
  );
  const [small, large] = [bought[0] ?? start, bought.at(-1) ?? start];
  const memoryFrom = bought.find(({ rows }) => rows >= LONG) ?? small;
  const bytes = (large.ledgerBytes - small.ledgerBytes) / (large.rows - small.rows) - ANSWER_BYTES;
  const times = ((perRow.at(-1) ?? 0) / (perRow[0] ?? 1)).toFixed(2);
  const shown = bought.map(({ rows }, at) => `${rows}: ${((perRow[at] ?? 0) * 1000).toFixed(3)} ms`);
  const line = ({ rows, cost }: Bought): Line => {
    return { measure: 'a list that is bought', contestant: 'rowonce run', rows, cost };
  };
  return {
    lines: [short, ...bought].map(line),
    figures: [
      { name: 'bytes', now: bytes.toFixed(0) },
      { name: 'linear', now: `${times} (${shown.join(', ')})` },
      {
        name: 'short',
        now: `${short.cost.seconds.toFixed(2)} s; ${((short.cost.processorSeconds / short.rows) * 1000).toFixed(3)} ms`,
      },
      { name: 'memory-run', now: memoryWords(memoryFrom, large) },
    ],
  };
}

interface Peak {
  readonly rows: number;
  readonly cost: Pick<Cost, 'peakMiB'>;
}

export function memoryWords(small: Peak, large: Peak): string {
  const ratio = (large.cost.peakMiB / small.cost.peakMiB).toFixed(2);
  const peaks = [large, small].map(({ rows, cost }) => `${cost.peakMiB.toFixed(0)} MiB at ${rows}`);
  return `${ratio} (${peaks.join(', ')})`;
}
