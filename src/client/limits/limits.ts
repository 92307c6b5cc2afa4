import type { Clock } from '../../core/clock.ts';
import { invariant } from '../../core/errors.ts';
import type { KnownLimit, PauseRecord, SharedWindow } from '../../ledger/ledger.ts';
import { formatDuration } from '../../lib/duration.ts';

/**
 * The reasons that keep a request from leaving now: the account's plan, the speed learned from its answers,
 * and trouble with the account. Nothing here waits; `limiter.ts` does.
 */

export interface Limits {
  readonly concurrency: number;
  /** Empty when the plan is unknown and the speed is learned from answers. */
  readonly windows: readonly SharedWindow[];
}

export type Pause = PauseRecord;

/** What a "too fast" of the vendor says of its end. */
export interface AskedWait {
  /** How long the vendor asked to wait; absent where it names no time. */
  readonly pauseMs?: number;
  /** The vendor says that the limit is one of a day or longer. */
  readonly isLong?: true;
}

/** Hears of a limit for which the vendor named no time, and which one request probes at times. */
export interface LimitNews {
  /** The limit was met again. @param forMs until the next probe. */
  onLimit?(limit: KnownLimit, forMs: number): void;
  onLimitOver?(): void;
}

/** How long nothing may be sent, and why, as a clause. */
export interface Wait {
  readonly waitMs: number;
  readonly why: string;
}

/** Windows up to this length are spread evenly; the quota of an hour or a day may be used up at once. */
export const LONGEST_SPREAD_MS = 60_000;

export const isSpread = ({ windowMs }: SharedWindow): boolean => windowMs <= LONGEST_SPREAD_MS;

export function perSecondOf({ requests, windowMs }: SharedWindow): number {
  return (requests * 1000) / windowMs;
}

// -------------------------------------------------------------------------------------------------- the plan

/**
 * Jitter of timers and of the network, as the vendor's clock counts. Measured: 5 ms give 99.5 % of one
 * request a second.
 */
const LEAST_MARGIN_MS = 5;

/**
 * Above some hundred requests a second both ends are busy, so that requests reach the vendor in bunches.
 * Measured at 5,000 a second on two cores for both ends: up to 16 ms.
 */
const MARGIN_MS_PER_REQUEST_A_SECOND = 0.004;

/**
 * The first request of the next quota of an hour or a day may leave on a new connection, or from a busy
 * machine. One second of an hour is not missed.
 */
const QUOTA_MARGIN_MS = 1_000;

/** When the margin times this is not enough, the vendor counts by another plan than ours. */
const WIDEST = 8;

/** The last send times of one window, in a ring. */
interface Log extends SharedWindow {
  readonly marginMs: number;
  readonly times: Float64Array;
}

function logOf(window: SharedWindow): Log {
  const { requests, windowMs } = window;
  invariant(requests >= 1 && windowMs > 0, `a window of ${requests} requests in ${windowMs} ms`);
  const bunchMs = Math.min(perSecondOf(window) * MARGIN_MS_PER_REQUEST_A_SECOND, windowMs / 20);
  const marginMs = isSpread(window) ? Math.max(bunchMs, LEAST_MARGIN_MS) : QUOTA_MARGIN_MS;
  return { ...window, marginMs, times: new Float64Array(requests).fill(Number.NEGATIVE_INFINITY) };
}

/**
 * The guard of an account's plan: in any stretch of a window and its margin there are never more requests
 * than the plan has, however the vendor counts. A permit that is out and has not been sent yet counts as sent
 * now.
 */
export class RateWindows {
  readonly #logs: readonly Log[];
  #sends = 0;
  #widened = 1;
  /**
   * Requests a second when the shortest window of those that are spread is used evenly; infinite without one.
   */
  readonly perSecond: number;

  constructor(windows: readonly SharedWindow[]) {
    this.#logs = windows.map(logOf);
    const [shortest] = windows.filter(isSpread).sort((a, b) => a.windowMs - b.windowMs);
    this.perSecond =
      shortest === undefined
        ? Number.POSITIVE_INFINITY
        : (shortest.requests * 1000) / (shortest.windowMs + LEAST_MARGIN_MS);
  }

  /**
   * How long the next send must still wait; infinite while as many permits are out as a window has places.
   */
  waitMs(nowMs: number, inHand: number): number {
    let longestMs = 0;
    for (const { requests, windowMs, marginMs, times } of this.#logs) {
      if (inHand >= requests) return Number.POSITIVE_INFINITY;
      const before = times[(this.#sends + inHand) % requests] ?? 0;
      longestMs = Math.max(longestMs, before + windowMs + marginMs * this.#widened - nowMs);
    }
    return longestMs;
  }

  sent(atMs: number): void {
    for (const { requests, times } of this.#logs) times[this.#sends % requests] = atMs;
    this.#sends += 1;
  }

  /**
   * Adds sends of earlier runs, by the calendar. A time in the future comes from a changed clock and is
   * dropped.
   */
  seed(sentAtMs: readonly number[], clock: Clock): void {
    const nowMs = clock.wallMs();
    for (const atMs of sentAtMs) if (atMs <= nowMs) this.sent(clock.monotonicMs() - (nowMs - atMs));
  }

  /**
   * Widens the margins, because the vendor saw our sends closer together than we sent them.
   * @returns false when that can no longer be the reason.
   */
  widen(): boolean {
    if (this.#logs.length === 0 || this.#widened >= WIDEST) return false;
    this.#widened *= 2;
    return true;
  }
}

// ------------------------------------------------------------------------------------------ an unknown speed

const FIRST_PER_SECOND = 1;
const LEFT_BY_A_REFUSAL = 0.7;
const GROWTH_A_MINUTE = 1.05;

/** One request a minute. Slower plans are daily quotas, and pauses handle those. */
const LEAST_PER_SECOND = 1 / 60;

/**
 * How fast an account may be asked where no one stated a limit. The speed doubles each second, from one
 * request a second, as long as the vendor accepts the requests and the rows can use the speed. A refusal
 * leaves seven tenths, and from then on the speed grows by a twentieth a minute. Leases spread the requests
 * at that speed.
 */
export class LearnedRate {
  perSecond: number;
  #isLimited: boolean;
  #heldBackAtMs = Number.NEGATIVE_INFINITY;
  #grewAtMs = Number.NEGATIVE_INFINITY;
  #cutAtMs = Number.NEGATIVE_INFINITY;
  /** Whether the vendor has accepted anything since the last cut. */
  #isAccepted = true;

  /** @param refused a speed at which the vendor refuses; left out: no such speed is known. */
  constructor(refused = Number.NaN) {
    this.#isLimited = refused > 0;
    this.perSecond = this.#isLimited ? refused : FIRST_PER_SECOND;
  }

  /**
   * Notes that a request had to wait for this speed. A speed that the rows cannot use proves nothing, so only
   * answers after such a wait let it grow.
   */
  heldBack(nowMs: number): void {
    this.#heldBackAtMs = nowMs;
  }

  accepted(nowMs: number): void {
    this.#isAccepted = true;
    const sinceMs = Math.min(nowMs - this.#grewAtMs, 1_000);
    this.#grewAtMs = nowMs;
    if (nowMs - this.#heldBackAtMs > Math.max(2_000 / this.perSecond, 1_000)) return;
    this.perSecond *= this.#isLimited ? GROWTH_A_MINUTE ** (sinceMs / 60_000) : 2 ** (sinceMs / 1_000);
  }

  /**
   * Notes that the request which left at `sentAtMs` was refused for being too fast. Requests that left before
   * a cut belong to the cut. Where nothing was accepted since the cut, the speed is not the reason: the
   * vendor counts over a longer time, and pauses wait for that.
   */
  limited(sentAtMs: number, nowMs: number): void {
    if (sentAtMs < this.#cutAtMs || !this.#isAccepted) return;
    this.perSecond = Math.max(this.perSecond * LEFT_BY_A_REFUSAL, LEAST_PER_SECOND);
    this.#isLimited = true;
    this.#isAccepted = false;
    this.#cutAtMs = nowMs;
  }
}

// --------------------------------------------------------------------------------------------- what is wrong

const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 30_000;

/**
 * Five lost answers in a row are no accident: then one probe at a time is sent, so that little is put at
 * risk.
 */
const DOUBTS_IN_A_ROW = 5;
const FIRST_PROBE_PAUSE_MS = 30_000;
const LONGEST_PROBE_PAUSE_MS = 10 * 60_000;

/**
 * A limit without a time that so many requests in a row have met is not one of seconds. From then on one
 * request probes it. How long such a limit lasts no one has said, so no probe is later than a quarter of an
 * hour.
 */
const LIMITS_IN_A_ROW = 10;
const PROBE_MINUTES = [1, 2, 4, 8, 15] as const;
/** A limit of a day or longer ends at an hour that vendors choose differently. */
const LONG_LIMIT_PROBE_MINUTES = 60;

/** In a longer pause one request probes whether the pause is over. */
const PROBED_PAUSE_MS = 60 * 60_000;

/** Shorter waits are a normal part of keeping a limit. A longer one would look as if the run had died. */
const NOTICED_WAIT_MS = 5_000;

/**
 * The trouble with an account, and how long to wait because of it: pauses that the vendor asks for, our own
 * backing off, and the breaker that probes while answers get lost. `sentAtMs` is the monotonic time at which
 * the reported request left. Requests that left before a pause began belong to the pause, however many are in
 * flight at once.
 */
export class Backoff {
  readonly #clock: Clock;
  readonly #onPause: (pause: Pause) => void;
  readonly #news: LimitNews;
  #untilMs = Number.NEGATIVE_INFINITY;
  #toldUntilMs = Number.NEGATIVE_INFINITY;
  #beganMs = Number.NEGATIVE_INFINITY;
  #pausesInARow = 0;
  /** Those of the pauses for which the vendor named no time. */
  #limitsInARow = 0;
  #isLimited = false;
  #probeAtMs = Number.NEGATIVE_INFINITY;
  #doubtsInARow = 0;
  #probes = 0;
  #probingSinceMs = Number.NEGATIVE_INFINITY;
  #isBehindLongPause = false;
  why = '';

  constructor(clock: Clock, onPause: (pause: Pause) => void, news: LimitNews = {}) {
    this.#clock = clock;
    this.#onPause = onPause;
    this.#news = news;
  }

  get isOver(): boolean {
    return this.#pausesInARow === 0 && this.#doubtsInARow === 0;
  }

  get isProbing(): boolean {
    return this.#doubtsInARow >= DOUBTS_IN_A_ROW;
  }

  /** Whether one request at a time probes a limit for which the vendor named no time. */
  get isLimited(): boolean {
    return this.#isLimited;
  }

  /** Whether only one request may be under way, until an answer comes. */
  get goesAlone(): boolean {
    return this.isProbing || this.#isBehindLongPause || this.#isLimited;
  }

  waitMs(nowMs: number): number {
    return Math.max(this.#untilMs - nowMs, this.#probeAtMs - nowMs, 0);
  }

  /**
   * The vendor said "too fast", in these words.
   * @returns whether this is a new pause.
   */
  pause({ pauseMs, isLong }: AskedWait, sentAtMs: number, vendorWords: string): boolean {
    const isNew = this.#begin(sentAtMs);
    if (pauseMs !== undefined) this.waitFor(pauseMs, `the vendor asked to wait (${vendorWords})`, true);
    else {
      if (isNew) this.#limitsInARow += 1;
      this.#meetLimit(isNew, isLong === true, vendorWords);
    }
    return isNew;
  }

  #meetLimit(isNew: boolean, isLong: boolean, vendorWords: string): void {
    const ofMinutes = PROBE_MINUTES[this.#limitsInARow - LIMITS_IN_A_ROW] ?? PROBE_MINUTES.at(-1) ?? 0;
    if (isLong || this.#limitsInARow >= LIMITS_IN_A_ROW) {
      if (!isNew && this.#isLimited) return;
      const cause = isLong
        ? `the vendor says that a limit of a day or longer is reached (${vendorWords}), but gives no time`
        : `the vendor gives no time for its limit (${vendorWords})`;
      const refused = this.#limitsInARow;
      const limit = { refused, why: `${cause}; then one request asks whether it is over` };
      const forMs = (isLong ? LONG_LIMIT_PROBE_MINUTES : ofMinutes) * 60_000;
      this.limited(limit, forMs);
      this.#tell({ waitMs: forMs, why: limit.why });
      this.#news.onLimit?.(limit, forMs);
    } else {
      const ownMs = this.#ownMs();
      const cause = `the vendor says that requests come too fast (${vendorWords}), but gives no time`;
      this.waitFor(ownMs, `${cause}; Rowonce waits ${formatDuration(ownMs)}`);
    }
  }

  /**
   * There is a limit without a time, which this process has met, an earlier run, or another process.
   * @param forMs until one request may probe it.
   */
  limited({ refused, why }: KnownLimit, forMs: number): void {
    this.#isLimited = true;
    this.#limitsInARow = Math.max(this.#limitsInARow, refused);
    this.#pausesInARow = Math.max(this.#pausesInARow, refused);
    this.#probeAtMs = this.#clock.monotonicMs() + forMs;
    this.why = why;
  }

  /** Another process probes the limit, or may do so before. */
  probeIn(forMs: number): void {
    this.#probeAtMs = this.#clock.monotonicMs() + forMs;
  }

  /** Another process has heard that the limit is over. */
  limitOver(): void {
    this.#isLimited = false;
    this.#probeAtMs = Number.NEGATIVE_INFINITY;
    this.#pausesInARow = 0;
    this.#limitsInARow = 0;
  }

  /** The request did not leave, or its answer had no effect. Waits a little before the next one. */
  backOff(sentAtMs: number, why: string): void {
    this.#begin(sentAtMs);
    this.waitFor(this.#ownMs(), why);
  }

  #begin(sentAtMs: number): boolean {
    if (sentAtMs < this.#beganMs) return false;
    this.#pausesInARow += 1;
    this.#beganMs = this.#clock.monotonicMs();
    return true;
  }

  #ownMs(): number {
    return Math.random() * Math.min(FIRST_BACKOFF_MS * 2 ** (this.#pausesInARow - 1), LONGEST_BACKOFF_MS);
  }

  /** An answer was lost. */
  doubted(sentAtMs: number, why: string): void {
    const nowMs = this.#clock.monotonicMs();
    this.#doubtsInARow += 1;
    // A probe whose answer is lost says nothing about the limit: it is probed again after the first step.
    if (this.#isLimited) this.probeIn(PROBE_MINUTES[0] * 60_000);
    else {
      this.#pausesInARow = 0;
      this.#limitsInARow = 0;
    }
    if (this.waitMs(nowMs) === 0) this.why = why;
    // Requests that were in flight when the first pause began say nothing new about the vendor.
    if (this.isProbing && sentAtMs >= this.#probingSinceMs) {
      this.waitFor(Math.min(FIRST_PROBE_PAUSE_MS * 2 ** this.#probes, LONGEST_PROBE_PAUSE_MS), why);
      this.#probes += 1;
      this.#probingSinceMs = nowMs;
    }
  }

  /** An answer came. A pause that has begun still runs to its end. */
  settled(): void {
    this.#pausesInARow = 0;
    this.#doubtsInARow = 0;
    this.#probes = 0;
    this.#probingSinceMs = Number.NEGATIVE_INFINITY;
    this.#isBehindLongPause = false;
    this.#endLimit();
  }

  #endLimit(): void {
    const wasLimited = this.#isLimited;
    this.limitOver();
    if (wasLimited) this.#news.onLimitOver?.();
  }

  waitFor(durationMs: number, why: string, isByVendor = false): void {
    const untilMs = this.#clock.monotonicMs() + durationMs;
    if (untilMs <= this.#untilMs) return;
    this.#untilMs = untilMs;
    this.why = why;
    this.#isBehindLongPause ||= durationMs >= PROBED_PAUSE_MS;
    this.#tell({ waitMs: durationMs, why }, isByVendor);
  }

  /**
   * A long wait that no one asked for is told as a pause to a person who looks on. After an early look the
   * same wait comes again.
   */
  tellLongWait(wait: Wait): void {
    const isTold = this.#clock.monotonicMs() + wait.waitMs - this.#toldUntilMs < NOTICED_WAIT_MS;
    if (wait.waitMs >= NOTICED_WAIT_MS && !isTold) this.#tell(wait);
  }

  #tell({ waitMs, why }: Wait, isByVendor = false): void {
    this.#toldUntilMs = Math.max(this.#toldUntilMs, this.#clock.monotonicMs() + waitMs);
    const fromMs = this.#clock.wallMs();
    const probe = this.#isLimited && !isByVendor ? { isProbed: true as const } : {};
    this.#onPause({ fromMs, untilMs: fromMs + waitMs, why, asked: isByVendor, ...probe });
  }
}
