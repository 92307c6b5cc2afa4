/**
 * What a random sample says about the rows that it left out, as an interval that holds the truth in about 95 of 100
 * samples. The truth is meant of those very rows and not of endlessly many like them, so the interval narrows with the
 * sample and widens when few rows are left. Imports nothing.
 */

export interface Estimate {
  readonly low: number;
  readonly expected: number;
  readonly high: number;
}

/** The normal distribution holds 95 % within so many standard deviations. */
const Z = 1.96;

/** So many rows count as all-or-nothing besides those seen, because a few rows that cost alike prove little. */
const DOUBTED_ROWS = 4;

/**
 * The share of hits by Wilson's score interval, which holds for small samples and near 0 and 1 too.
 * @param asked at least 1. @param rest how many rows the share is forecast for; left out: endlessly many.
 */
export function shareEstimate(hits: number, asked: number, rest = Number.POSITIVE_INFINITY): Estimate {
  return score({ share: hits / asked, asked, rest, scatter: 1 });
}

/**
 * The sum of an amount over the rest, by the amounts of the sampled rows. The mean amount is taken as a share of the
 * largest one seen, with the interval that hits would have: exactly that where a row has the largest amount or none.
 * Where amounts lie between, they scatter less than all-or-nothing would, and the interval is narrower by as much.
 * An amount above all that were seen is not foreseen.
 * @param most the largest amount possible; taken for the largest one seen where all seen are 0.
 */
export function sumEstimate(amounts: readonly number[], rest: number, most: number): Estimate {
  const largest = Math.max(...amounts) || most;
  if (largest === 0 || rest === 0) return { low: 0, expected: 0, high: 0 };
  const shares = amounts.map((amount) => amount / largest);
  const share = shares.reduce((sum, each) => sum + each, 0) / shares.length;
  const mean = score({ share, asked: shares.length, rest, scatter: scatterOf(shares, share) });
  const factor = largest * rest;
  return { low: mean.low * factor, expected: mean.expected * factor, high: mean.high * factor };
}

/** The variance of the shares, measured by that of shares which are always 0 or 1: from almost 0 to 1. */
function scatterOf(shares: readonly number[], mean: number): number {
  const allOrNothing = mean * (1 - mean);
  const variance = shares.reduce((sum, share) => sum + (share - mean) ** 2, 0) / shares.length;
  const seen = allOrNothing === 0 ? 1 : variance / allOrNothing;
  return (seen * shares.length + DOUBTED_ROWS) / (shares.length + DOUBTED_ROWS);
}

interface Sampled {
  readonly share: number;
  readonly asked: number;
  readonly rest: number;
  readonly scatter: number;
}

/**
 * Every share of the rest that does not differ too much from the sample's, if both were drawn from one hat: the
 * difference is at most `Z` standard deviations, worked out from the share in the whole hat. With an endless rest this is
 * Wilson's interval. Solved for the difference, which stands squared on both sides.
 */
function score({ share, asked, rest, scatter }: Sampled): Estimate {
  const variance = Z ** 2 * scatter * (1 / asked + 1 / rest);
  /** How much of the hat is the rest. */
  const weight = rest === Number.POSITIVE_INFINITY ? 1 : rest / (asked + rest);
  const scale = 1 + variance * weight ** 2;
  const centre = (variance * weight * (1 - 2 * share)) / (2 * scale);
  const reach = Math.sqrt(centre ** 2 + (variance * share * (1 - share)) / scale);
  return {
    low: Math.max(0, share + centre - reach),
    expected: share,
    high: Math.min(1, share + centre + reach),
  };
}
