import { vi } from 'vitest';
import type { Clock } from '../../src/core/clock.ts';

/**
 * Time for whole nights over real files and sockets: it stands still while the machine works, so that no test depends on
 * how fast that is, and jumps to the end of a wait as soon as anybody waits. The calendar by which Bottleneck dates its jobs
 * jumps along, so that a lease that is due is there; `vi.useRealTimers` gives the machine's calendar back.
 */
export class JumpingClock implements Clock {
  #nowMs = 1_000;
  readonly #wallOffsetMs: number;

  constructor(wallMs: number) {
    this.#wallOffsetMs = wallMs - this.#nowMs;
    vi.useFakeTimers({ now: wallMs, toFake: ['Date'] });
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  wallMs(): number {
    return this.#nowMs + this.#wallOffsetMs;
  }

  async sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.#passTo(this.#nowMs + Math.max(durationMs, 0));
    // What is ready by now happens at the new time, as it does after a timer.
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
  }

  #passTo(nowMs: number): void {
    this.#nowMs = nowMs;
    vi.setSystemTime(this.wallMs());
  }
}
