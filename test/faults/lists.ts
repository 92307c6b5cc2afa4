import { readFileSync } from 'node:fs';
import { Budgets } from './budgets.ts';
import { foreignRows } from './edits.ts';
import {
  add,
  type KillDrive,
  type KillPlan,
  killOnce,
  killsIn,
  killWhileWriting,
  type Lane,
  LOSSY,
  LOSSY_UNREFUSING,
  newTally,
  type Settings,
  type TableLine,
  wasKilled,
} from './kills.ts';
import { Mishaps } from './mishaps.ts';
import type { Ended } from './program.ts';
import {
  ALL_SETTLED,
  brokenPromises,
  chargedForAnswers,
  doubtfulFaults,
  NONE_BROKEN,
  unsettled,
} from './promises.ts';
import type { Way } from './ways.ts';
import { type Order, Workplace } from './workplace.ts';

/**
 * Lists are worked through one after another in one store, each killed until it ends by itself; then the vendor's book
 * is held against the ledger. Where the vendor honours idempotency keys, nothing may be in doubt then.
 */

/** What a world adds to kills, for all stores. */
export interface World {
  /** Makes a store and its account ready. */
  open(workplace: Workplace, lane: Lane): Promise<Visit>;
  readonly lines: () => readonly TableLine[];
  readonly isKept: () => boolean;
  /** Calls that it alone may have left in doubt. */
  readonly doubts: number;
}

/** A world while one store is in it. */
export interface Visit extends AsyncDisposable {
  /** Writes a list. @returns the order that runs it to its end. */
  writeList(name: string, at: number, rows: number): List;
  /** The command once more, killed unless it ends before. */
  run(list: List, plan: KillPlan): Promise<Ended>;
  /** Between two runs of a list. */
  between(list: List): Promise<void>;
  /** When a list has come to its end, with these bytes. */
  after(batch: string, output: Buffer): Promise<void>;
}

export type List = Order & Required<Pick<Order, 'input' | 'output'>>;

const WORLDS = { mishaps: () => new Mishaps(), budgets: () => new Budgets() } as const;

interface ListSettings extends Settings {
  readonly way: Way;
  readonly world: keyof typeof WORLDS;
}

/** Slow enough that most kills find requests on their way, fast enough that the next list comes. */
const LATENCY_MS = 40;
const WINDOW_MS = 350;
const CONCURRENCY = 4;

/** Then a new store is begun, because after each list all that is in it is checked. */
const LISTS_A_STORE = 20;

export class ListKills implements KillDrive {
  readonly #settings: ListSettings;
  readonly #tally = newTally();
  readonly #world: World;
  readonly #broken = { ...NONE_BROKEN };
  readonly #unsettled = { ...ALL_SETTLED };
  lists = 0;
  #foreignRows = 0;
  #inDoubt = 0;
  /** Answers that the vendor lost on purpose. */
  #faults = 0;
  #charged = 0;
  /** Credits by which what the ledger calls spent differs from what the vendor charged for the same calls. */
  #notAsCharged = 0;

  constructor(settings: ListSettings) {
    this.#settings = settings;
    this.#world = WORLDS[settings.world]();
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
        faults: this.#isKeyed ? LOSSY_UNREFUSING : LOSSY,
        concurrency: CONCURRENCY,
        acceptsDoubts: true,
      });
      await this.#fillStore(workplace, { ...lane, name: `${lane.name}-store-${store}` });
    }
  }

  async #fillStore(workplace: Workplace, lane: Lane): Promise<void> {
    await using visit = await this.#world.open(workplace, lane);
    const lists: List[] = [];
    while (lists.length < LISTS_A_STORE && !this.#isDone) {
      const list = visit.writeList(`${lane.name}-list-`, lists.length, this.#settings.rows);
      await this.#workThrough(workplace, list, lane, visit);
      lists.push(list);
      this.lists += 1;
    }
    if (this.#isKeyed) add(this.#unsettled, await unsettled(workplace, lists));
    add(this.#broken, await brokenPromises(workplace, { lists }));
    const { inDoubt, spent, calls } = workplace.ledger();
    this.#inDoubt += inDoubt;
    this.#notAsCharged += Math.abs(spent - chargedForAnswers(workplace, calls));
    this.#charged += (await workplace.vendor.book()).credits;
    this.#faults += await doubtfulFaults(workplace);
  }

  /** The same command, killed while there are kills left and typed again until the list is done, and killed once more while it writes. */
  async #workThrough(workplace: Workplace, list: List, { name, random }: Lane, visit: Visit): Promise<void> {
    const plan: KillPlan = {
      random,
      windowMs: WINDOW_MS,
      kill: (order, more) =>
        this.#isDone ? workplace.run(order) : killOnce(workplace, order, { ...plan, ...more }, this.#tally),
    };
    while (goesOn(await visit.run(list, plan))) await visit.between(list);
    const { batch, output, hasDoubts } = await outputOf(workplace, list);
    if (!this.#isDone) await killWhileWriting(workplace, list, plan, this.#tally);
    const again = await outputOf(workplace, list);
    // What is in doubt under a key may be settled by the next run.
    const mayDiffer = this.#isKeyed && hasDoubts;
    if (!mayDiffer && !output.equals(again.output))
      throw new Error(`${list.output} of ${name} was not written the same a second time`);
    this.#foreignRows += foreignRows(workplace, list.output);
    const { code, stdout } = await workplace.typeHere(['store', 'check', '--store', workplace.path('store')]);
    if (code !== 0) throw new Error(`the books do not add up after ${name}: ${stdout}`);
    await visit.after(batch, again.output);
  }

  /** A kill leaves no more in doubt than may be on its way at once. */
  get #doubtBound(): number {
    return CONCURRENCY * this.kills + this.#faults + this.#world.doubts;
  }

  /** Doubts come from what a kill left open and from what the vendor lost, and from nowhere else. */
  isKept(): boolean {
    const { open, mostOpen } = this.#tally;
    const counts = [...Object.values(this.#broken), ...Object.values(this.#unsettled)];
    const isExplained = this.#inDoubt <= Math.min(open + this.#faults + this.#world.doubts, this.#doubtBound);
    return (
      [...counts, this.#foreignRows, this.#notAsCharged].every((times) => times === 0) &&
      isExplained &&
      mostOpen <= CONCURRENCY &&
      this.#world.isKept()
    );
  }

  table(): readonly TableLine[] {
    const { landed, open, mostOpen } = this.#tally;
    const { before, during, after } = landed;
    const rows = this.lists * this.#settings.rows;
    const others = this.#faults + this.#world.doubts;
    const bound = `${CONCURRENCY} × ${this.kills} + ${others} = ${this.#doubtBound}`;
    return [
      ['way', this.#settings.way],
      ['kills', `${this.kills} (before the work ${before}, in it ${during}, while writing ${after})`],
      ['lists', `${this.lists} with ${rows} rows, each brought to its end and written twice the same`],
      ['rows lost', this.#broken.rowsLost],
      ['calls charged twice', this.#broken.chargedTwice],
      ['rows with what was found for another', this.#foreignRows],
      ['requests without an intent', this.#broken.requestsWithoutIntent],
      ['calls on which the two books disagree', this.#broken.booksDisagree],
      ['credits charged by the vendor', this.#charged],
      ['  not as the ledger has them spent', this.#notAsCharged],
      ['calls in doubt', `${this.#inDoubt} of at most ${bound}`],
      ['  left open by kills', `${open}, at most ${mostOpen} by one (concurrency ${CONCURRENCY})`],
      ['  answers lost by the vendor', this.#faults],
      ...this.#world.lines(),
      ...(this.#isKeyed ? Object.entries(this.#unsettled) : []),
    ];
  }
}

/** A kill, and a stop that a mishap or a budget explains. */
function goesOn(ended: Ended): boolean {
  return wasKilled(ended) || ended.code === 2 || ended.code === 4;
}

interface Written {
  readonly batch: string;
  readonly output: Buffer;
  readonly hasDoubts: boolean;
}

/** Brings the list to its end, undisturbed. */
async function outputOf(workplace: Workplace, list: List): Promise<Written> {
  const { code, stderr, report } = await workplace.run(list);
  if (code !== 0 && code !== 3) throw new Error(`${list.input} ended with ${code}: ${stderr}`);
  const hasDoubts = (report?.counts.in_doubt ?? 0) > 0;
  return { batch: report?.batch ?? 'last', output: readFileSync(workplace.path(list.output)), hasDoubts };
}
