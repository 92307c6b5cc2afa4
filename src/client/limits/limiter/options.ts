import type { Clock } from '../../../core/clock.ts';
import type { Limits } from '../windows.ts';
import type { Pause } from './backoff.ts';

/** What a limiter is given to begin with. */
export interface LimiterOptions {
  readonly limits: Limits;
  readonly clock: Clock;
  /** Send times of earlier runs, wall clock, so that a restart does not burst. */
  readonly earlierSendsMs: readonly number[];
  readonly pausedUntilMs: number | undefined;
  /** Requests a second that earlier runs have learned from answers. */
  readonly learnedPerSecond: number | undefined;
  /** Starts at full speed although the plan is unknown, and learns from the first refusal on. */
  readonly unhurried?: boolean;
  /**
   * How long before its request may leave a permit is given at most, to who has something to write before. Without it, not
   * before it may.
   */
  readonly aheadMs?: number;
  /** Whether only one request may be in flight, until an answer ends the reason for that. Without it, never. */
  goesAlone?(): boolean;
  onPause(pause: Pause): void;
  /** Called when the learned speed has changed by more than a tenth. */
  onLearned(perSecond: number): void;
}
