import { type Clock, localTime } from '../../core/clock.ts';
import { StopError } from '../../core/errors.ts';
import { DO_AGAIN, phrase } from '../../core/phrase.ts';
import { counted } from '../../core/plain-text.ts';
import { LEARNED_RATE, LIMIT_USED_UP } from '../../core/rate.ts';
import { type KnownLimit, SENT_WITHIN_MS, type TakePlaces } from '../../ledger/ledger.ts';
import { formatDuration } from '../../lib/duration.ts';
import type { RateHints } from '../rate-hints.ts';
import { Leases } from './leases.ts';
import {
  type AskedWait,
  Backoff,
  isSpread,
  LearnedRate,
  type LimitNews,
  type Limits,
  type Pause,
  RateWindows,
  type Wait,
} from './limits.ts';
import { Line, type Turn } from './line.ts';

/**
 * Decides when the next request of an account may leave. At most `concurrency` are under way at once, and a
 * window has no more than the plan allows. No request leaves while the vendor asked us to wait. While answers
 * get lost, requests go one at a time. All batches of the account share one limiter. Several processes that
 * share an account have a limiter each, and the line in which they stand keeps the plan.
 *
 * A sender waits for a slot and for the longest of all waits that forbid it to send. Where there is a line,
 * it also waits for a place in the line.
 */

export interface LimiterOptions extends LimitNews {
  readonly limits: Limits;
  readonly clock: Clock;
  /** The clock that measures the age of intents; `clock` without it. */
  readonly machine?: Clock;
  /** Send times of earlier runs, wall clock, so that a restart does not burst. */
  readonly earlierSendsMs: readonly number[];
  /** Starts at full speed although the plan is unknown, and learns from the first refusal on. */
  readonly unhurried?: boolean;
  /** Where many processes send: the line of the account, which keeps its windows for all of them. */
  readonly takePlaces?: TakePlaces | undefined;
  /**
   * Whether only one request may be in flight, until an answer ends the reason for that. Without it, never.
   */
  goesAlone?(): boolean;
  /**
   * Where many processes send: asks to be the one that probes a limit without a time. It gives 0, or how long
   * to wait before that is asked again, ms.
   */
  readonly takeProbe?: (() => Promise<number>) | undefined;
  onPause(pause: Pause): void;
}

/** A run that wants to send. There is one object a run, and all of its requests pass the same one. */
export interface Waiter {
  readonly signal: AbortSignal;
  /** The longest time in which nothing may settle before the run stops; undefined: the run waits for ever. */
  readonly maxPauseMs: number | undefined;
}

interface WaitingPermit {
  /** It is for a question about a call that was accepted. */
  readonly isPoll: boolean;
  readonly waiter: Waiter;
  resolve(permit: Permit): void;
  reject(reason: unknown): void;
}

type PermitState = 'in hand' | 'sent' | 'answered' | 'done';

const SAME_WAIT_MS = 500;

const LOOK_EVERY_MS = 1_000;

/** A look that is this late was delayed: the process was stopped, or the machine slept. */
const STOPPED_MS = 5_000;

export class Limiter {
  readonly #options: LimiterOptions;
  readonly #clock: Clock;
  readonly #plan: RateWindows;
  readonly #line: Line | undefined;
  readonly #backoff: Backoff;
  readonly #learned: LearnedRate;
  readonly #leases: Leases;
  /**
   * Whether the learned speed holds requests back: no one has told us a speed, or the vendor refuses the one
   * that we were told.
   */
  #isPaced: boolean;
  /** The number of requests that the vendor says are left, and until when. */
  #remaining = Number.POSITIVE_INFINITY;
  #leftUntilMs = Number.NEGATIVE_INFINITY;
  /** The number of permits in each state. The count of those that are done is never read. */
  readonly #permits: Record<PermitState, number> = { 'in hand': 0, sent: 0, answered: 0, done: 0 };
  #slotsTaken = 0;
  /**
   * Permits that wait, in the order in which they came; then permits that have a slot and wait for a place in
   * the line.
   */
  readonly #waiting = new Set<WaitingPermit>();
  readonly #inLine = new Set<WaitingPermit>();
  /** Whether the next request is the one that probes a limit, for all processes. */
  #mayProbe = false;
  #asksForProbe = false;
  /** Whether the last permit was for a poll. */
  #wasPoll = false;
  readonly #heeded = new WeakSet<Waiter>();
  readonly #lanes = new Map<string, Promise<void>>();
  #sleep: { readonly untilMs: number; readonly waking: AbortController } | undefined;
  #looking: NodeJS.Timeout | undefined;
  #lookedAtMs = 0;
  /** The time since which no call was settled. */
  #progressAtMs: number;

  constructor(options: LimiterOptions) {
    const { limits, clock, machine = clock, takePlaces, unhurried = false } = options;
    this.#options = options;
    this.#clock = clock;
    this.#line = takePlaces && new Line(takePlaces, limits.windows, machine);
    this.#plan = new RateWindows(this.#line === undefined ? limits.windows : []);
    this.#plan.seed(options.earlierSendsMs, clock);
    this.#backoff = new Backoff(clock, options.onPause, options);
    this.#isPaced = !(limits.windows.some(isSpread) || unhurried);
    // Where the learned speed holds no request back, a refusal leaves seven tenths of the plan, or of one
    // request a second for each request that may be under way.
    const refused = Math.min(this.#plan.perSecond, Math.max(limits.concurrency, 1));
    this.#learned = new LearnedRate(this.#isPaced ? undefined : refused);
    this.#leases = new Leases(clock, () => this.#serve());
    this.#progressAtMs = clock.monotonicMs();
  }

  /**
   * Waits until there is a slot and one request may leave, now or at a known time that is near, and counts it
   * as leaving now.
   * @throws StopError `paused` when that would be later than `maxPauseMs` after the last progress; the
   *   signal's reason when the run is stopping.
   */
  permit(waiter: Waiter, isPoll = false): Promise<Permit> {
    const { signal } = waiter;
    if (signal.aborted) return Promise.reject(signal.reason);
    // While the ledger alone answers, no request waits for the account, so that time does not count as a
    // standstill.
    const isIdle = this.#slotsTaken + this.#waiting.size === 0;
    if (isIdle && this.#backoff.isOver) this.#progressAtMs = this.#nowMs;
    // There is one listener for each run and not for each request, because a run sends millions.
    if (!this.#heeded.has(waiter)) {
      this.#heeded.add(waiter);
      signal.addEventListener('abort', () => this.#dismiss(waiter), { once: true });
    }
    if (this.#looking === undefined) {
      this.#lookedAtMs = this.#nowMs;
      this.#looking = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
    }
    return new Promise((resolve, reject) => {
      this.#waiting.add({ isPoll, waiter, resolve, reject });
      this.#serve();
    });
  }

  /**
   * Waits until no other caller holds the name. A holder may wait for a slot, so no caller waits for a name
   * while it has one.
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

  /** The number of requests that are on their way. */
  get inFlight(): number {
    return this.#permits.sent;
  }

  // --------------------------------------------------------------------------------------- what permits tell

  /**
   * Whether a slot may be given back before its call is over. A single slot may not: so a kill between two
   * calls leaves no doubt.
   */
  get handsOver(): boolean {
    return this.#options.limits.concurrency > 1;
  }

  leaveSlot(): void {
    this.#slotsTaken -= 1;
    this.#serve();
  }

  /**
   * Whether sending is still allowed by everything that answers have said since a permit was given. The plan
   * has already counted the permit.
   */
  holds(): boolean {
    const nowMs = this.#nowMs;
    if (this.#mustBeAlone && this.#out > 1) return false;
    return this.#backoff.waitMs(nowMs) === 0 && this.#leftMs(nowMs, this.#permits['in hand'] - 1) === 0;
  }

  movePermit(from: PermitState, to: PermitState): void {
    this.#permits[from] -= 1;
    this.#permits[to] += 1;
    if (to === 'sent') {
      this.#remaining -= 1;
      this.#plan.sent(this.#nowMs);
    } else if (from === 'in hand') this.#leases.giveBack(this.#perSecond);
    if (to !== 'answered') this.#serve();
  }

  // --------------------------------------------------------------------------------------- what answers mean

  /** The vendor said "too fast", in these words. `sentAtMs` is monotonic, here and below. */
  pause(askedWait: AskedWait, sentAtMs: number, vendorWords: string): void {
    const isNew = this.#backoff.pause(askedWait, sentAtMs, vendorWords);
    // A refusal within the plan counts as jitter, until the widest margins do not help: then the plan must be
    // wrong.
    const plan = this.#line ?? this.#plan;
    if (isNew && !plan.widen()) this.#isPaced = true;
    if (this.#isPaced) this.#learned.limited(sentAtMs, this.#nowMs);
  }

  /** The request did not leave, or its answer had no effect. Waits a little before the next one. */
  backOff(sentAtMs: number, why: string): void {
    this.#backoff.backOff(sentAtMs, why);
  }

  /** An earlier run, or another process, was asked to wait. Its note takes a while to arrive. */
  waitFor(durationMs: number, why: string, isAsked: boolean): void {
    if (durationMs - this.#backoff.waitMs(this.#nowMs) > SAME_WAIT_MS)
      this.#backoff.waitFor(durationMs, why, isAsked);
  }

  /** An earlier run, or another process, has met a limit without a time, which is probed after `forMs`. */
  limited(limit: KnownLimit, forMs: number): void {
    this.#backoff.limited(limit, forMs);
  }

  /** Whether one request at a time probes such a limit. */
  get isLimited(): boolean {
    return this.#backoff.isLimited;
  }

  /** Another process has heard that the limit is over. */
  limitOver(): void {
    this.#backoff.limitOver();
    this.#serve();
  }

  settled(): void {
    this.#progressAtMs = this.#nowMs;
    this.#backoff.settled();
    this.#learned.accepted(this.#nowMs);
    this.#serve();
  }

  /** An answer was lost. */
  doubted(sentAtMs: number, why: string): void {
    this.#backoff.doubted(sentAtMs, why);
  }

  /**
   * Takes the rate hints of an answer of any kind. The vendor has not counted the requests on their way, as
   * far as we know.
   */
  applyHints({ remaining, pauseMs }: RateHints): void {
    if (pauseMs !== undefined) this.#backoff.waitFor(pauseMs, 'the vendor asked to wait', true);
    if (remaining === undefined) return;
    this.#remaining = remaining.requests - this.#permits.sent;
    this.#leftUntilMs = this.#nowMs + remaining.resetMs;
    this.#serve();
  }

  close(): void {
    this.#wake();
    this.#stopLooking();
    this.#leases.close();
    this.#line?.close();
  }

  // ---------------------------------------------------------------------------------------- who waits

  get #all(): readonly WaitingPermit[] {
    return [...this.#waiting, ...this.#inLine];
  }

  #refuse(waiting: WaitingPermit, reason: unknown): void {
    this.#waiting.delete(waiting);
    this.#inLine.delete(waiting);
    waiting.reject(reason);
  }

  #dismiss(waiter: Waiter): void {
    for (const each of this.#all) if (each.waiter === waiter) this.#refuse(each, waiter.signal.reason);
  }

  /** Runs as long as any permit waits, whatever it waits for. */
  #look(): void {
    const nowMs = this.#nowMs;
    if (this.#all.length === 0) {
      this.#stopLooking();
      return;
    }
    // Answers that came while the process stood still have not been read yet, so that time does not count.
    if (nowMs - this.#lookedAtMs > LOOK_EVERY_MS + STOPPED_MS) this.#progressAtMs = nowMs;
    this.#lookedAtMs = nowMs;
    this.#refuseEndless(this.#known());
    this.#serve();
  }

  #stopLooking(): void {
    clearInterval(this.#looking);
    this.#looking = undefined;
  }

  /** Every run ends: a wait beyond the longest pause stops the run now and not at the end of the wait. */
  #refuseEndless({ waitMs, why }: Wait): void {
    const stuckMs = this.#nowMs - this.#progressAtMs;
    for (const waiting of this.#all) {
      const { maxPauseMs } = waiting.waiter;
      if (maxPauseMs === undefined || stuckMs + waitMs <= maxPauseMs) continue; // rule 14b
      const message = stuckWords(stuckMs, waitMs, maxPauseMs, why);
      const resumeAtMs = this.#clock.wallMs() + waitMs;
      const next = phrase`${DO_AGAIN} after ${localTime(resumeAtMs)}.`;
      this.#refuse(waiting, new StopError({ code: 'paused', message, next, resumeAtMs }));
    }
  }

  /** The permit that waits longest. After a poll that is no poll, so that polls take half of them at most. */
  #next(): WaitingPermit | undefined {
    if (this.#wasPoll) for (const each of this.#waiting) if (!each.isPoll) return each;
    return this.#waiting.values().next().value;
  }

  /**
   * Gives permits in the order of asking, as long as nothing forbids it, and looks again when that may have
   * changed.
   */
  #serve(): void {
    const { clock, machine = clock, limits } = this.#options;
    for (let first = this.#next(); first !== undefined; first = this.#next()) {
      if (this.#slotsTaken >= limits.concurrency) break;
      const { waitMs } = this.#wait();
      if (waitMs > 0) {
        this.#lookIn(waitMs);
        return;
      }
      if (this.#mustTakeProbe) return;
      this.#mayProbe = false;
      this.#waiting.delete(first);
      this.#wasPoll = first.isPoll;
      this.#leases.take();
      this.#slotsTaken += 1;
      this.#permits['in hand'] += 1;
      if (this.#line === undefined) first.resolve(new Permit(this, machine));
      else void this.#standInLine(this.#line, first);
    }
    this.#wake();
  }

  /**
   * Whether another process may be probing the limit. Then that is asked first, and the permits are served
   * afterwards.
   */
  get #mustTakeProbe(): boolean {
    const { takeProbe } = this.#options;
    if (takeProbe === undefined || !this.#backoff.isLimited || this.#mayProbe) return false;
    if (!this.#asksForProbe) void this.#takeProbe(takeProbe);
    return true;
  }

  async #takeProbe(takeProbe: () => Promise<number>): Promise<void> {
    this.#asksForProbe = true;
    try {
      const waitMs = await takeProbe();
      if (waitMs > 0) this.#backoff.probeIn(waitMs);
      else this.#mayProbe = true;
    } catch (error) {
      for (const waiting of [...this.#waiting]) this.#refuse(waiting, error);
    } finally {
      this.#asksForProbe = false;
    }
    this.#serve();
  }

  /**
   * A place that comes when no permit waits for it any more goes back, and so does a place that comes in a
   * pause.
   */
  async #standInLine(line: Line, waiting: WaitingPermit): Promise<void> {
    const { clock, machine = clock } = this.#options;
    this.#inLine.add(waiting);
    let turn: Turn | undefined;
    try {
      turn = await line.turn();
    } catch (error) {
      this.#refuse(waiting, error);
    }
    const permit = new Permit(this, machine, turn);
    const isAsked = this.#inLine.delete(waiting);
    if (isAsked && this.holds()) {
      waiting.resolve(permit);
      return;
    }
    if (isAsked) this.#waiting.add(waiting);
    permit.giveBack();
  }

  #lookIn(waitMs: number): void {
    const known = this.#known();
    this.#backoff.tellLongWait(known);
    this.#refuseEndless(known);
    const untilMs = this.#nowMs + waitMs;
    if (this.#sleep !== undefined && this.#sleep.untilMs <= untilMs) return;
    this.#wake();
    if (waitMs === Number.POSITIVE_INFINITY || this.#waiting.size === 0) return;
    this.#learned.heldBack(this.#nowMs);
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

  // ------------------------------------------------------------------------------------ what forbids to send

  /**
   * How long until a request may leave, and why; infinite when no clock knows when that is. The longest wait
   * wins.
   */
  #wait(): Wait {
    const nowMs = this.#nowMs;
    const { isOver, why } = this.#backoff;
    const inHand = this.#permits['in hand'];
    const lineMs = this.#line?.waitMs ?? 0;
    const aloneMs = this.#out > 0 && this.#mustBeAlone ? Number.POSITIVE_INFINITY : 0;
    const planMs = Math.max(this.#leftMs(nowMs, inHand), this.#plan.waitMs(nowMs, inHand), lineMs);
    const vendorMs = this.#backoff.waitMs(nowMs);
    const paceMs = Math.max(this.#leases.waitMs(this.#perSecond), aloneMs);
    const waitMs = Math.max(vendorMs, planMs, paceMs);
    if (waitMs === vendorMs) return { waitMs, why };
    if (waitMs === planMs) return { waitMs, why: LIMIT_USED_UP };
    return { waitMs, why: isOver ? LEARNED_RATE : why };
  }

  /** How long it takes at least until a request may leave, and why. */
  #known(): Wait {
    const wait = this.#wait();
    if (wait.waitMs > 0 && wait.waitMs < Number.POSITIVE_INFINITY) return wait;
    const silent = `the vendor has not completed its answer to ${counted(this.#permits.sent, 'request')}`;
    return { waitMs: 0, why: this.#backoff.isOver ? silent : this.#backoff.why };
  }

  get #mustBeAlone(): boolean {
    return this.#backoff.goesAlone || this.#options.goesAlone?.() === true;
  }

  get #out(): number {
    return this.#permits['in hand'] + this.#permits.sent + this.#permits.answered;
  }

  get #perSecond(): number {
    return Math.min(this.#plan.perSecond, this.#isPaced ? this.#learned.perSecond : Number.POSITIVE_INFINITY);
  }

  /** @param inHand permits that are out and have not been sent yet. */
  #leftMs(nowMs: number, inHand: number): number {
    return this.#remaining > inHand ? 0 : Math.max(this.#leftUntilMs - nowMs, 0);
  }

  get #nowMs(): number {
    return this.#clock.monotonicMs();
  }
}

/**
 * @param stuckMs the time that was waited.
 * @param waitMs the time that is still to come.
 * @param why the reason, as a clause.
 */
function stuckWords(stuckMs: number, waitMs: number, maxPauseMs: number, why: string): string {
  const longer = `longer than --max-pause allows (${seconds(maxPauseMs)}).`;
  const words = `${why}. That is ${longer}`;
  if (waitMs === 0) return `Nothing could be finished for ${seconds(stuckMs)}: ${words}`;
  if (waitMs > maxPauseMs) return `The next request would have to wait for ${seconds(waitMs)}: ${words}`;
  return (
    `Nothing was finished for ${seconds(stuckMs)}, ` +
    `and the next request would have to wait for another ${seconds(waitMs)}: ${why}. Together that is ${longer}`
  );
}

const seconds = (durationMs: number): string => formatDuration(Math.ceil(durationMs / 1000) * 1000);

/**
 * A concurrency slot and the right to send one request now. Its holder gives it back, whatever the result.
 */
export class Permit {
  /**
   * The time is taken before the commit, so that a process that is stopped during the commit also counts as
   * late. It includes the machine's own calendar, because a jump of the calendar shows that the machine may
   * have slept.
   */
  readonly intentAt: { readonly monotonicMs: number; readonly wallMs: number };
  readonly #limiter: Limiter;
  readonly #turn: Turn | undefined;
  #state: PermitState = 'in hand';
  #isInSlot = true;

  /** @param turn the place in the line of all processes, where there is one. */
  constructor(limiter: Limiter, machine: Clock, turn?: Turn) {
    this.#limiter = limiter;
    this.#turn = turn;
    this.intentAt = { monotonicMs: machine.monotonicMs(), wallMs: machine.wallMs() };
  }

  /**
   * Resolves when its request may leave, or no longer can; undefined when that is so already. Answers that
   * come meanwhile may still forbid it.
   */
  untilDue(): Promise<void> | undefined {
    return this.#turn?.untilDue(this.intentAt.monotonicMs + SENT_WITHIN_MS);
  }

  get holds(): boolean {
    return this.mayLeave() && this.#limiter.holds();
  }

  /** Whether the permit may be used in this very turn. It is asked just before the headers leave. */
  mayLeave(): boolean {
    return this.#turn?.mayLeave() !== false;
  }

  sent(): void {
    if (this.#state !== 'in hand') return;
    this.#turn?.sent();
    this.#to('sent');
  }

  answered(): void {
    if (this.#state !== 'sent') return;
    this.#turn?.answered();
    this.#to('answered');
  }

  /** Frees the slot for another request. The account still counts the request as under way. */
  handOver(): void {
    if (this.#limiter.handsOver) this.#leaveSlot();
  }

  giveBack(): void {
    this.#leaveSlot();
    if (this.#state === 'done') return;
    this.#turn?.giveBack();
    this.#to('done');
  }

  #to(state: PermitState): void {
    const before = this.#state;
    this.#state = state;
    this.#limiter.movePermit(before, state);
  }

  #leaveSlot(): void {
    if (!this.#isInSlot) return;
    this.#isInSlot = false;
    this.#limiter.leaveSlot();
  }
}
