import { cpus } from 'node:os';
import { costOf } from '../program.ts';
import { Desk, startSpeedVendor, writeWideList } from './fixture.ts';
import type { Measured, Options } from './measure.ts';
import type { SpeedBook } from './vendor.ts';

/** How much of a known limit is used, against a vendor that counts the requests of any second. */

const RATES = [5, 50, 500, 5000];

/** A run is as long as that many seconds of the limit: start and tail are not counted. */
const SECONDS = 12;

export async function measureLimit(options: Options): Promise<Measured> {
  const told: string[] = [];
  for (const perSecond of RATES) {
    told.push(await runAt(options, perSecond));
    options.say(told.at(-1) ?? '');
  }
  return { lines: [], figures: [{ name: 'limit', now: told.join('; ') }] };
}

async function runAt({ folder }: Options, perSecond: number): Promise<string> {
  const vendor = await startSpeedVendor(['--limit', String(perSecond)]);
  try {
    const desk = await Desk.open(`${folder}/${perSecond}`, vendor.url, perSecond);
    await writeWideList(desk.list, perSecond * SECONDS);
    const idle = idleSeconds();
    const { seconds } = await costOf(desk.run(await desk.newStore()));
    const idleCores = (idleSeconds() - idle) / seconds;
    const book = (await (await fetch(`${vendor.url}/book`)).json()) as SpeedBook;
    return `${perSecond}/s ${(book.share * 100).toFixed(1)} %, ${book.refused}, ${idleCores.toFixed(1)}`;
  } finally {
    vendor.stop();
  }
}

/** How long the cores had nothing to do, all of them together, since the machine started. */
function idleSeconds(): number {
  return cpus().reduce((total, { times }) => total + times.idle / 1000, 0);
}
