import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Clocks } from './clocks.ts';
import { editOnce } from './edits.ts';
import { exportTwice } from './exports.ts';
import { badEvery, Gateway } from './gateway.ts';
import { type KillPlan, type Lane, type TableLine, wasKilled } from './kills.ts';
import type { List, Visit, World } from './lists.ts';
import type { Ended } from './program.ts';
import { type Backup, isKnownToBeOlder, takeBackup, tryOnBackup } from './restores.ts';
import { domainsOf, type Workplace } from './workplace.ts';

/**
 * What else may happen to a run besides being killed: its list is edited and put back, its clock is wrong, an old
 * copy of the store is put in its place, two exports write to one path, and a proxy answers in the vendor's place. They are mixed
 * at random with kills.
 */
const WORDS = {
  edit: 'lists edited under a run, and put back',
  clock: 'runs by a wrong clock',
  restore: 'runs over an old copy of the store',
  export: 'two exports at once, one killed',
  gateway: "pages of a proxy in the vendor's place",
} as const;

type Mishap = keyof typeof WORDS;

const none = (): Record<Mishap, number> => ({ edit: 0, clock: 0, restore: 0, export: 0, gateway: 0 });

const [HOUR_MS, DAY_MS] = [60 * 60_000, 24 * 60 * 60_000];

/** Just wrong, wrong by hours beside an answer's `Date`, and so wrong that nothing more is sent; in both directions. */
const SHIFTS_MS = [25_000, HOUR_MS / 2, 3 * HOUR_MS, 2 * DAY_MS, 365 * DAY_MS].flatMap((ms) => [ms, -ms]);

/** One call in so many is answered by the proxy; fewer than five in a row, at which the program waits for half a minute. */
const PAGE_EVERY = 60;

const MAY_END_WITH = { mayEndWith: [0, 2, 3] };

export class Mishaps implements World {
  doubts = 0;
  readonly #happened = none();
  /** How often the program said so and stopped, or refused to begin. */
  readonly #stopped = none();
  /** How often the program did what it must not do: sent something, wrote half an output, or ended as a bug. */
  readonly #broken = none();

  isKept = (): boolean => Object.values(this.#broken).every((times) => times === 0);

  lines = (): readonly TableLine[] =>
    (Object.keys(WORDS) as Mishap[]).map((name) => {
      const noticed =
        name === 'gateway' || name === 'export' ? '' : `, stopped with 2: ${this.#stopped[name]}`;
      return [WORDS[name], `${this.#happened[name]}${noticed}, promises broken: ${this.#broken[name]}`];
    });

  /** The account leads through the proxy from now on. */
  async open(workplace: Workplace, { random }: Lane): Promise<Visit> {
    const weather = badEvery(PAGE_EVERY, { status: random.pick([400, 404, 451, 502]) }, 1);
    const gateway = await Gateway.before(workplace.vendor.url, weather);
    workplace.writeAccount(gateway.url);
    const clocks = new Clocks(workplace.path('clock.json'));
    let backup: Backup | undefined;
    return {
      writeList: (name, at, rows) => {
        const list = { input: `list-${at}.csv`, output: `out-${at}.csv` };
        workplace.writeList(domainsOfList(name, at, rows), list.input);
        return list;
      },
      run: (list, plan) => {
        const chance = random.integer(1, 6);
        if (chance === 1) return this.#edit(workplace, list, plan);
        return chance <= 3 ? this.#runByWrongClock(clocks, list, plan) : plan.kill(list);
      },
      /** Now and then an older copy takes the store's place for a while. */
      between: async (list) => {
        await gateway.quiet();
        if (backup !== undefined && random.integer(1, 8) === 1) await this.#restore(workplace, list, backup);
      },
      after: async (batch, whole) => {
        await this.#exportTwice(workplace, batch, whole, random.fraction() * 600);
        if (backup !== undefined) rmSync(backup.folder, { recursive: true });
        backup = takeBackup(workplace);
      },
      [Symbol.asyncDispose]: async () => {
        const pages = gateway.pages.alone + gateway.pages.reached;
        this.#happened.gateway += pages;
        this.doubts += pages;
        await gateway[Symbol.asyncDispose]();
      },
    };
  }

  async #edit(workplace: Workplace, list: List, plan: KillPlan): Promise<Ended> {
    this.#happened.edit += 1;
    const ended = await editOnce(workplace, list, { ...plan, ...MAY_END_WITH });
    if (wasKilled(ended)) this.doubts += workplace.concurrency;
    if (ended.code === 2) this.#stopped.edit += 1;
    return ended;
  }

  async #runByWrongClock(clocks: Clocks, list: List, { random, windowMs, kill }: KillPlan): Promise<Ended> {
    this.#happened.clock += 1;
    const shift = { wallMs: random.pick(SHIFTS_MS) };
    const steps = random.integer(1, 2) === 1;
    clocks.set(steps ? {} : shift);
    const running = kill({ ...list, env: clocks.env }, MAY_END_WITH);
    if (steps) {
      await Promise.race([delay(random.fraction() * 2 * windowMs), running]);
      clocks.set(shift);
    }
    const ended = await running;
    if (ended.code === 2) this.#stopped.clock += 1;
    return ended;
  }

  /** An older copy spends nothing once it is known outside of the store that more was done since. */
  async #restore(workplace: Workplace, list: List, backup: Backup): Promise<void> {
    if (!isKnownToBeOlder(workplace, backup)) return;
    this.#happened.restore += 1;
    const { ended, requests } = await tryOnBackup(workplace, backup, list);
    const kept = ended.code === 2 && requests === 0;
    (kept ? this.#stopped : this.#broken).restore += 1;
  }

  /** An output is exported twice at once, and one of the two is killed. */
  async #exportTwice(workplace: Workplace, batch: string, whole: Buffer, killAfterMs: number): Promise<void> {
    this.#happened.export += 1;
    const broken = await exportTwice(workplace, {
      stores: ['store', 'store'],
      batch,
      output: 'both.csv',
      whole: [whole],
      kill: async (program) => {
        await Promise.race([delay(killAfterMs), program.ended]);
        await program.kill();
      },
    });
    if (Object.values(broken).some((times) => times > 0)) this.#broken.export += 1;
    rmSync(workplace.path('both.csv'), { force: true });
  }
}

/** One row in ten asks what an earlier row of the list asks, one in ten what the list before has asked. */
function domainsOfList(name: string, at: number, rows: number): readonly string[] {
  const own = domainsOf(`${name}${at}`, rows);
  const before = domainsOf(`${name}${Math.max(at - 1, 0)}`, rows);
  return own.map((domain, index) => {
    if (index % 10 === 7) return own[index - 5] ?? domain;
    return index % 10 === 9 ? (before[index - 1] ?? domain) : domain;
  });
}
