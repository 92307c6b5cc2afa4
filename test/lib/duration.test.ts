import { describe, expect, test } from 'vitest';
import { formatDuration, parseDurationMs } from '../../src/lib/duration.ts';

// Goal: one way to write a span of time in flags and jobs, and one to show it. Method: examples at every boundary.

describe('a duration that is written', () => {
  test.each([
    ['50ms', 50],
    ['2s', 2000],
    ['10m', 600_000],
    ['2h', 7_200_000],
    ['30d', 2_592_000_000],
    ['1.5h', 5_400_000],
    [' 0ms ', 0],
  ])('%s is %d ms', (text, expectedMs) => {
    expect(parseDurationMs(text)).toBe(expectedMs);
  });

  test.each(['', '10', 'm', '-5s', '5 minutes', '1h30m', '5S', '1e3s', 'constructor'])(
    '"%s" is none',
    (text) => {
      expect(parseDurationMs(text)).toBeUndefined();
    },
  );
});

describe('a duration that is shown', () => {
  test.each([
    [0, '0 ms'],
    [-3, '0 ms'],
    [350, '350 ms'],
    [999.6, '1 s'],
    [1000, '1 s'],
    [59_400, '59 s'],
    [59_600, '1 min'],
    [200_000, '3 min 20 s'],
    [4_320_000, '1 h 12 min'],
    [7_199_000, '2 h'],
    [86_399_000, '1 d'],
    [93_600_000, '1 d 2 h'],
  ])('%d ms is %s', (durationMs, expected) => {
    expect(formatDuration(durationMs)).toBe(expected);
  });
});
