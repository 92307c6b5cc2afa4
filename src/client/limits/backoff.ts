import type { Clock } from '../../core/clock.ts';
import type { PauseRecord } from '../../ledger/ledger.ts';
import { formatDuration } from '../../lib/duration.ts';

export type Pause = PauseRecord;

const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 30_000;

/** Five lost answers in a row are no accident: then one probe at a time is sent, so that little is put at risk. */
const DOUBTS_IN_A_ROW = 5;
const FIRST_PROBE_PAUSE_MS = 30_000;
const LONGEST_PROBE_PAUSE_MS = 10 * 60_000;

/** Shorter waits are how a limit is kept; a longer one would look as if the run had died. */
const NOTICED_WAIT_MS = 5_000;

/**
 * What is wrong with an account, and how long to wait because of it: pauses that the vendor asks for, our own backing
 * off, and the breaker that probes while answers get lost. `sentAtMs` is the monotonic time at which the reported
 * request left: requests that left before a pause began belong to it, however many are in flight at once.
 */
export class Backoff {
  readonly #clock: Clock;
  readonly #onPause: (pause: Pause) => void;
  #untilMs = Number.NEGATIVE_INFINITY;
  #toldUntilMs = Number.NEGATIVE_INFINITY;
  #why = '';
  #beganMs = Number.NEGATIVE_INFINITY;
  #pausesInARow = 0;
  #doubtsInARow = 0;
  #probes = 0;
  #probingSinceMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, onPause: (pause: Pause) => void) {
    this.#clock = clock;
    this.#onPause = onPause;
  }

  get why(): string {
    return this.#why;
  }

  get isOver(): boolean {
    return this.#pausesInARow === 0 && this.#doubtsInARow === 0;
  }

  get isProbing(): boolean {
    return this.#doubtsInARow >= DOUBTS_IN_A_ROW;
  }

  waitMs(nowMs: number): number {
    return Math.max(this.#untilMs - nowMs, 0);
  }

  /** The vendor said "too fast", in these words. Without `askedMs` it named no time. @returns whether this is a new pause. */
  pause(askedMs: number | undefined, sentAtMs: number, said: string): boolean {
    const isNew = this.#begin(sentAtMs);
    if (askedMs !== undefined) this.waitFor(askedMs, `the vendor asked to wait (${said})`, true);
    else {
      const ownMs = this.#ownMs();
      const cause = `the vendor says that requests come too fast (${said}), but gives no time`;
      this.waitFor(ownMs, `${cause}; Rowonce waits ${formatDuration(ownMs)}`);
    }
    return isNew;
  }

  backOff(sentAtMs: number, why: string): void {
    this.#begin(sentAtMs);
    this.waitFor(this.#ownMs(), why);
  }

  #begin(sentAtMs: number): boolean {
    const isNew = sentAtMs >= this.#beganMs;
    if (isNew) {
      this.#pausesInARow += 1;
      this.#beganMs = this.#clock.monotonicMs();
    }
    return isNew;
  }

  #ownMs(): number {
    return Math.random() * Math.min(FIRST_BACKOFF_MS * 2 ** (this.#pausesInARow - 1), LONGEST_BACKOFF_MS);
  }

  /** An answer was lost. @returns how many in a row. */
  doubted(sentAtMs: number, why: string): number {
    this.#doubtsInARow += 1;
    this.#pausesInARow = 0;
    if (this.waitMs(this.#clock.monotonicMs()) === 0) this.#why = why;
    // Requests that were in flight when the first pause began say nothing new about the vendor.
    if (this.isProbing && sentAtMs >= this.#probingSinceMs) {
      this.waitFor(Math.min(FIRST_PROBE_PAUSE_MS * 2 ** this.#probes, LONGEST_PROBE_PAUSE_MS), why);
      this.#probes += 1;
      this.#probingSinceMs = this.#clock.monotonicMs();
    }
    return this.#doubtsInARow;
  }

  /** An answer came. A pause that has begun still runs to its end. */
  settled(): void {
    this.#pausesInARow = 0;
    this.#doubtsInARow = 0;
    this.#probes = 0;
    this.#probingSinceMs = Number.NEGATIVE_INFINITY;
  }

  waitFor(durationMs: number, why: string, asked = false): void {
    const untilMs = this.#clock.monotonicMs() + durationMs;
    if (untilMs <= this.#untilMs) return;
    this.#untilMs = untilMs;
    this.#why = why;
    this.#tell(durationMs, why, asked);
  }

  /** A long wait that nobody asked for is a pause for who looks on. After an early look the same wait comes again. */
  tellLongWait(waitMs: number, why: string): void {
    const isTold = this.#clock.monotonicMs() + waitMs - this.#toldUntilMs < NOTICED_WAIT_MS;
    if (waitMs >= NOTICED_WAIT_MS && !isTold) this.#tell(waitMs, why, false);
  }

  #tell(waitMs: number, why: string, asked: boolean): void {
    this.#toldUntilMs = Math.max(this.#toldUntilMs, this.#clock.monotonicMs() + waitMs);
    const fromMs = this.#clock.wallMs();
    this.#onPause({ fromMs, untilMs: fromMs + waitMs, why, asked });
  }
}
