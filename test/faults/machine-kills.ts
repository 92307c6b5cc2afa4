import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type Random, randomFrom } from '../../src/sandbox/random.ts';
import { anotherServer, type Server } from '../ledger/stores/postgres-server.ts';
import type { KillDrive, Lane, MachineSettings, Settings, TableLine } from './kill-drive.ts';
import { type CallRecord, callName, type DoubtView } from './ledger-view.ts';
import { Figures, mostWithin, perSecondMidway, timesIn } from './machine-figures.ts';
import type { Ended, Program } from './program.ts';
import { type BrokenPromises, brokenPromises, NONE_BROKEN } from './promises.ts';
import { domainsOf, Workplace } from './workplace.ts';

/**
 * A list that workers buy from one database while they are killed or stopped for long and others begin in their place, and while the
 * database ends as by a crash. In the end the command of the list is typed, which buys what is left and writes the output. Where a
 * budget ends it before, it is typed again with enough.
 */

const LATENCY_MS = 200;
const TIMEOUT = '3s';
/** Requests of one worker that may be on their way at once. */
const CONCURRENCY = 16;
const DUPLICATES = 0.2;

/** Between two of them, at least and at most. */
const KILLS_MS = [1_000, 3_000] as const;
const PAUSES_MS = [5_000, 12_000] as const;
const STOPS_MS = [8_000, 20_000] as const;
/** As long as the database is away at most. */
const AWAY_MS = 3_000;

/** Longer than an attempt is held to be under way, and than a worker is held to be alive. */
const NOTHING_LEFT_MS = 60_000;
const LOOK_MS = 1_000;

const DATABASE = 'machines';
const PRELOAD = pathToFileURL(join(import.meta.dirname, 'sent-log.ts'));

/** One list, from its submit to its output. */
interface World {
  readonly place: Workplace;
  readonly server: Server;
  readonly store: string;
  readonly figures: Figures;
  /** Ends the mishaps. */
  readonly over: AbortController;
}

export class MachineKills implements KillDrive {
  readonly #settings: Settings & { readonly machines: MachineSettings };
  readonly #alive = new Set<Program>();
  /** What workers said that ended by themselves, or that a range failed by a bug of ours. */
  readonly #complaints: string[] = [];
  readonly #lines: TableLine[] = [];
  #broken: BrokenPromises = NONE_BROKEN;
  #stops = 0;
  #pauses = 0;
  #isKept = true;
  kills = 0;
  lists = 0;

  constructor(settings: Settings & { readonly machines: MachineSettings }) {
    this.#settings = settings;
  }

  async run({ random }: Lane): Promise<void> {
    const server = await anotherServer();
    const [{ folder } = {}] = await server.query('postgres', "SELECT current_setting('data_directory') AS folder");
    try {
      await using place = await Workplace.open({ latencyMs: LATENCY_MS, ownProcess: true });
      await this.#workThrough(server, place, random);
    } finally {
      await server.stopAtOnce().catch(() => {});
      rmSync(join(String(folder), '..'), { recursive: true, force: true });
    }
  }

  async #workThrough(server: Server, place: Workplace, random: Random): Promise<void> {
    const { rows, machines } = this.#settings;
    const { perSecond, cap } = machines;
    place.writeAccounts({ data: accountAt(place.vendor.url, perSecond) });
    place.writeList(listOf(rows, random));
    const figures = await Figures.begin(server, DATABASE);
    await server.createDatabase(DATABASE);
    const store = server.url(DATABASE);
    requireCode(0, await place.typeHere(['store', 'init', store]));
    const budget = cap === undefined ? {} : { budget: cap };
    requireCode(0, await place.run({ store, ...budget, more: ['--detach'] }));
    const world = { place, server, store, figures, over: new AbortController() };
    const sent = await this.#buy(world);
    await figures.sampleDatabase();
    const ended = await place.run({ store, ...budget });
    await this.#judge(world, ended, sent);
    this.lists += 1;
    this.#report(figures, sent);
  }

  /** @returns when requests of workers left. */
  async #buy(world: World): Promise<readonly number[]> {
    const { workers, stops, pauses } = this.#settings.machines;
    for (let count = 0; count < workers; count += 1) this.#begin(world);
    await Promise.all([
      this.#watch(world).finally(() => world.over.abort()),
      this.#often(world, 'kills', this.#settings.kills, KILLS_MS, (random) => this.#kill(world, random)),
      this.#often(world, 'pauses', pauses, PAUSES_MS, (random) => this.#pause(world, random)),
      this.#often(world, 'stops', stops, STOPS_MS, (random) => this.#stop(world, random)),
    ]);
    const left = [...this.#alive];
    for (const worker of left) worker.signal('SIGCONT');
    for (const worker of left) worker.signal('SIGTERM');
    for (const { ended } of left) this.#complain(await ended);
    return timesIn(world.place.path('sent.log'));
  }

  /** Resolves when all rows have ended, or no more of them do. */
  async #watch({ server, figures }: World): Promise<void> {
    let [rows, changedMs] = [0, performance.now()];
    while (rows < this.#settings.rows && performance.now() - changedMs < NOTHING_LEFT_MS) {
      await delay(LOOK_MS);
      figures.sampleWorkers([...this.#alive].map(({ pid }) => pid));
      // While the database is away nothing ends.
      const now = await figures
        .sampleDatabase()
        .then(() => server.query(DATABASE, 'SELECT count(*)::int AS ended FROM rowonce.rows'))
        .then(([counted]) => Number(counted?.ended))
        .catch(() => rows);
      if (now > rows) [rows, changedMs] = [now, performance.now()];
    }
    this.#lines.push(['rows that ended before the last run', rows]);
  }

  // ---------------------------------------------------------------------------------------------------- mishaps

  async #often(
    { over: { signal } }: World,
    name: string,
    most: number,
    [leastMs, mostMs]: readonly [number, number],
    mishap: (random: Random) => Promise<void>,
  ): Promise<void> {
    const random = randomFrom('machines', this.#settings.seed, name);
    for (let count = 0; count < most; count += 1) {
      await delay(random.integer(leastMs, mostMs), undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      await mishap(random);
    }
  }

  /** Another one begins whenever a worker has ended, as a service manager sees to it. */
  #begin(world: World): void {
    const { place, store, over } = world;
    const preload = new URL(PRELOAD);
    preload.searchParams.set('to', place.path('sent.log'));
    const worker = place.type(['worker', '--store', store, '--json'], { NODE_OPTIONS: `--import=${preload}` });
    this.#alive.add(worker);
    void worker.ended.then((ended) => {
      this.#alive.delete(worker);
      if (over.signal.aborted) return;
      this.#complain(ended);
      this.#begin(world);
    });
  }

  async #kill({ figures }: World, random: Random): Promise<void> {
    const worker = random.pick([...this.#alive]);
    figures.sampleWorkers([worker.pid]);
    this.kills += 1;
    await worker.kill();
  }

  /** Others meet with mishaps meanwhile, and it as well. */
  async #pause({ over: { signal } }: World, random: Random): Promise<void> {
    const worker = random.pick([...this.#alive]);
    this.#pauses += 1;
    worker.signal('SIGSTOP');
    const going = delay(this.#settings.machines.pauseSeconds * 1_000, undefined, { signal });
    void going.catch(() => {}).then(() => worker.signal('SIGCONT'));
  }

  async #stop({ server }: World, random: Random): Promise<void> {
    this.#stops += 1;
    await server.stopAtOnce();
    await delay(random.integer(0, AWAY_MS));
    await server.startAgain();
  }

  /** What the user would have to ask us about. */
  #complain({ code, signal, stderr, lastLine }: Ended): void {
    if (signal === null && code !== 143) this.#complaints.push(`a worker ended with ${code}: ${lastLine}`);
    this.#complaints.push(...stderr.split('\n').filter((line) => / failed: /.test(line)));
  }

  // ---------------------------------------------------------------------------------------------------- promises

  async #judge({ place, server, store }: World, ended: Ended, sent: readonly number[]): Promise<void> {
    const { cap, perSecond } = this.#settings.machines;
    if (cap === undefined) requireCode([0, 3], ended);
    else await this.#judgeCap(place, { store, cap }, ended);
    const calls = await callsOf(server);
    this.#broken = await brokenPromises(place, { calls });
    const doubts = [...calls.values()].filter(({ state }) => state === 'in_doubt').length;
    const mostDoubts = CONCURRENCY * this.kills;
    const most = mostWithin(1_000, sent);
    this.#isKept &&= doubts <= mostDoubts && most <= perSecond && this.#complaints.length === 0;
    this.#lines.push(
      ['rows lost', this.#broken.rowsLost],
      ['calls charged twice', this.#broken.chargedTwice],
      ['requests without an intent', this.#broken.requestsWithoutIntent],
      ['calls on which the two books disagree', this.#broken.booksDisagree],
      ['calls in doubt', `${doubts} of at most ${CONCURRENCY} × ${this.kills} = ${mostDoubts}`],
      ['most requests in a second, as sent', `${most} of ${perSecond}`],
      ['complaints of workers', this.#complaints.length],
    );
    for (const complaint of this.#complaints) console.error(complaint);
  }

  /** The budget is used up and not passed; with a higher one the list goes on. */
  async #judgeCap(
    place: Workplace,
    { store, cap }: { readonly store: string; readonly cap: number },
    ended: Ended,
  ): Promise<void> {
    requireCode(4, ended);
    const { credits: charged } = await place.vendor.book();
    const { spent = 0, in_doubt: inDoubt = 0 } = ended.report?.credits ?? {};
    this.#isKept &&= charged <= cap && spent + inDoubt === cap;
    this.#lines.push(
      ['credits charged at the budget', `${charged} of ${cap}`],
      ['  spent + in doubt', `${spent} + ${inDoubt} = ${spent + inDoubt}`],
    );
    requireCode([0, 3], await place.run({ store }));
  }

  isKept(): boolean {
    return this.#isKept && this.lists > 0 && Object.values(this.#broken).every((times) => times === 0);
  }

  // ---------------------------------------------------------------------------------------------------- figures

  #report(figures: Figures, sent: readonly number[]): void {
    const { perSecond } = this.#settings.machines;
    const seconds = ((sent.at(-1) ?? 0) - (sent[0] ?? 0)) / 1_000;
    const rows = Number(this.#lines.find(([name]) => name.startsWith('rows that ended'))?.[1]);
    const gaps = sent.map((time, at) => time - (sent[at - 1] ?? time));
    const { all, ofQueue } = figures.statements;
    const perRow = (amount: number, digits: number): string => (amount / rows).toFixed(digits);
    const share = ((100 * perSecondMidway(sent)) / perSecond).toFixed(1);
    this.#lines.push(
      ['rows a second', (rows / seconds).toFixed(0)],
      ['share of the limit, midway, as sent', `${share} %`],
      ['longest time without a request', `${(Math.max(...gaps) / 1_000).toFixed(1)} s`],
      ['statements a row', `${perRow(all, 2)}, of them of the queue ${perRow(ofQueue, 2)}`],
      ['processor ms a row, workers', perRow(figures.workerSeconds * 1_000, 2)],
      ['processor ms a row, database', perRow(figures.databaseSeconds * 1_000, 2)],
      ['bytes of the write-ahead log a row', perRow(figures.logBytes, 0)],
    );
  }

  table(): readonly TableLine[] {
    const { machines, rows } = this.#settings;
    const { workers, pauseSeconds } = machines;
    return [
      ['kills', `${this.kills}, of ${workers} workers`],
      ['immediate stops of the database', this.#stops],
      [`workers stopped for ${pauseSeconds} s`, this.#pauses],
      ['rows', rows],
      ...this.#lines,
    ];
  }
}

const accountAt = (url: string, perSecond: number): object => ({
  ...{ vendor: 'provider', sandbox: true, base_url: url },
  limits: { per_second: perSecond, concurrency: CONCURRENCY, timeout: TIMEOUT },
});

/** Companies, some of which were named by a row before. */
function listOf(rows: number, random: Random): readonly string[] {
  const list: string[] = [];
  for (const domain of domainsOf('machines', rows)) {
    list.push(list.length > 0 && random.fraction() < DUPLICATES ? random.pick(list) : domain);
  }
  return list;
}

function requireCode(expected: number | readonly number[], { code, stderr }: Pick<Ended, 'code' | 'stderr'>): void {
  if (![expected].flat().includes(code ?? Number.NaN)) throw new Error(`a command ended with ${code}: ${stderr}`);
}

/** Of each call what stands, and its attempts that may have reached the vendor. */
const CALLS = `
SELECT c.operation, c.parameters, c.state,
       (SELECT k.said FROM rowonce.entries k WHERE k.of = c.stands AND k.kind = 'answered') AS answer,
       count(*) FILTER (WHERE n.of IS NULL)::int AS attempts, count(n.of)::int AS "notSent"
  FROM rowonce.calls c JOIN rowonce.entries a ON a.call = c.id AND a.id = a.of
       LEFT JOIN rowonce.entries n ON n.of = a.id AND n.said = 'not_sent'
 GROUP BY c.id`;

type StoredCall = Pick<DoubtView, 'operation' | 'parameters'> &
  Pick<CallRecord, 'attempts' | 'notSent'> & {
    readonly state: string;
    readonly answer: 'found' | 'no_match' | 'refused' | null;
  };

async function callsOf(server: Server): Promise<ReadonlyMap<string, CallRecord>> {
  const stored: unknown = await server.query(DATABASE, CALLS);
  return new Map(
    (stored as StoredCall[]).map(({ operation, parameters, state, answer, attempts, notSent }) => [
      callName(operation, parameters),
      { state: answer ?? (state === 'doubt' ? 'in_doubt' : 'unknown'), attempts, notSent },
    ]),
  );
}
