import type { SentTimes } from '../ledger/ledger.ts';

/**
 * Estimates how long the rest of a run takes, from what has ended until now: its rows for the line of the
 * terminal, its calls for whoever looks from another process. Times are of one clock, in ms.
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

/**
 * The same from the calls that an account has sent in the last while.
 * @param remainingCount of all that are to be made.
 */
export function msLeftBy(
  calls: readonly SentTimes[],
  remainingCount: number,
  nowMs: number,
): number | undefined {
  const timeLeft = new TimeLeft();
  let lastMs = calls.reduce((least, { atMs }) => Math.min(least, atMs), nowMs);
  timeLeft.begin(lastMs);
  const answered = calls.flatMap(({ answeredAtMs }) => answeredAtMs ?? []);
  for (const atMs of answered.toSorted((one, other) => one - other)) {
    timeLeft.paused(lastMs, atMs);
    timeLeft.rowEnded();
    lastMs = atMs;
  }
  return timeLeft.leftMs(nowMs, remainingCount);
}
