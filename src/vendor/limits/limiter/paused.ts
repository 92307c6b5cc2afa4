import { isoTime } from '../../../core/clock.ts';
import { StopError } from '../../../core/errors.ts';

/** The stop of a run that makes no progress, with the calendar time from which another try is worthwhile. */
export function pausedStop(message: string, resumeAtMs: number): StopError {
  return new StopError({
    code: 'paused',
    message,
    next: `Run the same command again after ${isoTime(resumeAtMs)}.`,
    resumeAtMs,
  });
}

/** @param why the reason, as a clause. */
export function stuckWords(stuckMs: number, maxPauseMs: number, why: string): string {
  return `Nothing could be settled for ${seconds(stuckMs)}, longer than --max-pause allows (${seconds(maxPauseMs)}): ${why}.`;
}

function seconds(durationMs: number): string {
  return `${Math.ceil(durationMs / 1000)} s`;
}
