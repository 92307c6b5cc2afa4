import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { present } from './objects.ts';

/**
 * Time, injected. Waits are measured on `monotonicMs`, which no clock change moves; `wallMs` is only ever
 * stored or shown. Tests hand in a clock of their own, so that no test sleeps for luck.
 */
export interface Clock {
  /** Milliseconds since 1970 UTC, as the machine's calendar has it. May jump. */
  wallMs(): number;
  /** Milliseconds since an arbitrary moment. Never goes back. */
  monotonicMs(): number;
  /** The machine's boot clock. A clock without one counts as a machine that starts with each process. */
  boot?(): BootTime;
  /** Resolves after `durationMs`; rejects with the signal's reason when the signal fires first. */
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}

/** Which start of the machine it is, and how long ago that was. Nobody sets this clock, and it counts sleep. */
export interface BootTime {
  readonly id: string;
  readonly uptimeMs: number;
}

/** setTimeout fires at once for anything above 2^31 - 1 ms, so longer waits are taken in steps of a day. */
const LONGEST_TIMER_MS = 24 * 60 * 60 * 1000;

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  boot() {
    // Nothing that an earlier process noted can be compared with a boot of this process, so nothing is concluded from it.
    thisBoot ??= bootOfMachine() ?? { id: `process ${randomUUID()}`, uptimeMs: () => performance.now() };
    return { id: thisBoot.id, uptimeMs: thisBoot.uptimeMs() };
  },
  async sleep(durationMs, signal) {
    for (let leftMs = durationMs; leftMs > 0; leftMs -= LONGEST_TIMER_MS) {
      await setTimeout(Math.min(leftMs, LONGEST_TIMER_MS), undefined, present({ signal })).catch((error) => {
        throw signal?.reason ?? error;
      });
    }
  },
};

interface Boot {
  readonly id: string;
  uptimeMs(): number;
}

let thisBoot: Boot | undefined;

/** Undefined where the system has no name for one of its starts that can be read without a privilege. */
function bootOfMachine(): Boot | undefined {
  const uptimeMs = (): number => uptime() * 1000;
  try {
    switch (process.platform) {
      case 'linux':
        return { id: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(), uptimeMs };
      case 'darwin':
        return {
          id: execFileSync('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }).trim(),
          uptimeMs,
        };
      default:
        return undefined;
    }
  } catch {
    return undefined;
  }
}

/** `2026-11-20T02:13:00.000Z`, the only form in which a time is stored or written to a file. */
export function isoTime(wallMs: number): string {
  const ms = Math.trunc(wallMs);
  const second = Math.floor(ms / 1000);
  // Times that are written after each other are often of one second, and most of a text is the same for all of it.
  if (second !== last.second) last = { second, text: new Date(ms).toISOString().slice(0, -'000Z'.length) };
  return `${last.text}${String(ms - second * 1000).padStart(3, '0')}Z`;
}

let last = { second: 0, text: '1970-01-01T00:00:00.' };
