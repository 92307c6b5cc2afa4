/** Time, as the program sees it: the globals of Node are replaced while a world is played. */
import { promisify } from 'node:util';
import type { Timer } from '../schedule.ts';
import { currentWorld, here, inWorld, owned, wallMs } from '../world.ts';

const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
  clearImmediate: globalThis.clearImmediate,
  now: performance.now.bind(performance),
  random: Math.random,
  timeout: AbortSignal.timeout,
  Date: globalThis.Date,
};

type Work = (...args: unknown[]) => void;

/** What `setTimeout` and `setInterval` return. */
class WorldTimer {
  readonly #work: () => void;
  readonly #ms: number;
  readonly #repeats: boolean;
  readonly #here = here();
  readonly #schedule = this.#here.world.schedule;
  #timer: Timer;

  constructor(work: () => void, ms: number, repeats: boolean) {
    this.#work = work;
    this.#ms = ms;
    this.#repeats = repeats;
    this.#timer = this.#start(true);
  }

  #start(isAwaited: boolean): Timer {
    return this.#schedule.after(this.#ms, this.#fire, isAwaited);
  }

  readonly #fire = (): void => {
    if (this.#here.process.isGone) return;
    if (this.#repeats) this.#timer = this.#start(this.#timer.isAwaited);
    this.#work();
  };

  unref(): this {
    this.#timer.isAwaited = false;
    return this;
  }

  ref(): this {
    this.#timer.isAwaited = true;
    return this;
  }

  hasRef(): boolean {
    return this.#timer.isAwaited;
  }

  refresh(): this {
    this.close();
    this.#timer = this.#start(this.#timer.isAwaited);
    return this;
  }

  close(): this {
    this.#schedule.cancel(this.#timer);
    return this;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

class WorldImmediate {
  readonly work: () => void;

  constructor(work: () => void) {
    this.work = work;
    here().world.schedule.nextTurn(work);
  }

  unref(): this {
    return this;
  }

  ref(): this {
    return this;
  }
}

export function setTimeout(work: Work, ms = 0, ...args: unknown[]): unknown {
  if (inWorld() === undefined) return real.setTimeout(work, ms, ...args);
  return new WorldTimer(
    owned(() => work(...args)),
    ms,
    false,
  );
}

export function setInterval(work: Work, ms = 0, ...args: unknown[]): unknown {
  if (inWorld() === undefined) return real.setInterval(work, ms, ...args);
  return new WorldTimer(
    owned(() => work(...args)),
    ms,
    true,
  );
}

export function setImmediate(work: Work, ...args: unknown[]): unknown {
  if (inWorld() === undefined) return real.setImmediate(work, ...args);
  return new WorldImmediate(owned(() => work(...args)));
}

function clear(timer: unknown): void {
  if (timer instanceof WorldTimer) timer.close();
  else if (timer instanceof WorldImmediate) currentWorld()?.schedule.cancelTurn(timer.work);
  else real.clearTimeout(timer as NodeJS.Timeout);
}

/** `setTimeout` of `node:timers/promises`. */
export function sleep<T>(ms = 0, value?: T, { signal }: { signal?: AbortSignal } = {}): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve(value as T);
    }, ms);
    const stop = (): void => {
      clear(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', stop, { once: true });
  });
}

export const turn = <T>(value?: T): Promise<T> =>
  new Promise((resolve) => setImmediate(() => resolve(value as T)));

/** A calendar that the world keeps. */
class WorldDate extends real.Date {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(WorldDate.now());
    else super(...(given as [number]));
  }

  static override now(): number {
    const world = currentWorld();
    return world === undefined ? real.Date.now() : wallMs(world);
  }
}

function timeout(ms: number): AbortSignal {
  if (inWorld() === undefined) return real.timeout(ms);
  const stopping = new AbortController();
  const late = (): void =>
    stopping.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  (setTimeout(late, ms) as WorldTimer).unref();
  return stopping.signal;
}

/** Replaces Node's names for all code that is loaded from now on. Outside of a world they are as they were. */
export function replaceTimers(): void {
  Object.assign(setTimeout, { [promisify.custom]: sleep });
  Object.assign(globalThis, {
    setTimeout,
    setInterval,
    setImmediate,
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
    Date: WorldDate,
  });
  performance.now = () => currentWorld()?.schedule.nowMs ?? real.now();
  Math.random = () => (inWorld()?.world.random ?? real.random)();
  AbortSignal.timeout = timeout;
}
