import { vi } from 'vitest';
import { VirtualClock } from '../../support/virtual-clock.ts';

/**
 * Virtual time that also timers and the calendar go by, as Bottleneck's jobs do. It takes the place of the machine's until
 * `end`.
 */
export class TimerClock extends VirtualClock {
  readonly #offsetMs: number;

  constructor() {
    super();
    const toFake = [
      'setTimeout',
      'clearTimeout',
      'setInterval',
      'clearInterval',
      'Date',
      'performance',
    ] as const;
    vi.useFakeTimers({ now: super.wallMs(), toFake: [...toFake] });
    this.#offsetMs = this.nowMs - performance.now();
  }

  override monotonicMs(): number {
    return performance.now() + this.#offsetMs;
  }

  override wallMs(): number {
    return Date.now();
  }

  override sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, Math.ceil(durationMs));
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    });
  }

  /** Sets the calendar; timers go on as they were. */
  setCalendar(wallMs: number): void {
    vi.setSystemTime(wallMs);
  }

  protected override toNext(): void {
    if (vi.getTimerCount() === 0) throw new Error('nothing will ever happen');
    vi.advanceTimersToNextTimer();
    this.nowMs = this.monotonicMs();
  }

  override pass(durationMs: number): void {
    vi.advanceTimersByTime(durationMs);
    this.nowMs = this.monotonicMs();
  }

  /** Gives the machine's time back. */
  end(): void {
    vi.useRealTimers();
  }
}
