import type { Clock } from '../core/clock.ts';
import type { Rate } from '../core/rate.ts';

/** `sliding`: in any span of that length. `fixed`: in each whole window of the vendor's calendar. `bucket`: on average. */
export const RATE_KINDS = ['sliding', 'fixed', 'bucket'] as const;
export type RateKind = (typeof RATE_KINDS)[number];

type Clocks = Pick<Clock, 'wallMs' | 'monotonicMs'>;

/** `draft`: `RateLimit` and `RateLimit-Policy`, as the IETF drafts them. `x`: the usual `X-RateLimit-…`. */
export const RATE_HEADERS = ['none', 'draft', 'x'] as const;
export type RateHeaders = (typeof RATE_HEADERS)[number];

/** The rate limit of every key. Refused requests do not count, so a client that waits as told always gets through. */
export class RateLimit {
  readonly #rate: Rate;
  readonly #kind: RateKind;
  readonly #headers: RateHeaders;
  readonly #meters = new Map<string, Meter>();

  constructor(rate: Rate, kind: RateKind = 'sliding', headers: RateHeaders = 'none') {
    this.#rate = rate;
    this.#kind = kind;
    this.#headers = headers;
  }

  /** How long it takes until a request of that key passes; 0 when this one passes, which counts it. */
  waitMs(key: string, clock: Clocks): number {
    const nowMs = this.#nowMs(clock);
    const meter = this.#meterOf(key, nowMs);
    const waitMs = meter.waitMs(nowMs);
    if (waitMs > 0) return waitMs;
    meter.pass(nowMs);
    return 0;
  }

  headers(key: string, clock: Clocks): Readonly<Record<string, string>> {
    if (this.#headers === 'none') return {};
    const nowMs = this.#nowMs(clock);
    const { requests, resetMs } = this.#meterOf(key, nowMs).left(nowMs);
    const seconds = String(Math.ceil(resetMs / 1000));
    const { requests: limit, windowMs } = this.#rate;
    if (this.#headers === 'x') {
      return {
        'x-ratelimit-limit': String(limit),
        'x-ratelimit-remaining': String(requests),
        'x-ratelimit-reset': seconds,
      };
    }
    return {
      'ratelimit-policy': `"sandbox";q=${limit};w=${windowMs / 1000}`,
      ratelimit: `"sandbox";r=${requests};t=${seconds}`,
    };
  }

  /** Fixed windows use the time of day, the other kinds a clock that never jumps. */
  #nowMs(clock: Clocks): number {
    return this.#kind === 'fixed' ? clock.wallMs() : clock.monotonicMs();
  }

  #meterOf(key: string, nowMs: number): Meter {
    const known = this.#meters.get(key);
    if (known !== undefined) return known;
    const meter = METERS[this.#kind](this.#rate, nowMs);
    this.#meters.set(key, meter);
    return meter;
  }
}

interface Meter {
  /** How long it takes until a request passes; 0 when one passes now. */
  waitMs(nowMs: number): number;
  pass(nowMs: number): void;
  /** How many more requests pass now, and how long it takes until the whole limit is free again. */
  left(nowMs: number): { readonly requests: number; readonly resetMs: number };
}

/** A request passes when fewer than `most` passed within the window that ends now. */
function slidingLog({ requests: most, windowMs }: Rate): Meter {
  /** Times of the last passed requests, in a ring that never holds more than the limit. */
  const timesMs: number[] = [];
  let next = 0;
  return {
    waitMs(nowMs) {
      const oldestMs = timesMs.length < most ? undefined : timesMs[next];
      return oldestMs === undefined ? 0 : Math.max(oldestMs + windowMs - nowMs, 0);
    },
    pass(nowMs) {
      timesMs[next] = nowMs;
      next = (next + 1) % most;
    },
    left(nowMs) {
      const recentMs = timesMs.filter((atMs) => atMs + windowMs > nowMs);
      const newestMs = recentMs.reduce((newest, atMs) => Math.max(newest, atMs), nowMs - windowMs);
      return { requests: most - recentMs.length, resetMs: newestMs + windowMs - nowMs };
    },
  };
}

/** Each window allows `most` requests. Windows begin at whole multiples of their length since 1970. */
function fixedWindow({ requests: most, windowMs }: Rate): Meter {
  let window = Number.NEGATIVE_INFINITY;
  let passed = 0;
  const left: Meter['left'] = (nowMs) => {
    const current = Math.floor(nowMs / windowMs);
    return {
      requests: most - (current === window ? passed : 0),
      resetMs: (current + 1) * windowMs - nowMs,
    };
  };
  return {
    left,
    waitMs(nowMs) {
      const { requests, resetMs } = left(nowMs);
      return requests > 0 ? 0 : resetMs;
    },
    pass(nowMs) {
      const current = Math.floor(nowMs / windowMs);
      passed = current === window ? passed + 1 : 1;
      window = current;
    },
  };
}

/** A bucket that holds `most` tokens and is full at the start; one token drips in every `windowMs / most`. */
function tokenBucket({ requests: most, windowMs }: Rate, startMs: number): Meter {
  const dripMs = windowMs / most;
  let tokens = most;
  let atMs = startMs;
  const drip = (nowMs: number): void => {
    tokens = Math.min(tokens + (nowMs - atMs) / dripMs, most);
    atMs = nowMs;
  };
  return {
    waitMs(nowMs) {
      drip(nowMs);
      // Sums of fractions may miss a whole token by a rounding error.
      return tokens >= 1 - 1e-9 ? 0 : (1 - tokens) * dripMs;
    },
    pass(nowMs) {
      drip(nowMs);
      tokens -= 1;
    },
    left(nowMs) {
      drip(nowMs);
      return { requests: Math.max(Math.floor(tokens + 1e-9), 0), resetMs: (most - tokens) * dripMs };
    },
  };
}

const METERS: Readonly<Record<RateKind, (rate: Rate, nowMs: number) => Meter>> = {
  sliding: slidingLog,
  fixed: fixedWindow,
  bucket: tokenBucket,
};
