import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type Random, randomFrom } from '../../src/sandbox/random.ts';
import { anotherServer, type Server } from '../ledger/stores/postgres-server.ts';
import { Clocks } from './clocks.ts';
import type { KillDrive, Lane, TableLine } from './kills.ts';
import { callsOf, rowsEndedOf } from './ledger-view.ts';
import { type Books, type Left, type Limit, recoveryMs, shareMidway, verdictOn } from './machine-judge.ts';
import type { Ended, Program } from './program.ts';
import { brokenPromises, chargedForAnswers } from './promises.ts';
import { SmallDisk } from './small-disk.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { domainsOf, type Order, Workplace } from './workplace.ts';

/**
 * Two lists that workers buy from one database, while they meet with mishaps and others begin in the place of those that ended. In
 * the end the command of each list is typed, which buys what is left and writes the output. Where a budget is to end it before, there is
 * one list, and its command is typed again with enough. Where a time is to end it, what is left stays.
 */

export interface MachineSettings {
  /** In both lists. */
  readonly rows: number;
  readonly seed: number;
  /** At once. */
  readonly workers: number;
  /** How often each may happen. It does as long as there are rows left, or spread over the minutes. */
  readonly most: Readonly<Record<MishapName, number>>;
  /** Workers whose clock is an hour off. */
  readonly wrongClocks: number;
  /** The account's, which the vendor keeps to. */
  readonly limit: Limit;
  /** The budget of the list at first; undefined: enough. */
  readonly cap: number | undefined;
  /** After which the workers are told to end; undefined: when no rows are left. */
  readonly minutes: number | undefined;
  /** What the way between workers and database takes, each way. */
  readonly databaseMs: number;
}

const LATENCY_MS = 200;
const TIMEOUT = '3s';
/** Requests of one worker that may be on their way at once. */
const CONCURRENCY = 16;
/** The share of rows whose company another row has named before. */
export const DUPLICATES = 0.2;

/** Longer than an attempt is held to be under way, and a worker to be alive, and than nobody looks for what is left. A budget ends all at once. */
const NOTHING_LEFT_MS = { free: 90_000, capped: 30_000 };
const LOOK_EVERY_MS = 1_000;

const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000];
const DISK_MIB = 512;

const DATABASE = 'machines';
const PRELOAD = pathToFileURL(join(import.meta.dirname, 'sent-log.ts'));

interface World {
  readonly server: Server;
  readonly place: Workplace;
  readonly store: string;
  readonly orders: readonly ListOrder[];
  readonly alive: Set<Program>;
  /** The way of each worker to the database; of none where it takes no time, and nothing is to happen on it. */
  readonly ways: readonly TcpProxy[];
  /** Where the database has its tables; undefined where no disk is filled. */
  readonly disk: SmallDisk | undefined;
  /** The folder of the database's own files. */
  readonly folder: string;
}

/** While workers buy. */
interface Buying extends World {
  /** Fires when the rows have ended. */
  readonly over: AbortSignal;
}

type ListOrder = Order & Required<Pick<Order, 'input' | 'output'>>;

// -------------------------------------------------------------------------------------------------------- mishaps

/** What happens to workers over one database while they buy. */
interface Mishap {
  readonly words: string;
  /** From the end of one to the next, at least and at most. */
  readonly apartMs: readonly [number, number];
  readonly happen: (world: Buying, random: Random) => Promise<void>;
}

/** As long as a worker is stopped by a signal, the database away, a disk full, the connections all taken or dead, at most. */
const LASTS_MS = { pause: 20_000, stop: 3_000, fullDisk: 10_000, crowd: 10_000, silence: 15_000 };

/** More connections than a server takes. */
const CROWD = 250;

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
    happen: async ({ alive, over }, random) => {
      const worker = random.pick([...alive]);
      worker.signal('SIGSTOP');
      void lasting(LASTS_MS.pause, over).then(() => worker.signal('SIGCONT'));
    },
  },
  stops: {
    words: 'ends of the database as by a crash',
    apartMs: [8_000, 20_000],
    happen: async ({ server }, random) => {
      await server.stopAtOnce();
      await delay(random.integer(0, LASTS_MS.stop));
      await server.startAgain();
    },
  },
  cuts: {
    words: 'cuts of all connections',
    apartMs: [3_000, 8_000],
    happen: ({ server }) => server.cutOff(DATABASE),
  },
  silences: {
    words: 'times in which one worker’s connections are dead',
    apartMs: [3_000, 8_000],
    happen: async ({ ways: [way], over }) => {
      way?.deafen();
      await lasting(LASTS_MS.silence, over);
      way?.hear();
    },
  },
  crowds: {
    words: 'times in which others have all connections',
    apartMs: [3_000, 8_000],
    happen: async ({ server }) => {
      const sleep = `SELECT pg_sleep(${LASTS_MS.crowd / 1_000})`;
      await Promise.allSettled(Array.from({ length: CROWD }, () => server.query('postgres', sleep)));
    },
  },
  'full-disks': {
    words: 'times in which the disk of the database is full',
    apartMs: [3_000, 8_000],
    happen: async ({ disk, over }) => {
      disk?.fill();
      await lasting(LASTS_MS.fullDisk, over);
      disk?.empty();
    },
  },
} as const satisfies Readonly<Record<string, Mishap>>;

export type MishapName = keyof typeof MISHAPS;
export const MISHAP_NAMES = Object.keys(MISHAPS) as readonly MishapName[];

async function lasting(ms: number, over: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal: over }).catch(() => {});
}

// -------------------------------------------------------------------------------------------------------- the drive

export class MachineKills implements KillDrive {
  readonly #settings: MachineSettings;
  readonly #complaints: string[] = [];
  readonly #made = Object.fromEntries(MISHAP_NAMES.map((name) => [name, 0])) as Record<MishapName, number>;
  /** By the clock by which requests are noted. */
  readonly #killedMs: number[] = [];
  readonly #lines: TableLine[] = [];
  #isKept = true;
  lists = 0;

  constructor(settings: MachineSettings) {
    this.#settings = settings;
  }

  get kills(): number {
    return this.#made.kills;
  }

  isKept(): boolean {
    return this.#isKept;
  }

  table(): readonly TableLine[] {
    const { workers, rows, limit, wrongClocks, databaseMs, most } = this.#settings;
    return [
      ['workers', workers],
      ['rows, lists, limit', `${rows}, ${this.lists}, ${limit.requests} in ${limit.windowMs / 1_000} s`],
      ...(databaseMs > 0 ? [['ms to the database, each way', databaseMs] as const] : []),
      ...MISHAP_NAMES.filter((name) => most[name] > 0).map(
        (name) => [MISHAPS[name].words, this.#made[name]] as const,
      ),
      ...(wrongClocks > 0 ? [['workers whose clock is an hour off', wrongClocks] as const] : []),
      ...this.#lines,
    ];
  }

  async run({ random }: Lane): Promise<void> {
    const { most, limit, workers, databaseMs } = this.#settings;
    const server = await anotherServer();
    const [shown] = await server.query('postgres', "SELECT current_setting('data_directory') AS folder");
    const folder = String(shown?.folder);
    try {
      using disk = most['full-disks'] > 0 ? SmallDisk.mount(DISK_MIB, { ownedAs: folder }) : undefined;
      await makeDatabase(server, disk);
      const rate = `${limit.requests}/${limit.windowMs === MINUTE_MS ? 'min' : 's'}`;
      await using place = await Workplace.open({
        ...{ latencyMs: LATENCY_MS, ownProcess: true, flags: ['--rate', rate] },
      });
      const store = server.url(DATABASE);
      await using ways = new AsyncDisposableStack();
      const isOnWay = databaseMs > 0 || most.silences > 0;
      const world = {
        ...{ server, disk, folder, place, store, orders: this.#writeLists(place, store, random) },
        ...{ alive: new Set<Program>(), ways: [] as TcpProxy[] },
      };
      for (let slot = 0; isOnWay && slot < workers; slot += 1)
        world.ways.push(ways.use(await TcpProxy.before(Number(new URL(store).port), databaseMs)));
      await this.#workThrough(world);
    } finally {
      await server.stopAtOnce();
      rmSync(join(folder, '..'), { recursive: true, force: true });
    }
  }

  #writeLists(place: Workplace, store: string, random: Random): readonly ListOrder[] {
    const { cap, rows } = this.#settings;
    const count = cap === undefined ? 2 : 1;
    const all = listOf(rows, random);
    return Array.from({ length: count }, (_, at) => {
      const order = { store, input: `list-${at}.csv`, output: `out-${at}.csv` };
      const own = all.filter((_, row) => row % count === at);
      place.writeList(own, order.input);
      return cap === undefined ? order : { ...order, budget: cap };
    });
  }

  async #workThrough(world: World): Promise<void> {
    const { place, store, orders, server } = world;
    const { limit, cap, minutes } = this.#settings;
    const per = limit.windowMs === MINUTE_MS ? 'per_minute' : 'per_second';
    const limits = { [per]: limit.requests, concurrency: CONCURRENCY, timeout: TIMEOUT };
    place.writeAccounts({
      data: { vendor: 'provider', sandbox: true, base_url: place.vendor.url, limits },
    });
    requireCode([0], await place.typeHere(['store', 'init', store]));
    for (const order of orders) requireCode([0], await place.run({ ...order, more: ['--detach'] }));
    const used = await this.#buy(world);
    const rows = await rowsEndedOf(server, DATABASE);
    const sentMs = timesIn(place.path('sent.log'));
    this.#measure(rows, sentMs, used);
    let capped: Left['capped'];
    if (cap !== undefined) {
      for (const order of orders) requireCode([4], await place.run(order));
      capped = { cap, ...(await booksOf(world)) };
    }
    if (minutes === undefined)
      for (const { budget: _, ...order } of orders) requireCode([0, 3], await place.run(order));
    this.lists += orders.length;
    await this.#judge(world, { rows, sentMs, capped });
  }

  // ------------------------------------------------------------------------------------------------------ workers

  /**
   * Resolves when all rows have ended or no more of them do, or when the time is over, and the workers have ended.
   * @returns what they and the database used of the processor, where none of them had to begin again.
   */
  async #buy(begun: World): Promise<Used | undefined> {
    const ending = new AbortController();
    const world = { ...begun, over: ending.signal };
    const { alive, folder } = world;
    const before = processorSecondsOf(folder);
    for (let slot = 0; slot < this.#settings.workers; slot += 1) this.#begin(world, slot);
    const names = MISHAP_NAMES.filter((name) => this.#settings.most[name] > 0);
    await Promise.all([
      this.#untilOver(world).finally(() => ending.abort()),
      ...names.map((name) => this.#often(name, world)),
    ]);
    const left = [...alive];
    const used = {
      workers: sum(left.map(({ pid }) => statOf(pid)?.seconds ?? 0)),
      database: processorSecondsOf(folder) - before,
    };
    for (const worker of left) {
      worker.signal('SIGCONT');
      worker.signal('SIGTERM');
    }
    for (const { ended } of left) this.#hear(await ended);
    return names.length === 0 ? used : undefined;
  }

  async #untilOver({ server }: Buying): Promise<void> {
    const { minutes, cap, rows } = this.#settings;
    if (minutes !== undefined) return delay(minutes * MINUTE_MS);
    const nothingLeftMs = NOTHING_LEFT_MS[cap === undefined ? 'free' : 'capped'];
    let [ended, changedMs] = [0, performance.now()];
    while (ended < rows && performance.now() - changedMs < nothingLeftMs) {
      await delay(LOOK_EVERY_MS);
      // While the database is away nothing ends.
      const now = await rowsEndedOf(server, DATABASE).catch(() => ended);
      if (now > ended) [ended, changedMs] = [now, performance.now()];
    }
  }

  /** Another one begins when it has ended, as a service manager sees to it. */
  #begin(world: Buying, slot: number): void {
    const { place, alive, ways, over } = world;
    const store = new URL(world.store);
    const way = ways[slot];
    if (way !== undefined) store.port = String(way.port);
    const env = { NODE_OPTIONS: this.#preloads(place, slot) };
    const worker = place.type(['worker', '--store', store.href, '--json'], env);
    alive.add(worker);
    void worker.ended.then((ended) => {
      if (ended.signal === 'SIGKILL') this.#killedMs.push(nowMs());
      alive.delete(worker);
      if (over.aborted) return;
      this.#hear(ended);
      this.#begin(world, slot);
    });
  }

  /** When requests leave is noted. Clocks are an hour ahead, or an hour behind. */
  #preloads(place: Workplace, slot: number): string {
    const sentLog = new URL(PRELOAD);
    sentLog.searchParams.set('to', place.path('sent.log'));
    const preloads = [`--import=${sentLog}`];
    if (slot < this.#settings.wrongClocks) {
      const clocks = new Clocks(place.path(`clocks-${slot}.json`));
      clocks.set({ wallMs: slot % 2 === 0 ? HOUR_MS : -HOUR_MS });
      preloads.push(clocks.env.NODE_OPTIONS ?? '');
    }
    return preloads.join(' ');
  }

  #hear({ code, signal, stderr }: Ended): void {
    if (signal === null && code !== 143) this.#complaints.push(`a worker ended with ${code}: ${stderr}`);
    this.#complaints.push(...stderr.split('\n').filter((line) => / failed: /.test(line)));
  }

  async #often(name: MishapName, world: Buying): Promise<void> {
    const { seed, most, minutes } = this.#settings;
    const { apartMs, happen }: Mishap = MISHAPS[name];
    const random = randomFrom('machines', seed, name);
    // Before the first request there is nothing to disturb.
    while (!world.over.aborted && timesIn(world.place.path('sent.log')).length === 0)
      await lasting(100, world.over);
    while (this.#made[name] < most[name]) {
      const spreadMs = minutes === undefined ? undefined : (minutes * MINUTE_MS) / (most[name] + 1);
      await lasting(spreadMs ?? random.integer(...apartMs), world.over);
      if (world.over.aborted) return;
      this.#made[name] += 1;
      await happen(world, random);
    }
  }

  // ------------------------------------------------------------------------------------------------------ figures

  #measure(rows: number, sentMs: readonly number[], used: Used | undefined): void {
    const { limit, minutes } = this.#settings;
    const seconds = ((sentMs.at(-1) ?? 0) - (sentMs[0] ?? 0)) / 1_000;
    const longestMs = sentMs.reduce((most, time, at) => Math.max(most, time - (sentMs[at - 1] ?? time)), 0);
    this.#lines.push(
      ['rows that ended before the last run', `${rows}, ${(rows / seconds).toFixed(0)} a second`],
      ['share of the limit midway', `${(shareMidway(sentMs, limit) * 100).toFixed(1)} %`],
      ['longest time without a request', `${(longestMs / 1_000).toFixed(1)} s`],
    );
    if (minutes !== undefined) this.#measureTimed(sentMs, minutes);
    if (used !== undefined) {
      const [workers, database] = [used.workers, used.database].map((each) =>
        ((each * 1_000) / rows).toFixed(2),
      );
      this.#lines.push(['processor ms a row', `workers ${workers}, database ${database}`]);
    }
  }

  /** Where kills are not spread over the time, the next one comes too soon to tell when the limit is used again. */
  #measureTimed(sentMs: readonly number[], minutes: number): void {
    const { limit } = this.#settings;
    const beganMs = sentMs[0] ?? 0;
    const eachMinute = Array.from({ length: minutes }, (_, minute) => {
      const [from, to] = [beganMs + minute * MINUTE_MS, beganMs + (minute + 1) * MINUTE_MS];
      return sentMs.filter((time) => time >= from && time < to).length;
    });
    const most = (limit.requests * minutes * MINUTE_MS) / limit.windowMs;
    this.#lines.push(
      ['share of the limit over all', `${((sum(eachMinute) / most) * 100).toFixed(1)} %`],
      ['requests in each minute', eachMinute.join(', ')],
    );
    if (this.kills === 0) return;
    const spans = this.#killedMs.map((killedMs) => recoveryMs(sentMs, killedMs, limit));
    const words = spans.map((ms) => (ms === undefined ? 'never' : (ms / 1_000).toFixed(1)));
    this.#lines.push(['seconds after a kill until 95 % of the limit', words.join(', ')]);
  }

  async #judge(
    world: World,
    { rows, sentMs, capped }: Pick<Left, 'sentMs' | 'capped'> & { readonly rows: number },
  ): Promise<void> {
    const { place, server, orders, store } = world;
    const { cap, minutes, limit } = this.#settings;
    const { code, stdout, stderr } = await place.typeHere(['store', 'check', '--store', store]);
    if (code !== 0) this.#complaints.push(`store check ended with ${code}: ${stdout}${stderr}`);
    const calls = await callsOf(server, DATABASE);
    const { lines, broken } = verdictOn({
      ...{ sentMs, capped, limit, complaints: this.#complaints, books: await booksOf(world) },
      broken: await brokenPromises(place, { calls, lists: minutes === undefined ? orders : [] }),
      rowsLeft: cap === undefined && minutes === undefined ? this.#settings.rows - rows : undefined,
      doubts: [...calls.values()].filter(({ state }) => state === 'in_doubt').length,
      mostDoubts: CONCURRENCY * this.kills,
    });
    this.#isKept &&= broken.length === 0;
    this.#lines.push(['answers 429', (await place.vendor.book()).rate_limited], ...lines);
    for (const complaint of this.#complaints) console.error(complaint);
    for (const name of broken) console.error(`broken: ${name}`);
  }
}

/** As `status` says it of all batches, and the vendor's book. */
async function booksOf({ place, store, server }: Pick<World, 'place' | 'store' | 'server'>): Promise<Books> {
  const { stdout } = await place.typeHere(['status', '--store', store, '--json']);
  const { batches } = JSON.parse(stdout) as {
    readonly batches: readonly {
      readonly credits: { readonly spent: number; readonly in_doubt: number; readonly reserved: number };
    }[];
  };
  return {
    charged: (await place.vendor.book()).credits,
    chargedForAnswers: chargedForAnswers(place, await callsOf(server, DATABASE)),
    spent: sum(batches.map(({ credits }) => credits.spent)),
    held: sum(batches.map(({ credits }) => credits.in_doubt + credits.reserved)),
  };
}

async function makeDatabase(server: Server, disk: SmallDisk | undefined): Promise<void> {
  if (disk === undefined) return server.createDatabase(DATABASE);
  await server.query('postgres', `CREATE TABLESPACE small LOCATION '${disk.folder}'`);
  await server.query('postgres', `CREATE DATABASE ${DATABASE} TABLESPACE small`);
}

function listOf(rows: number, random: Random): readonly string[] {
  const list: string[] = [];
  for (const domain of domainsOf('machines', rows)) {
    list.push(list.length > 0 && random.fraction() < DUPLICATES ? random.pick(list) : domain);
  }
  return list;
}

function requireCode(expected: readonly number[], { code, stderr }: Pick<Ended, 'code' | 'stderr'>): void {
  if (!expected.includes(code ?? Number.NaN)) throw new Error(`a command ended with ${code}: ${stderr}`);
}

/** When requests left, in milliseconds, oldest first. */
function timesIn(path: string): readonly number[] {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
  return lines.map((line) => Number(line) / 1_000).sort((a, b) => a - b);
}

/** By the clock of `sent-log.ts`. */
const nowMs = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000;

/** Seconds of the processor. */
interface Used {
  readonly workers: number;
  readonly database: number;
}

/** Seconds are counted in such parts of them, on every Linux that Node runs on. */
const TICKS = 100;

/** Undefined when there is no such process, or the kernel does not tell. */
function statOf(pid: number | string) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program may have spaces, so fields are counted from behind it: `ppid` is 4, and `utime` to `cstime` 14 to 17.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [seconds = 0, endedSeconds = 0] = [fields.slice(11, 13), fields.slice(13, 15)].map(
      (each) => sum(each) / TICKS,
    );
    return { parent: fields[1], seconds, endedSeconds };
  } catch {
    return undefined;
  }
}

/** Of the database, its children, and those of them that have ended. */
function processorSecondsOf(databaseFolder: string): number {
  const pid = Number(readFileSync(join(databaseFolder, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const { seconds = 0, endedSeconds = 0 } = statOf(pid) ?? {};
  const children = readdirSync('/proc').flatMap((each) => statOf(each) ?? []);
  return (
    seconds + endedSeconds + sum(children.filter(({ parent }) => parent === pid).map((each) => each.seconds))
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
