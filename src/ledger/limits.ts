import type { Clock } from '../core/clock.ts';
import { invariant, type StopError, stop } from '../core/errors.ts';
import type { Db } from './db.ts';
import type { AccountLine, SharedWindow, Turn } from './ledger.ts';
import { LONGEST_SPREAD_MS } from './limits-sql.ts';

/**
 * What many workers share of an account's limits. They stand in one line: each takes a few places at once, and each place has a time at
 * which its request is due. A request is due no earlier than a window after the one N before it was at the vendor at the latest, so no
 * stretch of the window's length has more than N, whoever sends. How late one came is told by its worker with the next places that it
 * takes: how late it left, and how much longer its answer took than the fastest one. Of what nobody tells the latest time counts at
 * which it would still have left. A worker that dies loses the places that it has taken, and one that cannot ask has none.
 *
 * Times in the line are by the database's clock. Where that is set back by more than two minutes, the line begins anew.
 */

/** So much of a window the line may make up for: what a late request pushes back, and places that were missed, would else be lost. */
const madeUpMs = (windowMs: number): number => Math.min(windowMs * 0.2, 500);

/** Who would leave later than that lets the place go, because all places a window later would be pushed back by it. */
const missedAfterMs = (shortestMs: number): number => Math.min(Math.max(shortestMs * 0.015, 5), 250);

/** How far ahead places are taken: while its intent is committed a request is not due yet. */
const aheadOf = (shortestMs: number): number => Math.min(shortestMs * 0.15, 500);

/** How late a request may come after it has left, as long as its answer has not told; and beyond what its answer tells. */
const UNSURE_MS = 20;
const SURE_MS = 5;

/**
 * A request whose connection is opened first leaves later than it was to. That is told at once, in time for the places a window later.
 * After half a window, or this time where that is longer, it does not leave any more.
 */
const LATEST_TO_LEAVE_MS = 1_000;

/** Where the vendor refuses although so much of a window was given up, it counts by another limit. */
const LARGEST_MARGIN = 0.05;

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

/** Of a quota of an hour or a day alone nothing is spread. */
const UNSPREAD = { stepUs: 10, windowMs: 60_000 };

/** What others give back is heard of within this time. */
const LOOK_EVERY_MS = 1_000;

export class Line implements AccountLine {
  readonly #db: Pick<Db, 'rows'>;
  readonly #account: number;
  readonly #clock: Clock;
  readonly #windows: string;
  readonly #stepUs: number;
  readonly #longestMs: number;
  readonly #missedMs: number;
  readonly #aheadMs: number;
  readonly #latestToLeaveMs: number;
  readonly #largestMarginMs: number;
  readonly #answers: Answers;
  readonly #closing = new AbortController();
  readonly #waiting: PromiseWithResolvers<Place>[] = [];
  #blocks: Block[] = [];
  #free: Place[] = [];
  #isServing = false;
  /** More than the line expects is known of a request, which it has to hear before it gives the places a window later. */
  #hasUrgentNews = false;
  /** Until when there is no place, by our clock. */
  #noneUntilMs = Number.NEGATIVE_INFINITY;
  /** By so much more than it seems a request may come late. */
  #marginMs = 0;
  /** What it sends, on average. */
  #perMs = 0;
  #lastMs = 0;
  /** Our clock less that of the database, by the answer that came fastest. */
  #differenceMs = Number.POSITIVE_INFINITY;
  #heardMs = 0;

  /** @param windows of the account's plan, at least one. */
  constructor(db: Pick<Db, 'rows'>, account: number, windows: readonly SharedWindow[], clock: Clock) {
    this.#db = db;
    this.#account = account;
    this.#clock = clock;
    this.#windows = JSON.stringify(
      windows.map(({ requests, windowMs: ms }) => ({ requests, us: ms * 1000 })),
    );
    const spread = windows.filter(({ windowMs }) => windowMs <= LONGEST_SPREAD_MS);
    const [shortest] = spread.toSorted((a, b) => a.windowMs - b.windowMs);
    const { windowMs } = shortest ?? UNSPREAD;
    this.#stepUs =
      shortest === undefined
        ? UNSPREAD.stepUs
        : Math.ceil(((windowMs - madeUpMs(windowMs)) * 1000) / shortest.requests);
    this.#longestMs = Math.max(windowMs, ...spread.map((each) => each.windowMs));
    this.#missedMs = missedAfterMs(windowMs);
    this.#aheadMs = aheadOf(windowMs);
    this.#latestToLeaveMs = Math.max(windowMs / 2, LATEST_TO_LEAVE_MS);
    this.#largestMarginMs = windowMs * LARGEST_MARGIN;
    this.#answers = new Answers(windowMs * AFFORDABLE);
  }

  /** Resolves when a place was taken, which is some time before it is due. */
  async turn(): Promise<Turn> {
    let place = await this.#place();
    const lateMs = (): number => this.#clock.monotonicMs() - this.#dueMs(place);
    return {
      untilDue: async (latestMs) => {
        for (;;) {
          const byMs = lateMs();
          if (byMs >= 0 && byMs <= this.#missedMs) return;
          if (byMs < 0) await this.#clock.sleep(Math.ceil(-byMs));
          else {
            this.#tell(place, 'none');
            const other = await this.#placeBefore(latestMs);
            if (other === undefined) return;
            place = other;
          }
        }
      },
      mayLeave: () => place.use === 'open' && lateMs() <= this.#latestToLeaveMs,
      left: () => {
        place.leftMs = this.#clock.monotonicMs();
        this.#pace(place.leftMs);
        this.#tell(place, 'left');
        if (lateMs() <= this.#missedMs + UNSURE_MS) return;
        this.#hasUrgentNews = true;
        void this.#serve();
      },
      answered: () => {
        if (place.use !== 'left') return;
        place.tookMs = this.#clock.monotonicMs() - place.leftMs;
        this.#tell(place, 'answered');
        if (this.#answers.isFastest(place.tookMs)) this.#knowsBetter();
      },
      giveBack: () => this.#giveBack(place),
    };
  }

  get waitMs(): number {
    return Math.max(this.#noneUntilMs - this.#clock.monotonicMs(), 0);
  }

  widen(): boolean {
    if (this.#marginMs >= this.#largestMarginMs) return false;
    this.#marginMs = Math.min(Math.max(this.#marginMs * 2, SURE_MS), this.#largestMarginMs);
    return true;
  }

  close(): void {
    this.#closing.abort();
  }

  #place(): Promise<Place> {
    const waiter = Promise.withResolvers<Place>();
    this.#waiting.push(waiter);
    void this.#serve();
    return waiter.promise;
  }

  /** For a request whose intent is committed, so it throws nothing: without a place the request does not leave. */
  async #placeBefore(latestMs: number): Promise<Place | undefined> {
    const over = new AbortController();
    const place = this.#place();
    const late = this.#clock.sleep(Math.max(latestMs - this.#clock.monotonicMs(), 0), over.signal);
    try {
      const first = await Promise.race([place, late]);
      if (first === undefined) place.then((unused) => this.#giveBack(unused)).catch(() => {});
      return first ?? undefined;
    } catch {
      return undefined;
    } finally {
      late.catch(() => {});
      over.abort();
    }
  }

  #giveBack(place: Place): void {
    if (place.use !== 'open' || this.#free.includes(place)) return;
    this.#free.unshift(place);
    void this.#serve();
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
      while (this.#waiting.length > 0 || this.#hasUrgentNews) {
        this.#closing.signal.throwIfAborted();
        const place = this.#hasUrgentNews ? undefined : this.#next();
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
    this.#hasUrgentNews = false;
    const waiting = this.#waiting.length;
    const wanted = waiting === 0 ? 0 : Math.max(waiting, Math.ceil((this.#perMs * this.#aheadMs) / 2));
    const news = this.#blocks.filter(({ isNews }) => isNews);
    for (const block of news) block.isNews = false;
    const latest = Math.ceil((this.#missedMs + UNSURE_MS + this.#marginMs) * 1000);
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
    if (wanted === 0) return;
    const inMs = (taken.due_us - taken.now_us) / 1000 - this.#aheadMs;
    this.#noneUntilMs = taken.places > 0 ? Number.NEGATIVE_INFINITY : this.#clock.monotonicMs() + inMs;
    if (taken.places === 0) {
      const lookMs = Math.min(Math.max(inMs, 1), LOOK_EVERY_MS);
      return this.#clock.sleep(lookMs, this.#closing.signal).catch(() => {});
    }
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
    if (use === 'open') return this.#missedMs + UNSURE_MS + this.#marginMs;
    const laterMs = use === 'answered' ? this.#answers.laterMs(tookMs) : UNSURE_MS;
    return Math.max(leftMs - this.#dueMs(place), 0) + laterMs + this.#marginMs;
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
