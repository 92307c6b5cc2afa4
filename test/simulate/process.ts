import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * A process of a world. All that it asks of what is outside passes a door, and each passage is counted: a fault comes before or after the
 * passage that its number names. Once a process has crashed, no door answers it any more, whatever of its code still runs.
 */
export type Mishap =
  /** `kill -9`: what was written stays. */
  | { readonly kind: 'kill' }
  /** The power goes: what was not synced is lost, or is not. */
  | { readonly kind: 'power' }
  /** SIGSTOP, or a lid that is closed: it goes on after that time, and notices nothing. */
  | { readonly kind: 'sleep'; readonly ms: number }
  /** The calendar of the machine jumps. */
  | { readonly kind: 'clock'; readonly ms: number }
  | { readonly kind: 'signal'; readonly name: NodeJS.Signals };

export interface Fault {
  /** The passage through a door, from 1. */
  readonly at: number;
  readonly when: 'before' | 'after';
  readonly what: Mishap;
}

/** What a door does to code of a process that is gone. */
export class Gone extends Error {
  constructor() {
    super('this process is gone');
  }
}

export type Strike = (process: SimulatedProcess, mishap: Mishap) => void;

export class SimulatedProcess {
  readonly pid: number;
  readonly #faults: ReadonlyMap<number, Fault>;
  readonly #strike: Strike;
  readonly #leaving = new Set<() => void>();
  readonly #listeners = new Map<string, ((name: string) => void)[]>();
  passages = 0;
  /** How it ended by itself, by `process.exit`. */
  exitCode: number | undefined;
  isGone = false;
  /** When somebody first asked it to stop, in ms of the world. */
  stoppedAtMs: number | undefined;
  /** What it threw that no one caught. */
  failure: unknown;

  constructor(pid: number, faults: readonly Fault[], strike: Strike) {
    this.pid = pid;
    this.#faults = new Map(faults.map((fault) => [fault.at, fault]));
    this.#strike = strike;
  }

  /** The end of it, of whatever kind: files and databases that it has open are closed, and what they had not committed is gone. */
  end(): void {
    this.isGone = true;
    for (const leave of this.#leaving) leave();
    this.#leaving.clear();
  }

  /** It dies of something that no one caught. */
  fail(error: unknown): void {
    if (this.isGone) return;
    this.failure = error;
    this.end();
  }

  /** @returns what takes that back. */
  atEnd(leave: () => void): () => void {
    this.#leaving.add(leave);
    return () => this.#leaving.delete(leave);
  }

  on(signal: string, hear: (name: string) => void): void {
    this.#listeners.set(signal, [...this.listeners(signal), hear]);
  }

  off(signal: string, hear: (name: string) => void): void {
    this.#listeners.set(
      signal,
      this.listeners(signal).filter((each) => each !== hear),
    );
  }

  listeners(signal: string): ((name: string) => void)[] {
    return this.#listeners.get(signal) ?? [];
  }

  /** A signal that no one listens to ends a process. */
  signal(name: NodeJS.Signals): void {
    const heard = this.listeners(name);
    if (heard.length === 0) this.end();
    for (const hear of heard) this.enter(() => hear(name));
  }

  /** Code of it goes on. Whatever is thrown once it is gone is no one's concern. */
  enter(work: () => void): void {
    try {
      if (!this.isGone) running.run(this, work);
    } catch (error) {
      if (!this.isGone) throw error;
    }
  }

  /** @throws Gone when it is, or is struck here. */
  pass<T>(work: () => T): T {
    if (this.isGone) throw new Gone();
    this.passages += 1;
    const fault = this.#faults.get(this.passages);
    if (fault?.when === 'before') this.#struckBy(fault);
    const result = work();
    if (fault?.when === 'after') this.#struckBy(fault);
    if (this.isGone) throw new Gone();
    return result;
  }

  #struckBy(fault: Fault): void {
    this.#strike(this, fault.what);
    if (this.isGone) throw new Gone();
  }
}

/** Of which process the code is that runs now; undefined for the world itself. */
export const running = new AsyncLocalStorage<SimulatedProcess>();
