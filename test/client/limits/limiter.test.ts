/**
 * Goal: requests leave no faster than the account and its vendor allow, trouble is met by waiting and not by asking
 * more, and no run waits for ever.
 * Method: the limiter under a virtual clock with windows longer than a minute, which only the guard holds. The spreading over
 * short ones is shown in `leases`.
 */
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Limiter, type LimiterOptions, type Waiter } from '../../../src/client/limits/limiter.ts';
import type { Limits, Pause } from '../../../src/client/limits/limits.ts';
import { StopError } from '../../../src/core/errors.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { TimerClock } from './timer-clock.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** The guard is this much stricter than the plan, for clocks that do not agree. */
const MARGIN_MS = 1_000;

const UNLIMITED: Limits = { concurrency: 8, windows: [] };
/** More than any test sends. */
const AMPLE: Limits = { concurrency: 8, windows: [{ requests: 1_000, windowMs: HOUR_MS }] };

/** A run that nothing stops and that waits for as long as it takes. */
const PATIENT: Waiter = { signal: new AbortController().signal, maxPauseMs: undefined };

let clock: VirtualClock;
let pauses: Pause[];
beforeEach(() => {
  clock = new VirtualClock();
  pauses = [];
  // The longest that full jitter may choose, so that waits can be predicted. Bottleneck names its jobs by it, so no two are equal.
  let random = 1;
  vi.spyOn(Math, 'random').mockImplementation(() => {
    random -= 2 ** -40;
    return random;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** For what leases have to be waited for: their timers go by virtual time as well. */
function goByTimers(): void {
  const timers = new TimerClock();
  onTestFinished(() => timers.end());
  clock = timers;
}

/** Where no speed is to be learned, only the guards of long windows hold: the clock stands still for Bottleneck. */
function limiter(options: Partial<LimiterOptions> = {}): Limiter {
  return new Limiter({
    limits: AMPLE,
    clock,
    earlierSendsMs: [],
    unhurried: options.limits !== UNLIMITED,
    onPause: (pause) => pauses.push(pause),
    ...options,
  });
}

/** How long it takes until the next request may leave; it is sent and done at once. */
async function waitOf(limited: Limiter, waiter = PATIENT): Promise<number> {
  const fromMs = clock.nowMs;
  await clock.until(waitUsing(limited, waiter));
  return clock.nowMs - fromMs;
}

/** Sends one request as soon as it may. */
async function waitUsing(limited: Limiter, waiter: Waiter): Promise<void> {
  const permit = await limited.permit(waiter);
  permit.sent();
  permit.giveBack();
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

async function inSlot<T>(limited: Limiter, waiter: Waiter, work: () => Promise<T>): Promise<T> {
  const permit = await limited.permit(waiter);
  try {
    return await work();
  } finally {
    permit.giveBack();
  }
}

describe('windows', () => {
  const twoAnHour: Limits = { concurrency: 8, windows: [{ requests: 2, windowMs: HOUR_MS }] };

  test('a restart does not burst: the sends of the last run count', async () => {
    const earlierSendsMs = [clock.wallMs() - 50 * MINUTE_MS, clock.wallMs() - 10 * MINUTE_MS];
    expect(await waitOf(limiter({ limits: twoAnHour, earlierSendsMs }))).toBe(10 * MINUTE_MS + MARGIN_MS);
  });
});

test('one request at a time leaves until an answer has come, where that is asked for', async () => {
  let isTold = false;
  const limited = limiter({ goesAlone: () => !isTold });
  const first = await clock.until(limited.permit(PATIENT));
  const others = [limited.permit(PATIENT), limited.permit(PATIENT)];
  let served = 0;
  for (const other of others) void other.then(() => (served += 1));
  first.sent();
  clock.pass(HOUR_MS);
  await clock.calm();
  expect(served).toBe(0);
  isTold = true;
  first.giveBack();
  await clock.until(Promise.all(others));
});

test('while answers get lost one probe is under way at a time; when it is answered, everybody goes on', async () => {
  const limited = limiter();
  for (let count = 0; count < 5; count += 1) limited.doubted(clock.nowMs, 'answers get lost');
  const probe = await clock.until(limited.permit(PATIENT));
  const others = Promise.all([limited.permit(PATIENT), limited.permit(PATIENT)]);
  probe.sent();
  clock.pass(HOUR_MS);
  await expect(clock.until(others)).rejects.toThrow('nothing will ever happen');
  limited.settled();
  probe.giveBack();
  await clock.until(others);
});

describe('every run ends', () => {
  const maxPauseMs = 10 * MINUTE_MS;
  const impatient: Waiter = { ...PATIENT, maxPauseMs };

  test.each<[string, (limited: Limiter) => void]>([
    ['"too fast" for ever', (limited) => limited.pause({}, clock.nowMs, 'too fast')],
    [
      '"come back in a second" for ever',
      (limited) => limited.pause({ pauseMs: 1_000 }, clock.nowMs, 'too fast'),
    ],
    ['refused connections for ever', (limited) => limited.backOff(clock.nowMs, 'refused')],
    ['lost answers for ever', (limited) => limited.doubted(clock.nowMs, 'lost')],
  ])('%s end the run before the longest pause is over', async (_, backoff) => {
    goByTimers();
    const limited = limiter();
    const untilStopped = async (): Promise<never> => {
      for (;;) {
        const permit = await limited.permit(impatient);
        permit.sent();
        backoff(limited);
        permit.giveBack();
      }
    };
    expect(await stopOf(untilStopped())).toMatchObject({ code: 'paused' });
    expect(clock.nowMs).toBeLessThanOrEqual(1_000 + maxPauseMs);
  });
});

describe('while silent requests hold all slots', () => {
  const HELD: Limits = { ...AMPLE, concurrency: 2 };
  const impatient: Waiter = { ...PATIENT, maxPauseMs: 10 * MINUTE_MS };
  let limited: Limiter;

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    limited = limiter({ limits: HELD });
    await heldSlots(limited, HELD.concurrency);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Time passes for the clock and for the machine's own timers. */
  async function pass(durationMs: number): Promise<void> {
    for (let passedMs = 0; passedMs < durationMs; passedMs += SECOND_MS) {
      clock.pass(SECOND_MS);
      vi.advanceTimersByTime(SECOND_MS);
    }
    await clock.calm();
  }

  test('who waits for one is sent away when nothing was settled for longer than the longest pause', async () => {
    const ended = vi.fn();
    void inSlot(limited, impatient, async () => {}).catch(ended);
    await pass(9 * MINUTE_MS);
    expect(ended).not.toHaveBeenCalled();
    await pass(MINUTE_MS + SECOND_MS);
    expect(ended.mock.calls[0]?.[0]).toMatchObject({
      code: 'paused',
      message:
        'Nothing could be finished for 10 min 1 s: the vendor has not completed its answer to 2 requests. That is longer than --max-pause allows (10 min).',
    });
  });
});

/** So many requests that are sent and never answered. */
async function heldSlots(limited: Limiter, count: number): Promise<void> {
  for (let held = 0; held < count; held += 1) void limited.permit(PATIENT).then((permit) => permit.sent());
  await clock.calm();
}
