import type { Clock } from '../../core/clock.ts';
import { invariant } from '../../core/errors.ts';

/** A limit of a plan: the most requests in any stretch of that length. */
export interface Window {
  readonly requests: number;
  readonly windowMs: number;
}

export interface Limits {
  readonly concurrency: number;
  /** Empty when the plan is unknown and the speed is learned from answers. */
  readonly windows: readonly Window[];
}

/** Windows up to this length are spread evenly; the quota of an hour or a day may be used up at once. */
const LONGEST_SPREAD_MS = 60_000;

const isSpread = ({ windowMs }: Window): boolean => windowMs <= LONGEST_SPREAD_MS;

/** Whether the account says how fast requests may follow each other: a quota of an hour or a day does not. */
export function tellsPace({ windows }: Limits): boolean {
  return windows.some(isSpread);
}

export function perSecondOf({ requests, windowMs }: Window): number {
  return (requests * 1000) / windowMs;
}

/** Jitter of timers and of the network, as the vendor's clock counts. Measured: 5 ms give 99.5 % of one request a second. */
const LEAST_MARGIN_MS = 5;

/**
 * Above some hundred requests a second both ends are busy, so that requests reach the vendor in bunches. Measured at 5,000 a
 * second on two cores for both ends: up to 16 ms.
 */
const MARGIN_MS_PER_REQUEST_A_SECOND = 0.004;

/** The next quota of an hour or a day may begin on a new connection, or from a busy machine. A second of an hour is not missed. */
const QUOTA_MARGIN_MS = 1_000;

/** When the margin times this is not enough, the vendor counts by another plan than ours. */
const WIDEST = 8;

/**
 * The guard of an account's plan: never more than its requests in any stretch of a window and its margin, whatever the vendor's
 * way of counting. A permit that is out and has not been sent yet counts as sent now.
 */
export class Plan {
  readonly #logs: readonly Log[];
  #widened = 1;
  /** Requests a second when the shortest window that is spread is spread evenly; infinite without one. */
  readonly perSecond: number;

  constructor(windows: readonly Window[]) {
    this.#logs = windows.map((window) => new Log(window));
    const [shortest] = windows.filter(isSpread).sort((a, b) => a.windowMs - b.windowMs);
    this.perSecond =
      shortest === undefined
        ? Number.POSITIVE_INFINITY
        : (shortest.requests * 1000) / (shortest.windowMs + LEAST_MARGIN_MS);
  }

  /** How long the next send must still wait; infinite while as many permits are out as a window has places. */
  waitMs(nowMs: number, inHand: number): number {
    let waitMs = 0;
    for (const log of this.#logs) waitMs = Math.max(waitMs, log.waitMs(nowMs, inHand, this.#widened));
    return waitMs;
  }

  sent(atMs: number): void {
    for (const log of this.#logs) log.sent(atMs);
  }

  /** Adds sends of earlier runs, by the calendar. A time in the future comes from a changed clock and is dropped. */
  seed(sentAtMs: readonly number[], clock: Clock): void {
    const nowMs = clock.wallMs();
    for (const atMs of sentAtMs) if (atMs <= nowMs) this.sent(clock.monotonicMs() - (nowMs - atMs));
  }

  /** The vendor saw our sends closer together than we sent them. @returns false when that can no longer be the reason. */
  widen(): boolean {
    if (this.#logs.length === 0 || this.#widened >= WIDEST) return false;
    this.#widened *= 2;
    return true;
  }
}

/** The last send times of one window. */
class Log {
  readonly #window: Window;
  readonly #marginMs: number;
  readonly #times: Float64Array;
  #count = 0;

  constructor(window: Window) {
    const { requests, windowMs } = window;
    invariant(requests >= 1 && windowMs > 0, `a window of ${requests} requests in ${windowMs} ms`);
    this.#window = window;
    const bunchMs = Math.min(perSecondOf(window) * MARGIN_MS_PER_REQUEST_A_SECOND, windowMs / 20);
    this.#marginMs = isSpread(window) ? Math.max(bunchMs, LEAST_MARGIN_MS) : QUOTA_MARGIN_MS;
    this.#times = new Float64Array(requests).fill(Number.NEGATIVE_INFINITY);
  }

  waitMs(nowMs: number, inHand: number, widened: number): number {
    const places = this.#times.length - inHand;
    if (places <= 0) return Number.POSITIVE_INFINITY;
    const before = this.#times[(this.#count - places + this.#times.length) % this.#times.length];
    return (before ?? 0) + this.#window.windowMs + this.#marginMs * widened - nowMs;
  }

  sent(atMs: number): void {
    this.#times[this.#count % this.#times.length] = atMs;
    this.#count += 1;
  }
}
