import {
  type KillDrive,
  killOnce,
  killsIn,
  type Lane,
  LOSSY,
  newTally,
  type Settings,
  type TableLine,
  wasKilled,
} from './kill-loop.ts';
import type { Ended } from './program.ts';
import { type BrokenPromises, brokenPromises, chargedForAnswers, NONE_BROKEN } from './promises.ts';
import { type Order, Workplace } from './workplace.ts';

/**
 * Lists whose budget, and whose account's budget for a day, are below what they cost. They are killed on the way to
 * it. When a budget stops a run, it is raised a little and the same command is typed again, until the list is done.
 * After every run the vendor's book is held against both budgets, and at the end against what the ledger says was
 * spent. A person costs 1 or 2 credits by chance; the vendor's answers say which.
 */

const LATENCY_MS = 30;
const WINDOW_MS = 250;
const CONCURRENCY = 4;

/** By how much a budget is raised: small, so that it is reached again and again. */
const BATCH_STEP = 40;
const DAY_STEP = 55;

const LISTS_A_STORE = 4;

/** The dialect that knows where the vendor says what an answer cost. */
const TOLD_PRICE = { vendor: 'provider', credits_charged: { header: 'x-credits-charged' } };

interface Budgets {
  batch: number;
  day: number;
}

export class BudgetKills implements KillDrive {
  readonly #settings: Settings;
  readonly #tally = newTally();
  readonly #broken: { -readonly [Promised in keyof BrokenPromises]: number } = { ...NONE_BROKEN };
  lists = 0;
  /** Looks at the vendor's book, and how often it was above a budget. */
  #looks = 0;
  #overBatch = 0;
  #overDay = 0;
  #raisedBatch = 0;
  #raisedDay = 0;
  #charged = 0;
  /** Credits by which what the ledger calls spent differs from what the vendor charged for the same calls. */
  #difference = 0;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  get kills(): number {
    return killsIn(this.#tally);
  }

  async run(lane: Lane): Promise<void> {
    for (let store = 1; this.kills < this.#settings.kills; store += 1) {
      await using workplace = await Workplace.open({
        latencyMs: LATENCY_MS,
        faults: LOSSY,
        concurrency: CONCURRENCY,
        acceptsDoubts: true,
      });
      workplace.writeDialect(TOLD_PRICE);
      await this.#fillStore(workplace, { ...lane, name: `${lane.name}-store-${store}` });
    }
  }

  async #fillStore(workplace: Workplace, lane: Lane): Promise<void> {
    const budgets = { batch: BATCH_STEP, day: DAY_STEP };
    const lists: Order[] = [];
    for (let number = 0; number < LISTS_A_STORE && this.kills < this.#settings.kills; number += 1) {
      const name = `${lane.name}-list-${number}`;
      const list = { input: `list-${number}.csv`, output: `out-${number}.csv`, job: 'enrich-person' };
      workplace.writePeople(peopleOf(name, this.#settings.rows), list.input);
      budgets.batch = BATCH_STEP;
      await this.#workThrough(workplace, list, { ...lane, name }, budgets);
      lists.push(list);
      this.lists += 1;
    }
    const broken = await brokenPromises(workplace, { lists });
    for (const promised of Object.keys(broken) as (keyof BrokenPromises)[]) {
      this.#broken[promised] += broken[promised];
    }
    const ledger = workplace.ledger();
    this.#charged += (await workplace.vendor.book()).credits;
    this.#difference += Math.abs(ledger.spent - chargedForAnswers(workplace, ledger.calls));
  }

  async #workThrough(workplace: Workplace, list: Order, lane: Lane, budgets: Budgets): Promise<void> {
    const plan = { random: lane.random, windowMs: WINDOW_MS, mayEndWith: [0, 3, 4] };
    for (let ended: Ended | undefined; ended?.code !== 0 && ended?.code !== 3; ) {
      workplace.writeAccount(workplace.vendor.url, {
        dialect: 'dialect.yaml',
        budget: { per_day: budgets.day },
      });
      const order = { ...list, budget: budgets.batch };
      const enough = this.kills >= this.#settings.kills;
      ended = enough ? await workplace.run(order) : await killOnce(workplace, order, plan, this.#tally);
      this.#look(workplace, lane.name, budgets);
      if (!wasKilled(ended)) this.#raise(ended, budgets);
    }
  }

  /** What the vendor charged, by its own log, against what was allowed when it did. */
  #look(workplace: Workplace, name: string, budgets: Budgets): void {
    const today = new Date().toISOString().slice(0, 10);
    const requests = workplace.vendor.requests();
    const ofList = requests.filter(({ body }) => body.email?.endsWith(`@${name}.example`));
    this.#looks += 1;
    if (creditsOf(ofList) > budgets.batch) this.#overBatch += 1;
    if (creditsOf(requests.filter(({ at }) => at.startsWith(today))) > budgets.day) this.#overDay += 1;
  }

  #raise({ code, report, stderr }: Ended, budgets: Budgets): void {
    switch (report?.stopped?.code) {
      case 'budget':
        budgets.batch += BATCH_STEP;
        this.#raisedBatch += 1;
        return;
      case 'account_budget':
        budgets.day += DAY_STEP;
        this.#raisedDay += 1;
        return;
      case undefined:
        return;
      default:
        throw new Error(`the run ended with ${code}: ${stderr}`);
    }
  }

  isKept(): boolean {
    const none = Object.values(this.#broken).every((times) => times === 0);
    return none && this.#overBatch === 0 && this.#overDay === 0 && this.#difference === 0;
  }

  table(): readonly TableLine[] {
    const { before, during } = this.#tally.landed;
    const raised = `${this.#raisedBatch} times, of the account's day ${this.#raisedDay} times`;
    return [
      ['kills', `${this.kills} (before the work ${before}, in it ${during})`],
      ['lists', `${this.lists} with ${this.lists * this.#settings.rows} rows, each brought to its end`],
      ['budget of a list raised', raised],
      ['looks at the book of the vendor', this.#looks],
      ['  above the budget of the list', this.#overBatch],
      ["  above the budget of the account's day", this.#overDay],
      ['credits charged by the vendor', this.#charged],
      ['  not as the ledger has them spent', this.#difference],
      ['rows lost', this.#broken.rowsLost],
      ['calls charged twice', this.#broken.chargedTwice],
      ['requests without an intent', this.#broken.requestsWithoutIntent],
      ['calls on which the two books disagree', this.#broken.booksDisagree],
    ];
  }
}

/** E-mail addresses that say which list they are of. */
function peopleOf(name: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `person-${index + 1}@${name}.example`);
}

function creditsOf(requests: readonly { readonly credits: number }[]): number {
  return requests.reduce((total, { credits }) => total + credits, 0);
}
