/**
 * Estimates how long the rest of a run takes, from its rows until now. Times are of a clock that never jumps.
 */
export class TimeLeft {
  /** Long pauses. */
  readonly #pauses: { readonly fromMs: number; untilMs: number }[] = [];
  #rows = 0;
  #begunMs = 0;

  /** Begins the count anew, because rows that ended earlier took no time of this run. */
  begin(atMs: number): void {
    this.#rows = 0;
    this.#begunMs = atMs;
  }

  rowEnded(): void {
    this.#rows += 1;
  }

  paused(fromMs: number, untilMs: number): void {
    const last = this.#pauses.at(-1);
    if (last !== undefined && last.untilMs >= fromMs) last.untilMs = Math.max(last.untilMs, untilMs);
    else if (untilMs - fromMs > LONGEST_GAP_MS) this.#pauses.push({ fromMs, untilMs });
  }

  /** Undefined while too few rows have ended for an estimate. */
  leftMs(nowMs: number, rowsLeft: number): number | undefined {
    const untilMs = this.#pauses.at(-1)?.untilMs ?? nowMs;
    // Pauses that come again are a part of the vendor's speed. The first one may stay the only one.
    const [only = { fromMs: nowMs }, ...others] = this.#pauses;
    const outMs = others.length > 0 ? 0 : Math.min(untilMs, nowMs) - only.fromMs;
    const tookMs = nowMs - this.#begunMs - outMs;
    if (this.#rows < LEAST_ROWS || tookMs < LEAST_MS) return undefined;
    return (rowsLeft * tookMs) / this.#rows + Math.max(0, untilMs - nowMs);
  }
}

const LONGEST_GAP_MS = 2_000;
const LEAST_ROWS = 5;
const LEAST_MS = 3_000;
