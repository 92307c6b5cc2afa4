import { isSpread, marginMs, pacePerSecond, type Window } from '../../windows.ts';

/** When requests left, counted in bins, so that memory and time do not depend on how many there were. */
export class RecentSends {
  readonly #binMs: number;
  /** A ring: the count of bin `n` is at `n` modulo its length. */
  readonly #counts: Uint32Array;
  #newest = 0;

  constructor(spanMs: number, binMs: number) {
    this.#binMs = binMs;
    this.#counts = new Uint32Array(Math.ceil(spanMs / binMs) + 2);
  }

  add(atMs: number, count = 1): void {
    const bin = this.#bin(atMs);
    this.#advanceTo(bin);
    if (this.#holds(bin)) this.#counts[this.#place(bin)] = this.#countOf(bin) + count;
  }

  /** Removes a request that left at that time, because the vendor did not count it. */
  takeBack(atMs: number): void {
    const bin = this.#bin(atMs);
    if (this.#holds(bin) && this.#countOf(bin) > 0) this.#counts[this.#place(bin)] = this.#countOf(bin) - 1;
  }

  between(fromMs: number, toMs: number): number {
    const [oldest, newest] = [this.#oldestFrom(fromMs), Math.min(this.#bin(toMs), this.#newest)];
    let sum = 0;
    // Each request asks this: a place is found once, and the ones after it follow.
    for (let bin = oldest, place = this.#place(oldest); bin <= newest; bin += 1) {
      sum += this.#counts[place] ?? 0;
      place = place + 1 === this.#counts.length ? 0 : place + 1;
    }
    return sum;
  }

  /**
   * How long until no more than `most` of them are younger than `windowMs`, when nothing is sent meanwhile; the whole
   * window when `most` is below zero.
   */
  waitMs(most: number, windowMs: number, nowMs: number): number {
    if (most < 0) return windowMs;
    const fromBin = this.#oldestFrom(nowMs - windowMs);
    let excess = this.between(fromBin * this.#binMs, nowMs) - most;
    for (let bin = fromBin; excess > 0 && bin <= this.#newest; bin += 1) {
      excess -= this.#countOf(bin);
      if (excess <= 0) return Math.max((bin + 1) * this.#binMs + windowMs - nowMs, 0);
    }
    return 0;
  }

  copyTo(other: RecentSends): void {
    for (let bin = this.#oldestFrom(Number.NEGATIVE_INFINITY); bin <= this.#newest; bin += 1) {
      if (this.#countOf(bin) > 0) other.add((bin + 1) * this.#binMs, this.#countOf(bin));
    }
  }

  #bin(atMs: number): number {
    return Math.floor(atMs / this.#binMs);
  }

  #place(bin: number): number {
    const { length } = this.#counts;
    return ((bin % length) + length) % length;
  }

  #countOf(bin: number): number {
    return this.#counts[this.#place(bin)] ?? 0;
  }

  #holds(bin: number): boolean {
    return bin <= this.#newest && bin > this.#newest - this.#counts.length;
  }

  #oldestFrom(fromMs: number): number {
    return Math.max(this.#bin(fromMs), this.#newest - this.#counts.length + 1);
  }

  #advanceTo(bin: number): void {
    if (bin <= this.#newest) return;
    if (bin - this.#newest >= this.#counts.length) this.#counts.fill(0);
    else
      for (let passed = this.#newest + 1; passed <= bin; passed += 1) this.#counts[this.#place(passed)] = 0;
    this.#newest = bin;
  }
}

/** The number of bins in a window of any length: a send holds back the next at most a thousandth too long. */
const BINS = 1000;

interface Guard {
  readonly window: Window;
  readonly sends: RecentSends;
}

/** The guards of windows that the vendor told us, in memory that does not depend on how much they allow. */
export class ToldWindows {
  /** Requests a second of the window that is spread over its time; undefined when all windows are longer. */
  readonly pacePerSecond: number | undefined;
  readonly #guards: readonly Guard[];

  private constructor(guards: readonly Guard[]) {
    this.#guards = guards;
    const paces = guards.flatMap(({ window }) => (isSpread(window) ? [pacePerSecond(window)] : []));
    this.pacePerSecond = paces.length === 0 ? undefined : Math.min(...paces);
  }

  /** @param earlier requests that left before the vendor stated its limits. */
  static of(windows: readonly Window[], earlier: RecentSends): ToldWindows {
    const guards = windows.map((window) => ({
      window,
      sends: new RecentSends(window.windowMs + marginMs(window), window.windowMs / BINS),
    }));
    for (const { sends } of guards) earlier.copyTo(sends);
    return new ToldWindows(guards);
  }

  /** The windows that may be used up at once, with what they have counted. */
  longer(): ToldWindows {
    return new ToldWindows(this.#guards.filter(({ window }) => !isSpread(window)));
  }

  sent(nowMs: number): void {
    for (const { sends } of this.#guards) sends.add(nowMs);
  }

  /** Removes the request that left at that time: the vendor refused and does not count it. */
  takeBack(sentAtMs: number): void {
    for (const { sends } of this.#guards) sends.takeBack(sentAtMs);
  }

  /** The wait, which is at most the longest window. Permits in hand count as sent now. */
  waitMs(nowMs: number, inHand: number): number {
    let waitMs = 0;
    for (const { window, sends } of this.#guards) {
      const span = window.windowMs + marginMs(window);
      waitMs = Math.max(waitMs, sends.waitMs(window.requests - 1 - inHand, span, nowMs));
    }
    return waitMs;
  }
}
