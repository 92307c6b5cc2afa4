import type { TableLine } from './kill-drive.ts';
import type { BrokenPromises } from './promises.ts';

/** What many workers over one database have left behind: by the vendor's book, by their ledger, and as they were seen to work. */
export interface Left {
  readonly broken: BrokenPromises;
  /** Rows that no worker has ended; undefined where a budget was to end them before. */
  readonly rowsLeft: number | undefined;
  readonly doubts: number;
  /** What was on its way when workers were killed, at most. */
  readonly mostDoubts: number;
  /** When requests left, in milliseconds, oldest first. */
  readonly sentMs: readonly number[];
  /** The limit of the account. */
  readonly perSecond: number;
  /** How long ranges of killed workers waited for another one. */
  readonly waitsMs: readonly number[];
  /** What was said by workers that ended by themselves, or of a range that failed by a bug of ours. */
  readonly complaints: readonly string[];
  /** What stood when the budget was reached; undefined where there was enough. */
  readonly capped: Capped | undefined;
}

/** Credits. */
export interface Capped {
  readonly cap: number;
  /** By the vendor's book. */
  readonly charged: number;
  readonly spent: number;
  readonly inDoubt: number;
}

export interface Verdict {
  readonly lines: readonly TableLine[];
  /** The names of the lines by which a promise was broken. */
  readonly broken: readonly string[];
}

/** A killed worker's range goes on within so long. */
const GOES_ON_MS = 20_000;

export function verdictOn(left: Left): Verdict {
  const all = [
    ...boughtOnce(left),
    ...inTime(left),
    ...(left.capped === undefined ? [] : withinCap(left.capped)),
  ];
  return {
    lines: all.map(({ name, value }) => [name, value]),
    broken: all.flatMap(({ name, isKept }) => (isKept ? [] : [name])),
  };
}

interface Finding {
  readonly name: string;
  readonly value: string | number;
  readonly isKept: boolean;
}

const none = (name: string, times: number): Finding => ({ name, value: times, isKept: times === 0 });

const atMost = (name: string, value: number, most: number, words = String(most)): Finding => ({
  ...{ name, value: `${value} of at most ${words}` },
  isKept: value <= most,
});

function boughtOnce({ broken, rowsLeft = 0, doubts, mostDoubts, complaints }: Left): readonly Finding[] {
  return [
    none('rows lost', broken.rowsLost),
    none('rows that no worker has ended', rowsLeft),
    none('calls charged twice', broken.chargedTwice),
    none('requests without an intent', broken.requestsWithoutIntent),
    none('calls on which the two books disagree', broken.booksDisagree),
    atMost('calls in doubt', doubts, mostDoubts),
    none('complaints of workers', complaints.length),
  ];
}

function inTime({ sentMs, perSecond, waitsMs }: Left): readonly Finding[] {
  const longestMs = Math.max(0, ...waitsMs);
  const most = atMost('most sent in a second', mostInASecond(sentMs), perSecond);
  const oneMore = shortestOf(sentMs, perSecond + 1);
  const times = [
    most,
    { name: '  one more took at least', value: `${(oneMore / 1_000).toFixed(3)} s`, isKept: true },
  ];
  if (waitsMs.length === 0) return times;
  const value = `${waitsMs.length}, after ${seconds(medianOf(waitsMs))} s, at most ${seconds(longestMs)} s`;
  return [
    ...times,
    { name: 'ranges of killed workers that went on', value, isKept: longestMs <= GOES_ON_MS },
  ];
}

function withinCap({ cap, charged, spent, inDoubt }: Capped): readonly Finding[] {
  const value = `${spent} + ${inDoubt} of ${cap}`;
  return [
    atMost('credits charged when the budget was reached', charged, cap),
    { name: '  spent + in doubt', value, isKept: spent + inDoubt === cap },
  ];
}

/** The most of them in any second. @param times in milliseconds, oldest first. */
export function mostInASecond(times: readonly number[]): number {
  let [first, most] = [0, 0];
  for (const [at, time] of times.entries()) {
    while ((times[first] ?? time) <= time - 1_000) first += 1;
    most = Math.max(most, at - first + 1);
  }
  return most;
}

/** The shortest time in which so many have left. */
function shortestOf(times: readonly number[], count: number): number {
  return Math.min(...times.slice(count - 1).map((time, at) => time - (times[at] ?? 0)));
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(1);

const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
