import { join } from 'node:path';
import { costOf, node } from '../program.ts';
import { Desk, startSpeedVendor, writeWideList } from './fixture.ts';
import { type Measured, type Options, Rounds, rowsOf } from './measure.ts';

/** A list that nobody bought before, from the typed command to the written output, beside what else could do it. */

export async function measureUnlimited(options: Options): Promise<Measured> {
  const rounds = await race(options, 0);
  return {
    lines: rounds.lines('vendor unlimited'),
    figures: [
      { name: 'processor', now: rounds.processor('rowonce run', 'naive script') },
      { name: 'naive', now: rounds.speed('rowonce run', 'naive script') },
      { name: 'bare', now: rounds.speed('rowonce run', 'bare undici') },
    ],
  };
}

export async function measureLatency(options: Options): Promise<Measured> {
  const rounds = await race(options, 20);
  return {
    lines: rounds.lines('vendor of 20 ms, 64 at once'),
    figures: [{ name: 'latency', now: rounds.speed('rowonce run', 'naive script') }],
  };
}

async function race(options: Options, latencyMs: number): Promise<Rounds> {
  const rows = rowsOf(options, 100_000, 20_000);
  const vendor = await startSpeedVendor(['--latency', String(latencyMs)]);
  try {
    const desk = await Desk.open(options.folder, vendor.url);
    await writeWideList(desk.list, rows);
    const program = (name: string, ...words: string[]) => ({
      words: node(join(import.meta.dirname, name), vendor.url, ...words),
    });
    return await Rounds.of(options, [
      { name: 'bare undici', rows, run: () => costOf(program('bare.ts', String(rows))) },
      {
        name: 'naive script',
        rows,
        run: () => costOf(program('naive.ts', desk.list, desk.path('naive.csv'))),
      },
      { name: 'rowonce run', rows, run: async () => costOf(desk.run(await desk.newStore())) },
    ]);
  } finally {
    vendor.stop();
  }
}
