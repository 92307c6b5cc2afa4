/**
 * One thing at a time, in an order that the seed draws, over a time that moves only when nothing else can go on.
 *
 * Of what is ready any may come next: the answers of the disk and of the network in any order, the turns of the event loop in their own.
 * Timers come by their time. None of the schedulers that exist fits: that of fast-check knows no time, so a pause of a minute and a write
 * to a disk would be alike to it, and the others are no packages of the registry.
 */
export type Random = () => number;

/** Numbers from 0 to 1 that follow from the seed alone (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface Timer {
  readonly atMs: number;
  readonly work: () => void;
  /** Whether somebody waits for it; a timer without that does not keep a process alive. */
  isAwaited: boolean;
}

const realTurn = globalThis.setImmediate;

/** How many things are done in one turn of Node's loop. Between two of them Node goes on with all promises and ticks that can go on. */
const IN_ONE_TURN = 64;

/**
 * How it came that nothing goes on: it is `over`; nothing can go on before it is over (`still`); or so much went on that it never will be
 * (`endless`).
 */
export type Halt = 'over' | 'still' | 'endless';

export class Schedule {
  readonly #random: Random;
  #nowMs = 0;
  /** By time, and among equal ones by their age. */
  readonly #timers: Timer[] = [];
  readonly #turns: (() => void)[] = [];
  readonly #ready: (() => void)[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  /** Milliseconds since the world began. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** A machine that is stopped: time passes, and nothing happens. */
  skip(ms: number): void {
    this.#nowMs += ms;
  }

  /** Behind all turns that were asked for before. */
  nextTurn(work: () => void): void {
    this.#turns.push(work);
  }

  /** In any order with what else is ready. */
  soon(work: () => void): void {
    this.#ready.push(work);
  }

  after(ms: number, work: () => void, isAwaited = true): Timer {
    const timer = { atMs: this.#nowMs + Math.max(1, ms), work, isAwaited };
    let at = this.#timers.length;
    while (at > 0 && (this.#timers[at - 1] as Timer).atMs > timer.atMs) at -= 1;
    this.#timers.splice(at, 0, timer);
    return timer;
  }

  cancel(timer: Timer): void {
    const at = this.#timers.indexOf(timer);
    if (at !== -1) this.#timers.splice(at, 1);
  }

  /** Takes back a turn that was asked for. */
  cancelTurn(work: () => void): void {
    const at = this.#turns.indexOf(work);
    if (at !== -1) this.#turns.splice(at, 1);
  }

  /** Goes on until that is over, by so many events at most. */
  until(isOver: () => boolean, mostEvents = Number.POSITIVE_INFINITY): Promise<Halt> {
    return new Promise((resolve, reject) => {
      let hasEnded = false;
      let events = 0;
      const halt = (): Halt | undefined => {
        if (isOver()) return 'over';
        events += 1;
        if (events > mostEvents) return 'endless';
        return this.#step() ? undefined : 'still';
      };
      const goOn = (): void => {
        if (hasEnded) return;
        try {
          const halted = halt();
          hasEnded = halted !== undefined;
          if (halted !== undefined) resolve(halted);
        } catch (error) {
          hasEnded = true;
          reject(error);
        }
      };
      const turn = (): void => {
        for (let at = 0; at < IN_ONE_TURN; at += 1) realTurn(goOn);
        realTurn(() => hasEnded || turn());
      };
      turn();
    });
  }

  #step(): boolean {
    const ways = this.#ready.length + (this.#turns.length > 0 ? 1 : 0);
    if (ways > 0) {
      const chosen = Math.floor(this.#random() * ways);
      const [work] = chosen < this.#ready.length ? this.#ready.splice(chosen, 1) : this.#turns.splice(0, 1);
      work?.();
      return true;
    }
    if (!this.#timers.some(({ isAwaited }) => isAwaited)) return false;
    const timer = this.#timers.shift() as Timer;
    this.#nowMs = Math.max(this.#nowMs, timer.atMs);
    timer.work();
    return true;
  }
}
