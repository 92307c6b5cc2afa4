import type { Clock } from '../../../core/clock.ts';
import { invariant } from '../../../core/errors.ts';
import { isSpread, sharedRequests, spreadPerSecond, type Window } from '../windows.ts';

export interface ShareBounds {
  /**
   * Most requests in all since the limiter began. Windows above a minute are handed out by it, in portions, because a share of
   * a day that nobody uses would be lost to the others. A probe is one request more than have left.
   */
  readonly mostSends?: number;
  /** When the share ends, by the first of two clocks, because a machine that sleeps stops one of them. */
  readonly until?: { readonly monotonicMs: number; readonly wallMs: number };
}

/** The part of an account's limit that one of several limiters keeps. */
export class Share {
  /** The windows of the account with the requests of each that are ours; the whole of those above a minute. */
  readonly windows: readonly Window[];
  readonly perSecond: number;
  readonly #isNothing: boolean;
  readonly #bounds: ShareBounds;

  /**
   * @param windows of the account. @param requests of `sharedRequests(windows)`; where that is unknown, any number but 0 is the
   * whole, because each limiter learns a speed of its own.
   */
  constructor(windows: readonly Window[], requests = Number.POSITIVE_INFINITY, bounds: ShareBounds = {}) {
    invariant(requests >= 0, `a share of ${requests} requests`);
    const whole = sharedRequests(windows) ?? 1;
    const ours = Math.floor(Math.min(requests, whole));
    const partOf = (window: Window, part: number): Window =>
      isSpread(window) ? { ...window, requests: Math.floor((window.requests * part) / whole) } : window;
    this.windows = windows.map((window) => partOf(window, ours));
    // A pace is needed before the first request is allotted as well, and the guards hold it back.
    this.perSecond = spreadPerSecond(windows.map((window) => partOf(window, Math.max(ours, 1))));
    this.#isNothing = ours === 0;
    this.#bounds = bounds;
  }

  isWithheld(clock: Clock, sends: number): boolean {
    if (this.#isNothing) return true;
    const { mostSends, until } = this.#bounds;
    if (mostSends !== undefined && sends >= mostSends) return true;
    return (
      until !== undefined && (clock.monotonicMs() >= until.monotonicMs || clock.wallMs() >= until.wallMs)
    );
  }
}
