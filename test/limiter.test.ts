/**
 * Goal: requests leave no faster than the account and its vendor allow, trouble is met by waiting and not by asking
 * more, and no run waits for ever.
 * Method: the limiter under a virtual clock with windows longer than a minute, which only the guard holds; the
 * spreading over short ones, which is Bottleneck's, in real time.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../src/clock.ts';
import { StopError } from '../src/errors.ts';
import { Limiter, type LimiterOptions, type Limits } from '../src/limiter.ts';
import { VirtualClock } from './virtual-clock.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The guard is this much stricter than the plan, for clocks that do not agree. */
const MARGIN_MS = 5;

const UNLIMITED: Limits = { concurrency: 8, windows: [] };

let clock: VirtualClock;
let pauses: { readonly untilMs: number; readonly why: string }[];
beforeEach(() => {
  clock = new VirtualClock();
  pauses = [];
  // The longest that full jitter may choose, so that waits can be predicted.
  vi.spyOn(Math, 'random').mockReturnValue(1);
});
afterEach(() => {
  vi.restoreAllMocks();
});

function limiter(options: Partial<LimiterOptions> = {}): Limiter {
  return new Limiter({
    limits: UNLIMITED,
    clock,
    maxPauseMs: undefined,
    signal: new AbortController().signal,
    earlierSendsMs: [],
    pausedUntilMs: undefined,
    onPause: ({ untilMs, why }) => pauses.push({ untilMs, why }),
    ...options,
  });
}

/** How long it takes until the next request may leave; it is sent and done at once. */
async function waitOf(limited: Limiter): Promise<number> {
  const fromMs = clock.nowMs;
  const permit = await clock.until(limited.permit());
  permit.sent();
  permit.done();
  return clock.nowMs - fromMs;
}

async function stopOf(promise: Promise<unknown>): Promise<StopError> {
  const thrown = await clock.until(
    promise.then(
      () => undefined,
      (error: unknown) => error,
    ),
  );
  if (thrown instanceof StopError) return thrown;
  throw new Error('expected a stop', { cause: thrown });
}

test('no more work than the concurrency allows is under way at once', async () => {
  const limited = limiter({ limits: { concurrency: 2, windows: [] } });
  let working = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    working += 1;
    most = Math.max(most, working);
    await clock.sleep(10);
    working -= 1;
  };
  await clock.until(Promise.all(Array.from({ length: 7 }, () => limited.slot(work))));
  expect(most).toBe(2);
});

describe('windows', () => {
  const twoAnHour: Limits = { concurrency: 8, windows: [{ requests: 2, windowMs: HOUR_MS }] };

  test('a request waits until the window has room', async () => {
    const limited = limiter({ limits: twoAnHour });
    const waits: number[] = [];
    for (let count = 0; count < 5; count += 1) waits.push(await waitOf(limited));
    expect(waits).toEqual([0, 0, HOUR_MS + MARGIN_MS, 0, HOUR_MS + MARGIN_MS]);
  });

  test('every one of several windows is kept', async () => {
    const windows = [...twoAnHour.windows, { requests: 3, windowMs: DAY_MS }];
    const limited = limiter({ limits: { concurrency: 8, windows } });
    const waits: number[] = [];
    for (let count = 0; count < 4; count += 1) waits.push(await waitOf(limited));
    expect(waits).toEqual([0, 0, HOUR_MS + MARGIN_MS, DAY_MS - HOUR_MS]);
  });

  test('what counts is when a request is sent, and not when it was allowed to be', async () => {
    const limited = limiter({ limits: twoAnHour });
    await waitOf(limited);
    const slow = await limited.permit();
    const next = limited.permit();
    await clock.calm();
    clock.pass(3 * HOUR_MS);
    slow.sent();
    slow.done();
    const fromMs = clock.nowMs;
    await clock.until(next);
    // The first one has long left the window, so there is room for one beside the slow one.
    expect(clock.nowMs - fromMs).toBe(0);
    expect(await waitOf(limited)).toBe(HOUR_MS + MARGIN_MS);
  });

  test('a permit that is given up makes room at once', async () => {
    const limited = limiter({ limits: { concurrency: 8, windows: [{ requests: 1, windowMs: HOUR_MS }] } });
    const unused = await limited.permit();
    const next = limited.permit();
    await clock.calm();
    unused.done();
    await clock.until(next);
    expect(clock.nowMs).toBe(1_000);
  });

  test('a restart does not burst: the sends of the last run count', async () => {
    const earlierSendsMs = [clock.wallMs() - 50 * MINUTE_MS, clock.wallMs() - 10 * MINUTE_MS];
    expect(await waitOf(limiter({ limits: twoAnHour, earlierSendsMs }))).toBe(10 * MINUTE_MS + MARGIN_MS);
  });

  test('sends from the future are those of a clock that was changed, and do not count', async () => {
    const earlierSendsMs = [clock.wallMs() + 1, clock.wallMs() + 5 * DAY_MS];
    expect(await waitOf(limiter({ limits: twoAnHour, earlierSendsMs }))).toBe(0);
  });

  test('short windows are spread and never exceeded, also after idle times (in real time)', async () => {
    vi.restoreAllMocks();
    const limited = limiter({
      clock: systemClock,
      limits: { concurrency: 50, windows: [{ requests: 20, windowMs: 200 }] },
    });
    const sends: number[] = [];
    const send = async (): Promise<void> => {
      const permit = await limited.permit();
      permit.sent();
      sends.push(performance.now());
      permit.done();
    };
    await Promise.all(Array.from({ length: 30 }, send));
    await new Promise((resolve) => setTimeout(resolve, 250));
    await Promise.all(Array.from({ length: 30 }, send));
    for (const from of sends) {
      expect(sends.filter((at) => at >= from && at < from + 200).length).toBeLessThanOrEqual(20);
    }
    // Twenty at once would be allowed; spread, the tenth leaves when almost half of the window is over.
    expect((sends[9] ?? 0) - (sends[0] ?? 0)).toBeGreaterThan(60);
  });
});

describe('pauses', () => {
  test("last as long as the vendor asks, and are told by the calendar's time", async () => {
    const limited = limiter();
    limited.pause(7_000, clock.nowMs, 'too fast');
    expect(pauses).toEqual([{ untilMs: clock.wallMs() + 7_000, why: 'too fast' }]);
    expect(await waitOf(limited)).toBe(7_000);
  });

  test('a shorter one never ends a longer one', async () => {
    const limited = limiter();
    limited.pause(7_000, clock.nowMs, 'too fast');
    limited.pause(1_000, clock.nowMs, 'too fast');
    expect(pauses).toHaveLength(1);
    expect(await waitOf(limited)).toBe(7_000);
  });

  test('without a time they grow, up to half a minute', async () => {
    const limited = limiter();
    const waits: number[] = [];
    for (let count = 0; count < 10; count += 1) {
      limited.pause(undefined, clock.nowMs, 'too fast');
      waits.push(await waitOf(limited));
    }
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 30_000]);
  });

  test('are spread by chance, so that many callers do not come back together', async () => {
    vi.mocked(Math.random).mockReturnValue(0.25);
    const limited = limiter();
    limited.pause(undefined, clock.nowMs, 'too fast');
    expect(await waitOf(limited)).toBe(125);
  });

  test('eight requests that were refused together are one pause', async () => {
    const limited = limiter();
    const sentAtMs = clock.nowMs;
    clock.pass(40);
    for (let count = 0; count < 8; count += 1) limited.pause(undefined, sentAtMs, 'too fast');
    expect(await waitOf(limited)).toBe(500);
    limited.pause(undefined, clock.nowMs, 'too fast');
    expect(await waitOf(limited)).toBe(1_000);
  });

  test.each<[string, (limited: Limiter) => void]>([
    ['an answer', (limited) => limited.settled()],
    ['a lost answer, which is not "too fast"', (limited) => void limited.doubted(clock.nowMs, 'lost')],
  ])('%s ends the growing', async (_, answer) => {
    const limited = limiter();
    for (let count = 0; count < 5; count += 1) limited.pause(undefined, clock.nowMs + count, 'too fast');
    await waitOf(limited);
    answer(limited);
    limited.pause(undefined, clock.nowMs, 'too fast');
    expect(await waitOf(limited)).toBe(500);
  });

  test('requests that could not leave are backed off in the same way', async () => {
    const limited = limiter();
    const waits: number[] = [];
    for (let count = 0; count < 8; count += 1) {
      limited.backOff(clock.nowMs, 'connection refused');
      waits.push(await waitOf(limited));
    }
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  test('connections that are refused at the same time are one backoff', async () => {
    const limited = limiter();
    const givenUpAtMs = clock.nowMs;
    clock.pass(40);
    for (let count = 0; count < 8; count += 1) limited.backOff(givenUpAtMs, 'connection refused');
    expect(await waitOf(limited)).toBe(500);
  });

  test('one that the ledger remembers is kept', async () => {
    expect(await waitOf(limiter({ pausedUntilMs: clock.wallMs() + HOUR_MS }))).toBe(HOUR_MS);
    expect(pauses).toEqual([{ untilMs: clock.wallMs(), why: 'the vendor asked to wait' }]);
  });

  test.each([
    ['over already', -1],
    ["further away than a day, which is a changed clock's", DAY_MS + 1],
  ])('a remembered one that is %s is not', async (_, aheadMs) => {
    expect(await waitOf(limiter({ pausedUntilMs: clock.wallMs() + aheadMs }))).toBe(0);
    expect(pauses).toEqual([]);
  });
});

describe('the doubt breaker', () => {
  function doubts(limited: Limiter, count: number): void {
    for (let each = 0; each < count; each += 1) limited.doubted(clock.nowMs, 'answers get lost');
  }

  test('four lost answers in a row may be an accident, and an answer among them begins the count again', async () => {
    const limited = limiter();
    doubts(limited, 4);
    limited.settled();
    doubts(limited, 4);
    expect(await waitOf(limited)).toBe(0);
  });

  test('after five there is one probe, and a longer and longer wait before the next, up to ten minutes', async () => {
    const limited = limiter();
    doubts(limited, 4);
    const waits: number[] = [];
    for (let count = 0; count < 7; count += 1) {
      expect(limited.doubted(clock.nowMs, 'answers get lost')).toBe(5 + count);
      waits.push(await waitOf(limited));
    }
    expect(waits).toEqual([30_000, 60_000, 120_000, 240_000, 480_000, 600_000, 600_000]);
  });

  test('answers that were on their way when the pause began do not make it longer', async () => {
    const limited = limiter();
    const sentAtMs = clock.nowMs;
    clock.pass(40);
    for (let count = 0; count < 9; count += 1) limited.doubted(sentAtMs, 'answers get lost');
    expect(await waitOf(limited)).toBe(30_000);
  });

  test('only one probe is under way at a time; when it is answered, everybody goes on', async () => {
    const limited = limiter();
    doubts(limited, 5);
    const probe = await clock.until(limited.permit());
    const others = Promise.all([limited.permit(), limited.permit()]);
    probe.sent();
    clock.pass(HOUR_MS);
    await expect(clock.until(others)).rejects.toThrow('nothing will ever happen');
    expect(limited.outstanding).toBe(1);
    limited.settled();
    probe.done();
    await clock.until(others);
    expect(limited.outstanding).toBe(2);
  });
});

describe('every run ends', () => {
  const maxPauseMs = 10 * MINUTE_MS;

  test('a wait that is longer than allowed stops the run now, and says when going on makes sense', async () => {
    const limited = limiter({ maxPauseMs });
    limited.pause(2 * HOUR_MS, clock.nowMs, 'the vendor asked to wait');
    const stopped = await stopOf(limited.permit());
    expect(clock.nowMs).toBe(1_000);
    expect(stopped).toMatchObject({ code: 'paused', exitCode: 75, resumeAtMs: clock.wallMs() + 2 * HOUR_MS });
    expect(stopped.message).toBe(
      'Nothing could be settled for 7200 s, longer than --max-pause allows (600 s): the vendor asked to wait.',
    );
    expect(stopped.next).toBe('Type the same command again after 2026-11-20T02:00:00.000Z.');
  });

  test('a wait that is not longer is waited', async () => {
    const limited = limiter({ maxPauseMs });
    limited.pause(maxPauseMs, clock.nowMs, 'too fast');
    expect(await waitOf(limited)).toBe(maxPauseMs);
  });

  test.each<[string, (limited: Limiter) => void]>([
    ['"too fast" for ever', (limited) => limited.pause(undefined, clock.nowMs, 'too fast')],
    ['"come back in a second" for ever', (limited) => limited.pause(1_000, clock.nowMs, 'too fast')],
    ['refused connections for ever', (limited) => limited.backOff(clock.nowMs, 'refused')],
    ['lost answers for ever', (limited) => void limited.doubted(clock.nowMs, 'lost')],
  ])('%s end the run before the longest pause is over', async (_, trouble) => {
    const limited = limiter({ maxPauseMs });
    const untilStopped = async (): Promise<never> => {
      for (;;) {
        const permit = await limited.permit();
        permit.sent();
        trouble(limited);
        permit.done();
      }
    };
    expect(await stopOf(untilStopped())).toMatchObject({ code: 'paused' });
    expect(clock.nowMs).toBeLessThanOrEqual(1_000 + maxPauseMs);
  });

  test('an answer in between is progress', async () => {
    const limited = limiter({ maxPauseMs });
    for (let count = 0; count < 5; count += 1) {
      limited.pause(9 * MINUTE_MS, clock.nowMs, 'too fast');
      await waitOf(limited);
      limited.settled();
    }
    expect(clock.nowMs).toBeGreaterThan(40 * MINUTE_MS);
  });

  test('a time in which nothing was asked of the account is no standstill of it', async () => {
    const limited = limiter({ maxPauseMs });
    clock.pass(HOUR_MS);
    await limited.slot(async () => {
      limited.pause(1_000, clock.nowMs, 'too fast');
      expect(await waitOf(limited)).toBe(1_000);
    });
  });

  test('on a terminal a run may wait for as long as it takes', async () => {
    const limited = limiter();
    limited.pause(20 * HOUR_MS, clock.nowMs, 'too fast');
    expect(await waitOf(limited)).toBe(20 * HOUR_MS);
  });

  test('a window that is used up is named when no pause is to blame', async () => {
    const windows = [{ requests: 1, windowMs: DAY_MS }];
    const limited = limiter({ maxPauseMs, limits: { concurrency: 8, windows } });
    await waitOf(limited);
    expect((await stopOf(limited.permit())).message).toContain('the limit of the account is used up');
  });
});

describe('a run that is stopped', () => {
  test.each<[string, Limits, (limited: Limiter) => Promise<unknown>]>([
    ['in a pause', UNLIMITED, async (limited) => limited.pause(HOUR_MS, clock.nowMs, 'too fast')],
    [
      'until another request ends',
      { concurrency: 8, windows: [{ requests: 1, windowMs: HOUR_MS }] },
      (limited) => limited.permit(),
    ],
    [
      'for its turn in a short window',
      { concurrency: 8, windows: [{ requests: 1, windowMs: MINUTE_MS }] },
      (limited) => limited.permit(),
    ],
  ])('is not held up by who waits %s', async (_, limits, prepare) => {
    const stopping = new AbortController();
    const limited = limiter({ limits, signal: stopping.signal });
    await prepare(limited);
    const waiting = limited.permit();
    const ended = expect(waiting).rejects.toBe('stopped by Ctrl-C');
    await clock.calm();
    stopping.abort('stopped by Ctrl-C');
    await ended;
    await expect(limited.permit()).rejects.toBe('stopped by Ctrl-C');
  });
});

test('who waits for any request to end does not wait when none is under way', async () => {
  const limited = limiter();
  await limited.oneDone();
  const permit = await limited.permit();
  let over = false;
  const waiting = limited.oneDone().then(() => {
    over = true;
  });
  await clock.calm();
  expect(over).toBe(false);
  permit.done();
  await waiting;
  expect(limited.outstanding).toBe(0);
});
