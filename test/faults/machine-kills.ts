import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type Random, randomFrom } from '../../src/sandbox/random.ts';
import { anotherServer, type Server } from '../ledger/stores/postgres-server.ts';
import { Clocks } from './clocks.ts';
import { DeafProxy } from './deaf-proxy.ts';
import {
  type KillDrive,
  type Lane,
  type MachineSettings,
  MISHAP_NAMES,
  type MishapName,
  type Settings,
  type TableLine,
} from './kill-drive.ts';
import { type CallRecord, callName } from './ledger-view.ts';
import { Figures, perSecondMidway, timesIn } from './machine-figures.ts';
import { type Capped, verdictOn } from './machine-judge.ts';
import { MISHAPS, type Scene } from './machine-mishaps.ts';
import { Ranges } from './machine-ranges.ts';
import type { Ended, Program } from './program.ts';
import { brokenPromises } from './promises.ts';
import { SmallDisk } from './small-disk.ts';
import { domainsOf, type Order, Workplace } from './workplace.ts';

/**
 * Two lists that workers buy from one database, while they meet with mishaps and others begin in the place of those that ended. In
 * the end the command of each list is typed, which buys what is left and writes the output. Where a budget is to end it before, there is
 * one list, and its command is typed again with enough.
 */

const LATENCY_MS = 200;
const TIMEOUT = '3s';
/** Requests of one worker that may be on their way at once. */
const CONCURRENCY = 32;
/** The share of rows whose company another row has named before. */
const DUPLICATES = 0.2;

/** Longer than an attempt is held to be under way, and a worker to be alive, and than nobody looks for what is left. A budget ends all at once. */
const NOTHING_LEFT_MS = { free: 90_000, capped: 30_000 };
const LISTEN_EVERY_MS = 100;
const SAMPLE_EVERY_MS = 1_000;

const HOUR_MS = 60 * 60 * 1_000;
const DISK_MIB = 512;

const DATABASE = 'machines';
const PRELOAD = pathToFileURL(join(import.meta.dirname, 'sent-log.ts'));

interface World extends Scene {
  readonly place: Workplace;
  readonly alive: Set<Program>;
  readonly store: string;
  readonly orders: readonly ListOrder[];
  readonly ending: AbortController;
}

type ListOrder = Order & Required<Pick<Order, 'input' | 'output'>>;

export class MachineKills implements KillDrive {
  readonly #settings: Settings;
  readonly #machines: MachineSettings;
  readonly #complaints: string[] = [];
  readonly #made = Object.fromEntries(MISHAP_NAMES.map((name) => [name, 0])) as Record<MishapName, number>;
  readonly #lines: TableLine[] = [];
  #isKept = true;
  lists = 0;

  constructor(settings: Settings, machines: MachineSettings) {
    this.#settings = settings;
    this.#machines = machines;
  }

  get kills(): number {
    return this.#made.kills;
  }

  isKept(): boolean {
    return this.#isKept;
  }

  async run({ random }: Lane): Promise<void> {
    const server = await anotherServer();
    const [{ folder } = {}] = await server.query(
      'postgres',
      "SELECT current_setting('data_directory') AS folder",
    );
    try {
      using disk =
        this.#machines.most['full-disks'] > 0
          ? SmallDisk.mount(DISK_MIB, { ownedAs: String(folder) })
          : undefined;
      await makeDatabase(server, disk);
      await using place = await Workplace.open({ latencyMs: LATENCY_MS, ownProcess: true });
      const store = server.url(DATABASE);
      await using proxy = await DeafProxy.before(Number(new URL(store).port));
      const ending = new AbortController();
      const shared = {
        server,
        database: DATABASE,
        settings: this.#machines,
        proxy,
        disk,
        over: ending.signal,
      };
      const figures = new Figures(server, DATABASE);
      const orders = this.#writeLists(place, store, random);
      await this.#workThrough({
        ...shared,
        place,
        store,
        figures,
        ending,
        orders,
        alive: new Set(),
        stopped: new Set(),
        ranges: new Ranges(),
      });
    } finally {
      await server.stopAtOnce();
      rmSync(join(String(folder), '..'), { recursive: true, force: true });
    }
  }

  #writeLists(place: Workplace, store: string, random: Random): readonly ListOrder[] {
    const { cap } = this.#machines;
    const count = cap === undefined ? 2 : 1;
    const all = listOf(this.#settings.rows, random);
    return Array.from({ length: count }, (_, at) => {
      const order = {
        store,
        input: `list-${at}.csv`,
        output: `out-${at}.csv`,
        ...(cap === undefined ? {} : { budget: cap }),
      };
      place.writeList(
        all.filter((_, row) => row % count === at),
        order.input,
      );
      return order;
    });
  }

  async #workThrough(world: World): Promise<void> {
    const { place, store, figures, orders } = world;
    place.writeAccounts({ data: accountAt(place.vendor.url, this.#machines.perSecond) });
    requireCode([0], await place.typeHere(['store', 'init', store]));
    for (const order of orders) requireCode([0], await place.run({ ...order, more: ['--detach'] }));
    await figures.sampleDatabase();
    await this.#buy(world);
    const rows = await figures.sampleDatabase();
    const sentMs = timesIn(place.path('sent.log'));
    const capped = await this.#endCapped(world);
    for (const { budget: _, ...order } of orders) requireCode([0, 3], await place.run(order));
    await this.#judge(world, { rows, sentMs, capped });
    this.#measure(rows, figures, sentMs);
    this.lists += orders.length;
  }

  // ---------------------------------------------------------------------------------------------------- workers

  /** Resolves when all rows have ended or no more of them do, and the workers have. */
  async #buy(world: World): Promise<void> {
    const { alive, ending } = world;
    for (let slot = 0; slot < this.#machines.workers; slot += 1) this.#begin(world, slot);
    const names = MISHAP_NAMES.filter((name) => this.#machines.most[name] > 0);
    const listening = this.#listen(world);
    await Promise.all([
      this.#watch(world).finally(() => ending.abort()),
      ...names.map((name) => this.#often(name, world)),
    ]);
    await listening;
    const left = [...alive];
    for (const worker of left) {
      worker.signal('SIGCONT');
      worker.signal('SIGTERM');
    }
    for (const { ended } of left) this.#hear(await ended);
  }

  async #watch({ figures, alive }: World): Promise<void> {
    let [rows, changedMs] = [0, performance.now()];
    const nothingLeftMs = NOTHING_LEFT_MS[this.#machines.cap === undefined ? 'free' : 'capped'];
    while (rows < this.#settings.rows && performance.now() - changedMs < nothingLeftMs) {
      await delay(SAMPLE_EVERY_MS);
      figures.sampleWorkers([...alive].map(({ pid }) => pid));
      // While the database is away nothing ends.
      const now = await figures.sampleDatabase().catch(() => rows);
      if (now > rows) [rows, changedMs] = [now, performance.now()];
    }
  }

  async #listen({ ranges, alive, stopped, over }: World): Promise<void> {
    while (!over.aborted) {
      ranges.listen([...alive].filter((worker) => !stopped.has(worker)));
      await delay(LISTEN_EVERY_MS);
    }
  }

  /** Another one begins when it has ended, as a service manager sees to it. The first one has a way to the database on which it may go deaf. */
  #begin(world: World, slot: number): void {
    const { place, alive, over } = world;
    const worker = place.type(['worker', '--store', storeOf(world, slot), '--json'], {
      NODE_OPTIONS: this.#preloads(place, slot),
    });
    alive.add(worker);
    void worker.ended.then((ended) => {
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
    if (slot < this.#machines.wrongClocks) {
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

  async #often(name: MishapName, world: World): Promise<void> {
    const { apartMs, happen } = MISHAPS[name];
    const random = randomFrom('machines', this.#settings.seed, name);
    while (this.#made[name] < this.#machines.most[name]) {
      await delay(random.integer(...apartMs), undefined, { signal: world.over }).catch(() => {});
      if (world.over.aborted) return;
      this.#made[name] += 1;
      await happen(world, random);
    }
  }

  // ---------------------------------------------------------------------------------------------------- promises

  /** What stands when the budget is used up. */
  async #endCapped({ place, orders: [order] }: World): Promise<Capped | undefined> {
    const { cap } = this.#machines;
    if (cap === undefined || order === undefined) return undefined;
    const ended = await place.run(order);
    requireCode([4], ended);
    const { credits: charged } = await place.vendor.book();
    const { spent = 0, in_doubt: inDoubt = 0 } = ended.report?.credits ?? {};
    return { cap, charged, spent, inDoubt };
  }

  async #judge(
    { server, place, orders, ranges: { waitsMs } }: World,
    {
      rows,
      sentMs,
      capped,
    }: { readonly rows: number; readonly sentMs: readonly number[]; readonly capped: Capped | undefined },
  ): Promise<void> {
    const calls = await callsOf(server);
    const { lines, broken } = verdictOn({
      ...{ sentMs, capped, complaints: this.#complaints, perSecond: this.#machines.perSecond },
      // Nobody takes a range of a batch whose budget is reached.
      waitsMs: capped === undefined ? waitsMs : [],
      broken: await brokenPromises(place, { calls, lists: orders }),
      rowsLeft: capped === undefined ? this.#settings.rows - rows : undefined,
      doubts: [...calls.values()].filter(({ state }) => state === 'in_doubt').length,
      mostDoubts: CONCURRENCY * this.kills,
    });
    this.#isKept &&= broken.length === 0;
    this.#lines.push(...lines);
    for (const complaint of this.#complaints) console.error(complaint);
    for (const name of broken) console.error(`broken: ${name}`);
  }

  #measure(rows: number, figures: Figures, sentMs: readonly number[]): void {
    const seconds = ((sentMs.at(-1) ?? 0) - (sentMs[0] ?? 0)) / 1_000;
    const gaps = sentMs.map((time, at) => time - (sentMs[at - 1] ?? time));
    const share = perSecondMidway(sentMs) / this.#machines.perSecond;
    const { statements, workerMs, databaseMs, logBytes, diskBytes } = figures.perRow();
    this.#lines.push(
      ['rows that ended before the last run', `${rows}, ${(rows / seconds).toFixed(0)} a second`],
      ['share of the limit midway, as sent', `${(share * 100).toFixed(1)} %`],
      ['longest time without a request', `${(Math.max(...gaps) / 1_000).toFixed(1)} s`],
      ['statements a row', statements.toFixed(2)],
      ['processor ms a row', `workers ${workerMs.toFixed(2)}, database ${databaseMs.toFixed(2)}`],
      ['bytes of the write-ahead log a row', logBytes.toFixed(0)],
      ['bytes of the database a row', diskBytes.toFixed(0)],
    );
  }

  table(): readonly TableLine[] {
    const { workers, wrongClocks, most, perSecond } = this.#machines;
    return [
      ['workers', workers],
      ['rows, lists, limit a second', `${this.#settings.rows}, ${this.lists}, ${perSecond}`],
      ...MISHAP_NAMES.filter((name) => most[name] > 0).map((name) => [name, this.#made[name]] as const),
      ...(wrongClocks > 0 ? [['workers whose clock is an hour off', wrongClocks] as const] : []),
      ...this.#lines,
    ];
  }
}

function storeOf({ store, proxy, settings }: World, slot: number): string {
  if (slot > 0 || settings.most.silences === 0) return store;
  const url = new URL(store);
  url.port = String(proxy.port);
  return url.href;
}

/** On a server that counts statements, for which it is started again. */
async function makeDatabase(server: Server, disk: SmallDisk | undefined): Promise<void> {
  await server.query('postgres', 'ALTER SYSTEM SET shared_preload_libraries = pg_stat_statements');
  await server.stopAtOnce();
  await server.startAgain();
  if (disk === undefined) await server.createDatabase(DATABASE);
  else {
    await server.query('postgres', `CREATE TABLESPACE small LOCATION '${disk.folder}'`);
    await server.query('postgres', `CREATE DATABASE ${DATABASE} TABLESPACE small`);
  }
  await server.query(DATABASE, 'CREATE EXTENSION pg_stat_statements');
}

const accountAt = (url: string, perSecond: number): object => ({
  ...{ vendor: 'provider', sandbox: true, base_url: url },
  limits: { per_second: perSecond, concurrency: CONCURRENCY, timeout: TIMEOUT },
});

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

/** What stands of each call, and its attempts that may have reached the vendor. */
const CALLS = `
SELECT c.operation, c.parameters, c.state,
       (SELECT k.said FROM rowonce.entries k WHERE k.of = c.stands AND k.kind IN ('answered', 'told', 'read') ORDER BY k.id DESC LIMIT 1) AS answer,
       count(*) FILTER (WHERE n.of IS NULL)::int AS attempts, count(n.of)::int AS "notSent"
  FROM rowonce.calls c JOIN rowonce.entries a ON a.call = c.id AND a.id = a.of
       LEFT JOIN rowonce.entries n ON n.of = a.id AND n.said = 'not_sent'
 GROUP BY c.id`;

type StoredCall = Pick<CallRecord, 'attempts' | 'notSent'> & {
  readonly operation: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly state: string;
  readonly answer: 'found' | 'no_match' | 'refused' | null;
};

async function callsOf(server: Server): Promise<ReadonlyMap<string, CallRecord>> {
  const stored: unknown = await server.query(DATABASE, CALLS);
  return new Map(
    (stored as readonly StoredCall[]).map(({ operation, parameters, state, answer, ...attempts }) => [
      callName(operation, parameters),
      { state: answer ?? (state === 'doubt' ? 'in_doubt' : 'unknown'), ...attempts },
    ]),
  );
}
