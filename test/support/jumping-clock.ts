import type { Clock } from '../../src/core/clock.ts';

/**
 * Time for whole nights over real files and sockets: it stands still while the machine works, so that no test depends on
 * how fast that is, and jumps to the end of a wait as soon as anybody waits.
 */
export class JumpingClock implements Clock {
  #nowMs = 1_000;
  readonly #wallOffsetMs: number;

  constructor(wallMs: number) {
    this.#wallOffsetMs = wallMs - this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  wallMs(): number {
    return this.#nowMs + this.#wallOffsetMs;
  }

  async sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.#nowMs += Math.max(durationMs, 0);
    // What is ready by now happens at the new time, as it does after a timer.
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
  }
}
