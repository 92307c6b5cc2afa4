import type { Clock } from '../../../core/clock.ts';
import { invariant } from '../../../core/errors.ts';
import type { RateHints } from '../../rate-hints.ts';
import { isSpread, marginMs, perSecondOf, spreadPerSecond, sureMarginMs, type Window } from '../windows.ts';

/** The guards that check every send last: a log of each window of the plan, and what the vendor says is left of it. */

/** When a margin of this share of the window is not enough, the vendor counts by another plan than ours. */
const LARGEST_MARGIN = 0.05;
/** Nor is one of so many times what jitter is thought to be. */
const LARGEST_FACTOR = 20;

/**
 * The guard of one window: never more than `requests` sends in any stretch of it and its margin, whatever the vendor's
 * way of counting. It keeps the last `requests` send times. A permit that is out and has not been sent yet counts as
 * sent now.
 */
export class SlidingLog {
  readonly #window: Window;
  #marginMs: number;
  /** The rest of the margin, for a send of which nobody has told how late it came. */
  #unsureMs: number;
  readonly #largestMarginMs: number;
  readonly #times: Float64Array;
  #count = 0;
  #inHand = 0;

  constructor(window: Window, margin = marginMs(window)) {
    const { requests, windowMs } = window;
    invariant(requests >= 1 && windowMs > 0, `a window of ${requests} requests in ${windowMs} ms`);
    this.#window = window;
    this.#marginMs = Math.min(sureMarginMs(window), margin);
    this.#unsureMs = margin - this.#marginMs;
    // Fast plans already begin with a wide margin.
    this.#largestMarginMs = Math.max(
      Math.min(windowMs * LARGEST_MARGIN, margin * LARGEST_FACTOR),
      margin * 2,
    );
    this.#times = new Float64Array(requests).fill(Number.NEGATIVE_INFINITY);
  }

  /** How long the next send must still wait; infinite while as many permits are out as the window has places. */
  waitMs(nowMs: number): number {
    const places = this.#times.length - this.#inHand;
    if (places <= 0) return Number.POSITIVE_INFINITY;
    return Math.max(this.#newest(places) + this.#window.windowMs + this.#marginMs - nowMs, 0);
  }

  take(): void {
    this.#inHand += 1;
  }

  sent(atMs: number): number {
    this.#inHand -= 1;
    return this.seed(atMs);
  }

  giveBack(): void {
    this.#inHand -= 1;
  }

  seed(atMs: number): number {
    this.#times[this.#count % this.#times.length] = atMs + this.#unsureMs;
    this.#count += 1;
    return this.#count;
  }

  /** Notes, once for each send, that it may have reached the vendor later than others. @param isSure by no more than that. */
  late(send: number, byMs: number, isSure = false): void {
    const isForgotten = send <= this.#count - this.#times.length;
    const place = (send - 1) % this.#times.length;
    const laterMs = isSure ? byMs - this.#unsureMs : byMs;
    if (!isForgotten) this.#times[place] = (this.#times[place] ?? 0) + laterMs;
  }

  /**
   * The vendor saw our sends closer together than we sent them: the jitter is larger than was assumed, or than answers tell.
   * @returns false when that can no longer be the reason.
   */
  widen(): boolean {
    if (this.#marginMs >= this.#largestMarginMs) return false;
    const wider = this.#unsureMs > 0 ? this.#marginMs + this.#unsureMs : this.#marginMs * 2;
    this.#marginMs = Math.min(wider, this.#largestMarginMs);
    this.#unsureMs = 0;
    return true;
  }

  #newest(n: number): number {
    const place = (this.#count - n + this.#times.length) % this.#times.length;
    return this.#times[place] ?? Number.NEGATIVE_INFINITY;
  }
}

/** The delay that may be given up on average, beside what of the margin it saves: a fifth of a percent of a window of a second. */
const AFFORDABLE_MS = 2;

/** The average covers about this time, and at least this many answers; the fastest answer is forgotten as slowly. */
const REMEMBERED_SECONDS = 10;
const LEAST_ANSWERS = 50;

/**
 * How late requests may have reached the vendor, whose clock counts, measured by how much longer their answers took
 * than the fastest one. That is an upper bound, because the time may have passed on the way back, or while the vendor
 * worked. When a vendor's answers vary much the bound says nothing, and would cost more than it is worth.
 */
class Jitter {
  readonly #weight: number;
  readonly #affordableMs: number;
  #unsettled: number;
  #fastestMs = Number.POSITIVE_INFINITY;
  #meanMs = 0;

  /** @param savedMs what of the margin is saved where it can be told how late a request came. */
  constructor(answersPerSecond: number, savedMs = 0) {
    this.#weight = 1 / Math.max(answersPerSecond * REMEMBERED_SECONDS, LEAST_ANSWERS);
    this.#affordableMs = AFFORDABLE_MS + savedMs;
    this.#unsettled = Math.max(answersPerSecond, LEAST_ANSWERS);
  }

  /** Whether so many answers came that the fastest one says what a request takes: the first ones are slow on a new connection. */
  get isSettled(): boolean {
    return this.#unsettled <= 0;
  }

  /** @returns how much later than others this request may have arrived at most; undefined when that cannot be told. */
  lateMs(roundTripMs: number): number | undefined {
    this.#unsettled -= 1;
    this.#fastestMs = Math.min(this.#fastestMs * (1 + this.#weight), roundTripMs);
    const lateMs = roundTripMs - this.#fastestMs;
    this.#meanMs += (lateMs - this.#meanMs) * this.#weight;
    return this.#meanMs > this.#affordableMs ? undefined : lateMs;
  }
}

/** What of the margins is saved by knowing how late a request came; a quota of an hour or a day has nothing of that. */
function savedMs(windows: readonly Window[]): number {
  const saved = windows.filter(isSpread).map((window) => marginMs(window) - sureMarginMs(window));
  return saved.length === 0 ? 0 : Math.min(...saved);
}

/** The guards of all windows of a plan: the longest wait wins. A send has a number in the log of each. */
export class PlanGuards {
  readonly #clock: Clock;
  readonly #logs: readonly SlidingLog[];
  readonly #jitter: Jitter;
  /** Requests a second when the shortest window is spread evenly. */
  readonly perSecond: number;

  constructor(windows: readonly Window[], clock: Clock) {
    this.#clock = clock;
    this.#logs = windows.map((window) => new SlidingLog(window));
    // A quota of a day may be used up in a burst, in which the fastest answer must not be forgotten.
    this.#jitter = new Jitter(Math.max(...windows.map(perSecondOf)), savedMs(windows));
    this.perSecond = spreadPerSecond(windows);
  }

  waitMs(nowMs: number): number {
    let waitMs = 0;
    for (const log of this.#logs) waitMs = Math.max(waitMs, log.waitMs(nowMs));
    return waitMs;
  }

  take(): void {
    for (const log of this.#logs) log.take();
  }

  sent(atMs: number): readonly number[] {
    return this.#logs.map((log) => log.sent(atMs));
  }

  answered(numbers: readonly number[], roundTripMs: number): void {
    const lateMs = this.#jitter.lateMs(roundTripMs);
    if (lateMs === undefined) return;
    const { isSettled } = this.#jitter;
    for (const [at, log] of this.#logs.entries()) log.late(numbers[at] ?? 0, lateMs, isSettled);
  }

  giveBack(): void {
    for (const log of this.#logs) log.giveBack();
  }

  /** Adds sends of earlier runs, by the calendar. A time in the future comes from a changed clock and is dropped. */
  seed(sentAtMs: readonly number[]): void {
    const nowMs = this.#clock.wallMs();
    const offsetMs = this.#clock.monotonicMs() - nowMs;
    for (const atMs of sentAtMs) if (atMs <= nowMs) for (const log of this.#logs) log.seed(atMs + offsetMs);
  }

  widen(): boolean {
    return this.#logs.filter((log) => log.widen()).length > 0;
  }
}

/**
 * The guard of the vendor's own count: when an answer says how many requests are left, no more are sent until its
 * window begins again. The answer to the request that was sent last counts, because answers overtake each other.
 */
export class RemainingQuota {
  #left = Number.POSITIVE_INFINITY;
  #sentAtMs = Number.NEGATIVE_INFINITY;
  #untilMs = Number.NEGATIVE_INFINITY;

  /**
   * @param sentAtMs when the answered request left.
   * @param sentSince requests that left after it and are not answered yet: the vendor has not counted them.
   */
  heard(
    { requests, resetMs }: NonNullable<RateHints['left']>,
    sentAtMs: number,
    sentSince: number,
    nowMs: number,
  ): void {
    if (sentAtMs < this.#sentAtMs) return;
    this.#sentAtMs = sentAtMs;
    this.#left = requests - sentSince;
    this.#untilMs = nowMs + resetMs;
  }

  sent(): void {
    this.#left -= 1;
  }

  /** @param inHand permits that are out and have not been sent yet. */
  waitMs(nowMs: number, inHand: number): number {
    return this.#left > inHand ? 0 : Math.max(this.#untilMs - nowMs, 0);
  }
}
