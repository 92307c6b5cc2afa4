import { BULLMQ, bareUndici, naiveScript, others, rowonceRun, type Track } from './contestants.ts';
import { CORES } from './cost.ts';
import { Desk, startSpeedVendor, writeWideList } from './fixture.ts';
import { type Measured, type Options, Rounds, rowsOf } from './measure.ts';

/** A list that nobody bought before, from the typed command to the written output, beside what else could do it. */

export async function measureUnlimited(options: Options): Promise<Measured> {
  const rounds = await race(options, { hasOthers: true });
  return {
    lines: rounds.lines('vendor unlimited'),
    figures: [
      { name: 'processor', now: rounds.processor('rowonce run', 'naive script') },
      { name: 'naive', now: rounds.speed('rowonce run', 'naive script') },
      { name: 'bare', now: rounds.speed('rowonce run', 'bare undici') },
      { name: 'bullmq', now: rounds.speed('rowonce run', BULLMQ) },
    ],
  };
}

export async function measurePinned(options: Options): Promise<Measured> {
  const rounds = await race(options, { isPinned: true });
  return {
    lines: rounds.lines('the same, vendor on one core, contestant on the other'),
    figures: [{ name: 'bare-pinned', now: rounds.speed('rowonce run', 'bare undici') }],
  };
}

export async function measureLatency(options: Options): Promise<Measured> {
  const rounds = await race(options, { latencyMs: 20 });
  return {
    lines: rounds.lines('vendor of 20 ms, 64 at once'),
    figures: [{ name: 'latency', now: rounds.speed('rowonce run', 'bare undici') }],
  };
}

interface Race {
  readonly latencyMs?: number;
  /** The vendor on one core and the contestants on the other. */
  readonly isPinned?: boolean;
  /** Also those that nobody would take for the fastest. */
  readonly hasOthers?: boolean;
}

async function race(options: Options, { latencyMs = 0, isPinned, hasOthers }: Race): Promise<Rounds> {
  const rows = rowsOf(options, 100_000, 20_000);
  const cores = isPinned === true ? CORES : undefined;
  const vendor = await startSpeedVendor(['--latency', String(latencyMs)], cores?.vendor);
  try {
    const desk = await Desk.open(options.folder, vendor.url);
    await writeWideList(desk.list, rows);
    const track: Track = { desk, rows, url: vendor.url, core: cores?.contestant };
    const first = [bareUndici(track), naiveScript(track), rowonceRun(track)];
    return await Rounds.of(options, hasOthers === true ? [...first, ...others(track)] : first);
  } finally {
    vendor.stop();
  }
}
