import Bottleneck from 'bottleneck';
import type { Clock } from '../../../core/clock.ts';

/** Bottleneck manages some 420 jobs a second, so faster rates lease several permits with one job. */
const LEASES_PER_SECOND = 100;

/**
 * How far ahead permits are ordered. An event loop that stalls for less finds the permits of that time ready, and
 * catches up instead of losing them; after an idle time a tenth of a second's worth has gathered. Slower than ten a second
 * each is ordered when it is asked for, so that nothing gathers.
 */
const AHEAD_MS = 100;

/** A lease that is later than this is ordered anew. A busy event loop delays one by less. */
const LATE_MS = 500;

export interface LeasesOptions {
  /** Requests a second, which may change at any time. */
  perSecond(): number;
  readonly clock: Clock;
  /** Called when permits have come. */
  onArrived(): void;
}

/**
 * Permits in groups, which jobs of Bottleneck hand out evenly. Each group is a lease.
 *
 * Bottleneck dates its next job on the calendar and at the speed that held when the last one was ordered. After the
 * calendar was set back by an hour it would hand out nothing for an hour, and the job after a bad minute may be a minute
 * away. So a lease that is late is ordered of a new one, and the guards, which know no calendar, hold the limit meanwhile.
 */
export class Leases {
  readonly #options: LeasesOptions;
  #bottleneck: Bottleneck;
  /** What the jobs are spread by, of the last order. */
  #orderedPerSecond: number;
  /** Monotonic, of the oldest order that has not come. */
  #orderedAtMs = Number.NEGATIVE_INFINITY;
  #arrivedAtMs = Number.NEGATIVE_INFINITY;
  #left: number;
  #ordered = 0;

  constructor(options: LeasesOptions) {
    this.#options = options;
    const perSecond = options.perSecond();
    this.#orderedPerSecond = perSecond;
    this.#bottleneck = new Bottleneck({ minTime: groupMs(perSecond) });
    // A part of what gathers while nothing is asked, so that the first requests wait for no timer.
    this.#left = Math.min(aheadOf(perSecond), groupOf(perSecond));
  }

  /** Orders a permit where none is there or on its way. */
  ask(): void {
    const perSecond = this.#options.perSecond();
    this.#heed(perSecond);
    if (this.#left + this.#ordered === 0) this.#order(perSecond);
  }

  /** Takes a permit, if there is one. */
  take(): boolean {
    const perSecond = this.#options.perSecond();
    this.#heed(perSecond);
    if (this.#left === 0) return false;
    this.#left -= 1;
    const wanted = aheadOf(perSecond);
    while (this.#left + this.#ordered < wanted) this.#order(perSecond);
    return true;
  }

  /** Milliseconds until the permit that was ordered should be there; 0 when one is, or when none is ordered. */
  get dueMs(): number {
    return this.#isAwaited ? Math.max(this.#dueMs(), 0) : 0;
  }

  /** Milliseconds until that is late, and `ask` orders it anew. */
  get lateMs(): number {
    return this.#isAwaited ? Math.max(this.#dueMs() + LATE_MS, 0) : 0;
  }

  get #isAwaited(): boolean {
    return this.#left === 0 && this.#ordered > 0;
  }

  #dueMs(): number {
    const { perSecond, clock } = this.#options;
    return Math.max(this.#orderedAtMs, this.#arrivedAtMs + groupMs(perSecond())) - clock.monotonicMs();
  }

  /** Stops the timers of ordered permits. Nobody waits for the last job, which hands its permits to nobody. */
  close(): void {
    void this.#bottleneck.stop({ dropWaitingJobs: true });
  }

  /** Begins anew when the order is late, or when it was made for a speed that is too high by far. */
  #heed(perSecond: number): void {
    const isLate = this.#isAwaited && this.lateMs === 0;
    if (!isLate && perSecond > this.#orderedPerSecond / 2) return;
    void this.#bottleneck.stop({ dropWaitingJobs: true });
    this.#bottleneck = new Bottleneck({ minTime: groupMs(perSecond) });
    this.#orderedPerSecond = perSecond;
    this.#ordered = 0;
    this.#left = Math.min(this.#left, aheadOf(perSecond));
  }

  #order(perSecond: number): void {
    const [bottleneck, permits] = [this.#bottleneck, groupOf(perSecond)];
    // The time after a job is the one that was set when it was ordered, so that it is the time of the group of that job.
    if (perSecond !== this.#orderedPerSecond) void bottleneck.updateSettings({ minTime: groupMs(perSecond) });
    this.#orderedPerSecond = perSecond;
    if (this.#ordered === 0) this.#orderedAtMs = this.#options.clock.monotonicMs();
    this.#ordered += permits;
    const arrive = async (): Promise<void> => {
      if (bottleneck !== this.#bottleneck) return;
      this.#arrivedAtMs = this.#options.clock.monotonicMs();
      this.#ordered -= permits;
      this.#left += permits;
      this.#options.onArrived();
    };
    // It only fails by being closed, and then no caller waits for it.
    bottleneck.schedule(arrive).catch(() => {});
  }
}

function groupOf(perSecond: number): number {
  return Math.max(1, Math.ceil(perSecond / LEASES_PER_SECOND));
}

function groupMs(perSecond: number): number {
  return (groupOf(perSecond) * 1000) / perSecond;
}

/** Permits that are ordered before they are asked for. */
function aheadOf(perSecond: number): number {
  return Math.floor(AHEAD_MS / groupMs(perSecond)) * groupOf(perSecond);
}
