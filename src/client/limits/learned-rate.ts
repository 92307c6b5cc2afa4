/**
 * How fast an account may be asked where nobody stated a limit. The speed doubles each second, from one request a second, for as long as
 * the vendor accepts what is sent and the rows can use it. A refusal leaves seven tenths, and from then on it grows by a twentieth a
 * minute. It depends only on the times that it is given: no timer, no clock. Leases spread the requests at that speed.
 */

const SECOND_MS = 1000;
const FIRST_PER_SECOND = 1;
const LEFT_BY_A_REFUSAL = 0.7;
const GROWTH_A_MINUTE = 1.05;

/** Sixty requests an hour. Slower plans are daily quotas, and pauses handle those. */
const LEAST_PER_SECOND = 1 / 60;

export class LearnedRate {
  #perSecond: number;
  #isLimited: boolean;
  /** Requests of the present second, and of the one before. */
  #secondMs = 0;
  #sent = 0;
  #sentBefore = 0;
  #grewAtMs = Number.NEGATIVE_INFINITY;
  #cutAtMs = Number.NEGATIVE_INFINITY;
  /** Whether the vendor has accepted anything since the last cut. */
  #isAccepted = true;

  /** @param earlier the speed that an earlier run had learned. */
  constructor(earlier?: number) {
    this.#perSecond = Math.max(earlier ?? FIRST_PER_SECOND, LEAST_PER_SECOND);
    this.#isLimited = earlier !== undefined;
  }

  get perSecond(): number {
    return this.#perSecond;
  }

  sent(nowMs: number): void {
    this.#goOnTo(nowMs);
    this.#sent += 1;
  }

  accepted(nowMs: number): void {
    this.#isAccepted = true;
    const sinceMs = Math.min(Math.max(nowMs - this.#grewAtMs, 0), SECOND_MS);
    this.#grewAtMs = nowMs;
    this.#goOnTo(nowMs);
    // What the rows cannot use proves nothing.
    if (Math.max(this.#sent, this.#sentBefore) < Math.floor(this.#perSecond / 2)) return;
    this.#perSecond *= this.#isLimited
      ? GROWTH_A_MINUTE ** (sinceMs / (60 * SECOND_MS))
      : 2 ** (sinceMs / SECOND_MS);
  }

  /**
   * The request that left at `sentAtMs` was refused for being too fast. Those that left before a cut belong to it. Where nothing was
   * accepted since, the speed is not the reason: the vendor counts over a longer time, and pauses wait for that.
   * @returns whether the speed is another now.
   */
  limited(sentAtMs: number, nowMs: number): boolean {
    if (sentAtMs < this.#cutAtMs || !this.#isAccepted) return false;
    this.#goOnTo(nowMs);
    // More left than this speed where it held nobody back.
    const refused = Math.max(this.#perSecond, this.#sent, this.#sentBefore);
    this.#perSecond = Math.max(refused * LEFT_BY_A_REFUSAL, LEAST_PER_SECOND);
    this.#isLimited = true;
    this.#isAccepted = false;
    this.#cutAtMs = nowMs;
    return true;
  }

  #goOnTo(nowMs: number): void {
    const passed = Math.floor((nowMs - this.#secondMs) / SECOND_MS);
    if (passed < 1) return;
    this.#sentBefore = passed === 1 ? this.#sent : 0;
    this.#sent = 0;
    this.#secondMs += passed * SECOND_MS;
  }
}
