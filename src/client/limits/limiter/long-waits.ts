import type { Clock } from '../../../core/clock.ts';
import type { Pause } from './backoff.ts';

/** Shorter waits are how a limit is kept; a longer one would look as if the run had died. */
const NOTICED_WAIT_MS = 5_000;

/** Why a wait is as long as it is, and whether it was told when it began. */
export interface WaitReason {
  readonly why: string;
  readonly isTold: boolean;
}

/** Reports a long wait for a used-up plan or the learned rate as a pause, though the vendor did not ask for one. */
export class LongWaits {
  readonly #clock: Clock;
  readonly #onPause: (pause: Pause) => void;
  /** Calendar time until which a wait was already reported. */
  #toldUntilMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, onPause: (pause: Pause) => void) {
    this.#clock = clock;
    this.#onPause = onPause;
  }

  tell(waitMs: number, reason: () => WaitReason): void {
    if (waitMs < NOTICED_WAIT_MS || waitMs === Number.POSITIVE_INFINITY) return;
    const { why, isTold } = reason();
    if (isTold) return;
    const fromMs = this.#clock.wallMs();
    const untilMs = fromMs + waitMs;
    // After an early wake-up the same wait comes again.
    if (untilMs - this.#toldUntilMs < NOTICED_WAIT_MS) return;
    this.#toldUntilMs = untilMs;
    this.#onPause({ fromMs, untilMs, why, asked: false });
  }
}
