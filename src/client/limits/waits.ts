import { type Clock, isoTime } from '../../core/clock.ts';
import { StopError } from '../../core/errors.ts';
import { formatDuration } from '../../lib/duration.ts';

/** A run that wants to send. There is one object a run, and all of its requests pass the same one. */
export interface Waiter {
  readonly signal: AbortSignal;
  /** The longest stretch in which nothing may settle before the run stops; undefined: the run waits for ever. */
  readonly maxPauseMs: number | undefined;
}

export interface Waiting<T> {
  readonly waiter: Waiter;
  resolve(value: T): void;
  reject(reason: unknown): void;
}

/** How long nothing may be sent, and why, as a clause. */
export interface Wait {
  readonly waitMs: number;
  readonly why: string;
}

/** Those who wait for the same thing, in the order in which they came. */
export type Queue<T = void> = Set<Waiting<T>>;

const LOOK_EVERY_MS = 1_000;

/** A look that is this late was delayed by a process that was stopped, or by a machine that slept. */
const STOPPED_MS = 5_000;

/**
 * All who wait for something of an account, and since when no call of it was settled. A run leaves its queues when it is stopped,
 * and when nothing could be settled for longer than it allows: also where silent requests hold what it waits for.
 */
export class Waits {
  readonly #clock: Clock;
  readonly #known: () => Wait;
  readonly #onLook: () => void;
  readonly #all = new Set<Omit<Waiting<unknown>, 'resolve'>>();
  readonly #heeded = new WeakSet<Waiter>();
  #looking: NodeJS.Timeout | undefined;
  #lookedAtMs = 0;
  #progressAtMs: number;

  /** @param known how long nothing may be sent as far as that is known, and why. @param onLook called every second of a wait. */
  constructor(clock: Clock, known: () => Wait, onLook: () => void) {
    [this.#clock, this.#known, this.#onLook] = [clock, known, onLook];
    this.#progressAtMs = clock.monotonicMs();
  }

  progress(): void {
    this.#progressAtMs = this.#clock.monotonicMs();
  }

  /** @throws the signal's reason when the run is stopped; StopError `paused`. */
  enter<T>(queue: Queue<T>, waiter: Waiter): Promise<T> {
    const { signal } = waiter;
    if (signal.aborted) return Promise.reject(signal.reason);
    // There is one listener for each run and not for each request, because a run sends millions.
    if (!this.#heeded.has(waiter)) {
      this.#heeded.add(waiter);
      signal.addEventListener('abort', () => this.#dismiss(waiter, signal.reason), { once: true });
    }
    if (this.#looking === undefined) this.#beginToLook();
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        queue.delete(waiting);
        this.#all.delete(waiting);
      };
      const waiting: Waiting<T> = {
        waiter,
        resolve: (value) => {
          leave();
          resolve(value);
        },
        reject: (reason) => {
          leave();
          reject(reason);
        },
      };
      queue.add(waiting);
      this.#all.add(waiting);
    });
  }

  /** Every run ends: a wait beyond the longest pause stops the run now and not at the end of the wait. */
  refuseEndless(): void {
    const { waitMs, why } = this.#known();
    const stuckMs = this.#clock.monotonicMs() - this.#progressAtMs;
    for (const { waiter, reject } of this.#all) {
      const { maxPauseMs } = waiter;
      if (maxPauseMs === undefined || stuckMs + waitMs <= maxPauseMs) continue;
      reject(pausedStop(stuckWords(stuckMs, waitMs, maxPauseMs, why), this.#clock.wallMs() + waitMs));
    }
  }

  #dismiss(waiter: Waiter, reason: unknown): void {
    for (const each of this.#all) if (each.waiter === waiter) each.reject(reason);
  }

  #beginToLook(): void {
    this.#lookedAtMs = this.#clock.monotonicMs();
    this.#looking = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  #look(): void {
    if (this.#all.size === 0) {
      this.close();
      return;
    }
    const nowMs = this.#clock.monotonicMs();
    // Answers that came while the process stood still have not been read yet, so that time does not count.
    if (nowMs - this.#lookedAtMs > LOOK_EVERY_MS + STOPPED_MS) this.progress();
    this.#lookedAtMs = nowMs;
    this.refuseEndless();
    this.#onLook();
  }

  close(): void {
    clearInterval(this.#looking);
    this.#looking = undefined;
  }
}

/** The stop of a run that makes no progress, with the calendar time from which another try is worthwhile. */
function pausedStop(message: string, resumeAtMs: number): StopError {
  const next = `Run the same command again after ${isoTime(resumeAtMs)}.`;
  return new StopError({ code: 'paused', message, next, resumeAtMs });
}

/** @param stuckMs what was waited. @param waitMs what is still to come. @param why the reason, as a clause. */
function stuckWords(stuckMs: number, waitMs: number, maxPauseMs: number, why: string): string {
  const words = `longer than --max-pause allows (${seconds(maxPauseMs)}): ${why}.`;
  if (waitMs === 0) return `Nothing could be settled for ${seconds(stuckMs)}, ${words}`;
  if (waitMs > maxPauseMs) return `The next request would have to wait for ${seconds(waitMs)}, ${words}`;
  return `Nothing was settled for ${seconds(stuckMs)}, and the next request would have to wait for another ${seconds(waitMs)}, together ${words}`;
}

function seconds(durationMs: number): string {
  return formatDuration(Math.ceil(durationMs / 1000) * 1000);
}
