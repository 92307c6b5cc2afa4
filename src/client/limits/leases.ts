import Bottleneck from 'bottleneck';
import type { Clock } from '../../core/clock.ts';

/** Bottleneck manages some 420 jobs a second, so faster rates lease several permits with one job. */
const LEASES_PER_SECOND = 100;

/**
 * How far ahead permits are ordered. An event loop that stalls for less finds the permits of that time ready,
 * and catches up instead of losing them; after an idle time as much has gathered. What is slower than one in
 * that time is ordered when it is asked for, so that nothing gathers.
 */
const AHEAD_MS = 100;

/**
 * Bottleneck dates its jobs by the calendar. A lease that is this late waits for an hour that was set back.
 */
const LATE_MS = 1_000;

/** Permits in groups, which jobs of Bottleneck hand out evenly. */
export class Leases {
  readonly #clock: Clock;
  readonly #onArrived: () => void;
  #bottleneck = new Bottleneck();
  #groupMs = 0;
  #left = 0;
  #ordered = 0;
  /** When the next one should be there, by our clock. Only its job makes it come. */
  #dueAtMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, onArrived: () => void) {
    this.#clock = clock;
    this.#onArrived = onArrived;
  }

  /**
   * Orders what is to be ready at that speed.
   * @returns how long until a permit is there; infinite when it is late, because no clock but Bottleneck's
   * says when it comes.
   */
  waitMs(perSecond: number): number {
    if (perSecond === Number.POSITIVE_INFINITY) return 0;
    const nowMs = this.#clock.monotonicMs();
    if (this.#ordered > 0 && nowMs > this.#dueAtMs + LATE_MS) this.#beginAnew();
    if (this.#ordered === 0) this.#dueAtMs = Math.max(this.#dueAtMs, nowMs);
    const group = Math.ceil(perSecond / LEASES_PER_SECOND);
    const groupMs = (group * 1000) / perSecond;
    const ready = Math.max(Math.floor(AHEAD_MS / groupMs) * group, 1);
    while (this.#left + this.#ordered < ready) this.#order(group, groupMs);
    if (this.#left > 0) return 0;
    return this.#dueAtMs > nowMs ? this.#dueAtMs - nowMs : Number.POSITIVE_INFINITY;
  }

  take(): void {
    this.#left = Math.max(this.#left - 1, 0);
  }

  /** A permit was taken, and its request will not leave. */
  giveBack(perSecond: number): void {
    if (perSecond !== Number.POSITIVE_INFINITY) this.#left += 1;
  }

  close(): void {
    void this.#bottleneck.stop({ dropWaitingJobs: true });
  }

  #beginAnew(): void {
    this.close();
    this.#bottleneck = new Bottleneck();
    this.#groupMs = 0;
    this.#ordered = 0;
  }

  #order(permits: number, groupMs: number): void {
    // The time after a job is the one that was set when it was ordered.
    if (groupMs !== this.#groupMs) void this.#bottleneck.updateSettings({ minTime: groupMs });
    this.#groupMs = groupMs;
    this.#ordered += permits;
    const bottleneck = this.#bottleneck;
    const arrive = async (): Promise<void> => {
      if (bottleneck !== this.#bottleneck) return;
      this.#dueAtMs = this.#clock.monotonicMs() + this.#groupMs;
      this.#ordered -= permits;
      this.#left += permits;
      this.#onArrived();
    };
    // It only fails by being closed, and then no caller waits for it.
    bottleneck.schedule(arrive).catch(() => {});
  }
}
