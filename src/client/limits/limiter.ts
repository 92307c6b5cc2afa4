import type { Clock } from '../../core/clock.ts';
import { counted } from '../../core/plain-text.ts';
import type { AccountLine, Turn } from '../../ledger/ledger.ts';
import type { RateHints } from '../rate-hints.ts';
import { Backoff, type Pause } from './backoff.ts';
import { LearnedRate } from './learned-rate.ts';
import { Leases } from './leases.ts';
import { type Queue, type Wait, type Waiter, Waits } from './waits.ts';
import { type Limits, Plan, tellsPace } from './windows.ts';

/**
 * When the next request of an account may leave: at most `concurrency` at once, never more in a window than the plan allows,
 * not while the vendor asked us to wait, and one at a time while its answers get lost. All its batches share one. Several
 * processes that share an account have a limiter each, and its plan is kept by the line in which they stand.
 *
 * A sender waits for a concurrency slot first, and then for a permit: the longest wait of all that forbids it wins. Where there is a
 * line, a permit is a place in it as well.
 */

export interface LimiterOptions {
  readonly limits: Limits;
  readonly clock: Clock;
  /** Send times of earlier runs, wall clock, so that a restart does not burst. */
  readonly earlierSendsMs: readonly number[];
  readonly learnedPerSecond: number | undefined;
  /** Starts at full speed although the plan is unknown, and learns from the first refusal on. */
  readonly unhurried?: boolean;
  /** Where many processes send. It keeps the plan for all of them. */
  readonly line?: AccountLine | undefined;
  /** Whether only one request may be in flight, until an answer ends the reason for that. Without it, never. */
  goesAlone?(): boolean;
  onPause(pause: Pause): void;
  /** Called with the speed that is left by a refusal. */
  onLearned(perSecond: number): void;
}

/** What has become of a permit that is out. */
export type PermitState = 'in hand' | 'sent' | 'answered';

const SAME_WAIT_MS = 500;
const LIMIT_USED_UP = 'the limit of the account is used up';
const LEARNED_RATE = "the vendor's answers allow no earlier request";

export class Limiter {
  readonly #options: LimiterOptions;
  readonly #clock: Clock;
  readonly #plan: Plan;
  readonly #backoff: Backoff;
  readonly #learned: LearnedRate;
  readonly #leases: Leases;
  readonly #waits: Waits;
  /** Whether the learned speed holds us back: nobody told us one, or the vendor refuses what we were told. */
  #isPaced: boolean;
  /** What the vendor says is left, until when. */
  #left = Number.POSITIVE_INFINITY;
  #leftUntilMs = Number.NEGATIVE_INFINITY;
  /** Permits that are not done; of them, those that were not sent yet, and those that were not answered yet. */
  #out = 0;
  #inHand = 0;
  #inFlight = 0;
  #slotsTaken = 0;
  readonly #forSlot: Queue = new Set();
  readonly #forPermit: Queue = new Set();
  readonly #forTurn: Queue<Turn> = new Set();
  readonly #lanes = new Map<string, Promise<void>>();
  #sleep: { readonly untilMs: number; readonly waking: AbortController } | undefined;

  constructor(options: LimiterOptions) {
    const { limits, clock, learnedPerSecond, line, unhurried = false } = options;
    this.#options = options;
    this.#clock = clock;
    this.#plan = new Plan(line === undefined ? limits.windows : []);
    this.#plan.seed(options.earlierSendsMs, clock);
    this.#backoff = new Backoff(clock, options.onPause);
    this.#learned = new LearnedRate(learnedPerSecond);
    this.#isPaced = learnedPerSecond !== undefined || !(tellsPace(limits) || unhurried);
    this.#leases = new Leases(clock, () => this.#serve());
    this.#waits = new Waits(
      clock,
      () => this.#known(),
      () => this.#serve(),
    );
  }

  /**
   * Takes one of the account's concurrency slots. Whoever has one gives it back with `leave`.
   * @returns a promise only where none is free.
   * @throws StopError `paused` when nothing was settled for `maxPauseMs`; the signal's reason when the run is stopping.
   */
  enter(waiter: Waiter): Promise<void> | undefined {
    // While the ledger alone answers, no request waits for the account, so that time does not count as a standstill.
    if (this.#backoff.isOver && this.#slotsTaken === 0) this.#waits.progress();
    if (this.#slotsTaken >= this.#options.limits.concurrency) return this.#waits.enter(this.#forSlot, waiter);
    this.#slotsTaken += 1;
    return undefined;
  }

  leave(): void {
    const [next] = this.#forSlot;
    if (next === undefined) this.#slotsTaken -= 1;
    else next.resolve();
  }

  /** Whether a slot may be given back before its call is over. The only one may not: a kill between two calls leaves no doubt. */
  get handsOver(): boolean {
    return this.#options.limits.concurrency > 1;
  }

  /**
   * Waits until no other caller holds the name. A holder may wait for a slot, so no caller waits for a name while it has one.
   * @returns a function that releases it.
   */
  async lane(name: string): Promise<() => void> {
    const before = this.#lanes.get(name);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#lanes.set(name, promise);
    await before;
    return () => {
      if (this.#lanes.get(name) === promise) this.#lanes.delete(name);
      resolve();
    };
  }

  /** Requests that are on their way. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /**
   * Waits until one request may leave, or will at a known time that is near, and counts it as leaving now. Whoever has a permit says
   * what becomes of it: `sent`, `answered`, and `done` in the end.
   * @returns its place where there is a line.
   * @throws StopError `paused` when that would be later than `maxPauseMs` after the last progress; the signal's reason
   * when the run is stopping.
   */
  async permit(waiter: Waiter): Promise<Turn | undefined> {
    const { line } = this.#options;
    for (;;) {
      const waiting = this.#waits.enter(this.#forPermit, waiter);
      this.#serve();
      await waiting;
      if (line === undefined) return undefined;
      const turn = await this.#turn(line, waiter).catch((error) => {
        this.done('in hand');
        throw error;
      });
      // A pause may have come while it waited for its place.
      if (this.holds()) return turn;
      turn.giveBack();
      this.done('in hand');
    }
  }

  /** Whether nothing that answers said since a permit was given forbids to send. The plan has counted it then. */
  holds(): boolean {
    const nowMs = this.#nowMs;
    if (this.#mustBeAlone && this.#out > 1) return false;
    return this.#backoff.waitMs(nowMs) === 0 && this.#leftMs(nowMs, this.#inHand - 1) === 0;
  }

  sent(): void {
    const nowMs = this.#nowMs;
    this.#inHand -= 1;
    this.#inFlight += 1;
    this.#left -= 1;
    this.#plan.sent(nowMs);
    this.#learned.sent(nowMs);
    this.#serve();
  }

  answered(): void {
    this.#inFlight -= 1;
  }

  /** An attempt is over, with all consequences of its answer, or given up. */
  done(state: PermitState): void {
    if (state === 'in hand') {
      this.#inHand -= 1;
      this.#leases.giveBack(this.#perSecond);
    } else if (state === 'sent') this.#inFlight -= 1;
    this.#out -= 1;
    this.#serve();
  }

  /** An earlier run, or another process, was asked to wait; what it was told takes a while on its way. */
  waitFor(durationMs: number, why: string, asked: boolean): void {
    if (durationMs - this.#backoff.waitMs(this.#nowMs) > SAME_WAIT_MS)
      this.#backoff.waitFor(durationMs, why, asked);
  }

  // ---------------------------------------------------------------------------------------- what answers mean

  /** The vendor said "too fast", in these words; `teaches`: not to this call alone. `sentAtMs` is monotonic, here and below. */
  pause(askedMs: number | undefined, sentAtMs: number, said: string, teaches = true): void {
    const isCut = teaches && this.#learned.limited(sentAtMs, this.#nowMs);
    // A refusal within the plan counts as jitter, until the widest margins do not help: then the plan must be wrong.
    const plan = this.#options.line ?? this.#plan;
    if (this.#backoff.pause(askedMs, sentAtMs, said) && teaches && !plan.widen()) this.#isPaced = true;
    if (isCut && this.#isPaced) this.#options.onLearned(this.#learned.perSecond);
  }

  /** The request did not leave, or its answer had no effect: wait a little before the next one. */
  backOff(sentAtMs: number, why: string): void {
    this.#backoff.backOff(sentAtMs, why);
  }

  settled(): void {
    this.#waits.progress();
    this.#backoff.settled();
    this.#learned.accepted(this.#nowMs);
    this.#serve();
  }

  /** An answer was lost. @returns how many in a row. */
  doubted(sentAtMs: number, why: string): number {
    return this.#backoff.doubted(sentAtMs, why);
  }

  /** Takes what an answer of any kind says about the speed. The vendor has not counted what is on its way, as far as we know. */
  hear({ left, pauseMs }: RateHints): void {
    if (pauseMs !== undefined) this.#backoff.waitFor(pauseMs, 'the vendor asked to wait', true);
    if (left === undefined) return;
    this.#left = left.requests - this.#inFlight;
    this.#leftUntilMs = this.#nowMs + left.resetMs;
    this.#serve();
  }

  close(): void {
    this.#wake();
    this.#waits.close();
    this.#leases.close();
    this.#options.line?.close();
  }

  // ---------------------------------------------------------------------------------------- who waits for a permit

  /** Gives permits in the order of asking, as long as nothing forbids it, and looks again when that may have changed. */
  #serve(): void {
    for (const first of this.#forPermit) {
      const { waitMs } = this.#wait();
      if (waitMs > 0) {
        this.#lookIn(waitMs);
        return;
      }
      this.#leases.take();
      this.#out += 1;
      this.#inHand += 1;
      first.resolve();
    }
    this.#wake();
  }

  #lookIn(waitMs: number): void {
    const { waitMs: knownMs, why } = this.#known();
    this.#backoff.tellLongWait(knownMs, why);
    this.#waits.refuseEndless();
    const untilMs = this.#nowMs + waitMs;
    if (this.#sleep !== undefined && this.#sleep.untilMs <= untilMs) return;
    this.#wake();
    if (waitMs === Number.POSITIVE_INFINITY || this.#forPermit.size === 0) return;
    const sleep = { untilMs, waking: new AbortController() };
    this.#sleep = sleep;
    const over = (): void => {
      if (this.#sleep === sleep) this.#sleep = undefined;
      this.#serve();
    };
    this.#clock.sleep(waitMs, sleep.waking.signal).then(over, () => {});
  }

  #wake(): void {
    this.#sleep?.waking.abort();
    this.#sleep = undefined;
  }

  /** Its place in the line. One that comes when nobody waits for it any more goes back. */
  #turn(line: AccountLine, waiter: Waiter): Promise<Turn> {
    const turn = this.#waits.enter(this.#forTurn, waiter);
    const waiting = [...this.#forTurn].at(-1);
    line.turn().then(
      (place) => {
        if (waiting !== undefined && this.#forTurn.has(waiting)) waiting.resolve(place);
        else place.giveBack();
      },
      (error) => waiting?.reject(error),
    );
    return turn;
  }

  // ---------------------------------------------------------------------------------------- what forbids to send

  /** How long until a request may leave, and why; infinite when no clock says when that is. The longest wait wins. */
  #wait(): Wait {
    const nowMs = this.#nowMs;
    const { isOver, why } = this.#backoff;
    const aloneMs = this.#out > 0 && this.#mustBeAlone ? Number.POSITIVE_INFINITY : 0;
    const leaseMs = this.#leases.waitMs(this.#perSecond);
    const all: readonly Wait[] = [
      { waitMs: this.#backoff.waitMs(nowMs), why },
      { waitMs: this.#planMs(nowMs), why: LIMIT_USED_UP },
      { waitMs: Math.max(leaseMs, aloneMs), why: isOver ? LEARNED_RATE : why },
    ];
    return all.reduce((longest, each) => (each.waitMs > longest.waitMs ? each : longest));
  }

  /** How long it takes at least until a request may leave, and why. */
  #known(): Wait {
    const wait = this.#wait();
    if (wait.waitMs > 0 && wait.waitMs < Number.POSITIVE_INFINITY) return wait;
    const silent = `the vendor has not completed its answer to ${counted(this.#inFlight, 'request')}`;
    return { waitMs: 0, why: this.#backoff.isOver ? silent : this.#backoff.why };
  }

  get #mustBeAlone(): boolean {
    return this.#backoff.isProbing || this.#options.goesAlone?.() === true;
  }

  get #perSecond(): number {
    return Math.min(this.#plan.perSecond, this.#isPaced ? this.#learned.perSecond : Number.POSITIVE_INFINITY);
  }

  #planMs(nowMs: number): number {
    const lineMs = this.#options.line?.waitMs ?? 0;
    return Math.max(this.#leftMs(nowMs, this.#inHand), this.#plan.waitMs(nowMs, this.#inHand), lineMs);
  }

  /** @param inHand permits that are out and have not been sent yet. */
  #leftMs(nowMs: number, inHand: number): number {
    return this.#left > inHand ? 0 : Math.max(this.#leftUntilMs - nowMs, 0);
  }

  get #nowMs(): number {
    return this.#clock.monotonicMs();
  }
}
