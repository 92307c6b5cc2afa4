import type Bottleneck from 'bottleneck';
import type { Clock } from '../../core/clock.ts';
import { bottleneck } from '../../core/libraries.ts';

/** Bottleneck manages some 420 jobs a second, so at faster rates one job leases several permits. */
const LEASES_PER_SECOND = 100;

/**
 * How far ahead permits are ordered. After a shorter stall of the event loop the permits of that time are
 * ready, so the loop catches up instead of losing them. After an idle time, just as many permits have
 * gathered. A permit at a rate below one in that time is ordered only when it is asked for, so that none
 * gather.
 */
const AHEAD_MS = 100;

/**
 * Bottleneck dates its jobs by the calendar. A lease that is this late waits for an hour by which the
 * calendar was set back.
 */
const LATE_MS = 1_000;

/** Permits in groups, which jobs of Bottleneck hand out evenly. */
export class Leases {
  readonly #clock: Clock;
  readonly #onArrived: () => void;
  /** Undefined until the first permit is ordered. */
  #bottleneck: Bottleneck | undefined;
  #groupMs = 0;
  #remaining = 0;
  #ordered = 0;
  /** The time at which the next lease should be there, by our clock. Only its job makes it come. */
  #dueAtMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, onArrived: () => void) {
    this.#clock = clock;
    this.#onArrived = onArrived;
  }

  /**
   * Orders the permits that should be ready at that speed.
   * @returns how long until a permit is there; infinite when it is late, because only Bottleneck's clock
   *   knows when it comes.
   */
  waitMs(perSecond: number): number {
    if (perSecond === Number.POSITIVE_INFINITY) return 0;
    const nowMs = this.#clock.monotonicMs();
    if (this.#ordered > 0 && nowMs > this.#dueAtMs + LATE_MS) this.#beginAnew();
    if (this.#ordered === 0) this.#dueAtMs = Math.max(this.#dueAtMs, nowMs);
    const group = Math.ceil(perSecond / LEASES_PER_SECOND);
    const groupMs = (group * 1000) / perSecond;
    const ready = Math.max(Math.floor(AHEAD_MS / groupMs) * group, 1);
    while (this.#remaining + this.#ordered < ready) this.#order(group, groupMs);
    if (this.#remaining > 0) return 0;
    return this.#dueAtMs > nowMs ? this.#dueAtMs - nowMs : Number.POSITIVE_INFINITY;
  }

  take(): void {
    this.#remaining = Math.max(this.#remaining - 1, 0);
  }

  /** Returns a permit that was taken for a request that will not leave. */
  giveBack(perSecond: number): void {
    if (perSecond !== Number.POSITIVE_INFINITY) this.#remaining += 1;
  }

  close(): void {
    void this.#bottleneck?.stop({ dropWaitingJobs: true });
  }

  #leasing(): Bottleneck {
    const Own = bottleneck();
    this.#bottleneck ??= new Own();
    return this.#bottleneck;
  }

  #beginAnew(): void {
    this.close();
    this.#bottleneck = undefined;
    this.#groupMs = 0;
    this.#ordered = 0;
  }

  #order(permits: number, groupMs: number): void {
    const leasing = this.#leasing();
    // The pause after a job is the one that was set when the job was ordered.
    if (groupMs !== this.#groupMs) void leasing.updateSettings({ minTime: groupMs });
    this.#groupMs = groupMs;
    this.#ordered += permits;
    const arrive = async (): Promise<void> => {
      if (leasing !== this.#bottleneck) return;
      this.#dueAtMs = this.#clock.monotonicMs() + this.#groupMs;
      this.#ordered -= permits;
      this.#remaining += permits;
      this.#onArrived();
    };
    // A job only fails when Bottleneck is closed, and then no caller waits for it.
    leasing.schedule(arrive).catch(() => {});
  }
}
