/** A speed below this share of the one before shows a setback. The end of a probe costs less. */
const LOWERED = 0.85;

/** Twice as long after each way back that was refused. */
const FIRST_PATIENCE_MS = 15_000;

/**
 * Refusals at a speed that the vendor had accepted for a minute: a bad minute of the vendor, or another program that uses
 * the same key. They press the speed far below the limit, where few answers are left to teach that it is allowed again.
 * So after a while without a refusal the speed goes back towards the one before. A limit that is lower for good refuses
 * that, after a longer while each time, until the lower speed is believed.
 */
export class Setback {
  #before: number | undefined;
  #refusedAtMs = Number.NEGATIVE_INFINITY;
  #patienceMs = FIRST_PATIENCE_MS;

  get isOn(): boolean {
    return this.#before !== undefined;
  }

  /** @param perSecond the speed that is left after a refusal. @param accepted requests a second that were accepted for a minute. */
  refused(perSecond: number, accepted: number, atMs: number): void {
    const before = Math.max(this.#before ?? 0, accepted);
    this.#refusedAtMs = atMs;
    if (perSecond < LOWERED * before) this.#before = before;
    else this.#end();
  }

  /**
   * @param perSecond the present speed.
   * @param longestMs how long any speed is believed.
   * @returns requests a second to go back to, where enough time has passed; undefined otherwise.
   */
  wayBack(perSecond: number, longestMs: number, nowMs: number): number | undefined {
    const before = this.#before;
    if (before === undefined || nowMs - this.#refusedAtMs < this.#patienceMs) return undefined;
    if (perSecond >= before || this.#patienceMs >= longestMs) {
      this.#end();
      return undefined;
    }
    this.#patienceMs *= 2;
    return before;
  }

  #end(): void {
    this.#before = undefined;
    this.#patienceMs = FIRST_PATIENCE_MS;
  }
}
