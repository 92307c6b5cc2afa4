import Bottleneck from 'bottleneck';
import { isSpread, marginMs, perSecondOf, type Window } from '../windows.ts';

/** Bottleneck manages some 420 jobs a second, so faster rates lease several permits with one job. */
const LEASES_PER_SECOND = 100;

/**
 * How far ahead permits are ordered. An event loop that stalls for less finds the permits of that time ready, and
 * catches up instead of losing them; after an idle time a tenth of a second's worth has gathered.
 */
const ORDERED_AHEAD_MS = 100;

/** Bottleneck uses the calendar. While a caller waits it is checked this often for a set-back of more than this. */
const SET_BACK_MS = 50;
const LOOK_EVERY_MS = 500;

/**
 * Permits handed out in groups, one Bottleneck job a group, evenly over the shortest window. Bottleneck dates its next
 * job on the calendar, so when that is set back by an hour it would hand out nothing for an hour: then a new one takes
 * its place, and the guards, which know no calendar, hold the limit meanwhile.
 */
export class Leases {
  #bottleneck: Bottleneck;
  readonly #groupMs: number;
  readonly #groupSize: number;
  readonly #groupsAhead: number;
  /** How far the calendar is ahead of the monotonic clock. */
  #calendarMs = calendarMs();
  #left = 0;
  #ordered = 0;
  #arrived: (() => void) | undefined;

  private constructor(window: Window) {
    const { requests, windowMs } = window;
    this.#groupSize = Math.max(1, Math.ceil(perSecondOf(window) / LEASES_PER_SECOND));
    this.#groupMs = (this.#groupSize * (windowMs + marginMs(window))) / requests;
    this.#groupsAhead = Math.max(1, Math.ceil(ORDERED_AHEAD_MS / this.#groupMs));
    this.#bottleneck = new Bottleneck({ minTime: this.#groupMs });
  }

  /**
   * Spreads over the shortest window; the guards hold the longer ones. Undefined without a window of a minute or less:
   * a day's quota may be used up at once.
   */
  static for(windows: readonly Window[]): Leases | undefined {
    const [shortest] = windows.filter(isSpread).sort((a, b) => a.windowMs - b.windowMs);
    return shortest === undefined ? undefined : new Leases(shortest);
  }

  /** Takes a permit, if there is one. */
  take(): boolean {
    const isLeft = this.#left > 0;
    if (isLeft) this.#left -= 1;
    this.#heedCalendar();
    while (this.#left + this.#ordered * this.#groupSize < this.#groupsAhead * this.#groupSize) this.#order();
    return isLeft;
  }

  /** Resolves when the next group is there, or when there will never be one. One caller at a time. */
  async next(): Promise<void> {
    if (this.#left > 0) return;
    const looking = setInterval(() => this.#heedCalendar(), LOOK_EVERY_MS);
    await new Promise<void>((resolve) => {
      this.#arrived = resolve;
    });
    clearInterval(looking);
  }

  /** Stops the timers of ordered permits. */
  async close(): Promise<void> {
    await this.#bottleneck.stop({ dropWaitingJobs: true });
    this.#arrived?.();
  }

  /** Orders again what was ordered before the calendar was set back. */
  #heedCalendar(): void {
    const setMs = calendarMs() - this.#calendarMs;
    this.#calendarMs += setMs;
    if (setMs > -SET_BACK_MS) return;
    const [late, ordered] = [this.#bottleneck, this.#ordered];
    this.#bottleneck = new Bottleneck({ minTime: this.#groupMs });
    this.#ordered = 0;
    void late.stop({ dropWaitingJobs: true });
    for (let lost = 0; lost < ordered; lost += 1) this.#order();
  }

  #order(): void {
    this.#ordered += 1;
    const bottleneck = this.#bottleneck;
    const arrive = async (): Promise<void> => {
      if (bottleneck !== this.#bottleneck) return;
      this.#ordered -= 1;
      this.#left += this.#groupSize;
      this.#arrived?.();
    };
    // It only fails by being closed, and then no caller waits for it.
    bottleneck.schedule(arrive).catch(() => {});
  }
}

function calendarMs(): number {
  return Date.now() - performance.now();
}
