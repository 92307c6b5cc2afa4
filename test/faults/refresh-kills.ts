import type { KillDrive, Lane, Settings, TableLine } from './kill-drive.ts';
import { killOnce, killsIn, LOSSY_UNREFUSING, newTally } from './kill-loop.ts';
import { type BrokenPromises, brokenPromises, NONE_BROKEN } from './promises.ts';
import type { LoggedRequest } from './vendor.ts';
import { domainsOf, type Order, Workplace } from './workplace.ts';

/**
 * A list is bought undisturbed, and then bought anew with `--refresh`, which is killed and typed again until it ends.
 * By the vendor's log no company may be charged more than once in either. What the refresh left in doubt is not bought
 * again: the older answer is used.
 */

const LATENCY_MS = 40;
const WINDOW_MS = 350;
const CONCURRENCY = 4;

const REFRESH: Order = { more: ['--refresh'] };

export class RefreshKills implements KillDrive {
  readonly #settings: Settings;
  readonly #tally = newTally();
  readonly #broken: { -readonly [Promised in keyof BrokenPromises]: number } = { ...NONE_BROKEN };
  lists = 0;
  #boughtAnew = 0;
  #rowsNotMatched = 0;
  /** Lists of which the vendor charged less than the ledger calls spent, or more than that and what is in doubt. */
  #wronglyBooked = 0;
  #requestsAfterTheEnd = 0;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  get kills(): number {
    return killsIn(this.#tally);
  }

  get #isDone(): boolean {
    return this.kills >= this.#settings.kills;
  }

  /** One list a store, so that what is in it was bought at two times and no more. */
  async run(lane: Lane): Promise<void> {
    for (let store = 1; !this.#isDone; store += 1) {
      await using workplace = await Workplace.open({
        way: this.#settings.way,
        latencyMs: LATENCY_MS,
        concurrency: CONCURRENCY,
        acceptsDoubts: true,
      });
      workplace.writeList(domainsOf(`${lane.name}-store-${store}`, this.#settings.rows));
      const refreshedFrom = await buyUndisturbed(workplace);
      await workplace.vendor.setFaults(LOSSY_UNREFUSING);
      await this.#refresh(workplace, lane);
      await this.#judge(workplace, refreshedFrom);
      this.lists += 1;
    }
  }

  async #refresh(workplace: Workplace, { random }: Lane): Promise<void> {
    const plan = { random, windowMs: WINDOW_MS };
    while (!hasRefreshed(workplace)) {
      if (this.#isDone) await endUndisturbed(workplace, REFRESH);
      else await killOnce(workplace, REFRESH, plan, this.#tally);
    }
  }

  async #judge(workplace: Workplace, refreshedFrom: number): Promise<void> {
    const { vendor } = workplace;
    const requests = vendor.requests();
    await vendor.setFaults();
    await endUndisturbed(workplace);
    this.#requestsAfterTheEnd += vendor.requests().length - requests.length;
    this.#rowsNotMatched += workplace.statuses().filter((status) => status !== 'matched').length;
    const anew = chargesOf(requests.slice(refreshedFrom));
    this.#boughtAnew += anew.length;
    const { credits } = await vendor.book();
    const { spent, atRisk } = workplace.ledger();
    if (credits < spent || credits > spent + atRisk) this.#wronglyBooked += 1;
    const broken = await brokenPromises(workplace);
    this.#broken.chargedTwice += repeatedIn(anew) + repeatedIn(chargesOf(requests.slice(0, refreshedFrom)));
    this.#broken.rowsLost += broken.rowsLost;
    this.#broken.requestsWithoutIntent += broken.requestsWithoutIntent;
    this.#broken.booksDisagree += broken.booksDisagree;
  }

  isKept(): boolean {
    const none = Object.values(this.#broken).every((times) => times === 0);
    const ended = this.#rowsNotMatched === 0 && this.#requestsAfterTheEnd === 0;
    return none && ended && this.#wronglyBooked === 0;
  }

  table(): readonly TableLine[] {
    const { before, during } = this.#tally.landed;
    const rows = this.lists * this.#settings.rows;
    return [
      ['kills', `${this.kills} (before the work ${before}, in it ${during})`],
      ['lists', `${this.lists} with ${rows} rows, each bought and then refreshed`],
      ['companies charged in the refresh', `${this.#boughtAnew} of ${rows}`],
      ['  more than once in the same buying', this.#broken.chargedTwice],
      ['requests when it was done', this.#requestsAfterTheEnd],
      ['lists not charged as booked', this.#wronglyBooked],
      ['rows lost', this.#broken.rowsLost],
      ['rows not matched', this.#rowsNotMatched],
      ['requests without an intent', this.#broken.requestsWithoutIntent],
      ['calls on which the two books disagree', this.#broken.booksDisagree],
    ];
  }
}

/** @returns how many requests that took: the refresh comes after them in the vendor's log. */
async function buyUndisturbed(workplace: Workplace): Promise<number> {
  await endUndisturbed(workplace);
  return workplace.vendor.requests().length;
}

async function endUndisturbed(workplace: Workplace, order: Order = {}): Promise<void> {
  const { code, stderr } = await workplace.run(order);
  if (code !== 0) throw new Error(`the run ended with ${code}: ${stderr}`);
}

/** By the ledger and not by how the command ended: typed again after a kill at the very end, it would begin anew. */
function hasRefreshed(workplace: Workplace): boolean {
  const [, refresh] = workplace.ledger().batches;
  return refresh?.state === 'finished';
}

/** The companies that these requests were charged for, one for each charge. */
function chargesOf(requests: readonly LoggedRequest[]): readonly string[] {
  return requests.filter(({ credits }) => credits > 0).map(({ body }) => body.domain ?? 'no domain');
}

function repeatedIn(charges: readonly string[]): number {
  return charges.length - new Set(charges).size;
}
