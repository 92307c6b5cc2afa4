/** A limit of a plan: the most requests in any stretch of that length. */
export interface Window {
  readonly requests: number;
  readonly windowMs: number;
}

export interface Limits {
  readonly concurrency: number;
  /** Most requests in any stretch of a length. Empty when the plan is unknown and the speed is learned from answers. */
  readonly windows: readonly Window[];
}

/** Windows up to this length are spread evenly; the quota of an hour or a day may be used up at once. */
const LONGEST_SPREAD_MS = 60_000;

export function isSpread({ windowMs }: Window): boolean {
  return windowMs <= LONGEST_SPREAD_MS;
}

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
 * Above some hundred requests a second both ends are busy, so that requests reach the vendor in bunches: the gap
 * between them differs there from ours by the time that a bunch takes. Measured at 5,000 a second on two cores for both
 * ends: up to 16 ms.
 */
const MARGIN_MS_PER_REQUEST_A_SECOND = 0.004;

/**
 * A quota of an hour or a day is used up in a burst, and the next one may begin as soon as the window has passed, when the way
 * to the vendor takes another time than it did: on a new connection, or from a busy machine. A second of an hour is not missed.
 */
const QUOTA_MARGIN_MS = 1_000;

/** At most a twentieth of the window is given up in advance. */
const LARGEST_SHARE = 0.05;

/** More than one process sends, so that it never holds anybody back. */
const UNBOUNDED_PER_SECOND = 100_000;

/**
 * Requests a second when the shortest window is spread evenly, as fast as answers may let them be; the guards hold back, and hold the
 * longer ones. Where there is none of a minute or less nothing is to be spread: a day's quota may be used up at once.
 */
export function spreadPerSecond(windows: readonly Window[]): number {
  const [shortest] = windows.filter(isSpread).sort((a, b) => a.windowMs - b.windowMs);
  if (shortest === undefined) return UNBOUNDED_PER_SECOND;
  return (shortest.requests * 1000) / (shortest.windowMs + sureMarginMs(shortest));
}

/** The margin of a request of which its answer has told how late it may have come: it covers no bunches. */
export const sureMarginMs = (window: Window): number =>
  isSpread(window) ? LEAST_MARGIN_MS : QUOTA_MARGIN_MS;

/** The time by which we assume the window to be longer, so that jitter alone never exceeds the plan. */
export function marginMs(window: Window): number {
  if (!isSpread(window)) return QUOTA_MARGIN_MS;
  const bunchMs = perSecondOf(window) * MARGIN_MS_PER_REQUEST_A_SECOND;
  return Math.max(LEAST_MARGIN_MS, Math.min(bunchMs, window.windowMs * LARGEST_SHARE));
}
