import Bottleneck from 'bottleneck';
import { marginMs, perSecondOf, type Window } from './windows.ts';

/** Bottleneck manages some 420 jobs a second, so faster rates lease several permits with one job. */
const LEASES_PER_SECOND = 100;

/**
 * So much is ordered in advance. A loop that stalls for less finds the permits of that time waiting, and catches up
 * instead of losing them; what has gathered after an idle time is a tenth of a second's worth.
 */
const ORDERED_AHEAD_MS = 100;

const LONGEST_SPREAD_MS = 60_000;

/** Permits handed out in groups, one Bottleneck job a group, evenly over the shortest window. */
export class Leases {
  readonly #bottleneck: Bottleneck;
  readonly #groupSize: number;
  readonly #groupsAhead: number;
  #left = 0;
  #ordered = 0;
  #arrived: (() => void) | undefined;

  private constructor(window: Window) {
    const { requests, windowMs } = window;
    this.#groupSize = Math.max(1, Math.ceil(perSecondOf(window) / LEASES_PER_SECOND));
    const groupMs = (this.#groupSize * (windowMs + marginMs(window))) / requests;
    this.#groupsAhead = Math.max(1, Math.ceil(ORDERED_AHEAD_MS / groupMs));
    this.#bottleneck = new Bottleneck({ minTime: groupMs });
  }

  /**
   * Spreads over the shortest window; the guards hold the longer ones. Undefined without a window of a minute or less:
   * a day's allowance is for using up, not for spreading over the day.
   */
  static for(windows: readonly Window[]): Leases | undefined {
    const [shortest] = windows
      .filter(({ windowMs }) => windowMs <= LONGEST_SPREAD_MS)
      .sort((a, b) => a.windowMs - b.windowMs);
    return shortest === undefined ? undefined : new Leases(shortest);
  }

  /** Whether there was a permit to take. */
  take(): boolean {
    const isLeft = this.#left > 0;
    if (isLeft) this.#left -= 1;
    while (this.#left + this.#ordered * this.#groupSize < this.#groupsAhead * this.#groupSize) this.#order();
    return isLeft;
  }

  /** Resolves when the next group is there, or when there is never going to be one. One caller at a time. */
  async next(): Promise<void> {
    if (this.#left > 0) return;
    await new Promise<void>((resolve) => {
      this.#arrived = resolve;
    });
  }

  /** Ends the timers of what is ordered. */
  async close(): Promise<void> {
    await this.#bottleneck.stop({ dropWaitingJobs: true });
    this.#arrived?.();
  }

  #order(): void {
    this.#ordered += 1;
    const arrive = async (): Promise<void> => {
      this.#ordered -= 1;
      this.#left += this.#groupSize;
      this.#arrived?.();
    };
    // It fails by being closed alone, and then nobody waits for it.
    this.#bottleneck.schedule(arrive).catch(() => {});
  }
}
