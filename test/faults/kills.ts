import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../src/sandbox/random.ts';
import type { Ended, Program } from './program.ts';
import type { Order, Workplace } from './workplace.ts';

/** `kill -9` at random moments, over and over, with the same command typed again after each, until it ends by itself. */

/** Stores, each with a vendor of its own, that are worked on side by side with others. */
export interface Lane {
  readonly name: string;
  readonly random: Random;
}

/** A store and its vendor, in which lists are worked through one after another. */
export interface Stage extends AsyncDisposable {
  readonly place: Workplace;
  /** Grows with every request to a vendor. Left out: there is no vendor but that of the place. */
  loggedBytes?(): number;
  /** Writes the next list. @returns the order that runs it to its end. */
  write(at: number): Promise<Order>;
  /** The command once more. */
  run(order: Order, kill: Kill): Promise<Ended>;
  /** What stands when the list has come to its end. */
  judge(order: Order): Promise<void>;
  /** What stands in the store in the end. */
  close(): Promise<void>;
}

/** Types the command and kills it, unless it ends before, or there are no kills left. */
export type Kill = (order: Order) => Promise<Ended>;

/** A vendor that never refuses, and loses 4 answers in 100, half of them after it has charged for them, and is slow or full besides. */
export const LOSSY_UNREFUSING = [
  'reset:0.01,charged-reset:0.01,500:0.005,charged-500:0.005,truncate:0.005,charged-truncate:0.005',
  '429:0.005,limited-200:0.005,limited-429:0.005,busy-503:0.005,slow:0.01',
].join(',');

/** Slow enough that most kills find requests on their way, fast enough that the next list comes. */
export const UNHURRIED = { latencyMs: 40, concurrency: 4 };

/** As long as a process takes to start, to recover, and to be in the midst of its work. */
const [START_MS, RECOVERY_MS, WORKING_MS] = [400, 50, 350];

/** Said when everything is read and the spending is about to begin. */
const WORK_BEGINS = /^Batch /m;

/** What a drive has seen. */
export class Tally {
  /** Kills while the program started or recovered, and while it worked. */
  readonly kills = { before: 0, during: 0 };
  /** Calls that are in doubt, and what may have left them so: kills, at most so many each, and the vendor. */
  readonly doubts = { found: 0, open: 0, mostOpen: 0, lost: 0 };
  lists = 0;
  readonly #mostKills: number;
  readonly #slots: number;
  readonly #seen = new Map<string, number | string>();
  readonly #broken = new Map<string, number>();

  /** @param slots those of all accounts: no kill leaves more in doubt. */
  constructor(mostKills: number, slots = UNHURRIED.concurrency) {
    this.#mostKills = mostKills;
    this.#slots = slots;
  }

  get killed(): number {
    return this.kills.before + this.kills.during;
  }

  get isDone(): boolean {
    return this.killed >= this.#mostKills;
  }

  /** Numbers add up. */
  see(what: string, value: number | string): void {
    const before = this.#seen.get(what);
    this.#seen.set(what, typeof value === 'number' && typeof before === 'number' ? before + value : value);
  }

  /** What a promise forbids, by its name, and how often it was met. */
  forbid(counts: Readonly<Record<string, number>>): void {
    for (const [what, times] of Object.entries(counts))
      this.#broken.set(what, (this.#broken.get(what) ?? 0) + times);
  }

  /** Doubts come from what a kill left open and from what the vendor lost, and from nowhere else. */
  get isKept(): boolean {
    const { found, open, mostOpen, lost } = this.doubts;
    const none = [...this.#broken.values()].every((times) => times === 0);
    return none && found <= open + lost && mostOpen <= this.#slots;
  }

  table(): readonly (readonly [string, string | number])[] {
    const { before, during } = this.kills;
    const { found, open, mostOpen, lost } = this.doubts;
    const doubts = `${found} of at most ${open} left open by kills (${mostOpen} by one), ${lost} lost by the vendor`;
    return [
      ['kills', `${this.killed} (before the work ${before}, in it ${during})`],
      ['lists', this.lists],
      ...this.#broken,
      ['in doubt', doubts],
      ...this.#seen,
    ];
  }
}

/** Fills one store after another until enough was killed; the last list is always brought to its end. */
export async function drive(
  open: (lane: Lane) => Promise<Stage>,
  listsAStore: number,
  lane: Lane,
  tally: Tally,
): Promise<void> {
  for (let store = 1; !tally.isDone; store += 1) {
    await using stage = await open({ ...lane, name: `${lane.name}-store-${store}` });
    const kill: Kill = (order) => killOnce(stage, order, lane, tally);
    for (let at = 0; at < listsAStore && !tally.isDone; at += 1) {
      const order = await stage.write(at);
      while (goesOn(await stage.run(order, kill)));
      await stage.judge(order);
      tally.lists += 1;
    }
    await stage.close();
  }
}

/** A kill, and a stop that is mended, such as one by a budget. */
const goesOn = ({ code, signal }: Ended): boolean => signal === 'SIGKILL' || !ENDS.includes(code ?? 1);

/** All rows have ended, and some may need attention. */
const ENDS = [0, 3];

async function killOnce(stage: Stage, order: Order, { random }: Lane, tally: Tally): Promise<Ended> {
  const { place } = stage;
  const loggedBytes = (): number => stage.loggedBytes?.() ?? place.vendor.loggedBytes;
  const [openBefore, bytesBefore] = [place.ledger().unanswered, loggedBytes()];
  const program = place.start(order);
  if (!tally.isDone) {
    await randomMoment(loggedBytes, program, random);
    await program.kill();
  }
  const { stops = order.budget === undefined ? [] : [4] } = order;
  const ended = requireCode(await program.ended, [...ENDS, ...stops]);
  if (ended.signal === null) return ended;
  const open = place.ledger().unanswered;
  // A run that was killed before it had recovered leaves those of the run before it.
  const left = open.filter((attempt) => !openBefore.includes(attempt)).length;
  tally.kills[left > 0 || loggedBytes() > bytesBefore ? 'during' : 'before'] += 1;
  tally.doubts.open += left;
  tally.doubts.mostOpen = Math.max(tally.doubts.mostOpen, open.length);
  return ended;
}

export function requireCode(ended: Ended, mayEndWith: readonly number[]): Ended {
  if (ended.code === null || mayEndWith.includes(ended.code)) return ended;
  throw new Error(`the run ended with ${ended.code}: ${ended.stderr}`);
}

/** One in six anywhere in the start, one in six in the recovery, the others while requests are on their way. */
async function randomMoment(loggedBytes: () => number, program: Program, random: Random): Promise<void> {
  const before = loggedBytes();
  switch (random.integer(1, 6)) {
    case 1:
      return shortWait(program, random.fraction() * START_MS);
    case 2:
      await program.said(WORK_BEGINS);
      return shortWait(program, random.fraction() * RECOVERY_MS);
    default:
      await program.until(() => loggedBytes() > before);
      return shortWait(program, random.fraction() * WORKING_MS);
  }
}

async function shortWait(program: Program, durationMs: number): Promise<void> {
  await Promise.race([delay(durationMs), program.ended]);
}
