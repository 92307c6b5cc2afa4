/**
 * Goal: requests leave evenly where the plan or the vendor's answers say how fast, whatever the calendar does.
 * Method: the limiter with Bottleneck as it is, whose timers and whose calendar go by virtual time.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Limiter, type LimiterOptions, type Waiter } from '../../../src/client/limits/limiter.ts';
import type { SharedWindow as Window } from '../../../src/ledger/ledger.ts';
import { TimerClock } from './timer-clock.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const PATIENT: Waiter = { signal: new AbortController().signal, maxPauseMs: undefined };

let clock: TimerClock;
let limited: Limiter;
beforeEach(() => {
  clock = new TimerClock();
});
afterEach(async () => {
  limited.close();
  clock.end();
});

function open(windows: readonly Window[], options: Partial<LimiterOptions> = {}): void {
  limited = new Limiter({
    limits: { concurrency: 1_000, windows },
    clock,
    earlierSendsMs: [],
    onPause: () => {},
    ...options,
  });
}

/** When each of so many requests left that were asked for at once, in milliseconds from now. */
async function sendsOf(requests: number): Promise<readonly number[]> {
  const fromMs = clock.nowMs;
  const send = async (): Promise<number> => {
    const permit = await limited.permit(PATIENT);
    permit.sent();
    const atMs = clock.monotonicMs() - fromMs;
    permit.giveBack();
    return atMs;
  };
  return clock.until(Promise.all(Array.from({ length: requests }, send)));
}

/** The most of them that left in any stretch of that length. */
function mostIn(durationMs: number, sends: readonly number[]): number {
  return Math.max(...sends.map((from) => sends.filter((at) => at >= from && at < from + durationMs).length));
}

describe('requests of a window of a minute or less', () => {
  test.each<[string, Window]>([
    ['five a second', { requests: 5, windowMs: SECOND_MS }],
    ['three a minute', { requests: 3, windowMs: MINUTE_MS }],
    ['300 a minute', { requests: 300, windowMs: MINUTE_MS }],
  ])('requests of a short window leave one after the other at the same distance: %s', async (_, window) => {
    open([window]);
    const sends = await sendsOf(20);
    const gaps = sends.slice(1).map((atMs, at) => atMs - (sends[at] ?? 0));
    const evenMs = window.windowMs / window.requests;
    expect(Math.min(...gaps)).toBeGreaterThan(evenMs - 10);
    expect(Math.max(...gaps)).toBeLessThan(evenMs + 20);
  });

  test('requests of a short window go on when the calendar is set back by an hour, as evenly as before', async () => {
    open([{ requests: 10, windowMs: SECOND_MS }]);
    await sendsOf(5);
    clock.setCalendar(clock.wallMs() - HOUR_MS);
    const sends = await sendsOf(20);
    expect(sends.at(-1)).toBeLessThan(5 * SECOND_MS);
    expect(mostIn(90, sends)).toBe(1);
  });

  test('requests of a short window do not leave all at once when the calendar is set forward by an hour', async () => {
    open([{ requests: 10, windowMs: SECOND_MS }]);
    await sendsOf(5);
    clock.setCalendar(clock.wallMs() + HOUR_MS);
    expect(mostIn(90, await sendsOf(20))).toBeLessThanOrEqual(2);
  });
});
