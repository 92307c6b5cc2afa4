import type { TableLine } from './kills.ts';
import type { BrokenPromises } from './promises.ts';

/** What workers over one database have left behind: by the vendor's book, by their ledger, and as their requests left. */
export interface Left {
  readonly broken: BrokenPromises;
  /** Rows that no worker has ended; undefined where a budget or a time was to end them before. */
  readonly rowsLeft: number | undefined;
  readonly doubts: number;
  /** What was on its way when workers were killed, at most. */
  readonly mostDoubts: number;
  readonly books: Books;
  /** What stood when the budget was reached; undefined where there was enough. */
  readonly capped: (Books & { readonly cap: number }) | undefined;
  /** What was said by workers that ended by themselves, or of a range that failed by a bug of ours, and by `store check`. */
  readonly complaints: readonly string[];
  /** When requests left, in milliseconds, oldest first. */
  readonly sentMs: readonly number[];
  readonly limit: Limit;
}

/** Credits. */
export interface Books {
  /** By the vendor's book. */
  readonly charged: number;
  /** The part of it for calls that the ledger calls answered. */
  readonly chargedForAnswers: number;
  readonly spent: number;
  /** In doubt, or still on its way. */
  readonly held: number;
}

/** Of the account, in any such span of time. */
export interface Limit {
  readonly requests: number;
  readonly windowMs: number;
}

export interface Verdict {
  readonly lines: readonly TableLine[];
  /** The names of the lines by which a promise was broken. */
  readonly broken: readonly string[];
}

type Finding = readonly [name: string, value: string | number, isKept: boolean];

export function verdictOn({ broken, books, capped, ...left }: Left): Verdict {
  const none = (name: string, times: number): Finding => [name, times, times === 0];
  const atMost = (name: string, value: number, most: number): Finding => [
    ...([name, `${value} of at most ${most}`] as const),
    value <= most,
  ];
  const { spent, held, charged, chargedForAnswers } = books;
  const isBetween = spent <= charged && charged <= spent + held;
  const findings: readonly Finding[] = [
    none('rows lost', broken.rowsLost),
    none('rows that no worker has ended', left.rowsLeft ?? 0),
    none('calls charged twice', broken.chargedTwice),
    none('requests without an intent', broken.requestsWithoutIntent),
    none('calls on which the two books disagree', broken.booksDisagree),
    atMost('calls in doubt', left.doubts, left.mostDoubts),
    ['credits spent, charged, spent and held', `${spent} ≤ ${charged} ≤ ${spent + held}`, isBetween],
    none('credits spent, not as charged', Math.abs(spent - chargedForAnswers)),
    ...(capped === undefined ? [] : withinCap(capped, atMost)),
    none('complaints of workers and of store check', left.complaints.length),
    atMost(
      `most sent in ${left.limit.windowMs / 1_000} s`,
      mostWithin(left.sentMs, left.limit.windowMs),
      left.limit.requests,
    ),
  ];
  return {
    lines: findings.map(([name, value]) => [name, value]),
    broken: findings.flatMap(([name, , isKept]) => (isKept ? [] : [name])),
  };
}

function withinCap(
  { cap, charged, spent, held }: NonNullable<Left['capped']>,
  atMost: (name: string, value: number, most: number) => Finding,
): readonly Finding[] {
  return [
    atMost('credits charged when the budget was reached', charged, cap),
    ['  spent + held', `${spent} + ${held} of ${cap}`, spent + held === cap],
  ];
}

/** The most of them in any such span. @param times in milliseconds, oldest first. */
function mostWithin(times: readonly number[], spanMs: number): number {
  let [first, most] = [0, 0];
  for (const [at, time] of times.entries()) {
    while ((times[first] ?? time) <= time - spanMs) first += 1;
    most = Math.max(most, at - first + 1);
  }
  return most;
}

/**
 * What part of the limit was used between a fifth and four fifths of the time, over whole spans of the limit: workers begin, and
 * the last rows end, with less, and a limit may be used up at once.
 */
export function shareMidway(times: readonly number[], { requests, windowMs }: Limit): number {
  const [begin = 0, end = 0] = [times[0], times.at(-1)];
  const fifth = (end - begin) / 5;
  const from = begin + fifth;
  const spans = Math.floor((3 * fifth) / windowMs) || (3 * fifth) / windowMs;
  const midway = times.filter((time) => time >= from && time < from + spans * windowMs).length;
  return midway / (requests * spans);
}

/** So much of the limit counts as all of it, over so long and over the limit's own span: a burst is not all of it. */
const [NEARLY_ALL, OVER_MS] = [0.95, 5_000];

/** How long after the moment the limit was used again; undefined: never. The spans over which that is seen begin then. */
export function recoveryMs(
  times: readonly number[],
  momentMs: number,
  { requests, windowMs }: Limit,
): number | undefined {
  const since = times.filter((time) => time >= momentMs);
  const isUsed = (from: number, spanMs: number): boolean => {
    const enough = Math.floor((NEARLY_ALL * requests * spanMs) / windowMs);
    return (since[from + enough - 1] ?? Number.POSITIVE_INFINITY) - (since[from] ?? 0) < spanMs;
  };
  const at = since.findIndex((_, from) => isUsed(from, OVER_MS) && isUsed(from, Math.max(OVER_MS, windowMs)));
  return at < 0 ? undefined : (since[at] ?? momentMs) - momentMs;
}
