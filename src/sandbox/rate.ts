import { stop } from '../errors.ts';

/** At most `requests` in any span of `windowMs`. */
export interface Rate {
  readonly requests: number;
  readonly windowMs: number;
}

const WINDOW_MS: Readonly<Record<string, number>> = { s: 1000, min: 60_000, h: 3_600_000 };

/** Reads `20/s`, `600/min` or `5000/h`; a StopError (usage) for anything else. */
export function parseRate(text: string): Rate {
  const [, requests, unit] = /^(\d+)\/(s|min|h)$/.exec(text.trim()) ?? [];
  const windowMs = WINDOW_MS[unit ?? ''];
  if (windowMs === undefined || Number(requests) < 1) {
    throw stop(
      'usage',
      `The rate "${text}" cannot be read.`,
      'Give it as 20/s, 600/min or 5000/h, from 1 up.',
    );
  }
  return { requests: Number(requests), windowMs };
}

/**
 * A true sliding log for every key: a request passes when fewer than `requests` passed within the window that ends
 * now. Refused ones do not count, so that a client that waits as told always gets through.
 */
export class RateLimit {
  readonly #rate: Rate;
  readonly #logs = new Map<string, PassedLog>();

  constructor(rate: Rate) {
    this.#rate = rate;
  }

  /** `waitMs` is how long until a request of that key passes again; 0: this one passes and is counted. */
  waitMs(key: string, nowMs: number): number {
    const log = this.#logOf(key);
    const blockingMs = log.oldestOfLast(this.#rate.requests);
    const waitMs = blockingMs === undefined ? 0 : blockingMs + this.#rate.windowMs - nowMs;
    if (waitMs > 0) return waitMs;
    log.add(nowMs, this.#rate.requests);
    return 0;
  }

  #logOf(key: string): PassedLog {
    const known = this.#logs.get(key);
    if (known !== undefined) return known;
    const log = new PassedLog();
    this.#logs.set(key, log);
    return log;
  }
}

/** Times of the last passed requests, in a ring that never holds more than the limit. */
class PassedLog {
  readonly #timesMs: number[] = [];
  #next = 0;

  /** The time of the oldest of the last `count` passed requests; undefined when fewer have passed. */
  oldestOfLast(count: number): number | undefined {
    return this.#timesMs.length < count ? undefined : this.#timesMs[this.#next];
  }

  add(nowMs: number, capacity: number): void {
    this.#timesMs[this.#next] = nowMs;
    this.#next = (this.#next + 1) % capacity;
  }
}
