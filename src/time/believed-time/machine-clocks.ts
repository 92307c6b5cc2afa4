import { randomUUID } from 'node:crypto';
import type { BootTime, Clock } from '../../core/clock.ts';

/** A clock that is corrected by less than this is not reported. */
export const JUMP_MS = 5_000;

/** How often the boot clock is read from its file; in between the monotonic clock continues from the last reading. */
export const READ_EVERY_MS = 1_000;

export interface Reading {
  readonly monotonicMs: number;
  readonly wallMs: number;
  readonly uptimeMs: number;
}

/** Reads the clocks of this machine together, and notices when somebody sets the calendar. */
export class MachineClocks {
  readonly clock: Clock;
  readonly bootId: string;
  readonly #onSet: (byMs: number, reading: Reading) => void;
  #last: Reading;

  /** @param onSet is told by how much the calendar was set, and what the clocks say now. */
  constructor(clock: Clock, onSet: (byMs: number, reading: Reading) => void) {
    this.clock = clock;
    this.#onSet = onSet;
    const { id, uptimeMs } = bootOf(clock);
    this.bootId = id;
    this.#last = { monotonicMs: clock.monotonicMs(), wallMs: clock.wallMs(), uptimeMs };
  }

  /** The last reading that asked the boot clock itself. */
  get last(): Reading {
    return this.#last;
  }

  /** This runs several times for each request, so it makes no system call but those two. */
  read(): Reading {
    const { clock } = this;
    const last = this.#last;
    const [monotonicMs, wallMs] = [clock.monotonicMs(), clock.wallMs()];
    const passedMs = monotonicMs - last.monotonicMs;
    const jumpMs = wallMs - last.wallMs - passedMs;
    if (passedMs < READ_EVERY_MS && Math.abs(jumpMs) < READ_EVERY_MS)
      return { monotonicMs, wallMs, uptimeMs: last.uptimeMs + passedMs };
    this.#last = { monotonicMs, wallMs, uptimeMs: bootOf(clock).uptimeMs };
    // The monotonic clock stands still while the machine sleeps, and the boot clock does not.
    const setMs = wallMs - last.wallMs - (this.#last.uptimeMs - last.uptimeMs);
    if (Math.abs(setMs) > JUMP_MS) this.#onSet(setMs, this.#last);
    return this.#last;
  }
}

/** A clock without a boot clock counts as a machine that starts with each process. */
export function withBoot(machine: Clock): Clock {
  if (machine.boot !== undefined) return machine;
  const id = `process ${randomUUID()}`;
  return {
    wallMs: () => machine.wallMs(),
    monotonicMs: () => machine.monotonicMs(),
    sleep: (durationMs, signal) => machine.sleep(durationMs, signal),
    boot: () => ({ id, uptimeMs: machine.monotonicMs() }),
  };
}

export function bootOf(clock: Clock): BootTime {
  return clock.boot?.() ?? { id: '', uptimeMs: clock.monotonicMs() };
}
