import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { PROGRAM, type Vendor } from '../program.ts';
import { type Command, costOf, median, node } from './cost.ts';
import { Desk, startSpeedVendor, writeWideList } from './fixture.ts';
import { type Measured, type Options, rowsOf } from './measure.ts';

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
      times.run.push((await ranToEnd(desk.run(await desk.newStore()), vendor)) / 1000);
    }
    say(`${runs * STARTS_A_RUN} starts of each`);
    const now = Object.values(times).map((each) => (median(each) * 1000).toFixed(0));
    return { lines: [], figures: [{ name: 'starts', now: `${now.join(' / ')} ms` }] };
  } finally {
    vendor.stop();
  }
}

/** @returns how long it took to the first request. */
async function ranToEnd(command: Command, vendor: Vendor): Promise<number> {
  const { firstRequestMs, ended } = await toFirstRequest(command, vendor);
  await ended;
  return firstRequestMs;
}

interface Begun {
  readonly child: ChildProcess;
  readonly firstRequestMs: number;
  readonly ended: Promise<unknown>;
}

/** Starts a command and waits for its first request. */
async function toFirstRequest({ words, env }: Command, vendor: Vendor): Promise<Begun> {
  const { came } = await listen(vendor);
  const [program = '', ...rest] = words;
  const startedMs = performance.now();
  const child = spawn(program, rest, { env, stdio: 'ignore' });
  const ended = once(child, 'exit');
  const first = await Promise.race([came.then(() => 'request' as const), ended]);
  if (first !== 'request') throw new Error(`${words.join(' ')} ended with ${first[0]} before a request`);
  return { child, ended, firstRequestMs: performance.now() - startedMs };
}

/** Asks the vendor to tell when the next request has come, however late that is. */
async function listen({ url }: Vendor): Promise<{ readonly came: Promise<unknown> }> {
  const request = get(`${url}/next`);
  const came = once(request, 'response').then(([response]) => response.resume());
  await once(request, 'finish');
  return { came };
}

/**
 * A list nine tenths of which are settled, resumed again and again: after an orderly end, and after a kill, which has the
 * whole ledger checked. The settled rows were bought before, so that no hours are spent on buying them.
 */
export async function measureResume(options: Options): Promise<Measured> {
  const rows = rowsOf(options, 10_000_000, 50_000);
  // Slow enough for what is left to last.
  const vendor = await startSpeedVendor(['--latency', '50']);
  try {
    const desk = await Desk.open(options.folder, vendor.url);
    await writeWideList(desk.list, rows);
    options.say(`a store that knows ${rows * 0.9} answers is made`);
    await desk.fill('store', Math.floor(rows * 0.9));
    options.say('those rows are settled');
    const resume = async (signal: 'SIGINT' | 'SIGKILL'): Promise<number> => {
      const { child, firstRequestMs, ended } = await toFirstRequest(desk.run('store'), vendor);
      child.kill(signal);
      await ended;
      return firstRequestMs / 1000;
    };
    await resume('SIGINT');
    const times = { clean: [] as number[], killed: [] as number[] };
    for (let run = 0; run < options.runs; run += 1) {
      times.clean.push(await resume('SIGKILL'));
      times.killed.push(await resume('SIGINT'));
      options.say(
        `${times.clean.at(-1)?.toFixed(2)} s clean, ${times.killed.at(-1)?.toFixed(2)} s after a kill`,
      );
    }
    const now = [times.clean, times.killed].map((each) => `${median(each).toFixed(2)} s`).join(' / ');
    return { lines: [], figures: [{ name: 'resume', now: `${now}, of ${rows} rows` }] };
  } finally {
    vendor.stop();
  }
}
