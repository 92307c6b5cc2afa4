import Bottleneck from 'bottleneck';
import type { Clock } from '../../../core/clock.ts';

/** Bottleneck manages some 420 jobs a second, so faster rates lease several permits with one job. */
const LEASES_PER_SECOND = 100;

/**
 * How far ahead permits are ordered. An event loop that stalls for less finds the permits of that time ready, and
 * catches up instead of losing them; after an idle time as much has gathered. At a speed that answers taught more would be a
 * burst. What is slower than one in that time is ordered when it is asked for, so that nothing gathers.
 */
const AHEAD_MS = 100;
const LEARNED_AHEAD_MS = 25;

/** A speed that differs by this factor from the one of the last order is not waited for. */
const OTHER_SPEED = 2;

/** While a caller waits, the calendar is checked this often for a set-back of more than this. */
const LOOK_EVERY_MS = 500;
const SET_BACK_MS = 50;

export interface LeasesOptions {
  perSecond(): number;
  isLearned(): boolean;
  readonly clock: Clock;
  onArrived(): void;
}

/**
 * Permits in groups, which jobs of Bottleneck hand out evenly. Each group is a lease. It is there when its job has run, and
 * no clock but Bottleneck's says when that is.
 *
 * Bottleneck dates its next job on the calendar, and at the speed that held when the last one was ordered. After the calendar
 * was set back by an hour it would hand out nothing for an hour, and the job after a bad minute may be a minute away. So what
 * was ordered before the calendar was set back, or at a speed that is another by far, is ordered of a new one. That one begins
 * with a job for nothing, so that its first lease comes no earlier than the present speed allows.
 */
export class Leases {
  readonly #options: LeasesOptions;
  #bottleneck: Bottleneck;
  #orderedPerSecond: number;
  /** When the next lease should come, by our clock: for what is told of the wait. Only its job makes the lease come. */
  #dueAtMs = Number.NEGATIVE_INFINITY;
  #left: number;
  #ordered = 0;
  #calendarMs = calendarMs();
  #looking: NodeJS.Timeout | undefined;

  constructor(options: LeasesOptions) {
    this.#options = options;
    const perSecond = options.perSecond();
    this.#orderedPerSecond = perSecond;
    this.#bottleneck = new Bottleneck({ minTime: groupMs(perSecond) });
    // A part of what gathers while nothing is asked, so that the first requests wait for no timer.
    this.#left = Math.min(this.#aheadOf(perSecond), groupOf(perSecond));
  }

  get isThere(): boolean {
    return this.#left > 0;
  }

  /** Milliseconds until the permit that is ordered should be there; 0 when one is there, none is ordered, or it is late. */
  get dueMs(): number {
    if (this.isThere || this.#ordered === 0) return 0;
    return Math.max(this.#dueAtMs - this.#options.clock.monotonicMs(), 0);
  }

  ask(): void {
    const perSecond = this.#options.perSecond();
    this.#heedSpeed(perSecond);
    if (this.isThere) return;
    this.#looking ??= setInterval(() => this.#heedCalendar(), LOOK_EVERY_MS).unref();
    if (this.#ordered === 0) this.#order(perSecond);
  }

  take(): boolean {
    const perSecond = this.#options.perSecond();
    this.#heedSpeed(perSecond);
    if (!this.isThere) return false;
    this.#left -= 1;
    const [wanted, group] = [this.#aheadOf(perSecond), groupOf(perSecond)];
    while (this.#left + this.#ordered * group < wanted) this.#order(perSecond);
    return true;
  }

  /** A permit was taken, and its request will not leave. No more gather by this than after an idle time. */
  giveBack(): void {
    this.#left = Math.min(this.#left + 1, Math.max(this.#aheadOf(this.#options.perSecond()), 1));
  }

  close(): void {
    this.#lookNoMore();
    void this.#bottleneck.stop({ dropWaitingJobs: true });
  }

  #lookNoMore(): void {
    clearInterval(this.#looking);
    this.#looking = undefined;
  }

  #heedCalendar(): void {
    const setMs = calendarMs() - this.#calendarMs;
    this.#calendarMs += setMs;
    if (setMs < -SET_BACK_MS) this.#beginAnew(this.#options.perSecond());
  }

  #heedSpeed(perSecond: number): void {
    const factor = perSecond / this.#orderedPerSecond;
    if (factor >= OTHER_SPEED || factor <= 1 / OTHER_SPEED) this.#beginAnew(perSecond);
  }

  /** What was ordered is lost. Whoever waits for it asks again as soon as the job for nothing has run. */
  #beginAnew(perSecond: number): void {
    void this.#bottleneck.stop({ dropWaitingJobs: true });
    this.#bottleneck = new Bottleneck({ minTime: groupMs(perSecond) });
    this.#orderedPerSecond = perSecond;
    this.#ordered = 0;
    this.#left = Math.min(this.#left, this.#aheadOf(perSecond));
    this.#schedule(0);
  }

  #order(perSecond: number): void {
    // The time after a job is the one that was set when it was ordered, so that it is the time of the group of that job.
    if (perSecond !== this.#orderedPerSecond)
      void this.#bottleneck.updateSettings({ minTime: groupMs(perSecond) });
    this.#orderedPerSecond = perSecond;
    this.#schedule(groupOf(perSecond));
  }

  #schedule(permits: number): void {
    this.#ordered += 1;
    const bottleneck = this.#bottleneck;
    const arrive = async (): Promise<void> => {
      if (bottleneck === this.#bottleneck) this.#arrived(permits);
    };
    // It only fails by being closed, and then no caller waits for it.
    bottleneck.schedule(arrive).catch(() => {});
  }

  #arrived(permits: number): void {
    this.#dueAtMs = this.#options.clock.monotonicMs() + groupMs(this.#orderedPerSecond);
    this.#ordered -= 1;
    this.#left += permits;
    if (this.isThere) this.#lookNoMore();
    this.#options.onArrived();
  }

  #aheadOf(perSecond: number): number {
    const aheadMs = this.#options.isLearned() ? LEARNED_AHEAD_MS : AHEAD_MS;
    return Math.floor(aheadMs / groupMs(perSecond)) * groupOf(perSecond);
  }
}

function groupOf(perSecond: number): number {
  return Math.max(1, Math.ceil(perSecond / LEASES_PER_SECOND));
}

function groupMs(perSecond: number): number {
  return (groupOf(perSecond) * 1000) / perSecond;
}

function calendarMs(): number {
  return Date.now() - performance.now();
}
