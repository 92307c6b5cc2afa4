import type { Clock } from '../core/clock.ts';
import type { Listener, RunEvent } from '../core/events.ts';

/** Counts the requests and pauses of one run by listening to its events. */
export class RunMetrics {
  requests = 0;
  pauses = { count: 0, ms: 0 };
  #pausedUntilMs = 0;

  /** Returns a listener that counts each event and passes it on. */
  hear(next: Listener, clock: Clock): Listener {
    return (event) => {
      this.#count(event, clock);
      next(event);
    };
  }

  /** Ends the count. If a stop interrupted a pause, only its waited part counts. */
  end(nowMs: number): void {
    this.pauses.ms -= Math.max(this.#pausedUntilMs - nowMs, 0);
    this.#pausedUntilMs = nowMs;
  }

  #count(event: RunEvent, clock: Clock): void {
    if (event.kind === 'sent') this.requests += 1;
    if (event.kind !== 'paused') return;
    const nowMs = clock.wallMs();
    const beginsMs = Math.max(nowMs, this.#pausedUntilMs);
    if (beginsMs === nowMs) this.pauses.count += 1;
    this.pauses.ms += Math.max(event.untilMs - beginsMs, 0);
    this.#pausedUntilMs = Math.max(event.untilMs, this.#pausedUntilMs);
  }
}
