import type { Window } from '../windows.ts';
import { RecentSends, ToldWindows } from './learned-rate/recent-sends.ts';
import { Setback } from './learned-rate/setback.ts';

/**
 * How fast an account may be asked when nobody stated a limit: learned from which requests the vendor accepts and which
 * it refuses. It depends only on the times it is given: no timer, no clock. Leases spread the requests at that speed.
 *
 * **Search.** Nothing is known: two requests a second, and every accepted answer makes it 5 % faster, at most twice as
 * fast in five quarters of a second. A vendor without a limit gets 2 to 4 requests a second for seven seconds, 20 in the
 * eleventh, 100 in the fourteenth, 500 in the seventeenth, and no bound after that.
 * **Cut.** The first refusal shows about where the limit is. We fall back to a speed that was certainly allowed,
 * whether the vendor counts by a sliding log, a fixed window or a bucket of tokens, and remember the ceiling. All
 * refusals of requests that left before a cut belong to it.
 * **Approach.** Up to just below the ceiling, quickly at first, then ever slower.
 * **Probe.** Past the ceiling, slowly: a refusal costs a request, a limit that was raised is worth minutes. A tenth
 * beyond it the ceiling was wrong, and the search begins anew.
 *
 * **Setback.** A bad minute leaves a speed far below what the vendor had allowed before. After a while without a refusal
 * it goes back towards that (`Setback`), and a lower limit is believed only after several tries.
 *
 * A vendor that still refuses after a cut counts over a longer time: one probe after the other, ever more seldom, shows
 * when it accepts again, and what was accepted before is the quota of that time. Where hardly anything was, nothing is
 * known of a limit, and the search goes on.
 */

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

/** Slow enough that a plan of two requests a second refuses one or two of the first hundred and not ten. */
const FIRST_PER_SECOND = 2;

/** How much faster one accepted answer makes the search. Fast vendors answer often, so time bounds it for them. */
const STEP_PER_ANSWER = 1.05;
const DOUBLE_IN_SECONDS = 1.25;

/** A ceiling that proved wrong was usually close, so the search for the next one takes more time. */
const DOUBLE_AGAIN_IN_SECONDS = 4;

/** Just below the ceiling, where the jitter of timers and of the network does no harm. */
const NEAR = 0.95;

/** This far beyond the ceiling there is no doubt that it was wrong: a full bucket does not last that long. */
const BEYOND = 1.1;

/** From a cut to just below the ceiling: seconds for a fast vendor, some dozens of requests for a slow one. */
const LEAST_APPROACH_MS = 5 * SECOND_MS;
const APPROACH_REQUESTS = 40;

/**
 * From just below the ceiling to beyond it. A refusal in several hundred requests is well under one percent. A ceiling
 * that is by bad luck far too low is still given up after four minutes.
 */
const PROBING_REQUESTS = 1000;
const LEAST_PROBING_MS = 60 * SECOND_MS;
const LONGEST_PROBING_MS = 240 * SECOND_MS;

/**
 * After a cut: at least this share of the refused speed remains, and the ceiling lies this far between the remaining
 * and the refused speed. The careful choice finds the limit of a slow vendor with two refusals. While fewer than one
 * request in 200 was refused the bold one is affordable, which loses less by a refusal that was only jitter.
 */
const CAREFUL = { least: 0, ceiling: 0.75 };
const BOLD = { least: 0.9, ceiling: 0.95 };
const BOLD_REFUSALS = 0.005;

/** Shortly after a cut little is certain: the next cut leaves at least this share of the speed. */
const LARGEST_CUT = 0.3;

/** The way back after a setback begins at this share of the speed before: a slow account takes minutes for the rest. */
const WAY_BACK_FROM = 0.5;

/** Sixty requests an hour. Slower plans are daily quotas, and pauses handle those. */
const LEAST_PER_SECOND = 1 / 60;

/** An answer that takes longer is not waited for: the next request is the probe. */
const PATIENCE_MS = 10 * SECOND_MS;
const FIRST_PROBE_MS = 500;
const LONGEST_PROBE_MS = 30 * SECOND_MS;

/**
 * Refusals that last for less are the rest of a second. Otherwise the vendor counts over the shortest of these times
 * that is as long; refusals for more than a minute mean a used-up quota of hours, which says nothing about the speed.
 */
const LEAST_OUTAGE_MS = 1500;
const LONGER_WINDOWS_MS = [10 * SECOND_MS, 60 * SECOND_MS];

/** Fewer accepted requests in the minute before an outage are no quota that was used up: the vendor was not ready yet. */
const LEAST_QUOTA = 5;

/** The longest window before an outage of that length, with the longest hold of a probe and of an answer. */
const REMEMBERED_MS = 170 * SECOND_MS;

/** Finer than the margin below the ceiling, in a window of a second. */
const BIN_MS = 20;

/** Speeds that differ by less look the same to a user, and are not worth a write. */
const NEWS_DIFFERENCE = 0.1;

interface Outage {
  readonly sinceMs: number;
  lastRefusedMs: number;
  refusals: number;
  /** Whether a request left since the cut. Answers that come before that belong to older requests. */
  isProbed: boolean;
}

export class RateLearner {
  readonly #sends = new RecentSends(REMEMBERED_MS, BIN_MS);
  #sent = 0;
  #refused = 0;
  #perSecond: number;
  #ceiling: number | undefined;
  #doubleInSeconds = DOUBLE_IN_SECONDS;
  #windowMs = SECOND_MS;
  #holdUntilMs = Number.NEGATIVE_INFINITY;
  #grewAtMs = Number.NEGATIVE_INFINITY;
  #cutAtMs = Number.NEGATIVE_INFINITY;
  #evidenceFromMs: number | undefined;
  #outage: Outage | undefined;
  readonly #setback = new Setback();
  #told: ToldWindows | undefined;
  #toldAtMs = Number.NEGATIVE_INFINITY;
  #toldKey = '';
  readonly #refutedKeys = new Set<string>();
  #newsPerSecond: number | undefined;

  /** @param earlier the speed that an earlier run had learned: this run starts and probes from there. */
  constructor(earlier: { readonly perSecond?: number } = {}) {
    const { perSecond } = earlier;
    this.#newsPerSecond = perSecond;
    this.#perSecond = Math.max(perSecond ?? FIRST_PER_SECOND, LEAST_PER_SECOND);
    this.#ceiling = perSecond === undefined ? undefined : this.#perSecond / NEAR;
  }

  /** The speed, when it is new or has changed by more than a tenth since this last gave one; undefined otherwise. */
  takeNews(): number | undefined {
    const { perSecond } = this;
    const before = this.#newsPerSecond;
    // A bad minute is nothing for a later run to begin with.
    if (perSecond === undefined || this.#setback.isOn) return undefined;
    if (before !== undefined && Math.abs(perSecond - before) <= before * NEWS_DIFFERENCE) return undefined;
    this.#newsPerSecond = perSecond;
    return perSecond;
  }

  /** Requests a second that the vendor allows, as found or told; undefined while the search has not met a limit. */
  get perSecond(): number | undefined {
    return this.#told?.pacePerSecond ?? (this.#ceiling === undefined ? undefined : this.#perSecond);
  }

  get pacePerSecond(): number {
    return this.#told?.pacePerSecond ?? this.#perSecond;
  }

  /**
   * Milliseconds until the next request may leave, however fast those before it followed each other; finite.
   * @param inHand permits that are out and have not been sent yet: they count as sent now.
   */
  waitMs(nowMs: number, inHand = 0): number {
    const toldMs = this.#told?.waitMs(nowMs, inHand) ?? 0;
    const waitMs = Math.max(toldMs, this.#holdUntilMs - nowMs, 0);
    return this.#isTold() ? waitMs : Math.max(waitMs, this.#drainMs(nowMs, inHand));
  }

  sent(nowMs: number): void {
    this.#sent += 1;
    this.#sends.add(nowMs);
    this.#told?.sent(nowMs);
    this.#evidenceFromMs ??= nowMs;
    if (this.#outage === undefined) return;
    this.#outage.isProbed = true;
    this.#holdUntilMs = nowMs + PATIENCE_MS;
  }

  accepted(nowMs: number): void {
    if (this.#outage?.isProbed === false) return;
    if (this.#outage !== undefined) this.#endOutage(this.#outage);
    if (!this.#isTold()) this.#grow(nowMs);
  }

  /** The request that left at `sentAtMs` was refused for being too fast. @param askedMs the wait that the vendor named. */
  limited(sentAtMs: number, nowMs: number, askedMs = 0): void {
    this.#refused += 1;
    this.#sends.takeBack(sentAtMs);
    this.#told?.takeBack(sentAtMs);
    if (sentAtMs < this.#cutAtMs || (this.#isTold() && sentAtMs < this.#toldAtMs)) return;
    this.#refuteTold();
    this.#cutAtMs = nowMs;
    if (this.#outage === undefined) this.#cut(sentAtMs);
    else this.#prolong(this.#outage, sentAtMs, nowMs, askedMs);
  }

  /**
   * The vendor says what its plan allows. Windows of up to a minute are believed at once, as configured ones are, and
   * dropped when the vendor refuses a request in spite of them. Longer ones are kept beside what answers teach: a plan
   * that tells its daily quota may well have an untold limit a second.
   */
  hinted(windows: readonly Window[], nowMs: number): void {
    const key = windows.map(({ requests, windowMs }) => `${requests}/${windowMs}`).join();
    if (key === this.#toldKey || windows.length === 0 || this.#refutedKeys.has(key)) return;
    this.#told = ToldWindows.of(windows, this.#sends);
    this.#toldKey = key;
    this.#toldAtMs = nowMs;
  }

  #isTold(): boolean {
    return this.#told?.pacePerSecond !== undefined;
  }

  /** Drops the stated limits; from here on answers teach, beginning at the stated speed. */
  #refuteTold(): void {
    const pacePerSecond = this.#told?.pacePerSecond;
    if (this.#told === undefined || pacePerSecond === undefined) return;
    this.#refutedKeys.add(this.#toldKey);
    this.#told = this.#told.longer();
    this.#toldKey = '';
    this.#perSecond = pacePerSecond;
    this.#ceiling = pacePerSecond;
  }

  /** The wait after a cut until the requests of the window are within the new speed. */
  #drainMs(nowMs: number, inHand: number): number {
    const most = (this.#perSecond * this.#windowMs) / SECOND_MS;
    return this.#sends.waitMs(Math.max(most - inHand, 0), this.#windowMs, nowMs);
  }

  // ---------------------------------------------------------------------------------------- slower

  #cut(sentAtMs: number): void {
    const recent = this.#recentPerSecond(sentAtMs);
    const refused = Math.min(recent, this.#perSecond);
    const manner = this.#refused < BOLD_REFUSALS * this.#sent ? BOLD : CAREFUL;
    const certain = this.#windowMs > SECOND_MS ? NEAR * refused : this.#certainPerSecond(sentAtMs);
    const next = Math.max(certain, manner.least * refused);
    const ceiling = this.#ceiling === undefined ? recent : next + manner.ceiling * (refused - next);
    this.#perSecond = Math.max(
      Math.min(next, NEAR * this.#perSecond),
      LARGEST_CUT * this.#perSecond,
      LEAST_PER_SECOND,
    );
    this.#ceiling = Math.max(ceiling, this.#perSecond);
    this.#setback.refused(NEAR * this.#ceiling, this.#bestMinute(sentAtMs), sentAtMs);
    this.#evidenceFromMs = undefined;
    this.#outage = { sinceMs: sentAtMs, lastRefusedMs: sentAtMs, refusals: 0, isProbed: false };
  }

  /** The accepted requests of the window before the refusal: the limit itself, when the vendor keeps a sliding log. */
  #recentPerSecond(atMs: number): number {
    return this.#sends.between(atMs - this.#windowMs, atMs) / (this.#windowMs / SECOND_MS);
  }

  #bestMinute(atMs: number): number {
    let best = 0;
    for (let toMs = atMs; toMs >= atMs - REMEMBERED_MS + MINUTE_MS; toMs -= MINUTE_MS / 4)
      best = Math.max(best, this.#sends.between(toMs - MINUTE_MS, toMs));
    return best / (MINUTE_MS / SECOND_MS);
  }

  /**
   * A speed that the vendor certainly allows. Over T seconds each way of counting accepts at most T + 1 seconds' worth,
   * as a full bucket does and two windows that are cut. It is the best that any stretch since the last cut proves.
   */
  #certainPerSecond(atMs: number): number {
    const evidenceFromMs = this.#evidenceFromMs ?? atMs;
    let best = 0;
    for (let seconds = 1; seconds <= 64; seconds *= 2) {
      const fromMs = Math.max(atMs - seconds * SECOND_MS, evidenceFromMs);
      const accepted = this.#sends.between(fromMs, atMs);
      best = Math.max(best, accepted / ((atMs - fromMs) / SECOND_MS + 1));
    }
    return best;
  }

  // ---------------------------------------------------------------------------------------- refused altogether

  /** The speed is no longer the reason. Each probe waits twice as long as the one before, or for as long as the vendor names. */
  #prolong(outage: Outage, sentAtMs: number, nowMs: number, askedMs: number): void {
    const ownMs = Math.min(FIRST_PROBE_MS * 2 ** outage.refusals, LONGEST_PROBE_MS);
    this.#holdUntilMs = nowMs + (askedMs < FIRST_PROBE_MS ? ownMs : askedMs);
    outage.refusals += 1;
    outage.lastRefusedMs = sentAtMs;
  }

  #endOutage({ sinceMs, lastRefusedMs }: Outage): void {
    this.#outage = undefined;
    this.#holdUntilMs = Number.NEGATIVE_INFINITY;
    if (this.#sends.between(sinceMs - MINUTE_MS, sinceMs) < LEAST_QUOTA) {
      this.#forgetLimit();
      return;
    }
    const lastedMs = lastRefusedMs - sinceMs;
    const windowMs = LONGER_WINDOWS_MS.find((longer) => longer >= lastedMs);
    if (lastedMs < LEAST_OUTAGE_MS || windowMs === undefined) return;
    this.#windowMs = windowMs;
    this.#ceiling = this.#recentPerSecond(sinceMs);
    this.#perSecond = Math.max(NEAR * this.#ceiling, LEAST_PER_SECOND);
  }

  // ---------------------------------------------------------------------------------------- faster

  #grow(nowMs: number): void {
    const sinceMs = Math.min(Math.max(nowMs - this.#grewAtMs, 0), SECOND_MS);
    this.#grewAtMs = nowMs;
    if (!this.#isUsed(nowMs)) return;
    const before = this.#setback.wayBack(this.#perSecond, this.#probingMs(), nowMs);
    if (before !== undefined) this.#goBack(before);
    if (this.#ceiling === undefined) this.#search();
    else if (this.#perSecond < NEAR * this.#ceiling) this.#approach(NEAR * this.#ceiling, sinceMs);
    else if (this.#perSecond < BEYOND * this.#ceiling) this.#probe(sinceMs);
    else this.#searchAgain();
  }

  /** Whether the speed is in use. An unused one proves nothing: rows run out, or the concurrency is too low. */
  #isUsed(nowMs: number): boolean {
    const overMs = Math.min(Math.max(SECOND_MS, (4 * SECOND_MS) / this.#perSecond), 60 * SECOND_MS);
    return this.#sends.between(nowMs - overMs, nowMs) >= (0.5 * this.#perSecond * overMs) / SECOND_MS;
  }

  #search(): void {
    this.#perSecond *= Math.min(STEP_PER_ANSWER, 2 ** (1 / (this.#doubleInSeconds * this.#perSecond)));
  }

  #approach(target: number, sinceMs: number): void {
    const takesMs = Math.max(LEAST_APPROACH_MS, (APPROACH_REQUESTS * SECOND_MS) / this.#perSecond);
    this.#perSecond += (target - this.#perSecond) * (1 - Math.exp(-sinceMs / takesMs));
    // Without this it would approach the target for ever and never reach it.
    if (this.#perSecond > 0.99 * target) this.#perSecond = target;
  }

  #probe(sinceMs: number): void {
    this.#perSecond *= (BEYOND / NEAR) ** (sinceMs / this.#probingMs());
  }

  #probingMs(): number {
    const wantedMs = (PROBING_REQUESTS * SECOND_MS) / this.#perSecond;
    return Math.min(Math.max(wantedMs, LEAST_PROBING_MS), LONGEST_PROBING_MS);
  }

  /** What was refused meanwhile may have looked like a longer window, too. */
  #goBack(perSecond: number): void {
    this.#ceiling = perSecond / NEAR;
    this.#windowMs = SECOND_MS;
    this.#perSecond = Math.max(this.#perSecond, WAY_BACK_FROM * perSecond);
  }

  #searchAgain(): void {
    this.#forgetLimit();
    this.#doubleInSeconds = DOUBLE_AGAIN_IN_SECONDS;
  }

  #forgetLimit(): void {
    this.#ceiling = undefined;
    this.#windowMs = SECOND_MS;
  }
}
