import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type Random, randomFrom } from '../../src/sandbox/random.ts';
import { anotherServer, type Server } from '../ledger/stores/postgres-server.ts';
import { TcpProxy } from '../ledger/stores/tcp-proxy.ts';
import { type Lane, requireCode, type Tally } from './kills.ts';
import { rowsEndedOf, viewDatabase } from './ledger-view.ts';
import type { Ended, Program } from './program.ts';
import { brokenPromises, chargedForAnswers } from './promises.ts';
import { domainsOf, type Order, Workplace } from './workplace.ts';

/**
 * Two lists that workers buy from one database, while they meet with mishaps and others begin in the place of those that ended. In
 * the end the command of each list is typed, which buys what is left and writes the output. Where a time is to end it, what is left
 * stays.
 */

export interface MachineSettings {
  /** In both lists. */
  readonly rows: number;
  readonly seed: number;
  /** At once. */
  readonly workers: number;
  /** How often each may happen. It does as long as there are rows left, or spread over the minutes. */
  readonly most: Readonly<Record<MishapName, number>>;
  /** The account's, which the vendor keeps to. */
  readonly limit: { readonly requests: number; readonly windowMs: number };
  /** After which the workers are told to end; undefined: when no rows are left. */
  readonly minutes: number | undefined;
  /** What the way between workers and database takes, each way. */
  readonly databaseMs: number;
}

const LATENCY_MS = 200;
/** Requests of one worker that may be on their way at once. */
const CONCURRENCY = 16;
/** The share of rows whose company another row has named before. */
export const DUPLICATES = 0.2;

/** Longer than an attempt is held to be under way, and a worker to be alive, and than no one looks for what is left. */
const NOTHING_LEFT_MS = 90_000;
const LOOK_EVERY_MS = 1_000;

const MINUTE_MS = 60_000;

const DATABASE = 'machines';
const PRELOAD = pathToFileURL(join(import.meta.dirname, 'sent-log.ts'));

/** While workers buy. */
interface World {
  readonly settings: MachineSettings;
  readonly tally: Tally;
  readonly server: Server;
  readonly place: Workplace;
  readonly store: string;
  readonly alive: Set<Program>;
  /** The way of each worker to the database; of none where it takes no time. */
  readonly ways: readonly TcpProxy[];
  /** Fires when the rows have ended. */
  readonly ending: AbortController;
  /** When workers were killed, by the clock by which requests are noted. */
  readonly killedMs: number[];
}

// -------------------------------------------------------------------------------------------------------- mishaps

/** What happens to workers over one database while they buy. */
interface Mishap {
  readonly words: string;
  /** From the end of one to the next, at least and at most. */
  readonly apartMs: readonly [number, number];
  readonly happen: (world: World, random: Random) => Promise<void>;
}

export const MISHAPS = {
  kills: {
    words: 'kills',
    apartMs: [1_000, 3_000],
    happen: async ({ alive }, random) => void (await random.pick([...alive]).kill()),
  },
  pauses: {
    words: 'stops of a worker by a signal, which goes on',
    apartMs: [5_000, 12_000],
    // Others meet with mishaps meanwhile, and so may it.
    happen: async ({ alive, ending }, random) => {
      const worker = random.pick([...alive]);
      worker.signal('SIGSTOP');
      void lasting(20_000, ending).then(() => worker.signal('SIGCONT'));
    },
  },
  stops: {
    words: 'ends of the database as by a crash',
    apartMs: [8_000, 20_000],
    happen: async ({ server }, random) => {
      await server.stopAtOnce();
      await delay(random.integer(0, 3_000));
      await server.startAgain();
    },
  },
  cuts: {
    words: 'cuts of all connections',
    apartMs: [3_000, 8_000],
    happen: ({ server }) => server.cutOff(DATABASE),
  },
} as const satisfies Readonly<Record<string, Mishap>>;

export type MishapName = keyof typeof MISHAPS;
export const MISHAP_NAMES = Object.keys(MISHAPS) as readonly MishapName[];

async function lasting(ms: number, { signal }: AbortController): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {});
}

// -------------------------------------------------------------------------------------------------------- the drive

export async function driveMachines(
  settings: MachineSettings,
  { random }: Lane,
  tally: Tally,
): Promise<void> {
  const { rows, limit, workers, databaseMs } = settings;
  const server = await anotherServer();
  const [shown] = await server.query('postgres', "SELECT current_setting('data_directory') AS folder");
  try {
    await server.createDatabase(DATABASE);
    const store = server.url(DATABASE);
    const isByMinute = limit.windowMs === MINUTE_MS;
    const flags = ['--rate', `${limit.requests}/${isByMinute ? 'min' : 's'}`];
    await using place = await Workplace.open({ latencyMs: LATENCY_MS, ownProcess: true, flags });
    const rate = { [isByMinute ? 'per_minute' : 'per_second']: limit.requests };
    place.writeAccount(place.vendor.url, { limits: { ...rate, concurrency: CONCURRENCY, timeout: '3s' } });
    const all = listOf(rows, random);
    const orders = [0, 1].map((at) => {
      const list = { store, input: `list-${at}.csv`, output: `out-${at}.csv` };
      const half = all.filter((_, row) => row % 2 === at);
      place.writeList(half, list.input);
      return list;
    });
    await using proxies = new AsyncDisposableStack();
    const ways: TcpProxy[] = [];
    for (let slot = 0; databaseMs > 0 && slot < workers; slot += 1)
      ways.push(proxies.use(await TcpProxy.before(Number(new URL(store).port), databaseMs)));
    const own = { alive: new Set<Program>(), ending: new AbortController(), killedMs: [] };
    await workThrough({ settings, tally, server, place, store, ways, ...own }, orders);
    tally.lists += orders.length;
  } finally {
    await server.stopAtOnce();
    rmSync(join(String(shown?.folder), '..'), { recursive: true, force: true });
  }
}

async function workThrough(world: World, orders: readonly Order[]): Promise<void> {
  const { place, store, server, settings, tally } = world;
  const { minutes, rows, limit } = settings;
  for (const [name, value] of Object.entries({ ...limit, rows })) tally.see(name, value);
  const init = await place.typeHere(['store', 'init', store]);
  if (init.code !== 0) throw new Error(init.stderr);
  for (const order of orders) requireCode(await place.run({ ...order, more: ['--detach'] }), [0]);
  await buy(world);
  const ended = await rowsEndedOf(server, DATABASE);
  const sentMs = sentAt(place);
  measure(world, ended, sentMs);
  if (minutes === undefined) {
    tally.forbid({ 'rows that no worker has ended': rows - ended });
    for (const order of orders) requireCode(await place.run(order), [0, 3]);
  }
  await judge(world, minutes === undefined ? orders : [], sentMs);
}

// -------------------------------------------------------------------------------------------------------- workers

/** Resolves when all rows have ended or no more of them do, or when the time is over, and the workers have ended. */
async function buy(world: World): Promise<void> {
  const { alive, ending, settings } = world;
  for (let slot = 0; slot < settings.workers; slot += 1) begin(world, slot);
  const names = MISHAP_NAMES.filter((name) => settings.most[name] > 0);
  await Promise.all([
    untilOver(world).finally(() => ending.abort()),
    ...names.map((name) => disturb(world, name)),
  ]);
  const left = [...alive];
  for (const worker of left) {
    worker.signal('SIGCONT');
    worker.signal('SIGTERM');
  }
  for (const { ended } of left) hear(world, await ended);
}

async function untilOver({ settings: { minutes, rows }, server }: World): Promise<void> {
  if (minutes !== undefined) return delay(minutes * MINUTE_MS);
  let [ended, changedMs] = [0, performance.now()];
  while (ended < rows && performance.now() - changedMs < NOTHING_LEFT_MS) {
    await delay(LOOK_EVERY_MS);
    // While the database is away nothing ends.
    const now = await rowsEndedOf(server, DATABASE).catch(() => ended);
    if (now > ended) [ended, changedMs] = [now, performance.now()];
  }
}

/** Another one begins when it has ended, as a service manager sees to it. */
function begin(world: World, slot: number): void {
  const { place, alive, ways, ending, store, killedMs } = world;
  const url = new URL(store);
  url.port = String(ways[slot]?.port ?? url.port);
  const sentLog = new URL(PRELOAD);
  sentLog.searchParams.set('to', place.path('sent.log'));
  const env = { NODE_OPTIONS: `--import=${sentLog}` };
  const worker = place.type(['worker', '--store', url.href, '--json'], env);
  alive.add(worker);
  void worker.ended.then((ended) => {
    if (ended.signal === 'SIGKILL') killedMs.push(nowMs());
    alive.delete(worker);
    if (ending.signal.aborted) return;
    hear(world, ended);
    begin(world, slot);
  });
}

function hear({ tally }: World, { code, signal, stderr }: Ended): void {
  const failed = stderr.split('\n').filter((line) => / failed: /.test(line));
  if (signal === null && code !== 143) failed.push(`a worker ended with ${code}: ${stderr}`);
  for (const line of failed) console.error(line);
  tally.forbid({ 'complaints of workers': failed.length });
}

async function disturb(world: World, name: MishapName): Promise<void> {
  const { settings, ending, tally, place } = world;
  const { seed, minutes, most } = settings;
  const { apartMs, happen, words }: Mishap = MISHAPS[name];
  const random = randomFrom('machines', seed, name);
  // Before the first request there is nothing to disturb.
  while (!ending.signal.aborted && sentAt(place).length === 0) await lasting(100, ending);
  for (let made = 0; made < most[name]; made += 1) {
    const spreadMs = minutes === undefined ? undefined : (minutes * MINUTE_MS) / (most[name] + 1);
    await lasting(spreadMs ?? random.integer(...apartMs), ending);
    if (ending.signal.aborted) return;
    if (name === 'kills') tally.kills.during += 1;
    else tally.see(words, 1);
    await happen(world, random);
  }
}

// -------------------------------------------------------------------------------------------------------- figures

/** When requests left, in milliseconds, oldest first. */
function sentAt(place: Workplace): readonly number[] {
  const path = place.path('sent.log');
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
  return lines.map((line) => Number(line) / 1_000).sort((a, b) => a - b);
}

function measure({ settings, tally, killedMs }: World, rows: number, sentMs: readonly number[]): void {
  const { limit, minutes } = settings;
  const beganMs = sentMs[0] ?? 0;
  const seconds = ((sentMs.at(-1) ?? 0) - beganMs) / 1_000;
  tally.see('rows that ended before the last run', `${rows}, ${(rows / seconds).toFixed(0)} a second`);
  tally.see('share of the limit midway', percent(shareMidway(sentMs, settings)));
  if (minutes === undefined) return;
  const allMs = minutes * MINUTE_MS;
  const within = sentMs.filter((time) => time < beganMs + allMs).length;
  tally.see('share of the limit over all', percent((within * limit.windowMs) / (limit.requests * allMs)));
  // Where kills are not spread over the time, the next one comes too soon to tell when the limit is used again.
  const spans = killedMs.map((each) => recoveryMs(sentMs, each, settings));
  const words = spans.map((ms) => (ms === undefined ? 'never' : (ms / 1_000).toFixed(1)));
  if (words.length > 0) tally.see('seconds after a kill until 95 % of the limit', words.join(', '));
}

async function judge(world: World, lists: readonly Order[], sentMs: readonly number[]): Promise<void> {
  const { place, server, store, tally, settings } = world;
  const { limit } = settings;
  const { code, stdout, stderr } = await place.typeHere(['store', 'check', '--store', store]);
  if (code !== 0) console.error(`${stdout}${stderr}`);
  const status = await place.typeHere(['status', '--store', store, '--json']);
  const { batches } = JSON.parse(status.stdout) as {
    readonly batches: readonly { readonly credits: Readonly<Record<string, number>> }[];
  };
  const shown = (name: string): number =>
    batches.reduce((total, { credits }) => total + (credits[name] ?? 0), 0);
  const [spent, held] = [shown('spent'), shown('in_doubt') + shown('reserved')];
  const { calls } = await viewDatabase(server, DATABASE);
  const { credits: charged, rate_limited: refused } = await place.vendor.book();
  const most = mostWithin(sentMs, limit.windowMs);
  tally.doubts.found = [...calls.values()].filter(({ state }) => state === 'in_doubt').length;
  tally.doubts.open = CONCURRENCY * tally.killed;
  tally.forbid({
    ...(await brokenPromises(place, { calls, lists })),
    'credits spent, not as charged': Math.abs(spent - chargedForAnswers(place, calls)),
    'credits charged, and neither spent nor held': Math.max(charged - spent - held, 0),
    'stores whose books do not add up': Number(code !== 0),
    'requests beyond the limit': Math.max(most - limit.requests, 0),
  });
  tally.see('credits spent, charged, spent and held', `${spent} ≤ ${charged} ≤ ${spent + held}`);
  tally.see(`most sent in ${limit.windowMs / 1_000} s`, most);
  tally.see('answers 429', refused);
}

function listOf(rows: number, random: Random): readonly string[] {
  const list: string[] = [];
  for (const domain of domainsOf('machines', rows)) {
    list.push(list.length > 0 && random.fraction() < DUPLICATES ? random.pick(list) : domain);
  }
  return list;
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** The most of them in any such span. @param times in milliseconds, oldest first. */
function mostWithin(times: readonly number[], spanMs: number): number {
  let [first, most] = [0, 0];
  for (const [at, time] of times.entries()) {
    while ((times[first] ?? time) <= time - spanMs) first += 1;
    most = Math.max(most, at - first + 1);
  }
  return most;
}

/**
 * What part of the limit was used between a fifth and four fifths of the time, over whole spans of the limit: workers begin, and
 * the last rows end, with less, and a limit may be used up at once.
 */
function shareMidway(times: readonly number[], { limit }: MachineSettings): number {
  const { requests, windowMs } = limit;
  const [begin = 0, end = 0] = [times[0], times.at(-1)];
  const fifth = (end - begin) / 5;
  const from = begin + fifth;
  const spans = Math.floor((3 * fifth) / windowMs) || (3 * fifth) / windowMs;
  const midway = times.filter((time) => time >= from && time < from + spans * windowMs).length;
  return midway / (requests * spans);
}

/** So much of the limit counts as all of it, over so long and over the limit's own span: a burst is not all of it. */
const [NEARLY_ALL, OVER_MS] = [0.95, 5_000];

/** How long after the moment the limit was used again; undefined: never. The spans over which that is seen begin then. */
function recoveryMs(
  times: readonly number[],
  momentMs: number,
  { limit }: MachineSettings,
): number | undefined {
  const since = times.filter((time) => time >= momentMs);
  const isUsed = (from: number, spanMs: number): boolean => {
    const enough = Math.floor((NEARLY_ALL * limit.requests * spanMs) / limit.windowMs);
    return (since[from + enough - 1] ?? Number.POSITIVE_INFINITY) - (since[from] ?? 0) < spanMs;
  };
  const longMs = Math.max(OVER_MS, limit.windowMs);
  const at = since.findIndex((_, from) => isUsed(from, OVER_MS) && isUsed(from, longMs));
  return at < 0 ? undefined : (since[at] ?? momentMs) - momentMs;
}

/** By the clock of `sent-log.ts`. */
const nowMs = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000;
