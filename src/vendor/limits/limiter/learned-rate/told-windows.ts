import { marginMs, type Window } from '../windows.ts';
import { RecentSends } from './recent-sends.ts';

/** Windows up to this length are spread evenly; the allowance of an hour or a day may be used up at once. */
const LONGEST_SPREAD_MS = 60_000;

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
    const paces = guards.filter(isSpread).map(({ window }) => pacePerSecond(window));
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
    return new ToldWindows(this.#guards.filter((guard) => !isSpread(guard)));
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

function isSpread({ window }: Guard): boolean {
  return window.windowMs <= LONGEST_SPREAD_MS;
}

function pacePerSecond(window: Window): number {
  return (window.requests * 1000) / (window.windowMs + marginMs(window));
}
