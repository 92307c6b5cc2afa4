import Bottleneck from 'bottleneck';
import PQueue from 'p-queue';
import { type Clock, isoTime } from './clock.ts';
import { StopError } from './errors.ts';
import { SlidingLog } from './limiter/sliding-log.ts';

/**
 * When the next request of an account may leave: at most `concurrency` at once, never more in a window than the plan
 * allows, not while the vendor asked us to wait, and one at a time while its answers get lost.
 *
 * Two libraries and one guard share the work. p-queue holds the concurrency slots. Bottleneck spreads permits over
 * the window; alone it bursts after idle times, so the sliding log has the last word on every send.
 */

export interface Limits {
  readonly concurrency: number;
  /** Requests in any stretch of that length. */
  readonly windows: readonly { readonly requests: number; readonly windowMs: number }[];
}

/** Leave to send one request. `sent` at the moment its headers leave, `done` when its attempt is closed or given up. */
export interface Permit {
  sent(): void;
  done(): void;
}

/** Why and until when nothing is sent. `asked`: by the vendor, so that it holds for later runs as well. */
export interface Pause {
  readonly untilMs: number;
  readonly why: string;
  readonly asked: boolean;
}

export interface LimiterOptions {
  readonly limits: Limits;
  readonly clock: Clock;
  /** The longest stretch in which nothing may settle before the run stops; undefined: the run waits for ever. */
  readonly maxPauseMs: number | undefined;
  /** Fires when no further request may leave. */
  readonly signal: AbortSignal;
  /** Send times of earlier runs, wall clock, so that a restart does not burst. */
  readonly earlierSendsMs: readonly number[];
  readonly pausedUntilMs: number | undefined;
  onPause(pause: Pause): void;
}

/** Jitter of timers and of the network between our clock and the vendor's. Measured: 5 ms give 99.5 % of the rate. */
const MARGIN_MS = 5;

/** Bottleneck manages some 420 jobs a second, so faster rates lease several permits with one job. */
const LEASES_PER_SECOND = 100;

const LONGEST_SPREAD_MS = 60_000;

const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 30_000;

/** Five lost answers in a row are no accident: from then on one probe at a time, so that little is put at risk. */
const DOUBTS_IN_A_ROW = 5;
const FIRST_PROBE_PAUSE_MS = 30_000;
const LONGEST_PROBE_PAUSE_MS = 10 * 60_000;

export class Limiter {
  readonly #options: LimiterOptions;
  readonly #slots: PQueue;
  readonly #guards: readonly SlidingLog[];
  readonly #leases: Leases | undefined;
  #waitUntilMs = Number.NEGATIVE_INFINITY;
  #why = '';
  #pauseBeganMs = Number.NEGATIVE_INFINITY;
  #pausesInARow = 0;
  #doubtsInARow = 0;
  #probes = 0;
  #probingSinceMs = Number.NEGATIVE_INFINITY;
  #outstanding = 0;
  #progressAtMs: number;
  #wake: (() => void)[] = [];

  constructor(options: LimiterOptions) {
    this.#options = options;
    this.#slots = new PQueue({ concurrency: options.limits.concurrency });
    this.#guards = options.limits.windows.map(
      ({ requests, windowMs }) => new SlidingLog(requests, windowMs + MARGIN_MS),
    );
    this.#leases = Leases.for(options.limits);
    this.#progressAtMs = options.clock.monotonicMs();
    this.#seed();
  }

  /** Runs `work` in one of the account's concurrency slots. */
  slot<T>(work: () => Promise<T>): Promise<T> {
    // While the ledger alone answers, nothing waits for the account: that time is no standstill of its.
    if (this.#isIdle()) this.#progressAtMs = this.#options.clock.monotonicMs();
    return this.#slots.add(work);
  }

  /** Requests that may be on their way. */
  get outstanding(): number {
    return this.#outstanding;
  }

  /**
   * Waits until one request may leave, and counts it as leaving now.
   * @throws StopError `paused` when that would be later than `maxPauseMs` after the last progress; the signal's reason
   * when the run is stopping.
   */
  async permit(): Promise<Permit> {
    const { signal, clock } = this.#options;
    signal.throwIfAborted();
    if (this.#leases !== undefined) await abortable(this.#leases.take(), signal);
    for (;;) {
      signal.throwIfAborted();
      const waitMs = this.#waitMs();
      if (waitMs <= 0) return this.#grant();
      this.#refuseEndlessWait(waitMs);
      await (waitMs === Number.POSITIVE_INFINITY ? this.#changed() : clock.sleep(waitMs, signal));
    }
  }

  /** The vendor said "too fast". `sentAtMs` is monotonic. */
  pause(askedMs: number | undefined, sentAtMs: number, why: string): void {
    this.#countPause(sentAtMs);
    this.#waitFor(askedMs ?? fullJitterMs(this.#pausesInARow - 1), why, askedMs !== undefined);
  }

  /** The request did not leave, or was answered without effect: wait a little before the next. */
  backOff(sentAtMs: number, why: string): void {
    this.#countPause(sentAtMs);
    this.#waitFor(fullJitterMs(this.#pausesInARow - 1), why);
  }

  /** Requests that left before the pause began belong to the same pause, however many are on their way at once. */
  #countPause(sentAtMs: number): void {
    if (sentAtMs < this.#pauseBeganMs) return;
    this.#pausesInARow += 1;
    this.#pauseBeganMs = this.#options.clock.monotonicMs();
  }

  /** An answer came and settled a call. */
  settled(): void {
    this.#progressAtMs = this.#options.clock.monotonicMs();
    this.#pausesInARow = 0;
    this.#doubtsInARow = 0;
    this.#probes = 0;
    this.#probingSinceMs = Number.NEGATIVE_INFINITY;
  }

  /** An answer was lost. @returns how many in a row. */
  doubted(sentAtMs: number, why: string): number {
    this.#doubtsInARow += 1;
    this.#pausesInARow = 0;
    // What was on its way when the first pause began says nothing new about the vendor.
    if (this.#doubtsInARow >= DOUBTS_IN_A_ROW && sentAtMs >= this.#probingSinceMs) {
      this.#waitFor(Math.min(FIRST_PROBE_PAUSE_MS * 2 ** this.#probes, LONGEST_PROBE_PAUSE_MS), why);
      this.#probes += 1;
      this.#probingSinceMs = this.#options.clock.monotonicMs();
    }
    return this.#doubtsInARow;
  }

  /** Resolves when any outstanding request is done, at once when there is none. */
  async oneDone(): Promise<void> {
    if (this.#outstanding > 0) await this.#changed();
  }

  #grant(): Permit {
    this.#outstanding += 1;
    for (const guard of this.#guards) guard.take();
    let open = true;
    let held = true;
    const release = (leave: (guard: SlidingLog) => void): void => {
      if (held) for (const guard of this.#guards) leave(guard);
      held = false;
      for (const wake of this.#wake.splice(0)) wake();
    };
    return {
      sent: () => release((guard) => guard.sent(this.#options.clock.monotonicMs())),
      done: () => {
        if (open) this.#outstanding -= 1;
        open = false;
        release((guard) => guard.giveBack());
      },
    };
  }

  #isIdle(): boolean {
    const inTrouble = this.#pausesInARow > 0 || this.#doubtsInARow > 0;
    return !inTrouble && this.#slots.pending === 0 && this.#slots.size === 0;
  }

  /** Milliseconds until a request may leave; infinite when that depends on another one ending. */
  #waitMs(): number {
    const nowMs = this.#options.clock.monotonicMs();
    if (this.#doubtsInARow >= DOUBTS_IN_A_ROW && this.#outstanding > 0) return Number.POSITIVE_INFINITY;
    return Math.max(this.#waitUntilMs - nowMs, ...this.#guards.map((guard) => guard.waitMs(nowMs)), 0);
  }

  #waitFor(durationMs: number, why: string, asked = false): void {
    const { clock } = this.#options;
    const untilMs = clock.monotonicMs() + durationMs;
    if (untilMs <= this.#waitUntilMs) return;
    this.#waitUntilMs = untilMs;
    this.#why = why;
    this.#options.onPause({ untilMs: clock.wallMs() + durationMs, why, asked });
  }

  /** Every run ends: a wait that passes the longest pause stops it now and not at the end of the wait. */
  #refuseEndlessWait(waitMs: number): void {
    const { maxPauseMs, clock } = this.#options;
    if (maxPauseMs === undefined || waitMs === Number.POSITIVE_INFINITY) return;
    const stuckMs = clock.monotonicMs() + waitMs - this.#progressAtMs;
    if (stuckMs <= maxPauseMs) return;
    const resumeAtMs = clock.wallMs() + waitMs;
    throw new StopError({
      code: 'paused',
      message: `Nothing could be settled for ${seconds(stuckMs)}, longer than --max-pause allows (${seconds(maxPauseMs)}): ${this.#why || 'the limit of the account is used up'}.`,
      next: `Type the same command again after ${isoTime(resumeAtMs)}.`,
      resumeAtMs,
    });
  }

  #changed(): Promise<void> {
    return abortable(new Promise((resolve) => this.#wake.push(resolve)), this.#options.signal);
  }

  /** Times of earlier runs are calendar times; those from the future are a changed clock's and are discarded. */
  #seed(): void {
    const { clock, earlierSendsMs, pausedUntilMs } = this.#options;
    const offsetMs = clock.monotonicMs() - clock.wallMs();
    const past = earlierSendsMs.filter((sentMs) => sentMs <= clock.wallMs());
    for (const guard of this.#guards) for (const sentMs of past) guard.seed(sentMs + offsetMs);
    const pauseMs = (pausedUntilMs ?? 0) - clock.wallMs();
    if (pauseMs > 0 && pauseMs <= 24 * 60 * 60_000) this.#waitFor(pauseMs, 'the vendor asked to wait', true);
  }
}

/** Permits handed out in groups, one Bottleneck job a group. */
class Leases {
  readonly #bottleneck: Bottleneck;
  readonly #groupSize: number;
  #left = 0;
  #pending: Promise<void> | undefined;

  private constructor(requests: number, windowMs: number) {
    this.#groupSize = Math.max(1, Math.ceil(requests / (windowMs / 1000) / LEASES_PER_SECOND));
    this.#bottleneck = new Bottleneck({
      maxConcurrent: 1,
      minTime: (this.#groupSize * (windowMs + MARGIN_MS)) / requests,
    });
  }

  /**
   * Spreads over the shortest window; the guards hold the longer ones. Undefined without a window of a minute or less:
   * a day's allowance is for using up, not for spreading over the day.
   */
  static for({ windows }: Limits): Leases | undefined {
    const [shortest] = windows
      .filter(({ windowMs }) => windowMs <= LONGEST_SPREAD_MS)
      .sort((a, b) => a.windowMs - b.windowMs);
    return shortest === undefined ? undefined : new Leases(shortest.requests, shortest.windowMs);
  }

  async take(): Promise<void> {
    while (this.#left === 0) {
      this.#pending ??= this.#lease();
      await this.#pending;
    }
    this.#left -= 1;
  }

  async #lease(): Promise<void> {
    await this.#bottleneck.schedule(async () => {});
    this.#left += this.#groupSize;
    this.#pending = undefined;
  }
}

/** The promise, unless the signal fires first: then its reason is thrown. */
function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Anywhere between nothing and the whole of a doubling wait, so that many callers do not come back together. */
function fullJitterMs(earlierPauses: number): number {
  return Math.random() * Math.min(FIRST_BACKOFF_MS * 2 ** earlierPauses, LONGEST_BACKOFF_MS);
}

function seconds(durationMs: number): string {
  return `${Math.ceil(durationMs / 1000)} s`;
}
