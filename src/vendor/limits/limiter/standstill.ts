import type { Clock } from '../../../core/clock.ts';
import type { Line, Waiter } from './wait-queue.ts';

type AnyLine = Pick<Line<unknown>, 'waitingSinceMs' | 'refuse'>;

/** The longest delay that is given to one timer. */
const LONGEST_TIMER_MS = 24 * 60 * 60_000;

/** A timer that fires this late was delayed by a process that was stopped, or by a machine that slept. */
const STOPPED_MS = 5_000;

/**
 * Since when no call of an account was settled, and which runs have waited through all of that for longer than they
 * allow. It ends waits without a known end, such as those for slots that silent requests hold.
 *
 * Its timers are the machine's own, one for each run that waits, and none of them keeps a program from ending.
 */
export class Standstill {
  readonly #clock: Clock;
  /** Every line in which a run ever waited. */
  readonly #lines = new Set<AnyLine>();
  readonly #stopFor: (waiter: Waiter, stuckMs: number) => unknown;
  readonly #watched = new WeakSet<Waiter>();
  #progressAtMs: number;

  /** @param stopFor the reason with which a run is removed from all lines. */
  constructor(clock: Clock, stopFor: (waiter: Waiter, stuckMs: number) => unknown) {
    this.#clock = clock;
    this.#stopFor = stopFor;
    this.#progressAtMs = clock.monotonicMs();
  }

  get progressAtMs(): number {
    return this.#progressAtMs;
  }

  progress(): void {
    this.#progressAtMs = this.#clock.monotonicMs();
  }

  /** Waits in that line, but no longer than the run allows. */
  wait<T>(line: Line<T>, waiter: Waiter): Promise<T> {
    const waiting = line.enter(waiter, this.#clock.monotonicMs());
    this.#lines.add(line);
    const { maxPauseMs } = waiter;
    if (maxPauseMs === undefined || this.#watched.has(waiter)) return waiting;
    this.#watched.add(waiter);
    this.#look(waiter, maxPauseMs);
    return waiting;
  }

  #look(waiter: Waiter, maxPauseMs: number): void {
    const sinceMs = Math.min(
      ...[...this.#lines].map((line) => line.waitingSinceMs(waiter) ?? Number.POSITIVE_INFINITY),
    );
    if (sinceMs === Number.POSITIVE_INFINITY) {
      this.#watched.delete(waiter);
      return;
    }
    const nowMs = this.#clock.monotonicMs();
    const stuckMs = nowMs - Math.max(sinceMs, this.#progressAtMs);
    if (stuckMs < maxPauseMs) this.#lookLater(waiter, maxPauseMs, maxPauseMs - stuckMs);
    else this.#sendAway(waiter, stuckMs);
  }

  #lookLater(waiter: Waiter, maxPauseMs: number, inMs: number): void {
    const dueMs = this.#clock.monotonicMs() + inMs;
    const fire = (): void => {
      // Answers that came while the process stood still have not been read yet, so that time does not count against the
      // account.
      if (this.#clock.monotonicMs() - dueMs > STOPPED_MS) this.progress();
      this.#look(waiter, maxPauseMs);
    };
    setTimeout(fire, Math.min(inMs, LONGEST_TIMER_MS)).unref();
  }

  #sendAway(waiter: Waiter, stuckMs: number): void {
    this.#watched.delete(waiter);
    const reason = this.#stopFor(waiter, stuckMs);
    for (const line of this.#lines) line.refuse((each) => (each === waiter ? reason : undefined));
  }
}
