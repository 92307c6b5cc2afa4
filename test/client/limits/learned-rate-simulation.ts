import type { LearnedRate, Window } from '../../../src/client/limits/limits.ts';

/** Vendors and the way to them in simulated time, so that minutes of learning are tested in milliseconds. */

/** Says whether a request that arrives then is within the limit. Refused ones do not count. */
export type Admits = (atMs: number) => boolean;

export const KINDS = ['sliding log', 'fixed window', 'token bucket'] as const;
export type Kind = (typeof KINDS)[number];

/** @param phaseMs how much of a fixed window had passed when the run began. */
export function vendor(kind: Kind, { requests, windowMs }: Window, phaseMs = 0): Admits {
  switch (kind) {
    case 'sliding log':
      return slidingLog(requests, windowMs);
    case 'fixed window':
      return fixedWindow(requests, windowMs, phaseMs);
    case 'token bucket':
      return tokenBucket(requests, windowMs);
  }
}

function slidingLog(requests: number, windowMs: number): Admits {
  const times: number[] = [];
  return (atMs) => {
    while ((times[0] ?? atMs) <= atMs - windowMs) times.shift();
    return times.length < requests && times.push(atMs) > 0;
  };
}

function fixedWindow(requests: number, windowMs: number, phaseMs: number): Admits {
  let number = -1;
  let count = 0;
  return (atMs) => {
    const present = Math.floor((atMs + phaseMs) / windowMs);
    if (present !== number) count = 0;
    number = present;
    if (count >= requests) return false;
    count += 1;
    return true;
  };
}

/** Holds a window's worth, and is full at the start. */
function tokenBucket(requests: number, windowMs: number): Admits {
  let tokens = requests;
  let filledMs = 0;
  return (atMs) => {
    tokens = Math.min(requests, tokens + ((atMs - filledMs) * requests) / windowMs);
    filledMs = atMs;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}

export interface Scene {
  readonly rate: LearnedRate;
  readonly admits: Admits;
  readonly seconds: number;
  /** There and back. */
  readonly latencyMs: number;
  readonly concurrency: number;
  readonly seed?: number;
}

/** A request as the vendor saw it. */
export interface Arrival {
  readonly atMs: number;
  readonly isAccepted: boolean;
}

interface Flying {
  readonly kind: 'request' | 'answer';
  readonly atMs: number;
  readonly sentAtMs: number;
  readonly isAccepted: boolean;
}

/** The way takes that much longer at most, each way; timers are late by that much at most. */
const JITTER_MS = 4;
const LATE_MS = 1.5;

/** As leases do: they gather for this long at the most. */
const AHEAD_MS = 100;

/** The longest that a refusal without a time is waited for, and those of requests that were on their way with it. */
const PAUSE_MS = 500;

/** As many requests as the learned rate lets through, evenly spread, from one client that always has another one. */
export function play(scene: Scene): readonly Arrival[] {
  return new Play(scene).run();
}

class Play {
  readonly arrivals: Arrival[] = [];
  readonly #scene: Scene;
  readonly #random: () => number;
  readonly #flying: Flying[] = [];
  #nowMs = 0;
  #free: number;
  #leaseDueMs = 0;
  #pausedUntilMs = 0;

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#random = randomFrom(scene.seed ?? 1);
    this.#free = scene.concurrency;
  }

  run(): readonly Arrival[] {
    while (this.#nowMs < this.#scene.seconds * 1000) this.#step();
    return this.arrivals;
  }

  /** Sends, or lets time pass until the client wakes up or something arrives. */
  #step(): void {
    const waitMs = this.#free > 0 ? this.#waitMs() : Number.POSITIVE_INFINITY;
    if (waitMs <= 0) {
      this.#send();
      return;
    }
    if (waitMs < Number.POSITIVE_INFINITY) this.#scene.rate.heldBack(this.#nowMs);
    const wakeMs = this.#nowMs + Math.ceil(waitMs) + this.#random() * LATE_MS;
    const next = this.#flying[0];
    if (next !== undefined && next.atMs <= wakeMs) {
      this.#flying.shift();
      this.#nowMs = next.atMs;
      if (next.kind === 'request') this.#arrive(next);
      else this.#answer(next);
    } else if (wakeMs === Number.POSITIVE_INFINITY) throw new Error('nothing will ever happen');
    else this.#nowMs = wakeMs;
  }

  #waitMs(): number {
    return Math.max(this.#leaseDueMs, this.#pausedUntilMs) - this.#nowMs;
  }

  /** The next lease comes as long after that time as the present speed asks. */
  #lease(fromMs: number): void {
    this.#leaseDueMs = fromMs + 1000 / this.#scene.rate.perSecond;
  }

  #send(): void {
    const { rate } = this.#scene;
    const aheadMs = rate.perSecond * AHEAD_MS < 1000 ? 0 : AHEAD_MS;
    this.#lease(Math.max(this.#leaseDueMs, this.#nowMs - aheadMs));
    this.#free -= 1;
    this.#fly('request', this.#nowMs, false);
  }

  #arrive({ sentAtMs }: Flying): void {
    const isAccepted = this.#scene.admits(this.#nowMs);
    this.arrivals.push({ atMs: this.#nowMs, isAccepted });
    this.#fly('answer', sentAtMs, isAccepted);
  }

  #answer({ sentAtMs, isAccepted }: Flying): void {
    const { rate } = this.#scene;
    this.#free += 1;
    if (isAccepted) rate.accepted(this.#nowMs);
    else if (rate.limited(sentAtMs, this.#nowMs))
      this.#pausedUntilMs = this.#nowMs + this.#random() * PAUSE_MS;
  }

  #fly(kind: Flying['kind'], sentAtMs: number, isAccepted: boolean): void {
    const atMs = this.#nowMs + this.#scene.latencyMs / 2 + this.#random() * JITTER_MS;
    const place = this.#flying.findLastIndex((other) => other.atMs <= atMs);
    this.#flying.splice(place + 1, 0, { kind, atMs, sentAtMs, isAccepted });
  }
}

/** Accepted requests of a stretch of seconds, in relation to what could be accepted. */
export function shareOf(
  arrivals: readonly Arrival[],
  from: number,
  to: number,
  { perSecond }: { readonly perSecond: number },
): number {
  return (
    between(arrivals, from, to).filter(({ isAccepted }) => isAccepted).length / (perSecond * (to - from))
  );
}

export function refused(arrivals: readonly Arrival[]): number {
  return arrivals.filter(({ isAccepted }) => !isAccepted).length;
}

export function between(arrivals: readonly Arrival[], from: number, to: number): readonly Arrival[] {
  return arrivals.filter(({ atMs }) => atMs >= from * 1000 && atMs < to * 1000);
}

/** The most that so many requests at once can do, by the way's length. */
export function reach(concurrency: number, latencyMs: number): number {
  return concurrency / ((latencyMs + JITTER_MS) / 1000);
}

/** Mulberry32: the same numbers for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
