import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type Random, randomFrom } from '../../src/sandbox/random.ts';
import { anotherServer, type Server } from '../ledger/stores/postgres-server.ts';
import type { KillDrive, Lane, MachineSettings, Settings, TableLine } from './kill-drive.ts';
import { type CallRecord, callName } from './ledger-view.ts';
import { Figures, mostInASecond, perSecondMidway, timesIn } from './machine-figures.ts';
import type { Ended, Program } from './program.ts';
import { brokenPromises } from './promises.ts';
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
/** The share of rows whose company another row has named before. */
const DUPLICATES = 0.2;

/** Between two of a kind, at least and at most. */
const APART_MS = { kills: [1_000, 3_000], pauses: [5_000, 12_000], stops: [8_000, 20_000] } as const;
/** As long as the database is away at most. */
const AWAY_MS = 3_000;
/** Longer than an attempt is held to be under way, and than a worker is held to be alive. */
const NOTHING_LEFT_MS = 60_000;

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
  readonly #settings: Settings;
  readonly #machines: MachineSettings;
  readonly #alive = new Set<Program>();
  /** What was said by workers that ended by themselves, or of a range that failed by a bug of ours. */
  readonly #complaints: string[] = [];
  readonly #made = { kills: 0, pauses: 0, stops: 0 };
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
    const [{ folder } = {}] = await server.query('postgres', "SELECT current_setting('data_directory') AS folder");
    try {
      await using place = await Workplace.open({ latencyMs: LATENCY_MS, ownProcess: true });
      await this.#workThrough(server, place, random);
    } finally {
      await server.stopAtOnce();
      rmSync(join(String(folder), '..'), { recursive: true, force: true });
    }
  }

  async #workThrough(server: Server, place: Workplace, random: Random): Promise<void> {
    const { perSecond, cap } = this.#machines;
    place.writeAccounts({ data: accountAt(place.vendor.url, perSecond) });
    place.writeList(listOf(this.#settings.rows, random));
    await makeDatabase(server);
    const store = server.url(DATABASE);
    requireCode([0], await place.typeHere(['store', 'init', store]));
    const order = { store, ...(cap === undefined ? {} : { budget: cap }) };
    requireCode([0], await place.run({ ...order, more: ['--detach'] }));
    const figures = new Figures(server, DATABASE);
    await figures.sampleDatabase();
    await this.#buy({ place, server, store, figures, over: new AbortController() });
    const rows = await figures.sampleDatabase();
    const ended = await place.run(order);
    if (cap === undefined) requireCode([0, 3], ended);
    else await this.#judgeCap(place, cap, ended);
    if (cap !== undefined) requireCode([0, 3], await place.run({ store }));
    const sent = timesIn(place.path('sent.log'));
    await this.#judge(server, place, sent);
    this.#measure(rows, figures, sent);
    this.lists += 1;
  }

  /** Resolves when all rows have ended or no more of them do, and the workers have. */
  async #buy(world: World): Promise<void> {
    for (let count = 0; count < this.#machines.workers; count += 1) this.#begin(world);
    await Promise.all([
      this.#watch(world).finally(() => world.over.abort()),
      this.#often('kills', this.#settings.kills, world, (random) => this.#kill(world, random)),
      this.#often('pauses', this.#machines.pauses, world, (random) => this.#pause(world, random)),
      this.#often('stops', this.#machines.stops, world, (random) => stop(world, random)),
    ]);
    const left = [...this.#alive];
    for (const worker of left) {
      worker.signal('SIGCONT');
      worker.signal('SIGTERM');
    }
    for (const { ended } of left) this.#hear(await ended);
  }

  async #watch({ figures }: World): Promise<void> {
    let [rows, changedMs] = [0, performance.now()];
    while (rows < this.#settings.rows && performance.now() - changedMs < NOTHING_LEFT_MS) {
      await delay(1_000);
      figures.sampleWorkers([...this.#alive].map(({ pid }) => pid));
      // While the database is away nothing ends.
      const now = await figures.sampleDatabase().catch(() => rows);
      if (now > rows) [rows, changedMs] = [now, performance.now()];
    }
  }

  /** Another one begins when it has ended, as a service manager sees to it. */
  #begin(world: World): void {
    const { place, store, over } = world;
    const preload = new URL(PRELOAD);
    preload.searchParams.set('to', place.path('sent.log'));
    const worker = place.type(['worker', '--store', store, '--json'], { NODE_OPTIONS: `--import=${preload}` });
    this.#alive.add(worker);
    void worker.ended.then((ended) => {
      this.#alive.delete(worker);
      if (over.signal.aborted) return;
      this.#hear(ended);
      this.#begin(world);
    });
  }

  #hear({ code, signal, stderr, lastLine }: Ended): void {
    if (signal === null && code !== 143) this.#complaints.push(`a worker ended with ${code}: ${lastLine}`);
    this.#complaints.push(...stderr.split('\n').filter((line) => / failed: /.test(line)));
  }

  // ---------------------------------------------------------------------------------------------------- mishaps

  async #often(
    name: keyof typeof APART_MS,
    most: number,
    { over: { signal } }: World,
    mishap: (random: Random) => Promise<void>,
  ): Promise<void> {
    const random = randomFrom('machines', this.#settings.seed, name);
    while (this.#made[name] < most) {
      await delay(random.integer(...APART_MS[name]), undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      this.#made[name] += 1;
      await mishap(random);
    }
  }

  async #kill({ figures }: World, random: Random): Promise<void> {
    const worker = random.pick([...this.#alive]);
    figures.sampleWorkers([worker.pid]);
    await worker.kill();
  }

  /** Others meet with mishaps meanwhile, and so may it. */
  async #pause({ over: { signal } }: World, random: Random): Promise<void> {
    const worker = random.pick([...this.#alive]);
    worker.signal('SIGSTOP');
    const over = delay(this.#machines.pauseSeconds * 1_000, undefined, { signal });
    void over.catch(() => {}).then(() => worker.signal('SIGCONT'));
  }

  // ---------------------------------------------------------------------------------------------------- promises

  /** The budget is used up and not passed. */
  async #judgeCap(place: Workplace, cap: number, ended: Ended): Promise<void> {
    requireCode([4], ended);
    const { credits: charged } = await place.vendor.book();
    const { spent, in_doubt: inDoubt } = ended.report?.credits ?? { spent: 0, in_doubt: 0 };
    this.#isKept &&= charged <= cap && spent + inDoubt === cap;
    this.#lines.push(
      ['credits charged at the budget', `${charged} of ${cap}`],
      ['  spent + in doubt', `${spent} + ${inDoubt}`],
    );
  }

  async #judge(server: Server, place: Workplace, sent: readonly number[]): Promise<void> {
    const calls = await callsOf(server);
    const broken = await brokenPromises(place, { calls });
    const doubts = [...calls.values()].filter(({ state }) => state === 'in_doubt').length;
    const mostDoubts = CONCURRENCY * this.kills;
    const most = mostInASecond(sent);
    const none = [...Object.values(broken), this.#complaints.length].every((times) => times === 0);
    this.#isKept &&= none && doubts <= mostDoubts && most <= this.#machines.perSecond;
    this.#lines.push(
      ['rows lost', broken.rowsLost],
      ['calls charged twice', broken.chargedTwice],
      ['requests without an intent', broken.requestsWithoutIntent],
      ['calls on which the two books disagree', broken.booksDisagree],
      ['calls in doubt', `${doubts} of at most ${CONCURRENCY} × ${this.kills} = ${mostDoubts}`],
      ['most sent in a second', `${most} of ${this.#machines.perSecond}`],
      ['complaints of workers', this.#complaints.length],
    );
    for (const complaint of this.#complaints) console.error(complaint);
  }

  #measure(rows: number, figures: Figures, sent: readonly number[]): void {
    const seconds = ((sent.at(-1) ?? 0) - (sent[0] ?? 0)) / 1_000;
    const gaps = sent.map((time, at) => time - (sent[at - 1] ?? time));
    const share = perSecondMidway(sent) / this.#machines.perSecond;
    const { statements, workerMs, databaseMs, logBytes } = figures.perRow();
    this.#lines.push(
      ['rows that ended before the last run', `${rows}, ${(rows / seconds).toFixed(0)} a second`],
      ['share of the limit midway, as sent', `${(share * 100).toFixed(1)} %`],
      ['longest time without a request', `${(Math.max(...gaps) / 1_000).toFixed(1)} s`],
      ['statements a row', statements.toFixed(2)],
      ['processor ms a row', `workers ${workerMs.toFixed(2)}, database ${databaseMs.toFixed(2)}`],
      ['bytes of the write-ahead log a row', logBytes.toFixed(0)],
    );
  }

  table(): readonly TableLine[] {
    const { kills, pauses, stops } = this.#made;
    return [
      ['kills', `${kills}, of ${this.#machines.workers} workers`],
      ['immediate stops of the database', stops],
      [`workers stopped for ${this.#machines.pauseSeconds} s`, pauses],
      ['rows', this.#settings.rows],
      ...this.#lines,
    ];
  }
}

async function stop({ server }: World, random: Random): Promise<void> {
  await server.stopAtOnce();
  await delay(random.integer(0, AWAY_MS));
  await server.startAgain();
}

/** On a server that counts statements. It is started again for that. */
async function makeDatabase(server: Server): Promise<void> {
  await server.query('postgres', 'ALTER SYSTEM SET shared_preload_libraries = pg_stat_statements');
  await server.stopAtOnce();
  await server.startAgain();
  await server.createDatabase(DATABASE);
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

/** Of each call what stands, and its attempts that may have reached the vendor. */
const CALLS = `
SELECT c.operation, c.parameters, c.state,
       (SELECT k.said FROM rowonce.entries k WHERE k.of = c.stands AND k.kind = 'answered') AS answer,
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
