import type { StopError } from '../../core/errors.ts';
import { counted } from '../../core/plain-text.ts';
import type { AccountLine, Turn } from '../../ledger/ledger.ts';
import type { RateHints } from '../rate-hints.ts';
import { Backoff, type LimiterOptions, LongWaits, type WaitReason } from './limiter/backoff.ts';
import { PlanGuards, RemainingQuota } from './limiter/guards.ts';
import { LearnedRate } from './limiter/learned-rate.ts';
import { Leases } from './limiter/leases.ts';
import { Outstanding, type PermitGiver, RatePermit } from './limiter/outstanding.ts';
import {
  Lanes,
  pausedStop,
  Sleep,
  Slots,
  Standstill,
  stuckWords,
  type Waiter,
  WaitQueue,
} from './limiter/wait-queue.ts';
import { isSpread, tellsPace, type Window } from './windows.ts';

export type { LimiterOptions, Pause } from './limiter/backoff.ts';
export type { RatePermit } from './limiter/outstanding.ts';
export type { Waiter } from './limiter/wait-queue.ts';

/**
 * When the next request of an account may leave: at most `concurrency` at once, never more in a window than the plan allows,
 * not while the vendor asked us to wait, and one at a time while its answers get lost. All its batches share one. Several
 * processes that share an account have a limiter each, and its plan is kept by the line in which they stand.
 *
 * A sender waits in two queues, one after the other: for a concurrency slot, and for a permit of a lease. Leases burst at
 * times, so guards check every send last: a sliding log for each window of the plan, what the vendor says is left, and how much
 * of the learned speed the last requests used up. The longest wait wins. Where there is a line, a permit is a place in it as well, and
 * the line stands for the logs.
 */

/** What the line tells of a wait may change as often. */
const LOOK_AT_LINE_MS = 1_000;

const SAME_WAIT_MS = 500;
const LIMIT_USED_UP = 'the limit of the account is used up';
const LEARNED_RATE = "the vendor's answers allow no earlier request";

export class Limiter {
  readonly #options: LimiterOptions;
  readonly #slots: Slots;
  readonly lanes: Lanes;
  /** Of the account's plan, or of what the vendor's answers say that it is. */
  #guards: PlanGuards;
  #toldPlan = '';
  readonly #leases: Leases;
  readonly #backoff: Backoff;
  readonly #learned: LearnedRate;
  readonly #remainingQuota = new RemainingQuota();
  /** Whether the learned speed holds us back: nobody told us one, or the vendor refuses what we were told. */
  #isPaced: boolean;
  readonly #standstill: Standstill;
  readonly #longWaits: LongWaits;
  readonly #out = new Outstanding();
  readonly #permits: PermitGiver = {
    holds: () => this.#holds(),
    sent: (permit) => this.#sent(permit),
    answered: (permit) => this.#answered(permit),
    done: (permit) => this.#done(permit),
  };
  readonly #queue = new WaitQueue<RatePermit>(() => this.#changed());
  #isServing = false;
  readonly #sleep: Sleep;
  /** Places that nobody has yet, and how many are asked for. */
  #turns: Turn[] = [];
  #askedTurns = 0;

  constructor(options: LimiterOptions) {
    const { limits, clock, learnedPerSecond, line } = options;
    this.#options = options;
    this.#guards = new PlanGuards(line === undefined ? limits.windows : [], clock);
    this.#longWaits = new LongWaits(clock, options.onPause);
    this.#backoff = new Backoff(clock, options.onPause);
    this.#learned = new LearnedRate(learnedPerSecond);
    this.#isPaced = learnedPerSecond !== undefined || (!tellsPace(limits) && options.unhurried !== true);
    this.#standstill = new Standstill(clock, (waiter, stuckMs) => this.#standstillStop(waiter, stuckMs));
    this.#slots = new Slots(limits.concurrency, this.#standstill);
    this.lanes = new Lanes(this.#standstill);
    this.#sleep = new Sleep(clock);
    const isLearned = (): boolean => this.#isPaced;
    const learnedPace = (): number => (isLearned() ? this.#learned.perSecond : Number.POSITIVE_INFINITY);
    const perSecond = (): number => Math.min(learnedPace(), this.#guards.perSecond);
    this.#leases = new Leases({ ...options, perSecond, isLearned, onArrived: () => this.#changed() });
    this.#guards.seed(options.earlierSendsMs);
  }

  /**
   * Takes one of the account's concurrency slots. Whoever has one gives it back with `leave`.
   * @returns a promise only where none is free.
   * @throws StopError `paused` when there is none before `maxPauseMs` after the last progress; the signal's reason when
   * the run is stopping.
   */
  enter(waiter: Waiter): Promise<void> | undefined {
    // While the ledger alone answers, no request waits for the account, so that time does not count as a standstill.
    if (this.#backoff.isOver && this.#slots.isIdle) this.#standstill.progress();
    return this.#slots.enter(waiter);
  }

  leave(): void {
    this.#slots.leave();
  }

  /** Whether a slot may be given back before its call is over. The only one may not: a kill between two calls leaves no doubt. */
  get handsOver(): boolean {
    return this.#options.limits.concurrency > 1;
  }

  /** Requests that may be in flight, or whose answers have not had their consequences yet. */
  get outstanding(): number {
    return this.#out.size;
  }

  get inFlight(): number {
    return this.#out.inFlight;
  }

  /** Resolves when every answer that has come by now has had its consequences; undefined when that is so. */
  applied(): Promise<void> | undefined {
    return this.#out.applied();
  }

  /**
   * Waits until one request may leave, or will at a known time that is near, and counts it as leaving now.
   * @throws StopError `paused` when that would be later than `maxPauseMs` after the last progress; the signal's reason
   * when the run is stopping.
   */
  permit(waiter: Waiter): Promise<RatePermit> {
    const waiting = this.#standstill.wait(this.#queue, waiter);
    this.#refuseEndlessWaits(this.#waitMs());
    this.#changed();
    void this.#serve();
    return waiting;
  }

  /** The same when nobody waits and nothing forbids to send, which is the rule where nothing is limited; otherwise undefined. */
  permitAtOnce({ signal }: Waiter): RatePermit | undefined {
    if (this.#options.line !== undefined) return undefined;
    if (signal.aborted || this.#isServing || this.#queue.size > 0 || this.#waitMs() > 0) return undefined;
    return this.#leases.take() ? this.#grant() : undefined;
  }

  /** An earlier run, or another process, was asked to wait; what it was told takes a while on its way. */
  waitFor(durationMs: number, why: string, asked: boolean): void {
    if (durationMs - this.#backoff.waitMs(this.#nowMs()) <= SAME_WAIT_MS) return;
    this.#backoff.waitFor(durationMs, why, asked);
    this.#changed();
  }

  // ---------------------------------------------------------------------------------------- what answers mean

  /** The vendor said "too fast", in these words; `teaches`: not to this call alone. `sentAtMs` is monotonic, here and below. */
  pause(askedMs: number | undefined, sentAtMs: number, said: string, teaches = true): void {
    if (teaches) this.#learned.limited(sentAtMs, this.#nowMs());
    // A refusal within the plan counts as jitter, until the widest margins do not help: then the plan must be wrong.
    const plan = this.#options.line ?? this.#guards;
    if (this.#backoff.pause(askedMs, sentAtMs, said) && teaches && !plan.widen()) this.#isPaced = true;
    this.#tellLearned();
  }

  /** The request did not leave, or its answer had no effect: wait a little before the next one. */
  backOff(sentAtMs: number, why: string): void {
    this.#backoff.backOff(sentAtMs, why);
  }

  settled(): void {
    this.#standstill.progress();
    this.#backoff.settled();
    this.#learned.accepted(this.#nowMs());
    this.#tellLearned();
    this.#changed();
  }

  /** An answer was lost. @returns how many in a row. */
  doubted(sentAtMs: number, why: string): number {
    return this.#backoff.doubted(sentAtMs, why);
  }

  /** Takes what an answer of any kind says about the speed. */
  hear({ windows, left, pauseMs }: RateHints, sentAtMs: number): void {
    const nowMs = this.#nowMs();
    if (pauseMs !== undefined) this.#backoff.waitFor(pauseMs, 'the vendor asked to wait', true);
    if (left !== undefined) this.#remainingQuota.heard(left, sentAtMs, this.#out.sentSince(sentAtMs), nowMs);
    this.#believe(windows.filter(isSpread));
    this.#tellLearned();
    this.#changed();
  }

  /** What the vendor says of its plan counts as one where the account has none, until it refuses what that allows. */
  #believe(windows: readonly Window[]): void {
    const { limits, line, clock } = this.#options;
    const plan = JSON.stringify(windows);
    if (windows.length === 0 || plan === this.#toldPlan || line !== undefined || tellsPace(limits)) return;
    this.#toldPlan = plan;
    this.#guards = new PlanGuards([...limits.windows, ...windows], clock);
    for (let permit = 0; permit < this.#out.inHand; permit += 1) this.#guards.take();
    this.#isPaced = false;
    this.#options.onLearned(this.#guards.perSecond);
  }

  // ---------------------------------------------------------------------------------------- the end

  /**
   * A stop for a pause was thrown as soon as it was certain; answers that came since may have moved its end.
   * @returns the stop with the end as it is known now.
   */
  upToDate(stopped: StopError): StopError {
    const waitMs = this.#waitMs();
    if (stopped.code !== 'paused' || waitMs === Number.POSITIVE_INFINITY) return stopped;
    return pausedStop(stopped.message, this.#options.clock.wallMs() + waitMs);
  }

  async close(): Promise<void> {
    this.#leases.close();
    this.#options.line?.close();
  }

  // ---------------------------------------------------------------------------------------- the queue

  /** Hands out permits in the order of requests, until none waits. */
  async #serve(): Promise<void> {
    if (this.#isServing) return;
    this.#isServing = true;
    try {
      while (this.#queue.size > 0) await this.#serveFirst();
    } catch (error) {
      // This is a bug: a waiting caller shall learn of it instead of waiting for ever.
      this.#queue.refuse(() => error);
    } finally {
      this.#isServing = false;
      for (const turn of this.#turns.splice(0)) turn.giveBack();
    }
  }

  async #serveFirst(): Promise<void> {
    this.#leases.ask();
    const waitMs = this.#waitMs();
    this.#refuseEndlessWaits(waitMs);
    if (this.#queue.size === 0) return;
    this.#longWaits.tell(waitMs, () => this.#reason());
    this.#askLine();
    const sleepMs = this.#sleepMs(waitMs);
    if (sleepMs > 0) await this.#sleep.lasting(sleepMs);
    else if (this.#leases.take()) this.#queue.serveFirst(this.#grant());
  }

  /** The end of a wait is known, or it is the arrival of a lease or of a place: no clock says when that is. */
  #sleepMs(waitMs: number): number {
    if (waitMs > 0) return waitMs;
    if (!this.#leases.isThere) return Number.POSITIVE_INFINITY;
    return this.#options.line === undefined || this.#turns.length > 0 ? 0 : LOOK_AT_LINE_MS;
  }

  /** Takes a place for each who waits, once nothing else holds them back. */
  #askLine(): void {
    const { line } = this.#options;
    if (line === undefined || this.#ownWaitMs() > 0) return;
    while (this.#turns.length + this.#askedTurns < this.#queue.size) {
      this.#askedTurns += 1;
      void this.#takeTurn(line);
    }
  }

  async #takeTurn(line: AccountLine): Promise<void> {
    try {
      const turn = await line.turn();
      if (this.#queue.size > 0) this.#turns.push(turn);
      else turn.giveBack();
    } catch (error) {
      this.#queue.refuse(() => error);
    }
    this.#askedTurns -= 1;
    this.#changed();
  }

  /** Milliseconds until a request may leave, as far as it is known; infinite when that depends on another one ending. */
  #waitMs(): number {
    return Math.max(this.#ownWaitMs(), this.#lineMs);
  }

  get #lineMs(): number {
    const { line } = this.#options;
    return line === undefined || this.#turns.length > 0 ? 0 : line.waitMs;
  }

  #ownWaitMs(): number {
    const nowMs = this.#nowMs();
    if (this.#out.size > 0 && this.#mustBeAlone) return Number.POSITIVE_INFINITY;
    return Math.max(this.#backoff.waitMs(nowMs), this.#planMs(nowMs), this.#learnedMs(nowMs));
  }

  get #mustBeAlone(): boolean {
    return this.#backoff.isProbing || this.#options.goesAlone?.() === true;
  }

  #planMs(nowMs: number): number {
    const quotaMs = this.#remainingQuota.waitMs(nowMs, this.#out.inHand);
    return Math.max(quotaMs, this.#guards.waitMs(nowMs));
  }

  #learnedMs(nowMs: number): number {
    if (!this.#isPaced) return 0;
    return Math.max(this.#learned.waitMs(nowMs), this.#leases.dueMs);
  }

  #reason(): WaitReason {
    const nowMs = this.#nowMs();
    const [planMs, learnedMs] = [Math.max(this.#planMs(nowMs), this.#lineMs), this.#learnedMs(nowMs)];
    const isTold = this.#backoff.waitMs(nowMs) >= Math.max(planMs, learnedMs);
    if (isTold) return { why: this.#backoff.why, isTold };
    if (planMs >= learnedMs) return { why: LIMIT_USED_UP, isTold };
    return { why: this.#backoff.isOver ? LEARNED_RATE : this.#backoff.why, isTold };
  }

  #changed(): void {
    if (!this.#sleep.isOn) return;
    if (this.#queue.size > 0) this.#leases.ask();
    this.#askLine();
    this.#sleep.shorten(this.#queue.size === 0 ? 0 : this.#sleepMs(this.#waitMs()));
  }

  #grant(): RatePermit {
    const permit = new RatePermit(this.#permits, this.#turns.shift());
    this.#out.add(permit);
    this.#guards.take();
    return permit;
  }

  /** The plan and the learned speed have counted the permit when it was given; what answers say can still forbid it. */
  #holds(): boolean {
    const nowMs = this.#nowMs();
    if (this.#mustBeAlone && this.#out.size > 1) return false;
    if (this.#backoff.waitMs(nowMs) > 0) return false;
    return this.#remainingQuota.waitMs(nowMs, this.#out.inHand - 1) === 0;
  }

  #sent(permit: RatePermit): void {
    if (!this.#out.isInHand(permit)) return;
    const nowMs = this.#nowMs();
    this.#out.sent(permit, nowMs, this.#guards.sent(nowMs));
    this.#remainingQuota.sent();
    this.#learned.sent(nowMs);
    this.#changed();
  }

  #answered(permit: RatePermit): void {
    const sent = this.#out.answered(permit);
    if (sent !== undefined) this.#guards.answered(sent.numbers, this.#nowMs() - sent.atMs);
  }

  #done(permit: RatePermit): void {
    if (this.#out.isInHand(permit)) {
      this.#guards.giveBack();
      this.#leases.giveBack();
    }
    if (!this.#out.remove(permit)) return;
    this.#changed();
  }

  /** Every run ends: a wait beyond the longest pause stops the run now and not at the end of the wait. */
  #refuseEndlessWaits(waitMs: number): void {
    if (waitMs === 0 || waitMs === Number.POSITIVE_INFINITY) return;
    const stuckMs = this.#nowMs() + waitMs - this.#standstill.progressAtMs;
    this.#queue.refuse(({ maxPauseMs }) => {
      if (maxPauseMs === undefined || stuckMs <= maxPauseMs) return undefined;
      const words = stuckWords(stuckMs - waitMs, waitMs, maxPauseMs, this.#reason().why);
      return pausedStop(words, this.#options.clock.wallMs() + waitMs);
    });
  }

  #standstillStop({ maxPauseMs = 0 }: Waiter, stuckMs: number): StopError {
    const silent = `the vendor has not completed its answer to ${counted(this.#out.inFlight, 'request')}`;
    const why = this.#backoff.isOver ? silent : this.#backoff.why;
    return pausedStop(stuckWords(stuckMs, 0, maxPauseMs, why), this.#options.clock.wallMs());
  }

  // ---------------------------------------------------------------------------------------- the speed

  #tellLearned(): void {
    const perSecond = this.#isPaced ? this.#learned.takeNews() : undefined;
    if (perSecond !== undefined) this.#options.onLearned(perSecond);
  }

  #nowMs(): number {
    return this.#options.clock.monotonicMs();
  }
}
