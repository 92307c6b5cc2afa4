import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { get } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type Command, costOf, median, node, PROGRAM, type Server } from '../program.ts';
import { Desk, startSpeedVendor, writeWideList } from './fixture.ts';
import { type Measured, type Options, rowsOf } from './measure.ts';
import type { SpeedBook } from './vendor.ts';

/** How long it takes from a typed command to what it is for: an answer on the screen, or the first new request. */

/** A start is short, so that more of them make a figure. */
const STARTS_A_RUN = 4;

export async function measureStarts({ runs, folder, say }: Options): Promise<Measured> {
  const vendor = await startSpeedVendor([]);
  try {
    const desk = await Desk.open(folder, vendor.url);
    await writeWideList(desk.list, 100);
    const times = { version: [] as number[], status: [] as number[], run: [] as number[] };
    const version = { words: node(PROGRAM, '--version') };
    // The first start compiles what the others find compiled.
    await costOf(desk.run(await desk.newStore()));
    for (let start = 0; start < runs * STARTS_A_RUN; start += 1) {
      times.version.push((await costOf(version)).seconds);
      times.status.push((await costOf(desk.rowonce(desk.newest, 'status'))).seconds);
      const { seconds, ended } = await toFirstRequest(desk.run(await desk.newStore()), vendor);
      await ended;
      times.run.push(seconds);
    }
    say(`${runs * STARTS_A_RUN} starts of each`);
    const now = Object.values(times).map((each) => (median(each) * 1000).toFixed(0));
    return { lines: [], figures: [{ name: 'starts', now: `${now.join(' / ')} ms` }] };
  } finally {
    vendor.stop();
  }
}

/** A new list is begun, killed when a tenth of it is bought, and resumed and killed again and again. */
export async function measureResume(options: Options): Promise<Measured> {
  const rows = rowsOf(options, 10_000_000, 50_000);
  const vendor = await startSpeedVendor([]);
  try {
    const desk = await Desk.open(options.folder, vendor.url);
    await writeWideList(desk.list, rows);
    const command = desk.run(await desk.newStore());
    const begun = await toFirstRequest(command, vendor);
    options.say(`the first request of a new list left after ${begun.seconds.toFixed(2)} s`);
    while (begun.child.exitCode === null && (await bookOf(vendor)).requests < rows / 10) await delay(100);
    await kill(begun);
    const times = { hashing: [] as number[], beyond: [] as number[] };
    for (let run = 0; run < options.runs; run += 1) {
      const resumed = await toFirstRequest(command, vendor);
      await kill(resumed);
      // In turn, so that what disturbs the machine for a while disturbs both.
      const hashing = await secondsToHash(desk.list);
      times.hashing.push(hashing);
      times.beyond.push(resumed.seconds - hashing);
      options.say(
        `resumed after ${resumed.seconds.toFixed(2)} s; the list is hashed in ${hashing.toFixed(2)} s`,
      );
    }
    const [beyond, hashing] = [times.beyond, times.hashing].map((each) => median(each).toFixed(2));
    const resume = `${beyond} s, and ${hashing} s of hashing, of ${rows} rows`;
    return {
      lines: [],
      figures: [
        { name: 'resume', now: resume },
        { name: 'new', now: `${begun.seconds.toFixed(1)} s, of ${rows} rows` },
      ],
    };
  } finally {
    vendor.stop();
  }
}

/** What nobody who proves that a list is the same can do without. */
async function secondsToHash(path: string): Promise<number> {
  const startedMs = performance.now();
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), createHash('sha256'));
  return (performance.now() - startedMs) / 1000;
}

interface Begun {
  readonly child: ChildProcess;
  readonly seconds: number;
  readonly ended: Promise<unknown>;
}

async function kill({ child, ended }: Begun): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

/** Starts a command and waits for its first request. */
async function toFirstRequest({ words, env }: Command, vendor: Server): Promise<Begun> {
  const { came } = await listen(vendor);
  const [program = '', ...rest] = words;
  const startedMs = performance.now();
  const child = spawn(program, rest, { env, stdio: 'ignore' });
  const ended = once(child, 'exit');
  const first = await Promise.race([came.then(() => 'request' as const), ended]);
  if (first !== 'request') throw new Error(`${words.join(' ')} ended with ${first[0]} before a request`);
  return { child, ended, seconds: (performance.now() - startedMs) / 1000 };
}

/** Asks the vendor to tell when the next request has come, however late that is. */
async function listen({ url }: Server): Promise<{ readonly came: Promise<unknown> }> {
  const request = get(`${url}/next`);
  const came = once(request, 'response').then(([response]) => response.resume());
  await once(request, 'finish');
  return { came };
}

async function bookOf({ url }: Server): Promise<SpeedBook> {
  return (await fetch(`${url}/book`)).json() as Promise<SpeedBook>;
}
