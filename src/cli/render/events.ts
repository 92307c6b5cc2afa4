import { isoTime, systemClock } from '../../core/clock.ts';
import type { RunEvent } from '../../core/events.ts';
import { counted } from '../../core/plain-text.ts';

/** Shorter pauses are over before somebody has read about them. */
const LONG_PAUSE_MS = 60_000;

/** An event as one line, for logs and wherever no line is redrawn; undefined for what happens too often, or is summed up. */
export function eventWords(event: RunEvent): string | undefined {
  switch (event.kind) {
    case 'batch':
      return event.resumed
        ? `batch ${event.batch} goes on, ${event.settled} of ${event.rows} rows are settled`
        : `batch ${event.batch}, ${counted(event.rows, 'row')}`;
    case 'note':
      return event.message;
    case 'paused':
      return event.untilMs - systemClock.wallMs() < LONG_PAUSE_MS
        ? undefined
        : `paused until ${isoTime(event.untilMs)}: ${event.why}`;
    default:
      return undefined;
  }
}

/** Requests that were sent and of which nothing is on the disk yet. */
export class InFlight {
  count = 0;

  hear(event: RunEvent): void {
    if (event.kind === 'sent') this.count += 1;
    if (event.kind === 'closed') this.count -= 1;
  }
}
