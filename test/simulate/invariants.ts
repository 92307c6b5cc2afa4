/**
 * What holds in every world, by the book of the vendor and by the tables of the ledger: after each commit, as each request leaves, and
 * of what is shown after each command. The tables are read on the connection that has just committed: another one would keep SQLite from
 * tidying its files when the program closes them.
 */
import fs from 'node:fs';
import type Database from 'better-sqlite3';
import type { BatchObject } from '../../src/objects/batch-object.ts';
import { batchesPage } from '../../src/run/batches.ts';
import {
  requireBudgets,
  requireDays,
  requireFewUnderWay,
  requireMoves,
  requireOneCurrent,
  requireOneRetry,
  requireRepliesFirst,
  requireRows,
  requireStopped,
} from './invariants/committed.ts';
import { requireEnded } from './invariants/ended.ts';
import { Sent } from './invariants/sent.ts';
import {
  requireListShown,
  requirePlanShown,
  requireRunShown,
  requireSpendShown,
  requireStatusShown,
  SPEND_BY,
} from './invariants/shown.ts';
import { hasTables, heldBy, type Tables, tablesAt, tablesOf } from './invariants/tables.ts';
import { type Typed, type, typeBeside } from './people.ts';
import { promise } from './played.ts';
import { type Fault, running, type SimulatedProcess } from './process.ts';
import { type Random, randomFrom } from './schedule.ts';
import type { Ended, Stage } from './stage.ts';
import type { Charge } from './vendor.ts';

/** Watches a world from here on. What does not hold is thrown by the command in which that was seen. */
export class Watch {
  readonly #stage: Stage;
  readonly #concurrency: number;
  readonly #ledgers = new Map<string, Tables>();
  #sent = new Sent();
  /** So many charges were made before what is watched now. */
  #chargesBefore = 0;
  #wasForgotten = false;
  /** The ledger that was written last, and where it is. */
  #newest: Tables | undefined;
  #path: string | undefined;
  /** How many mishaps there were when the tables were read last: one may end a process behind a commit, before anybody reads. */
  #mishaps = 0;
  /** Which processes have heard what time it is. */
  readonly #told = new WeakSet<SimulatedProcess>();
  /** Whether a vendor ever had a wrong calendar: the ledger may have believed it. */
  #isMisled = false;
  readonly #random: Random;

  /** @param concurrency so many requests of the account are under way at most. */
  constructor(stage: Stage, concurrency: number) {
    this.#stage = stage;
    this.#concurrency = concurrency;
    this.#random = randomFrom(Math.floor(stage.random() * 2 ** 31));
    stage.onCommit = (path, database) => this.#committed(path, database);
    stage.onEnd = () => this.#ended();
    stage.onLeft = (question) => this.#sent.left(question, this.#newest, stage.schedule.nowMs);
  }

  /** What was committed last. */
  get tables(): Tables | undefined {
    return this.#newest;
  }

  #ended(): void {
    const { mishaps } = this.#stage;
    if (this.#path !== undefined && this.#mishaps !== mishaps && fs.existsSync(this.#path)) {
      const now = tablesAt(this.#path);
      if (now !== undefined) this.#step(this.#path, now);
    }
    this.#mishaps = mishaps;
  }

  /** A store was put back, or is another one: what is in it now is no step from what was. */
  forget(): void {
    this.#ledgers.clear();
    this.#sent = new Sent();
    this.#newest = undefined;
    this.#chargesBefore = this.#stage.charges.length;
    this.#wasForgotten = true;
  }

  #committed(path: string, database: Database.Database): void {
    if (!path.endsWith('/ledger.db')) return;
    const process = running.getStore();
    running.exit(() => {
      if (!hasTables(database)) return;
      const before = this.#newest;
      this.#step(path, tablesOf(database));
      if (process !== undefined && this.#newest !== undefined) this.#ofProcess(process, before, this.#newest);
    });
  }

  #ofProcess(process: SimulatedProcess, before: Tables | undefined, now: Tables): void {
    const { sellers, trueMs, schedule } = this.#stage;
    const calls = [...now.calls.values()];
    const begun = calls.filter(({ id }) => before?.calls.has(id) !== true);
    if (process.stoppedAtMs !== undefined) requireStopped(begun, schedule.nowMs - process.stoppedAtMs);
    // A process that has kept an answer knows the time, unless that vendor tells none or a wrong one.
    this.#isMisled ||= sellers.some(({ mood }) => mood.kind === 'calendar');
    if (this.#told.has(process) && !this.#isMisled) requireDays(begun, trueMs);
    const hasHeard = calls.some(
      ({ id, has_reply: isKept }) => isKept && before?.calls.get(id)?.has_reply === 0,
    );
    if (hasHeard) this.#told.add(process);
  }

  #step(path: string, now: Tables): void {
    const before = this.#ledgers.get(path);
    this.#ledgers.set(path, now);
    this.#newest = now;
    this.#path = path;
    const begun = [...now.calls.values()].filter(({ id }) => before?.calls.has(id) !== true);
    this.#sent.begun(begun, this.#stage.schedule.nowMs);
    if (before !== undefined) {
      requireMoves(before, now);
      requireRepliesFirst(before, now);
    }
    // Of a store that was put back no one knows under which budgets its calls began.
    requireBudgets(now, before === undefined ? [] : begun);
    requireOneCurrent(now);
    requireOneRetry(now);
    requireFewUnderWay(now, this.#concurrency);
    requireRows(now);
  }

  // ------------------------------------------------------------------------------------------------ what is shown

  /**
   * One command is asked, which the seed draws, because all of them would take longer than what is watched.
   * @param chance that anything is asked.
   */
  async requireShown(more: readonly Look[] = [], chance = 1): Promise<void> {
    if (this.#random() >= chance) return;
    const looks = [...LOOKS, ...more];
    const look = looks[Math.floor(this.#random() * looks.length)] as Look;
    if (this.tables !== undefined) await look(this.#stage, this.tables);
  }

  /** Types a run, and other commands beside it, and holds what it prints against the tables. */
  async run(
    words: readonly string[],
    faults: readonly Fault[] = [],
    beside: readonly Typed[] = [],
  ): Promise<Ended> {
    const before = this.tables;
    const [ended] = (await typeBeside(this.#stage, { words, faults }, beside)) as [Ended];
    this.requireRun(ended, before);
    return ended;
  }

  /** @param before the tables as they were when it began. */
  requireRun(ended: Ended, before: Tables | undefined): void {
    const { tables } = this;
    const { how, stdout } = ended;
    const shown = how === 'ended' && stdout.startsWith('{') ? JSON.parse(stdout) : {};
    // Of a store that was put back no one has read yet what it had spent before.
    if (before === undefined && this.#wasForgotten) return;
    if (tables === undefined || !('credits' in shown)) return;
    requireRunShown(shown, before, tables);
    requireEnded(ended, shown, tables);
  }

  // ------------------------------------------------------------------------------------------------ books

  /** What the vendor has charged was spent by the ledger's word, or may have been. */
  requireBooks(): void {
    const charged = creditsByName(this.#stage.charges.slice(this.#chargesBefore));
    const { tables } = this;
    for (const [name, credits] of charged) {
      const sent = this.#sent.callsOf.get(name) ?? [];
      // A repeat under the key of another call is booked with that call, whichever of the two was answered.
      const payers = new Set(sent.map((id) => tables?.calls.get(id)?.payer ?? id));
      const calls = [...(tables?.calls.values() ?? [])].filter(({ id, payer }) => payers.has(payer ?? id));
      const told = calls.reduce((sum, call) => sum + (call.charged ?? 0) + heldBy(call), 0);
      promise(credits <= told, `the vendor charged ${credits} credits, the ledger knows of ${told}: ${name}`);
    }
  }
}

/** Asks one question about the store, and holds the answer against the tables. */
export type Look = (stage: Stage, tables: Tables) => Promise<void>;

async function told(stage: Stage, words: readonly string[]): Promise<never> {
  const { exitCode, stdout, stderr } = await type(stage, [...words, '--json']);
  promise(exitCode === 0, `${words.join(' ')} ends with ${exitCode}: ${stderr}`);
  return JSON.parse(stdout) as never;
}

/** The page shows what these functions say; its commands are those of the command line. */
async function pageTold(stage: Stage): Promise<Awaited<ReturnType<typeof batchesPage>>> {
  const { stdout } = await stage.process(async (streams) => {
    streams.stdout.write(JSON.stringify(await batchesPage(undefined, { from: 0, most: 50 })));
    return 0;
  });
  return JSON.parse(stdout);
}

const LOOKS: readonly Look[] = [
  async (stage, tables) => {
    const { batches }: { batches: BatchObject[] } = await told(stage, ['status']);
    requireListShown('status', batches, tables);
  },
  async (stage, tables) => {
    const [batch] = tables.batches;
    if (batch !== undefined) requireStatusShown(await told(stage, ['status', batch.id]), tables);
  },
  ...SPEND_BY.map(
    (by): Look =>
      async (stage, tables) => {
        requireSpendShown(await told(stage, ['spend', '--by', by]), tables);
      },
  ),
  async (stage, tables) => requireListShown('the page', (await pageTold(stage)).batches, tables),
];

/** A plan, of whatever list is planned there. */
export const planLook =
  (job: string, list: string): Look =>
  async (stage) =>
    requirePlanShown(await told(stage, ['plan', job, list]));

function creditsByName(charges: readonly Charge[]): ReadonlyMap<string, number> {
  const charged = new Map<string, number>();
  for (const { key, credits } of charges) charged.set(key, (charged.get(key) ?? 0) + credits);
  return charged;
}

/** No call is charged more often than that. */
export function requireOneCharge(stage: Stage, most = 1): void {
  const times = new Map<string, number>();
  for (const { key } of stage.vendor.charges) times.set(key, (times.get(key) ?? 0) + 1);
  for (const [key, count] of times) promise(count <= most, `charged ${count} times, at most ${most}: ${key}`);
}
