import { measureCell } from '../rate.ts';
import { costOf } from './cost.ts';
import { Desk, startSpeedVendor, writeWideList } from './fixture.ts';
import { idleSeconds } from './machine.ts';
import type { Measured, Options } from './measure.ts';
import type { SpeedBook } from './vendor.ts';

/** How much of a known limit is used, against a vendor that counts the requests of any second. */

const RATES = [5, 50, 500, 5000];

/** A run is as long as that many seconds of the limit: start and tail are not counted. */
const SECONDS = 12;

export async function measureLimit(options: Options): Promise<Measured> {
  const alone: string[] = [];
  const whole: string[] = [];
  for (const perSecond of RATES) {
    const cell = { kind: 'sliding-log', perSecond, concurrency: 64, stalls: false } as const;
    alone.push(words(perSecond, await measureCell(cell)));
    options.say(`limiter alone ${alone.at(-1)}`);
    whole.push(await runAt(options, perSecond));
    options.say(`rowonce run ${whole.at(-1)}`);
  }
  return {
    lines: [],
    figures: [
      { name: 'limit', now: whole.join('; ') },
      { name: 'limiter', now: alone.join('; ') },
    ],
  };
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
    return `${words(perSecond, book)}, ${idleCores.toFixed(1)}`;
  } finally {
    vendor.stop();
  }
}

function words(perSecond: number, { share, refused }: Pick<SpeedBook, 'share' | 'refused'>): string {
  return `${perSecond}/s ${(share * 100).toFixed(1)} %, ${refused}`;
}
