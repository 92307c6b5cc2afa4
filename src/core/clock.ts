import { setTimeout } from 'node:timers/promises';
import { present } from './objects.ts';

/**
 * Time, injected. Waits are measured on `monotonicMs`, which no clock change moves; `wallMs` is only ever
 * stored or shown. Tests hand in a clock of their own, so that no test sleeps for luck.
 */
export interface Clock {
  /** Milliseconds since 1970 UTC, by the machine's calendar. May jump. */
  wallMs(): number;
  /** Milliseconds since an arbitrary moment. Never goes back. */
  monotonicMs(): number;
  /** Resolves after `durationMs`; rejects with the signal's reason when the signal is aborted first. */
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}

/** Sleeps until one of these things has happened. @throws the signal's reason when the signal fires. */
export async function sleepUnless(
  happening: readonly Promise<void>[],
  clock: Clock,
  durationMs: number,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  try {
    await Promise.race([...happening, clock.sleep(durationMs, AbortSignal.any([signal, over.signal]))]);
  } finally {
    over.abort();
  }
}

export const DAY_MS = 86_400_000;

/** Clocks that differ by less agree. */
export const APART_MS = 5 * 60_000;

/** The clock of this machine. */
export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  async sleep(durationMs, signal) {
    // setTimeout fires at once for anything above 2^31 - 1 ms.
    for (let leftMs = durationMs; leftMs > 0; leftMs -= DAY_MS)
      await setTimeout(Math.min(leftMs, DAY_MS), undefined, present({ signal })).catch((error) => {
        throw signal?.reason ?? error;
      });
  },
};

/** `2026-11-20T02:13:00.000Z`, the only form in which a time is stored or written to a file. */
export function isoTime(wallMs: number): string {
  return new Date(wallMs).toISOString();
}

/** `2026-11-20 13:13:05 +11:00`: a time in the zone of this machine, as a person reads it. */
export function localTime(wallMs: number): string {
  const aheadMinutes = -new Date(wallMs).getTimezoneOffset();
  const ofDay = new Date(Math.abs(aheadMinutes) * 60_000).toISOString().slice(11, 16);
  const shown = isoTime(Math.ceil(wallMs / 1000) * 1000 + aheadMinutes * 60_000).slice(0, 19);
  return `${shown.replace('T', ' ')} ${aheadMinutes < 0 ? '-' : '+'}${ofDay}`;
}
