/**
 * Goal: limiters that share an account send no more than its limit together, however their shares move, and each uses the
 * share that it has.
 * Method: limiters with Bottleneck as it is, by virtual time. Shares are moved as a database would move them that hears each
 * limiter now and then: what it took from one it gives to another only a window after the last request that may have left.
 */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RatePermit } from '../../../../src/client/limits/limiter.ts';
import { Limiter, type Waiter } from '../../../../src/client/limits/limiter.ts';
import { sharedRequests, type Window } from '../../../../src/client/limits/windows.ts';
import { proof, times } from '../../../combinations.ts';
import { TimerClock } from '../timer-clock.ts';

const SECOND_MS = 1_000;
const DAY_MS = 24 * 60 * 60 * SECOND_MS;

let clock: TimerClock;
let ending: AbortController;
let opened: Limiter[];
beforeEach(begin);
afterEach(end);

function begin(): void {
  clock = new TimerClock();
  ending = new AbortController();
  opened = [];
}

async function end(): Promise<void> {
  ending.abort(new Error('the test is over'));
  await clock.until(Promise.all(opened.map((each) => each.close())));
  clock.end();
}

function limiter(windows: readonly Window[], unhurried = true): Limiter {
  const opening = new Limiter({
    limits: { concurrency: 1_000, windows },
    clock,
    earlierSendsMs: [],
    pausedUntilMs: undefined,
    learnedPerSecond: undefined,
    unhurried,
    onPause: () => {},
    onLearned: () => {},
  });
  opened.push(opening);
  return opening;
}

const waiter = (): Waiter => ({ signal: ending.signal, maxPauseMs: undefined });

/** Has so many requests wait at any time. @returns when they left; it grows. */
function saturate(limited: Limiter, waiting: number, inHandMs: (turn: number) => number): readonly number[] {
  const sends: number[] = [];
  const patient = waiter();
  let turn = 0;
  const ask = async (): Promise<void> => {
    for (;;) {
      const permit = await limited.permit(patient);
      turn += 1;
      await clock.sleep(inHandMs(turn));
      if (permit.mayLeave()) {
        permit.sent();
        sends.push(clock.monotonicMs());
        limited.settled();
      }
      permit.done();
    }
  };
  for (let count = 0; count < waiting; count += 1) ask().catch(() => {});
  return sends;
}

/** The most of them that left in any stretch of that length. */
function mostIn(durationMs: number, sends: readonly number[]): number {
  const inOrder = [...sends].sort((a, b) => a - b);
  let most = 0;
  for (let first = 0, last = 0; last < inOrder.length; last += 1) {
    while ((inOrder[last] ?? 0) - (inOrder[first] ?? 0) >= durationMs) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

const between = (sends: readonly number[], fromMs: number, toMs: number): number =>
  sends.filter((atMs) => atMs >= fromMs && atMs < toMs).length;

/** What a limiter may have been told, and the last moment at which it may have sent by that. */
interface Grant {
  readonly requests: number;
  untilMs: number;
}

/** Moves the limit between limiters, each of which it hears only when that one asks. */
class Arbiter {
  readonly #window: Window;
  readonly #heldMs: number;
  readonly #members: { readonly limited: Limiter; readonly grants: Grant[]; newest: number }[];

  constructor(limiters: readonly Limiter[], window: Window, heldMs: number) {
    this.#window = window;
    this.#heldMs = heldMs;
    this.#members = limiters.map((limited) => ({ limited, grants: [], newest: -1 }));
    for (const { limited } of this.#members) limited.allot(0);
  }

  /** One limiter asks for a share. What it is told arrives so much later, or never. */
  beat(at: number, wanted: number, arrivesAfterMs: number | undefined): void {
    const nowMs = clock.monotonicMs();
    const member = this.#members[at];
    if (member === undefined) return;
    // By asking again it says what it was told last, so that what it was told before is over.
    for (const grant of member.grants.slice(0, Math.max(member.newest, 0)))
      grant.untilMs = Math.min(grant.untilMs, nowMs);
    const others = this.#members.filter((each) => each !== member);
    const taken = others.reduce((sum, { grants }) => sum + this.#mayUse(grants, nowMs), 0);
    const requests = Math.max(Math.min(wanted, this.#window.requests - taken), 0);
    const number = member.grants.push({ requests, untilMs: nowMs + this.#heldMs }) - 1;
    const until = { monotonicMs: nowMs + this.#heldMs, wallMs: clock.wallMs() + this.#heldMs };
    if (arrivesAfterMs === undefined) return;
    setTimeout(() => {
      if (number < member.newest) return;
      member.newest = number;
      member.limited.allot(requests, { until });
    }, arrivesAfterMs);
  }

  #mayUse(grants: readonly Grant[], nowMs: number): number {
    const open = grants.filter(({ untilMs }) => untilMs + this.#window.windowMs > nowMs);
    return Math.max(0, ...open.map(({ requests }) => requests));
  }
}

describe('limiters whose shares move', () => {
  const beats = fc.array(
    fc.record({
      afterMs: fc.integer({ min: 20, max: 900 }),
      at: fc.integer({ min: 0, max: 2 }),
      part: fc.constantFrom(0, 0.1, 0.3, 0.5, 1),
      arrivesAfterMs: fc.option(fc.integer({ min: 0, max: 200 }), { nil: undefined, freq: 6 }),
    }),
    { minLength: 5, maxLength: 25 },
  );
  const windows = fc.record({
    requests: fc.integer({ min: 1, max: 40 }),
    windowMs: fc.constantFrom(200, SECOND_MS, 2_500),
  });

  test('send at most the limit together in any stretch of its window', async () => {
    await end();
    let sent = 0;
    const play = async (
      window: Window,
      heldMs: number,
      all: readonly { afterMs: number; at: number; part: number; arrivesAfterMs: number | undefined }[],
    ): Promise<void> => {
      begin();
      try {
        const limiters = [limiter([window]), limiter([window]), limiter([window])];
        const arbiter = new Arbiter(limiters, window, heldMs);
        const sends = limiters.map((each, at) => saturate(each, 12, (turn) => ((turn * 7 + at * 3) % 5) * 9));
        for (const { afterMs, at, part, arrivesAfterMs } of all) {
          arbiter.beat(at, Math.ceil(part * window.requests), arrivesAfterMs);
          await clock.passing(afterMs);
        }
        sent += sends.flat().length;
        expect(mostIn(window.windowMs, sends.flat())).toBeLessThanOrEqual(window.requests);
      } finally {
        await end();
      }
    };
    await fc.assert(fc.asyncProperty(windows, fc.constantFrom(400, 4_000), beats, play), {
      numRuns: times(10, 60),
    });
    expect(sent, 'so that the test is not about nothing').toBeGreaterThan(times(100, 1_000));
    begin();
  });

  proof('use at least 95 % of what each has, also after it was another share', async () => {
    const window = { requests: 200, windowMs: SECOND_MS };
    const limiters = [limiter([window]), limiter([window]), limiter([window])];
    const sends = limiters.map((each) => {
      each.allot(0);
      return saturate(each, 100, (turn) => turn % 4);
    });
    for (const shares of [
      [100, 60, 40],
      [10, 150, 40],
      [199, 0, 1],
    ]) {
      for (const each of limiters) each.allot(0);
      await clock.passing(SECOND_MS);
      for (const [at, each] of limiters.entries()) each.allot(shares[at] ?? 0);
      const fromMs = clock.monotonicMs() + SECOND_MS;
      await clock.passing(11 * SECOND_MS);
      for (const [at, share] of shares.entries()) {
        const used = between(sends[at] ?? [], fromMs, fromMs + 10 * SECOND_MS);
        expect(used, `${share} a second`).toBeGreaterThanOrEqual(Math.floor(0.95 * share * 10));
        expect(used).toBeLessThanOrEqual(share * 10);
      }
    }
    expect(mostIn(SECOND_MS, sends.flat())).toBeLessThanOrEqual(200);
  });
});

describe('a share', () => {
  const TEN: Window = { requests: 10, windowMs: SECOND_MS };

  /** Permits that are given before so much time has passed. */
  async function permitsWithin(
    limited: Limiter,
    durationMs: number,
    asked = 20,
  ): Promise<readonly RatePermit[]> {
    const permits: RatePermit[] = [];
    const patient = { signal: new AbortController().signal, maxPauseMs: undefined };
    for (let count = 0; count < asked; count += 1)
      void limited.permit(patient).then((permit) => permits.push(permit));
    await clock.passing(durationMs);
    return permits;
  }

  test('is the whole limit until one is allotted', async () => {
    const limited = limiter([TEN]);
    const sends = saturate(limited, 20, () => 0);
    await clock.passing(11 * SECOND_MS);
    expect(sends.length).toBeGreaterThan(105);
    expect(limited.sends).toBe(sends.length);
  });

  test('of none lets nothing leave until there is another one', async () => {
    const limited = limiter([TEN]);
    limited.allot(0);
    const sends = saturate(limited, 20, () => 0);
    await clock.passing(DAY_MS / 24);
    expect(sends).toEqual([]);
    limited.allot(5);
    await clock.passing(10 * SECOND_MS);
    expect(sends.length).toBeGreaterThanOrEqual(47);
    expect(mostIn(SECOND_MS, sends)).toBe(5);
  });

  test('counts what has left in the window by a larger one', async () => {
    const limited = limiter([TEN]);
    const sends = saturate(limited, 20, () => 0);
    await clock.passing(2 * SECOND_MS);
    const [nowMs, before] = [clock.monotonicMs(), sends.length];
    limited.allot(4);
    // Seven have to leave the window before the next one may: at the pace of ten a second that takes six tenths.
    await clock.passing(500);
    expect(sends.length).toBe(before);
    await clock.passing(10 * SECOND_MS);
    expect(
      mostIn(
        SECOND_MS,
        sends.filter((atMs) => atMs > nowMs),
      ),
    ).toBe(4);
  });

  test('gives no more permits than may be used', async () => {
    const limited = limiter([TEN]);
    limited.allot(3);
    const permits = await permitsWithin(limited, 10 * SECOND_MS);
    expect(permits.length).toBe(3);
    expect(permits.every((permit) => permit.holds() && permit.mayLeave())).toBe(true);
  });

  test('that becomes smaller takes back permits that are out', async () => {
    const limited = limiter([{ requests: 100, windowMs: SECOND_MS }]);
    const permits = await permitsWithin(limited, SECOND_MS);
    expect(permits.length).toBe(20);
    limited.allot(3);
    const left = permits.filter((permit) => {
      const leaves = permit.holds() && permit.mayLeave();
      if (leaves) permit.sent();
      permit.done();
      return leaves;
    });
    expect(left.length).toBe(3);
  });

  test.each(['monotonicMs', 'wallMs'] as const)(
    'ends by the clock %s, also for permits that are out',
    async (by) => {
      const limited = limiter([TEN]);
      const later = { monotonicMs: clock.monotonicMs() + DAY_MS, wallMs: clock.wallMs() + DAY_MS };
      limited.allot(10, { until: { ...later, [by]: later[by] - DAY_MS + 4_000 } });
      const sends = saturate(limited, 20, () => 0);
      const [unused] = await permitsWithin(limited, 3_900, 1);
      expect(unused?.mayLeave()).toBe(true);
      await clock.passing(100);
      expect(unused?.mayLeave()).toBe(false);
      const before = sends.length;
      await clock.passing(10 * SECOND_MS);
      expect(sends.length).toBe(before);
      limited.allot(10);
      await clock.passing(SECOND_MS);
      expect(sends.length).toBeGreaterThan(before);
    },
  );

  test('of several windows of a minute or less is the same part of each', async () => {
    const windows = [TEN, { requests: 300, windowMs: 60 * SECOND_MS }];
    expect(sharedRequests(windows)).toBe(10);
    const limited = limiter(windows);
    limited.allot(4);
    const sends = saturate(limited, 20, () => 0);
    await clock.passing(120 * SECOND_MS);
    expect(mostIn(SECOND_MS, sends)).toBe(4);
    expect(mostIn(60 * SECOND_MS, sends)).toBe(120);
  });

  test('is more than the limit nowhere', async () => {
    const limited = limiter([TEN]);
    limited.allot(1_000);
    const sends = saturate(limited, 20, () => 0);
    await clock.passing(5 * SECOND_MS);
    expect(mostIn(SECOND_MS, sends)).toBe(10);
  });

  test('below zero is a bug', () => {
    expect(() => limiter([TEN]).allot(-1)).toThrow('a share of -1 requests');
  });

  test('of none is named when a run waits for it too long', async () => {
    const limited = limiter([TEN]);
    limited.allot(0);
    const stopped = limited
      .permit({ ...waiter(), maxPauseMs: SECOND_MS })
      .catch((error: Error) => error.message);
    await clock.passing(2 * SECOND_MS);
    expect(await stopped).toBe(
      'Nothing could be settled for 1 s, longer than --max-pause allows (1 s): this process has no share of the limit of the account.',
    );
  });
});

describe('portions', () => {
  test('of a quota of a day may be used up at once, and not one request more until the next', async () => {
    const limited = limiter([{ requests: 1_000, windowMs: DAY_MS }]);
    limited.allot(1, { mostSends: 100 });
    const sends = saturate(limited, 30, () => 5);
    await clock.passing(SECOND_MS);
    expect(sends.length).toBe(100);
    limited.allot(1, { mostSends: limited.sends + 50 });
    await clock.passing(SECOND_MS);
    expect(sends.length).toBe(150);
    limited.allot(1, { mostSends: 5_000 });
    await clock.passing(10 * SECOND_MS);
    expect(sends.length, 'the whole quota').toBe(1_000);
  });

  test('of one are a probe: one request leaves, whatever the limit is', async () => {
    for (const windows of [[{ requests: 100, windowMs: SECOND_MS }], []]) {
      const limited = limiter(windows);
      limited.allot(1, { mostSends: limited.sends + 1 });
      const sends = saturate(limited, 20, () => 5);
      await clock.passing(10 * SECOND_MS);
      expect(sends.length).toBe(1);
      limited.allot(1, { mostSends: limited.sends + 1 });
      await clock.passing(10 * SECOND_MS);
      expect(sends.length).toBe(2);
    }
  });

  test('that are given up are there for the next request', async () => {
    const limited = limiter([]);
    limited.allot(1, { mostSends: 1 });
    const unused = await clock.until(limited.permit(waiter()));
    const next = limited.permit(waiter());
    await clock.passing(SECOND_MS);
    unused.done();
    (await clock.until(next)).sent();
    expect(limited.sends).toBe(1);
  });
});

test('where no limit is known any share but none is the whole, because each limiter learns its own speed', async () => {
  const learning = limiter([], false);
  const whole = saturate(learning, 20, () => 0);
  const sharing = limiter([], false);
  sharing.allot(1);
  const shared = saturate(sharing, 20, () => 0);
  await clock.passing(10 * SECOND_MS);
  expect(shared.length).toBe(whole.length);
  sharing.allot(0);
  await clock.passing(10 * SECOND_MS);
  expect(whole.length).toBeGreaterThan(2 * shared.length);
});
