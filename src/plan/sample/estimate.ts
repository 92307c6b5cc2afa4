/**
 * Estimates the rows outside a random sample by an interval that holds the truth in about 95 of 100 samples. The truth is
 * that of exactly these rows and not of endlessly many like them, so the interval narrows with the sample and widens when
 * few rows are left. This file imports nothing.
 */

export interface Estimate {
  readonly low: number;
  readonly expected: number;
  readonly high: number;
}

/** In a normal distribution, 95 % of the values lie within this many standard deviations. */
const Z = 1.96;

/** This many all-or-nothing rows are added to those that were seen, because a few rows of equal price prove little. */
const DOUBTED_ROWS = 4;

/**
 * Estimates the share of hits by Wilson's score interval, which also holds for small samples and for shares near 0 and 1.
 * @param asked at least 1. @param rest how many rows the share is forecast for; left out: endlessly many.
 */
export function shareEstimate(hits: number, asked: number, rest = Number.POSITIVE_INFINITY): Estimate {
  return score({ share: hits / asked, asked, rest, scatter: 1 });
}

/**
 * Estimates the sum of an amount over the rest from the amounts of the sampled rows. The mean amount is treated as a share
 * of the largest one seen, and gets the interval that a share of hits has. This is exact when every row has the largest
 * amount or none. Amounts in between scatter less, so their interval is narrower. The estimate does not foresee an amount
 * above the largest one seen.
 * @param most the largest amount possible; it is used as the largest one when all amounts seen are 0.
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

/** The variance of the shares, divided by the variance that shares of only 0 and 1 would have: from almost 0 to 1. */
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
 * The interval of shares that the rest may have, if the sample and the rest come from one population: its share differs
 * from the sample's by at most `Z` standard deviations, which follow from the share in the whole population. With an
 * endless rest this is Wilson's interval. The code solves the quadratic equation for the difference of the two shares.
 */
function score({ share, asked, rest, scatter }: Sampled): Estimate {
  const variance = Z ** 2 * scatter * (1 / asked + 1 / rest);
  /** The rest's part of the whole population. */
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
