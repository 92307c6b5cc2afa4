import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../src/sandbox/random.ts';
import { Clocks } from './clocks.ts';
import { editOnce } from './edits.ts';
import { exportTwice } from './exports.ts';
import { badEvery, Gateway } from './gateway.ts';
import { type KillPlan, type KillTally, killOnce, wasKilled } from './kill-loop.ts';
import type { Ended } from './program.ts';
import { type Backup, isKnownToBeOlder, takeBackup, tryOnBackup } from './restores.ts';
import type { Order, Workplace } from './workplace.ts';

/**
 * What else may happen to a run besides being killed: its list is edited and put back, its clock is wrong, an old
 * copy of the store is put in its place, two exports write to one path, and a proxy answers in the vendor's place. They are mixed
 * at random with kills.
 */
export const MISHAPS = ['edit', 'clock', 'restore', 'export', 'gateway'] as const;
export type Mishap = (typeof MISHAPS)[number];

export interface MishapTally {
  /** How often each happened. */
  readonly happened: Record<Mishap, number>;
  /** How often the program said so and stopped, or refused to begin. */
  readonly stopped: Record<Mishap, number>;
  /** How often the program did what it must not do: sent something, wrote half an output, or ended as a bug. */
  readonly broken: Record<Mishap, number>;
  /** Calls that mishaps alone may have left in doubt. */
  doubts: number;
}

export function newMishapTally(): MishapTally {
  const none = (): Record<Mishap, number> => ({
    edit: 0,
    clock: 0,
    restore: 0,
    export: 0,
    gateway: 0,
  });
  return { happened: none(), stopped: none(), broken: none(), doubts: 0 };
}

const [MINUTE_MS, DAY_MS] = [60_000, 24 * 60 * 60_000];

/** Just wrong, wrong enough to be noticed beside an answer's `Date`, and absurd; in both directions. */
const SHIFTS_MS = [25_000, 4 * MINUTE_MS, 10 * MINUTE_MS, DAY_MS, 365 * DAY_MS].flatMap((ms) => [ms, -ms]);

/** One call in so many is answered by the proxy; fewer than five in a row, at which the program waits for half a minute. */
const PAGE_EVERY = 60;

export class Mishaps implements AsyncDisposable {
  readonly #workplace: Workplace;
  readonly #random: Random;
  readonly #tally: MishapTally;
  readonly #gateway: Gateway;
  readonly #clocks: Clocks;
  #backup: Backup | undefined;

  private constructor(workplace: Workplace, random: Random, tally: MishapTally, gateway: Gateway) {
    this.#workplace = workplace;
    this.#random = random;
    this.#tally = tally;
    this.#gateway = gateway;
    this.#clocks = new Clocks(workplace.path('clock.json'));
  }

  /** The account leads through the proxy from now on. */
  static async open(workplace: Workplace, random: Random, tally: MishapTally): Promise<Mishaps> {
    const weather = badEvery(PAGE_EVERY, { status: random.pick([400, 404, 451, 502]) }, 1);
    const gateway = await Gateway.before(workplace.vendor.url, weather);
    workplace.writeAccount(gateway.url);
    return new Mishaps(workplace, random, tally, gateway);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const pages = this.#gateway.pages.alone + this.#gateway.pages.reached;
    this.#tally.happened.gateway += pages;
    this.#tally.doubts += pages;
    await this.#gateway[Symbol.asyncDispose]();
  }

  /** The command once more, killed unless it ends before; every other time with something else that goes wrong. */
  async run(order: Order, plan: KillPlan, kills: KillTally): Promise<Ended> {
    const mayEndWith = [0, 2, 3];
    switch (this.#random.integer(1, 6)) {
      case 1: {
        this.#tally.happened.edit += 1;
        const ended = await editOnce(this.#workplace, order, { ...plan, mayEndWith });
        if (wasKilled(ended)) this.#tally.doubts += this.#workplace.concurrency;
        if (ended.code === 2) this.#tally.stopped.edit += 1;
        return ended;
      }
      case 2:
      case 3:
        return this.#runByWrongClock(order, { ...plan, mayEndWith }, kills);
      default:
        return killOnce(this.#workplace, order, plan, kills);
    }
  }

  async #runByWrongClock(order: Order, plan: KillPlan, kills: KillTally): Promise<Ended> {
    this.#tally.happened.clock += 1;
    const shift = { wallMs: this.#random.pick(SHIFTS_MS) };
    const steps = this.#random.integer(1, 2) === 1;
    this.#clocks.set(steps ? {} : shift);
    const running = killOnce(this.#workplace, { ...order, env: this.#clocks.env }, plan, kills);
    if (steps) {
      await Promise.race([delay(this.#random.fraction() * 2 * plan.windowMs), running]);
      this.#clocks.set(shift);
    }
    const ended = await running;
    if (ended.code === 2) this.#tally.stopped.clock += 1;
    return ended;
  }

  /** Between two runs of a list: now and then an older copy takes the store's place for a while. */
  async between(order: Order): Promise<void> {
    await this.#gateway.quiet();
    if (this.#random.integer(1, 8) === 1) await this.#restore(order);
  }

  /** An older copy spends nothing once it is known outside of the store that more was done since. */
  async #restore(order: Order): Promise<void> {
    const backup = this.#backup;
    if (backup === undefined || !isKnownToBeOlder(this.#workplace, backup)) return;
    this.#tally.happened.restore += 1;
    const { ended, requests } = await tryOnBackup(this.#workplace, backup, order);
    if (ended.code === 2 && requests === 0) this.#tally.stopped.restore += 1;
    else this.#tally.broken.restore += 1;
  }

  /** After a list: its output is exported twice at once, and one of the two is killed. Then the store is copied. */
  async after(batch: string, whole: Buffer): Promise<void> {
    this.#tally.happened.export += 1;
    const broken = await exportTwice(this.#workplace, {
      stores: ['store', 'store'],
      batch,
      output: 'both.csv',
      whole: [whole],
      kill: async (program) => {
        await Promise.race([delay(this.#random.fraction() * 600), program.ended]);
        await program.kill();
      },
    });
    if (Object.values(broken).some((times) => times > 0)) this.#tally.broken.export += 1;
    rmSync(this.#workplace.path('both.csv'), { force: true });
    if (this.#backup !== undefined) rmSync(this.#backup.folder, { recursive: true });
    this.#backup = takeBackup(this.#workplace);
  }
}
