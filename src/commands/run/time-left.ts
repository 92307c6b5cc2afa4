/**
 * Estimates how long the rest of a run takes, from its rows until now. Times are of a clock that never jumps.
 */
export class TimeLeft {
  /** Long pauses, each with the number of rows that had ended when it began. */
  #pauses: { readonly fromMs: number; readonly rows: number; untilMs: number }[] = [];
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
    else if (untilMs - fromMs > LONGEST_GAP_MS) this.#pauses.push({ fromMs, untilMs, rows: this.#rows });
  }

  /** Undefined while too few rows have ended for an estimate. */
  leftMs(nowMs: number, rowsLeft: number): number | undefined {
    const rowMs = this.#roundMs(nowMs) ?? this.#workMs(nowMs);
    return rowMs && rowsLeft * rowMs + Math.max(0, (this.#pauses.at(-1)?.untilMs ?? nowMs) - nowMs);
  }

  /**
   * The time of a row where pauses repeat: measured over whole rounds, from the end of one pause to the end
   * of another.
   */
  #roundMs(nowMs: number): number | undefined {
    const first = this.#pauses[0];
    const last = this.#pauses.at(-1);
    if (first === undefined || last === undefined || last.rows <= first.rows) return undefined;
    const tookMs = last.untilMs - first.untilMs;
    const isPast = nowMs - last.untilMs > (2 * tookMs) / (this.#pauses.length - 1);
    return isPast ? undefined : tookMs / (last.rows - first.rows);
  }

  /** The time of a row without the longest pause, which may stay the only one of its kind. */
  #workMs(nowMs: number): number | undefined {
    const pauses = this.#pauses.map(({ fromMs, untilMs }) => Math.min(untilMs, nowMs) - fromMs);
    const tookMs = nowMs - this.#begunMs - Math.max(0, ...pauses);
    return this.#rows < LEAST_ROWS || tookMs < LEAST_MS ? undefined : tookMs / this.#rows;
  }
}

const LONGEST_GAP_MS = 2_000;
const LEAST_ROWS = 5;
const LEAST_MS = 3_000;
