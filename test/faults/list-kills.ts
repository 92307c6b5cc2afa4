import { readFileSync } from 'node:fs';
import { foreignRows } from './edits.ts';
import {
  faultsOn,
  type KillDrive,
  killOnce,
  killsIn,
  killWhileWriting,
  type Lane,
  newTally,
  type Settings,
  type TableLine,
  wasKilled,
} from './kill-loop.ts';
import { MISHAPS, type Mishap, Mishaps, newMishapTally } from './mishaps.ts';
import type { Ended } from './program.ts';
import {
  ALL_SETTLED,
  type BrokenPromises,
  brokenPromises,
  doubtfulFaults,
  NONE_BROKEN,
  type Unsettled,
  unsettled,
} from './promises.ts';
import type { Way } from './ways.ts';
import { domainsOf, Workplace } from './workplace.ts';

/**
 * Lists are worked through one after another in one store, each killed until it ends by itself; then the vendor's book
 * is held against the ledger. Where the vendor honours idempotency keys, nothing may be in doubt then.
 */

/** Slow enough that most kills find requests on their way, fast enough that the next list comes. */
const LATENCY_MS = 40;
const WINDOW_MS = 350;
const CONCURRENCY = 4;

/** Then a new store is begun, because after each list all that is in it is checked. */
const LISTS_A_STORE = 20;

interface List {
  readonly input: string;
  readonly output: string;
}

interface Written {
  readonly batch: string;
  readonly output: Buffer;
  readonly hasDoubts: boolean;
}

export interface ListSettings extends Settings {
  readonly way: Way;
  /** Whether lists meet with other mishaps besides kills. */
  readonly mishaps: boolean;
}

export class ListKills implements KillDrive {
  readonly #settings: ListSettings;
  readonly #tally = newTally();
  readonly #broken: { -readonly [Promised in keyof BrokenPromises]: number } = { ...NONE_BROKEN };
  readonly #unsettled: { -readonly [Left in keyof Unsettled]: number } = { ...ALL_SETTLED };
  readonly #mishaps = newMishapTally();
  lists = 0;
  #foreignRows = 0;
  #inDoubt = 0;
  /** Answers that the vendor lost on purpose. */
  #faults = 0;

  constructor(settings: ListSettings) {
    this.#settings = settings;
  }

  get kills(): number {
    return killsIn(this.#tally);
  }

  get #isDone(): boolean {
    return this.kills >= this.#settings.kills;
  }

  get #isKeyed(): boolean {
    return this.#settings.way === 'keyed';
  }

  /** Fills one store after another. */
  async run(lane: Lane): Promise<void> {
    for (let store = 1; !this.#isDone; store += 1) {
      await using workplace = await Workplace.open({
        way: this.#settings.way,
        latencyMs: LATENCY_MS,
        faults: faultsOn(this.#settings.way),
        concurrency: CONCURRENCY,
        acceptsDoubts: true,
      });
      const storeLane = { ...lane, name: `${lane.name}-store-${store}` };
      if (!this.#settings.mishaps) {
        await this.#fillStore(workplace, storeLane);
        continue;
      }
      await using mishaps = await Mishaps.open(workplace, lane.random, this.#mishaps);
      await this.#fillStore(workplace, storeLane, mishaps);
    }
  }

  async #fillStore(workplace: Workplace, lane: Lane, mishaps?: Mishaps): Promise<void> {
    const lists: List[] = [];
    while (lists.length < LISTS_A_STORE && !this.#isDone) {
      const list = { input: `list-${lists.length}.csv`, output: `out-${lists.length}.csv` };
      workplace.writeList(domainsOfList(lane, lists.length, this.#settings.rows), list.input);
      await this.#workThrough(workplace, list, lane, mishaps);
      lists.push(list);
      this.lists += 1;
    }
    if (this.#isKeyed) add(this.#unsettled, await unsettled(workplace, lists));
    add(this.#broken, await brokenPromises(workplace, { lists }));
    this.#inDoubt += workplace.ledger().inDoubt;
    this.#faults += await doubtfulFaults(workplace);
  }

  /** The same command, killed and typed again until the list is done, and killed once more while it writes. */
  async #workThrough(workplace: Workplace, list: List, lane: Lane, mishaps?: Mishaps): Promise<void> {
    const plan = { random: lane.random, windowMs: WINDOW_MS };
    const run = (): Promise<Ended> =>
      mishaps?.run(list, plan, this.#tally) ?? killOnce(workplace, list, plan, this.#tally);
    while (!this.#isDone && goesOn(await run())) await mishaps?.between(list);
    const { batch, output, hasDoubts } = await outputOf(workplace, list);
    if (!this.#isDone) await killWhileWriting(workplace, list, plan, this.#tally);
    const again = await outputOf(workplace, list);
    // What is in doubt under a key may be settled by the next run.
    const mayDiffer = this.#isKeyed && hasDoubts;
    if (!mayDiffer && !output.equals(again.output)) {
      throw new Error(`${list.output} of ${lane.name} was not written the same a second time`);
    }
    this.#foreignRows += foreignRows(workplace, list.output);
    const { code, stdout } = await workplace.typeHere(['store', 'check', '--store', workplace.path('store')]);
    if (code !== 0) throw new Error(`the books do not add up after ${lane.name}: ${stdout}`);
    await mishaps?.after(batch, again.output);
  }

  /** A kill leaves no more in doubt than may be on its way at once. */
  get #doubtBound(): number {
    return CONCURRENCY * this.kills + this.#faults + this.#mishaps.doubts;
  }

  /** Doubts come from what a kill left open and from what the vendor lost, and from nowhere else. */
  isKept(): boolean {
    const { open, mostOpen } = this.#tally;
    const broken = [
      ...Object.values(this.#broken),
      ...Object.values(this.#mishaps.broken),
      this.#foreignRows,
    ];
    const none = broken.every((times) => times === 0);
    const explained =
      this.#inDoubt <= open + this.#faults + this.#mishaps.doubts && this.#inDoubt <= this.#doubtBound;
    const settled = Object.values(this.#unsettled).every((left) => left === 0);
    return none && explained && settled && mostOpen <= CONCURRENCY;
  }

  table(): readonly TableLine[] {
    const { landed, open, mostOpen } = this.#tally;
    const { before, during, after } = landed;
    const rows = this.lists * this.#settings.rows;
    const others = this.#faults + this.#mishaps.doubts;
    const bound = `${CONCURRENCY} × ${this.kills} + ${others} = ${this.#doubtBound}`;
    return [
      ['kills', `${this.kills} (before the work ${before}, in it ${during}, while writing ${after})`],
      ['lists', `${this.lists} with ${rows} rows, each brought to its end and written twice the same`],
      ['rows lost', this.#broken.rowsLost],
      ['calls charged twice', this.#broken.chargedTwice],
      ['rows with what was found for another', this.#foreignRows],
      ['requests without an intent', this.#broken.requestsWithoutIntent],
      ['calls on which the two books disagree', this.#broken.booksDisagree],
      ['calls in doubt', `${this.#inDoubt} of at most ${bound}`],
      ['  left open by kills', `${open}, at most ${mostOpen} by one (concurrency ${CONCURRENCY})`],
      ['  answers lost by the vendor', this.#faults],
      ...(this.#settings.mishaps ? MISHAPS.map((mishap) => this.#mishapLine(mishap)) : []),
      ...(this.#isKeyed ? this.#settledLines() : []),
    ];
  }

  #mishapLine(mishap: Mishap): TableLine {
    const { happened, stopped, broken } = this.#mishaps;
    const noticed = mishap === 'gateway' || mishap === 'export' ? '' : `, stopped with 2: ${stopped[mishap]}`;
    return [MISHAP_WORDS[mishap], `${happened[mishap]}${noticed}, promises broken: ${broken[mishap]}`];
  }

  #settledLines(): readonly TableLine[] {
    return [
      ['rows not matched', this.#unsettled.rowsNotMatched],
      ['credits in doubt', this.#unsettled.creditsInDoubt],
      ['credits spent, not as charged', this.#unsettled.creditsNotAsCharged],
    ];
  }
}

const MISHAP_WORDS: Readonly<Record<Mishap, string>> = {
  edit: 'lists edited under a run, and put back',
  clock: 'runs by a wrong clock',
  restore: 'runs over an old copy of the store',
  export: 'two exports at once, one killed',
  gateway: "pages of a proxy in the vendor's place",
};

/** A kill, and a stop that a mishap explains. */
function goesOn(ended: Ended): boolean {
  return wasKilled(ended) || ended.code === 2;
}

/** One row in ten asks what an earlier row of the list asks, one in ten what the list before has asked. */
function domainsOfList({ name }: Lane, number: number, rows: number): readonly string[] {
  const own = domainsOf(`${name}-list-${number}`, rows);
  const before = domainsOf(`${name}-list-${Math.max(number - 1, 0)}`, rows);
  return own.map((domain, index) => {
    if (index % 10 === 7) return own[index - 5] ?? domain;
    return index % 10 === 9 ? (before[index - 1] ?? domain) : domain;
  });
}

/** Brings the list to its end, undisturbed. */
async function outputOf(workplace: Workplace, list: List): Promise<Written> {
  const { code, stderr, report } = await workplace.run(list);
  if (code !== 0 && code !== 3) throw new Error(`${list.input} ended with ${code}: ${stderr}`);
  const hasDoubts = (report?.counts.in_doubt ?? 0) > 0;
  return { batch: report?.batch ?? 'last', output: readFileSync(workplace.path(list.output)), hasDoubts };
}

function add<Counts extends Record<string, number>>(sums: Counts, counts: Readonly<Counts>): void {
  for (const name of Object.keys(counts) as (keyof Counts)[]) {
    (sums[name] as number) += counts[name] ?? 0;
  }
}
