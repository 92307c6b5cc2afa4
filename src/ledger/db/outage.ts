import type { Clock } from '../../core/clock.ts';
import { stop } from '../../core/errors.ts';
import { formatDuration } from '../../lib/duration.ts';
import { RUN_AGAIN, Unanswered } from '../db.ts';
import type { Patience, Tell } from '../store.ts';

/** How a spender gets through a time in which its database cannot be reached: a restart, a failover, a cable. */

export interface Manner {
  /** It may have been paid for, so it is tried for as long as the process lives. */
  readonly isBought?: boolean;
  /** The work is not done again where nobody knows whether it was committed: that is thrown as `Unanswered`. */
  readonly isOnce?: boolean;
  /** The work is done now or not at all. A process that has nothing to write hears of an outage by nothing else. */
  readonly isAtOnce?: boolean;
}

const RETRY_MS = 250;

/** Who has stopped the run waits only this long for what is no answer. */
const STOPPING_MS = 5_000;

export interface Riding extends Patience {
  readonly clock: Clock;
  readonly tell?: Tell | undefined;
}

export class Outage {
  readonly #riding: Riding;
  readonly #shown: string;
  /** Since when nothing was answered, monotonic. */
  #sinceMs: number | undefined;

  constructor(riding: Riding, shown: string) {
    this.#riding = riding;
    this.#shown = shown;
  }

  /**
   * Does the work, and does it again while the database cannot be reached.
   * @throws StopError when that has lasted for longer than the run waits; what may have been paid for is tried on.
   */
  async through<T>(work: () => Promise<T>, manner: Manner): Promise<T> {
    for (;;) {
      try {
        const result = await work();
        this.#isOver();
        return result;
      } catch (error) {
        if (!(error instanceof Unanswered)) throw error;
        this.#refuse(error, manner);
        await this.#riding.clock.sleep(RETRY_MS);
      }
    }
  }

  /** @throws StopError where the work is not done again. */
  #refuse(error: Unanswered, { isBought = false, isOnce = false, isAtOnce = false }: Manner): void {
    if ((isOnce && error.isUnknown) || (!isBought && !error.mayPass)) throw error;
    this.#goesOn(error);
    if (isAtOnce) throw error;
    if (!isBought) this.#refuseEndless(error);
  }

  #goesOn({ message }: Unanswered): void {
    if (this.#sinceMs !== undefined) return;
    this.#sinceMs = this.#riding.clock.monotonicMs();
    this.#riding.tell?.(
      `${message} Nothing is sent until it can be reached again; then the run continues by itself.`,
    );
  }

  #isOver(): void {
    if (this.#sinceMs === undefined) return;
    const lastedMs = this.#riding.clock.monotonicMs() - this.#sinceMs;
    this.#sinceMs = undefined;
    this.#riding.tell?.(`${this.#shown} answers again after ${formatDuration(lastedMs)}.`);
  }

  #refuseEndless(error: Unanswered): void {
    const { clock, longestMs = Number.POSITIVE_INFINITY, signal } = this.#riding;
    const lastedMs = clock.monotonicMs() - (this.#sinceMs ?? 0);
    if (lastedMs < (signal?.aborted === true ? Math.min(longestMs, STOPPING_MS) : longestMs)) return;
    throw stop(error.code, `${error.message} That has lasted for ${formatDuration(lastedMs)}.`, RUN_AGAIN);
  }
}
