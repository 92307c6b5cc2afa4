import { type Clock, isoTime } from '../../../core/clock.ts';
import { StopError } from '../../../core/errors.ts';
import { formatDuration } from '../../../lib/duration.ts';

/** A run that wants to send. There is one object a run, and all of its requests pass the same one. */
export interface Waiter {
  readonly signal: AbortSignal;
  /** The longest stretch in which nothing may settle before the run stops; undefined: the run waits for ever. */
  readonly maxPauseMs: number | undefined;
}

interface Waiting<T> {
  readonly waiter: Waiter;
  readonly sinceMs: number;
  resolve(value: T): void;
  reject(reason: unknown): void;
}

/** Waiters for the same thing, in the order in which they came. When a run ends, its waiters leave with the signal's reason. */
export class WaitQueue<T> {
  readonly #waiting = new Set<Waiting<T>>();
  readonly #heeded = new WeakSet<Waiter>();
  readonly #onLeft: () => void;

  constructor(onLeft: () => void) {
    this.#onLeft = onLeft;
  }

  get size(): number {
    return this.#waiting.size;
  }

  enter(waiter: Waiter, nowMs: number): Promise<T> {
    const { signal } = waiter;
    if (signal.aborted) return Promise.reject(signal.reason);
    // There is one listener for each run and not for each request, because a run sends millions.
    if (!this.#heeded.has(waiter)) {
      this.#heeded.add(waiter);
      signal.addEventListener('abort', () => this.#dismiss(waiter), { once: true });
    }
    return new Promise((resolve, reject) => this.#waiting.add({ waiter, sinceMs: nowMs, resolve, reject }));
  }

  /** Since when a run has had a waiter in this queue without a break; undefined when it has none. */
  waitingSinceMs(waiter: Waiter): number | undefined {
    for (const each of this.#waiting) if (each.waiter === waiter) return each.sinceMs;
    return undefined;
  }

  /** Gives the value to the waiter that came first; there must be one. */
  serveFirst(value: T): void {
    for (const first of this.#waiting) {
      this.#waiting.delete(first);
      first.resolve(value);
      return;
    }
  }

  refuse(reasonFor: (waiter: Waiter) => unknown): void {
    for (const waiting of this.#waiting) {
      const reason = reasonFor(waiting.waiter);
      if (reason === undefined) continue;
      this.#waiting.delete(waiting);
      waiting.reject(reason);
    }
  }

  #dismiss(waiter: Waiter): void {
    this.refuse((each) => (each === waiter ? waiter.signal.reason : undefined));
    this.#onLeft();
  }
}

export class Slots {
  readonly #most: number;
  readonly #standstill: Standstill;
  readonly #queue = new WaitQueue<void>(() => {});
  #taken = 0;

  constructor(most: number, standstill: Standstill) {
    this.#most = most;
    this.#standstill = standstill;
  }

  get isIdle(): boolean {
    return this.#taken === 0;
  }

  /** @returns undefined when there was a slot. A caller that has one gives it back with `leave`. @throws what ends the wait for a slot. */
  enter(waiter: Waiter): Promise<void> | undefined {
    if (this.#taken >= this.#most) return this.#standstill.wait(this.#queue, waiter);
    this.#taken += 1;
    return undefined;
  }

  leave(): void {
    if (this.#queue.size > 0) this.#queue.serveFirst();
    else this.#taken -= 1;
  }
}

/** Names that one caller at a time holds. A holder may wait for a slot, so no caller waits for a name while it has one. */
export class Lanes {
  readonly #lanes = new Map<string, Slots>();
  readonly #standstill: Standstill;

  constructor(standstill: Standstill) {
    this.#standstill = standstill;
  }

  /** Waits until no other caller holds the name. @returns a function that releases it. @throws what ends the wait. */
  async enter(name: string, waiter: Waiter): Promise<() => void> {
    const lane = this.#lanes.get(name) ?? new Slots(1, this.#standstill);
    this.#lanes.set(name, lane);
    await lane.enter(waiter);
    return () => {
      lane.leave();
      if (lane.isIdle) this.#lanes.delete(name);
    };
  }
}

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
  readonly #queues = new Set<Pick<WaitQueue<unknown>, 'waitingSinceMs' | 'refuse'>>();
  readonly #stopFor: (waiter: Waiter, stuckMs: number) => unknown;
  readonly #watched = new WeakSet<Waiter>();
  #progressAtMs: number;

  /** @param stopFor the reason with which a run is removed from all queues. */
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

  wait<T>(queue: WaitQueue<T>, waiter: Waiter): Promise<T> {
    const waiting = queue.enter(waiter, this.#clock.monotonicMs());
    this.#queues.add(queue);
    const { maxPauseMs } = waiter;
    if (maxPauseMs === undefined || this.#watched.has(waiter)) return waiting;
    this.#watched.add(waiter);
    this.#look(waiter, maxPauseMs);
    return waiting;
  }

  #look(waiter: Waiter, maxPauseMs: number): void {
    const sinceMs = Math.min(
      ...[...this.#queues].map((queue) => queue.waitingSinceMs(waiter) ?? Number.POSITIVE_INFINITY),
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
    for (const queue of this.#queues) queue.refuse((each) => (each === waiter ? reason : undefined));
  }
}

/** The stop of a run that makes no progress, with the calendar time from which another try is worthwhile. */
export function pausedStop(message: string, resumeAtMs: number): StopError {
  return new StopError({
    code: 'paused',
    message,
    next: `Run the same command again after ${isoTime(resumeAtMs)}.`,
    resumeAtMs,
  });
}

/** @param stuckMs what was waited. @param waitMs what is still to come. @param why the reason, as a clause. */
export function stuckWords(stuckMs: number, waitMs: number, maxPauseMs: number, why: string): string {
  const words = `longer than --max-pause allows (${seconds(maxPauseMs)}): ${why}.`;
  if (waitMs === 0) return `Nothing could be settled for ${seconds(stuckMs)}, ${words}`;
  if (waitMs > maxPauseMs) return `The next request would have to wait for ${seconds(waitMs)}, ${words}`;
  return `Nothing was settled for ${seconds(stuckMs)}, and the next request would have to wait for another ${seconds(waitMs)}, together ${words}`;
}

function seconds(durationMs: number): string {
  return formatDuration(Math.ceil(durationMs / 1000) * 1000);
}

/** A timer knows no less, so nobody is woken for it. */
const LEAST_GAIN_MS = 1;

export class Sleep {
  readonly #clock: Clock;
  #present: { readonly untilMs: number; readonly waking: AbortController } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isOn(): boolean {
    return this.#present !== undefined;
  }

  /** @param durationMs infinite for a wait that only `shorten` ends. */
  async lasting(durationMs: number): Promise<void> {
    const waking = new AbortController();
    this.#present = { untilMs: this.#clock.monotonicMs() + durationMs, waking };
    const woken = new Promise<void>((resolve) => waking.signal.addEventListener('abort', () => resolve()));
    const isEndless = durationMs === Number.POSITIVE_INFINITY;
    await (isEndless ? woken : this.#clock.sleep(durationMs, waking.signal)).catch(() => {});
    this.#present = undefined;
  }

  /** Ends it when it would go on for longer than that. */
  shorten(durationMs: number): void {
    const untilMs = this.#clock.monotonicMs() + durationMs;
    if (this.#present !== undefined && untilMs < this.#present.untilMs - LEAST_GAIN_MS)
      this.#present.waking.abort();
  }
}
