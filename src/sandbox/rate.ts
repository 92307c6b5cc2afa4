import type { Clock } from '../core/clock.ts';
import { unreachable } from '../core/errors.ts';
import type { Rate } from '../core/rate.ts';
import { FixedWindow, type Meter, SandboxSlidingLog, TokenBucket } from './rate-meters.ts';

/** `sliding`: in any span of that length. `fixed`: in each whole window of the vendor's calendar. `bucket`: on average. */
export const RATE_KINDS = ['sliding', 'fixed', 'bucket'] as const;
export type RateKind = (typeof RATE_KINDS)[number];

type Clocks = Pick<Clock, 'wallMs' | 'monotonicMs'>;

/** `draft`: `RateLimit` and `RateLimit-Policy`, as the IETF drafts them. `x`: the usual `X-RateLimit-…`. */
export const RATE_HEADERS = ['none', 'draft', 'x'] as const;
export type RateHeaders = (typeof RATE_HEADERS)[number];

/**
 * The rate limit of every key. Refused requests do not count, so a client that waits as told always gets through.
 */
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

  /** The headers about the limit in answers to that key. */
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
    const meter = newMeter(this.#kind, this.#rate, nowMs);
    this.#meters.set(key, meter);
    return meter;
  }
}

function newMeter(kind: RateKind, { requests, windowMs }: Rate, nowMs: number): Meter {
  switch (kind) {
    case 'sliding':
      return new SandboxSlidingLog(requests, windowMs);
    case 'fixed':
      return new FixedWindow(requests, windowMs);
    case 'bucket':
      return new TokenBucket(requests, windowMs, nowMs);
    default:
      return unreachable(kind);
  }
}
