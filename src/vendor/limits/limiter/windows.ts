/** A limit of a plan: so many requests in any stretch of that length. */
export interface Window {
  readonly requests: number;
  readonly windowMs: number;
}

/** On average. */
export function perSecondOf({ requests, windowMs }: Window): number {
  return (requests * 1000) / windowMs;
}

/** Jitter of timers and of the way to the vendor, whose clock counts. Measured: 5 ms give 99.5 % of one a second. */
const LEAST_MARGIN_MS = 5;

/**
 * Above some hundred requests a second both ends are busy, so that requests reach the vendor in bunches: their distance
 * there differs from ours by what a bunch takes. Measured at 5,000 a second, with both ends on two cores: up to 16 ms.
 */
const MARGIN_MS_PER_REQUEST_A_SECOND = 0.004;

/** More than a twentieth of the window is not given up beforehand. */
const LARGEST_SHARE = 0.05;

/** By how much longer than its window we take it to be, so that jitter alone never exceeds the plan. */
export function marginMs(window: Window): number {
  const bunchMs = perSecondOf(window) * MARGIN_MS_PER_REQUEST_A_SECOND;
  return Math.max(LEAST_MARGIN_MS, Math.min(bunchMs, window.windowMs * LARGEST_SHARE));
}
