import type { Clock } from '../core/clock.ts';
import { invariant, type StopError, stop } from '../core/errors.ts';
import type { Db } from './db.ts';
import { LONGEST_SPREAD_MS } from './limits-sql.ts';

/**
 * What many workers share of an account's limits. They stand in one line: each takes a few places at once, and each place has a time at
 * which its request is due. A request is due no earlier than a window after the one N before it was at the vendor at the latest, so no
 * stretch of the window's length has more than N, whoever sends. How late one came is told by its worker with the next places that it
 * takes: how late it left, and how much longer its answer took than the fastest one. Of what nobody tells the latest time counts at
 * which it would still have left. A worker that dies loses the places that it has taken.
 *
 * Times in the line are by the database's clock. Where that is set back by more than two minutes, the line begins anew.
 */
export interface Window {
  readonly requests: number;
  readonly windowMs: number;
}

/** So much of a window the line may make up for: what a late request pushes back, and places that were missed, would else be lost. */
const madeUpMs = (windowMs: number): number => Math.min(windowMs * 0.2, 500);

/** Who would leave later than that lets the place go, because all places a window later would be pushed back by it. */
const missedAfterMs = (shortestMs: number): number => Math.min(Math.max(shortestMs * 0.015, 5), 250);

/** How far ahead places are taken: while its intent is committed a request is not due yet. */
const aheadOf = (shortestMs: number): number => Math.min(shortestMs * 0.15, 500);

/** How late a request may come after it has left, as long as its answer has not told; and beyond what its answer tells. */
const UNSURE_MS = 20;
const SURE_MS = 5;

const TAKE = 'SELECT * FROM take_places(?, ?, ?, ?, ?, ?, CAST(? AS JSON))';

interface Taken {
  readonly place: number;
  readonly places: number;
  readonly due_us: number;
  readonly now_us: number;
  /** The windows by which others go. */
  readonly other: string | null;
}

interface Place {
  readonly block: Block;
  readonly dueUs: number;
  /** When its request left, by our clock, and how long its answer took. */
  leftMs: number;
  tookMs: number;
  use: 'open' | 'left' | 'answered' | 'none';
}

/** Places that were taken together. */
interface Block {
  readonly first: number;
  readonly places: Place[];
  /** Whether more is known of it than was told. */
  isNews: boolean;
}

/** A request that stands in the line. */
export interface Turn {
  /** Resolves when it may leave, which it then does at once. Where its time was missed meanwhile it gets another place. */
  untilDue(): Promise<void>;
  left(): void;
  answered(): void;
  /** It will not leave. */
  giveBack(): void;
}

export class Line {
  readonly #db: Pick<Db, 'rows'>;
  readonly #account: number;
  readonly #clock: Clock;
  readonly #windows: string;
  readonly #stepUs: number;
  readonly #longestMs: number;
  readonly #missedMs: number;
  readonly #aheadMs: number;
  readonly #answers: Answers;
  readonly #waiting: PromiseWithResolvers<Place>[] = [];
  #blocks: Block[] = [];
  #free: Place[] = [];
  #isServing = false;
  /** What it sends, on average. */
  #perMs = 0;
  #lastMs = 0;
  /** Our clock less that of the database, by the answer that came fastest. */
  #differenceMs = Number.POSITIVE_INFINITY;
  #heardMs = 0;

  /** @param windows of the account's plan, at least one of them of a minute or less. */
  constructor(db: Pick<Db, 'rows'>, account: number, windows: readonly Window[], clock: Clock) {
    this.#db = db;
    this.#account = account;
    this.#clock = clock;
    this.#windows = JSON.stringify(
      windows.map(({ requests, windowMs: ms }) => ({ requests, us: ms * 1000 })),
    );
    const spread = windows.filter(({ windowMs }) => windowMs <= LONGEST_SPREAD_MS);
    const [shortest] = spread.toSorted((a, b) => a.windowMs - b.windowMs);
    invariant(shortest !== undefined, 'a plan that tells no pace has no line');
    const { requests, windowMs } = shortest;
    this.#stepUs = Math.ceil(((windowMs - madeUpMs(windowMs)) * 1000) / requests);
    this.#longestMs = Math.max(...spread.map((each) => each.windowMs));
    this.#missedMs = missedAfterMs(windowMs);
    this.#aheadMs = aheadOf(windowMs);
    this.#answers = new Answers(windowMs * AFFORDABLE);
  }

  /** Resolves when a place was taken, which is some time before it is due. */
  async turn(): Promise<Turn> {
    let place = await this.#place();
    return {
      untilDue: async () => {
        for (;;) {
          const lateMs = this.#clock.monotonicMs() - this.#dueMs(place);
          if (lateMs > this.#missedMs) {
            this.#tell(place, 'none');
            place = await this.#place();
          } else if (lateMs >= 0) return;
          else await this.#clock.sleep(-lateMs);
        }
      },
      left: () => {
        place.leftMs = this.#clock.monotonicMs();
        this.#pace(place.leftMs);
        this.#tell(place, 'left');
      },
      answered: () => {
        if (place.use !== 'left') return;
        place.tookMs = this.#clock.monotonicMs() - place.leftMs;
        this.#tell(place, 'answered');
        if (this.#answers.isFastest(place.tookMs)) this.#knowsBetter();
      },
      giveBack: () => {
        this.#free.unshift(place);
        void this.#serve();
      },
    };
  }

  #place(): Promise<Place> {
    const waiter = Promise.withResolvers<Place>();
    this.#waiting.push(waiter);
    void this.#serve();
    return waiter.promise;
  }

  #tell(place: Place, use: Place['use']): void {
    place.use = use;
    place.block.isNews = true;
  }

  /** Gives places in their order to who waits in theirs. */
  async #serve(): Promise<void> {
    if (this.#isServing) return;
    this.#isServing = true;
    try {
      while (this.#waiting.length > 0) {
        const place = this.#next();
        if (place === undefined) await this.#take();
        else this.#waiting.shift()?.resolve(place);
      }
    } catch (error) {
      for (const waiter of this.#waiting.splice(0)) waiter.reject(error);
    } finally {
      this.#isServing = false;
    }
  }

  #next(): Place | undefined {
    for (let place = this.#free.shift(); place !== undefined; place = this.#free.shift()) {
      if (this.#clock.monotonicMs() - this.#dueMs(place) <= this.#missedMs) return place;
      this.#tell(place, 'none');
    }
    return undefined;
  }

  /** Takes as many as wait, or as it sends until the first of them is due; or waits until some may be taken. */
  async #take(): Promise<void> {
    const wanted = Math.max(this.#waiting.length, Math.ceil((this.#perMs * this.#aheadMs) / 2));
    const news = this.#blocks.filter(({ isNews }) => isNews);
    for (const block of news) block.isNews = false;
    const latest = Math.ceil((this.#missedMs + UNSURE_MS) * 1000);
    const told = news.map(({ first, places }) => ({
      place: first,
      late: Math.ceil(Math.max(...places.map((place) => this.#latestMs(place))) * 1000),
      sent: places.filter(({ use }) => use !== 'none').length,
    }));
    const said = [this.#account, wanted, this.#windows, this.#stepUs, this.#aheadMs * 1000, latest];
    const [taken] = await this.#db.rows<Taken>(TAKE, [...said, JSON.stringify(told)]).catch((error) => {
      for (const block of news) block.isNews = true;
      throw error;
    });
    invariant(taken !== undefined, 'the line answers');
    if (taken.other !== null) throw differing(this.#windows, taken.other);
    this.#heard(taken.now_us);
    this.#blocks = this.#blocks.filter((block) => this.#isOpen(block));
    if (taken.places === 0)
      return this.#clock.sleep(Math.max((taken.due_us - taken.now_us) / 1000 - this.#aheadMs, 1));
    const block: Block = { first: taken.place, places: [], isNews: false };
    for (let at = 0; at < taken.places; at += 1) {
      const dueUs = taken.due_us + at * this.#stepUs;
      block.places.push({ block, dueUs, leftMs: 0, tookMs: 0, use: 'open' });
    }
    this.#blocks.push(block);
    this.#free.push(...block.places);
  }

  #dueMs({ dueUs }: Place): number {
    return dueUs / 1000 + this.#differenceMs;
  }

  /** How late a request came at most, or may still come. */
  #latestMs(place: Place): number {
    const { use, leftMs, tookMs } = place;
    if (use === 'none') return 0;
    if (use === 'open') return this.#missedMs + UNSURE_MS;
    const laterMs = use === 'answered' ? this.#answers.laterMs(tookMs) : UNSURE_MS;
    return Math.max(leftMs - this.#dueMs(place), 0) + laterMs;
  }

  /** Whether the line may still go by it. */
  #isOpen({ isNews, places: [first] }: Block): boolean {
    return isNews || (first && this.#dueMs(first) > this.#clock.monotonicMs() - 2 * this.#longestMs) === true;
  }

  /** Clocks drift apart by less than `DRIFT`; the database's was set back where the difference is far larger. */
  #heard(nowUs: number): void {
    const nowMs = this.#clock.monotonicMs();
    const [beforeMs, differenceMs] = [this.#differenceMs, nowMs - nowUs / 1000];
    const isSetBack = differenceMs - beforeMs > SET_BACK_MS;
    const driftedMs = beforeMs + (nowMs - this.#heardMs) * DRIFT;
    this.#differenceMs = isSetBack ? differenceMs : Math.min(driftedMs, differenceMs);
    this.#heardMs = nowMs;
    if (differenceMs < beforeMs - 1) this.#knowsBetter();
  }

  /** What has left before was later than it seemed. */
  #knowsBetter(): void {
    for (const block of this.#blocks) block.isNews = true;
  }

  /** The average of about a second. */
  #pace(nowMs: number): void {
    const sinceMs = Math.min(nowMs - this.#lastMs, 1_000);
    this.#lastMs = nowMs;
    this.#perMs = this.#perMs * Math.exp(-sinceMs / 1_000) + 0.001;
  }
}

const DRIFT = 0.0005;
const SET_BACK_MS = 5_000;

/** So much of a window may be given up on average for what answers tell. */
const AFFORDABLE = 0.02;

/** How much later than others a request came at most, by how much longer its answer took than the fastest one. */
class Answers {
  #fastestMs = Number.POSITIVE_INFINITY;
  #meanMs = 0;
  readonly #affordableMs: number;

  constructor(affordableMs: number) {
    this.#affordableMs = affordableMs;
  }

  isFastest(tookMs: number): boolean {
    const isFastest = tookMs < this.#fastestMs - 1;
    this.#fastestMs = Math.min(tookMs, this.#fastestMs * FORGETS);
    this.#meanMs += (tookMs - this.#fastestMs - this.#meanMs) * WEIGHT;
    return isFastest;
  }

  /** Where a vendor's answers take now this long and now that, they say nothing. */
  laterMs(tookMs: number): number {
    return this.#meanMs > this.#affordableMs ? UNSURE_MS : tookMs - this.#fastestMs + SURE_MS;
  }
}

const WEIGHT = 0.01;
/** A vendor that has become slower is known as that after some thousand answers. */
const FORGETS = 1.000_02;

const inWords = (windows: string): string =>
  (JSON.parse(windows) as { requests: number; us: number }[])
    .map(({ requests, us }) => `${requests} requests in ${us / 1000} ms`)
    .join(' and ');

const differing = (ours: string, theirs: string): StopError =>
  stop(
    'account',
    `The accounts file here allows ${inWords(ours)}; that of another process, which is at work, ${inWords(theirs)}.`,
    'Write the same limits into both files, then run the same command again.',
  );
