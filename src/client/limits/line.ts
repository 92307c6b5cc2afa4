import type { Clock } from '../../core/clock.ts';
import type { SharedWindow, TakePlaces } from '../../ledger/ledger.ts';
import { isSpread, LONGEST_SPREAD_MS } from './limits.ts';

/**
 * What many workers share of an account's limits. They stand in one line: each takes a few places at once,
 * and each place has a time at which its request is due. The limit allows N requests a window. So a request
 * is due one window after the request N places before it had reached the vendor at the latest. Then no
 * stretch of the window's length has more than N, however many workers send. When a worker takes its next
 * places, it tells how late its requests came. A request that no worker tells of counts as sent at the latest
 * time at which it could have left. A worker that dies loses the places that it has taken, and one that
 * cannot ask has none.
 *
 * Times in the line are by the database's clock. A time more than two minutes ahead of that clock says that
 * the clock was set back since.
 */

/** A quota of an hour or a day alone is not spread. */
const UNSPREAD = { stepUs: 10, windowMs: LONGEST_SPREAD_MS };

/**
 * So much of a window the line may make up for: what a late request pushes back, and places that were missed,
 * would else be lost.
 */
const madeUpMs = (windowMs: number): number => Math.min(windowMs * 0.2, 500);

/**
 * A request that would leave later than that lets its place go, because it would push back all places a
 * window later.
 */
const missedAfterMs = (windowMs: number): number => Math.min(Math.max(windowMs * 0.015, 5), 250);

/** How far ahead places are taken: while its intent is committed a request is not due yet. */
const aheadOf = (windowMs: number): number => Math.min(windowMs * 0.15, 500);

/**
 * How late a request may come after it has left, as long as its answer has not told; and beyond what that
 * tells.
 */
const unsureOf = (windowMs: number): number => Math.min(Math.max(windowMs * 0.02, 20), 500);
const SURE_MS = 5;

/** How late one that leaves in time may come. */
const latestOf = (windowMs: number): number => missedAfterMs(windowMs) + unsureOf(windowMs);

/**
 * A request whose connection is opened first leaves later than it was to. After half a window, or this time,
 * it does not leave any more.
 */
const LATEST_TO_LEAVE_MS = 1_000;

/** Where the vendor refuses although so much of a window was given up, it counts by another limit. */
const LARGEST_MARGIN = 0.05;

/**
 * What others give back is heard of within the one; the difference of two clocks is known by the fastest
 * answer of the other.
 */
const [LOOK_EVERY_MS, DIFFERENCE_HOLDS_MS] = [1_000, 10_000];

interface Place {
  readonly place: number;
  readonly dueUs: number;
  use: 'open' | 'left' | 'answered' | 'none';
  leftMs: number;
  /** How late its request came at most, or may still come. */
  lateMs: number;
}

export class Line {
  readonly #takePlaces: TakePlaces;
  readonly #clock: Clock;
  readonly #windows: readonly SharedWindow[];
  readonly #windowMs: number;
  readonly #stepUs: number;
  readonly #closing = new AbortController();
  readonly #waiting: PromiseWithResolvers<Place>[] = [];
  #free: Place[] = [];
  /** What the line has not heard of yet. */
  readonly #news = new Set<Place>();
  /**
   * One of it left later than the line expects, which it has to hear before it gives the places a window
   * later.
   */
  #isUrgent = false;
  #isServing = false;
  /** Until when there is no place, by our clock. */
  #noneUntilMs = Number.NEGATIVE_INFINITY;
  /** A request may come late by so much more than it seems. */
  #marginMs = 0;
  /** Our clock less that of the database, at most, and by how much less it may be. */
  #differenceMs = 0;
  #doubtMs = Number.POSITIVE_INFINITY;
  #heardMs = 0;
  /** The fastest answer, and how much longer others took on average. */
  #fastestMs = Number.POSITIVE_INFINITY;
  #laterMs = 0;
  /** What it sends, on average of about a second. */
  #perMs = 0;
  #lastMs = 0;

  /** @param windows of the account's plan, at least one. */
  constructor(takePlaces: TakePlaces, windows: readonly SharedWindow[], clock: Clock) {
    this.#takePlaces = takePlaces;
    this.#windows = windows;
    this.#clock = clock;
    const [shortest] = windows.filter(isSpread).toSorted((a, b) => a.windowMs - b.windowMs);
    const { windowMs } = shortest ?? UNSPREAD;
    this.#windowMs = windowMs;
    this.#stepUs =
      shortest === undefined
        ? UNSPREAD.stepUs
        : Math.ceil(((windowMs - madeUpMs(windowMs)) * 1000) / shortest.requests);
  }

  /**
   * Resolves when a place was taken, which is some time before it is due.
   * @throws StopError `store` when the database does not answer.
   */
  async turn() {
    let place = await this.#place();
    return {
      /**
       * Resolves when it may leave, which it then does at once, or at `latestMs`, monotonic. Where its time
       * was missed meanwhile it gets another place.
       */
      untilDue: async (latestMs: number): Promise<void> => {
        for (;;) {
          const lateMs = this.#lateMs(place);
          if (lateMs >= 0 && lateMs <= missedAfterMs(this.#windowMs)) return;
          if (lateMs < 0) await this.#clock.sleep(Math.ceil(-lateMs));
          else {
            this.#tell(place, 'none');
            const other = await this.#placeBefore(latestMs);
            if (other === undefined) return;
            place = other;
          }
        }
      },
      /** Whether it may leave in this very turn of the event loop. */
      mayLeave: (): boolean =>
        place.use === 'open' && this.#lateMs(place) <= Math.max(this.#windowMs / 2, LATEST_TO_LEAVE_MS),
      sent: (): void => this.#sent(place),
      answered: (): void => {
        if (place.use !== 'left') return;
        const tookMs = this.#clock.monotonicMs() - place.leftMs;
        // A vendor that has become slower is known as that after some thousand answers.
        this.#fastestMs = Math.min(tookMs, this.#fastestMs * 1.000_02);
        const laterMs = tookMs - this.#fastestMs;
        this.#laterMs += (laterMs - this.#laterMs) / 100;
        // Where a vendor's answers take now this long and now that, they say nothing.
        const unsureMs = unsureOf(this.#windowMs);
        if (this.#laterMs <= unsureMs) place.lateMs += laterMs + SURE_MS - unsureMs;
        this.#tell(place, 'answered');
      },
      /** Says nothing of a request that has left. */
      giveBack: (): void => this.#giveBack(place),
    };
  }

  /** How long there is no place as far as it is known. */
  get waitMs(): number {
    return Math.max(this.#noneUntilMs - this.#clock.monotonicMs(), 0);
  }

  /**
   * The vendor saw requests closer together than their places are.
   * @returns false when no margin helps any more.
   */
  widen(): boolean {
    const largestMs = this.#windowMs * LARGEST_MARGIN;
    if (this.#marginMs >= largestMs) return false;
    this.#marginMs = Math.min(Math.max(this.#marginMs * 2, unsureOf(this.#windowMs) / 4), largestMs);
    return true;
  }

  close(): void {
    this.#closing.abort();
  }

  // ------------------------------------------------------------------------------------------ who waits

  #place(): Promise<Place> {
    const waiter = Promise.withResolvers<Place>();
    this.#waiting.push(waiter);
    void this.#serve();
    return waiter.promise;
  }

  /**
   * For a request whose intent is committed, so it throws nothing: without a place the request does not
   * leave.
   */
  async #placeBefore(latestMs: number): Promise<Place | undefined> {
    const over = new AbortController();
    const place = this.#place();
    const late = this.#clock.sleep(Math.max(latestMs - this.#clock.monotonicMs(), 0), over.signal);
    const first = await Promise.race([place, late]).catch(() => {});
    if (!first) place.then((unused) => this.#giveBack(unused)).catch(() => {});
    late.catch(() => {});
    over.abort();
    return first ?? undefined;
  }

  /** How long ago its time was. */
  #lateMs({ dueUs }: Place): number {
    return this.#clock.monotonicMs() - dueUs / 1000 - this.#differenceMs;
  }

  #sent(place: Place): void {
    if (place.use !== 'open') return;
    place.leftMs = this.#clock.monotonicMs();
    place.lateMs = Math.max(this.#lateMs(place), 0) + unsureOf(this.#windowMs);
    this.#perMs = this.#perMs * Math.exp(-Math.min(place.leftMs - this.#lastMs, 1_000) / 1_000) + 0.001;
    this.#lastMs = place.leftMs;
    place.use = 'left';
    if (place.lateMs <= latestOf(this.#windowMs)) return;
    this.#isUrgent = true;
    this.#news.add(place);
    void this.#serve();
  }

  #tell(place: Place, use: 'answered' | 'none'): void {
    place.use = use;
    this.#news.add(place);
  }

  #giveBack(place: Place): void {
    if (place.use !== 'open' || this.#free.includes(place)) return;
    this.#free.unshift(place);
    void this.#serve();
  }

  // ------------------------------------------------------------------------------------------ the line

  /** Gives places in their order to who waits in theirs. */
  async #serve(): Promise<void> {
    if (this.#isServing) return;
    this.#isServing = true;
    try {
      while (this.#waiting.length > 0 || this.#isUrgent) {
        this.#closing.signal.throwIfAborted();
        const place = this.#isUrgent ? undefined : this.#next();
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
      if (this.#lateMs(place) <= missedAfterMs(this.#windowMs)) return place;
      this.#tell(place, 'none');
    }
    return undefined;
  }

  /**
   * Takes as many as wait, or as it sends until the first of them is due; or waits until some may be taken.
   */
  async #take(): Promise<void> {
    this.#isUrgent = false;
    const aheadMs = aheadOf(this.#windowMs);
    const waiting = this.#waiting.length;
    const wanted = waiting === 0 ? 0 : Math.max(waiting, Math.ceil((this.#perMs * aheadMs) / 2));
    const news = [...this.#news];
    this.#news.clear();
    const lateMs = latestOf(this.#windowMs);
    const doubtMs = this.#marginMs + Math.min(this.#doubtMs, this.#windowMs);
    const used = news.map(({ place, use, dueUs, lateMs: late }) => ({
      place,
      atUs: use === 'none' ? null : Math.ceil(dueUs + (late + doubtMs) * 1000),
    }));
    const askedMs = this.#clock.monotonicMs();
    const [windows, stepUs, latestMs] = [this.#windows, this.#stepUs, lateMs + doubtMs];
    const taken = await this.#takePlaces({ wanted, windows, stepUs, aheadMs, latestMs, used }).catch(
      (error) => {
        for (const place of news) this.#news.add(place);
        throw error;
      },
    );
    this.#readClock(askedMs, taken.now_us);
    if (wanted === 0) return;
    const inMs = (taken.due_us - taken.now_us) / 1000 - aheadMs;
    this.#noneUntilMs = taken.places > 0 ? Number.NEGATIVE_INFINITY : this.#clock.monotonicMs() + inMs;
    if (taken.places === 0) {
      const lookMs = Math.min(Math.max(inMs, 1), LOOK_EVERY_MS);
      return this.#clock.sleep(lookMs, this.#closing.signal).catch(() => {});
    }
    for (let at = 0; at < taken.places; at += 1) {
      const dueUs = taken.due_us + at * this.#stepUs;
      this.#free.push({ place: taken.place + at, dueUs, use: 'open', leftMs: 0, lateMs });
    }
  }

  /** The database's clock showed that somewhere between the request and its answer. */
  #readClock(askedMs: number, nowUs: number): void {
    const nowMs = this.#clock.monotonicMs();
    const [doubtMs, differenceMs] = [nowMs - askedMs, nowMs - nowUs / 1000];
    if (doubtMs > this.#doubtMs && nowMs - this.#heardMs < DIFFERENCE_HOLDS_MS) return;
    [this.#doubtMs, this.#differenceMs, this.#heardMs] = [doubtMs, differenceMs, nowMs];
  }
}

/** A request that stands in the line of its account. */
export type Turn = Awaited<ReturnType<Line['turn']>>;
