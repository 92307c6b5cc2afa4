/**
 * Goal: what a run says of the time left can be believed, pauses and the search for the speed included.
 * Method: rows end as vendors of several kinds have them end, on a clock that passes only here; what is said at a quarter, half and
 * three quarters is held against what came.
 */
import { expect, test } from 'vitest';
import { TimeLeft } from '../../../src/run/time-left.ts';

interface Vendor {
  /** When the n-th row ends, ms from the begin. */
  readonly ends: (row: number) => number;
  readonly pauses?: readonly (readonly [fromMs: number, untilMs: number])[];
}

/** So many each window, as fast as `perSecond`; then the vendor asks to wait for the next one. */
function quota(each: number, windowMs: number, perSecond: number, windows: number): Vendor {
  const workMs = (each * 1000) / perSecond;
  return {
    ends: (row) => Math.floor(row / each) * windowMs + ((row % each) * 1000) / perSecond,
    pauses: Array.from(
      { length: windows },
      (_, at) => [at * windowMs + workMs, (at + 1) * windowMs] as const,
    ),
  };
}

const ROWS = 900;

test.each<readonly [string, Vendor]>([
  ['a steady vendor', { ends: (row) => row * 200 }],
  ['a slow one, eight at once', { ends: (row) => 10_000 + Math.floor(row / 8) * 10_000 + (row % 8) }],
  ['one whose speed is found by doubling', { ends: (row) => 1000 * Math.log2(1 + row) + row * 200 }],
  ['a quota of twenty seconds', quota(60, 20_000, 8, 20)],
  ['a quota of a minute', quota(100, 60_000, 5, 20)],
  [
    'one pause, which does not come again',
    { ends: (row) => row * 200 + (row > 100 ? 60_000 : 0), pauses: [[20_100, 80_100]] },
  ],
])('%s', (_what, { ends, pauses = [] }) => {
  const timeLeft = new TimeLeft();
  timeLeft.begin(0);
  const told = [...pauses];
  const allMs = ends(ROWS - 1);
  for (let row = 0; row < ROWS; row += 1) {
    const nowMs = ends(row);
    while (told[0] !== undefined && told[0][0] <= nowMs) timeLeft.paused(...(told.shift() ?? [0, 0]));
    timeLeft.rowEnded();
    if (row === 2) expect(timeLeft.leftMs(nowMs, ROWS - 3), 'after three rows').toBeUndefined();
    if (![ROWS / 4, ROWS / 2, (ROWS * 3) / 4].includes(row + 1)) continue;
    const off = (timeLeft.leftMs(nowMs, ROWS - 1 - row) ?? 0) / (allMs - nowMs) - 1;
    expect(Math.abs(off), `at row ${row + 1}`).toBeLessThan(0.25);
  }
});
