import { isoTime, systemClock } from '../../core/clock.ts';
import type { RunEvent } from '../../core/events.ts';
import { counted } from '../../core/plain-text.ts';

/** Shorter pauses are not shown, because they are over before a person has read about them. */
const LONG_PAUSE_MS = 60_000;

/** The event as a line of a log; undefined for events that are too frequent or are summed up at the end. */
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

/** Counts the requests that were sent and whose answers are not in the ledger yet. */
export class InFlight {
  count = 0;

  hear(event: RunEvent): void {
    if (event.kind === 'sent') this.count += 1;
    if (event.kind === 'closed') this.count -= 1;
  }
}
