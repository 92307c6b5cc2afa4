/** How long the rest of a run takes, by how long its rows took until now. Times are of a clock that never jumps. */
export class TimeLeft {
  readonly #marks: { readonly atMs: number; readonly finished: number }[] = [];
  #pauses: { readonly fromMs: number; untilMs: number }[] = [];
  #begunMs: number | undefined;

  /** So many rows were finished by then. What was so before the first mark took no time of this run. */
  mark(atMs: number, finished: number): void {
    this.#begunMs ??= atMs;
    this.#marks.push({ atMs, finished });
    // The first rows are slower, because the speed is found by trying, and pauses come at intervals.
    const sinceMs = Math.min(atMs - LEAST_WINDOW_MS, (this.#begunMs + atMs) / 2);
    while (this.#marks[1] !== undefined && this.#marks[1].atMs <= sinceMs) this.#marks.shift();
    this.#pauses = this.#pauses.filter(({ untilMs }) => untilMs > sinceMs);
  }

  paused(fromMs: number, untilMs: number): void {
    const last = this.#pauses.at(-1);
    if (last === undefined || last.untilMs < fromMs) this.#pauses.push({ fromMs, untilMs });
    else last.untilMs = Math.max(last.untilMs, untilMs);
  }

  /** Undefined while too few rows have ended to say it. */
  leftMs(nowMs: number, rowsLeft: number): number | undefined {
    const [first, last] = [this.#marks[0], this.#marks.at(-1)];
    if (first === undefined || last === undefined) return undefined;
    const [rows, tookMs] = [last.finished - first.finished, last.atMs - first.atMs];
    if (rows < LEAST_ROWS || tookMs < LEAST_MS) return undefined;
    const within = this.#pauses.map(
      ({ fromMs, untilMs }) => Math.min(untilMs, last.atMs) - Math.max(fromMs, first.atMs),
    );
    // Of pauses the longest may have been the only one of its kind; the others are taken to come again.
    const workedMs = tookMs - Math.max(0, ...within);
    const pausedMs = Math.max(0, (this.#pauses.at(-1)?.untilMs ?? nowMs) - nowMs);
    return pausedMs + (rowsLeft * workedMs) / rows;
  }
}

const LEAST_WINDOW_MS = 60_000;
const [LEAST_ROWS, LEAST_MS] = [5, 3_000];
