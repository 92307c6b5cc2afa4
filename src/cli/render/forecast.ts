import { formatDuration } from '../../core/duration.ts';
import { counted } from '../../core/plain-text.ts';
import type { Estimate, Forecast, RestForecast } from '../../plan/sample.ts';

/** Shows what a sample found, and what it forecasts for the other rows, for a person and for `--json`. */

export function forecastLines({ rows, matched, identifiers, rest }: Forecast): readonly string[] {
  if (rows === 0)
    return ['Sample     nothing was found out: no row of it is settled, or nothing is left to buy'];
  const width = Math.max(...identifiers.map(({ name }) => name.length));
  return [
    `Sample     ${matched} of ${counted(rows, 'row')} matched`,
    ...identifiers.map(
      ({ name, asked, found, matchRate }) =>
        `  ${name.padEnd(width)}  ${found} of ${asked} found, ${shareWords(matchRate)}`,
    ),
    ...(rest === undefined ? ['Rest       nothing is left to buy'] : restLines(rest)),
  ];
}

function restLines({ rows, matchRate, credits, seconds }: RestForecast): readonly string[] {
  return [
    `Rest       ${counted(rows, 'row')} to buy; the truth lies within the brackets for 95 of 100 samples`,
    `  matches  ${shareWords(matchRate)}`,
    `  credits  ${words(credits, String)}`,
    `  time     ${seconds === undefined ? 'not known yet: the account has no limit, and none was met' : words(seconds, (value) => formatDuration(value * 1000))}`,
  ];
}

const shareWords = (share: Estimate): string => words(share, (value) => `${(value * 100).toFixed(0)} %`);

/** `70 % [56 % to 81 %]`. */
function words({ low, expected, high }: Estimate, shown: (value: number) => string): string {
  return `${shown(expected)} [${shown(low)} to ${shown(high)}]`;
}

/** The member `sample` of `run --json`. */
export function forecastObject({ rows, matched, identifiers, rest }: Forecast): object {
  return {
    rows,
    matched,
    identifiers: identifiers.map(({ name, asked, found, matchRate }) => ({
      name,
      asked,
      found,
      match_rate: rounded(matchRate),
    })),
    forecast:
      rest === undefined
        ? null
        : {
            rows: rest.rows,
            match_rate: rounded(rest.matchRate),
            credits: rest.credits,
            seconds: rest.seconds ?? null,
          },
  };
}

/** Shares to a hundredth of a percent: more digits would only look exact. */
function rounded({ low, expected, high }: Estimate): Estimate {
  const share = (value: number): number => Math.round(value * 10_000) / 10_000;
  return { low: share(low), expected: share(expected), high: share(high) };
}
