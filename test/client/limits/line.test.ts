/**
 * Goal: where many processes send, a permit is a place in the line of the account: nothing leaves without one, those who wait ask for
 * theirs at once, what is not used goes back, and no run waits for one for ever.
 * Method: the limiter before a line that the test plays. The line itself is shown in `ledger/limits`.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Limiter, type Permit, type Waiter } from '../../../src/client/limits/limiter.ts';
import type { Pause } from '../../../src/client/limits/limits.ts';
import { stop } from '../../../src/core/errors.ts';
import type { AccountLine, Turn } from '../../../src/ledger/ledger.ts';
import { VirtualClock } from '../../virtual-clock.ts';

const LIMITS = { concurrency: 100, windows: [{ requests: 1, windowMs: 1_000 }] };
const PATIENT: Waiter = { signal: new AbortController().signal, maxPauseMs: undefined };

type Played = Turn & { told: string[] };

class PlayedLine implements AccountLine {
  waitMs = 0;
  readonly asked: PromiseWithResolvers<Turn>[] = [];
  turn(): Promise<Turn> {
    const asked = Promise.withResolvers<Turn>();
    this.asked.push(asked);
    return asked.promise;
  }
  /** Gives a place to who asked first. */
  give(mayLeave = true): Played {
    const told: string[] = [];
    const turn = {
      told,
      untilDue: async () => void told.push('awaited'),
      mayLeave: () => mayLeave,
      left: () => void told.push('left'),
      answered: () => void told.push('answered'),
      giveBack: () => void told.push('given back'),
    };
    this.asked.shift()?.resolve(turn);
    return turn;
  }
  widen(): boolean {
    return true;
  }
  close(): void {}
}

let clock: VirtualClock;
let line: PlayedLine;
let limited: Limiter;
let pauses: Pause[];
beforeEach(() => {
  clock = new VirtualClock();
  line = new PlayedLine();
  pauses = [];
  limited = new Limiter({
    ...{
      limits: LIMITS,
      clock,
      line,
      earlierSendsMs: [],
      learnedPerSecond: undefined,
    },
    onPause: (pause) => pauses.push(pause),
    onLearned: () => {},
  });
});
afterEach(() => limited.close());

const permitOf = (waiter: Waiter): Promise<Permit> => limited.permit(waiter);

test('each who waits asks for a place at once, and the line alone keeps the plan', async () => {
  const permits = [permitOf(PATIENT), permitOf(PATIENT), permitOf(PATIENT)];
  await clock.calm();
  expect(line.asked).toHaveLength(3);
  const turns = [line.give(), line.give(), line.give()];
  for (const permit of await Promise.all(permits)) {
    expect(permit.holds).toBe(true);
    await permit.untilDue();
    permit.sent();
    permit.answered();
  }
  expect(turns.map(({ told }) => told)).toEqual(new Array(3).fill(['awaited', 'left', 'answered']));
});

test('a place that comes when nobody waits any more goes back, and so does that of a request that does not leave', async () => {
  const run = new AbortController();
  const waiting = permitOf({ signal: run.signal, maxPauseMs: undefined });
  await clock.calm();
  run.abort(new Error('the run is over'));
  await expect(waiting).rejects.toThrow('the run is over');
  const late = line.give();
  await clock.calm();
  expect(late.told).toEqual(['given back']);
  const next = permitOf(PATIENT);
  await clock.calm();
  const unused = line.give(false);
  const permit = await next;
  expect(permit.holds).toBe(false);
  permit.giveBack();
  expect(unused.told).toEqual(['given back']);
});

test('while the account has to wait no place is taken, and a permit that is out does not hold', async () => {
  const out = permitOf(PATIENT);
  await clock.calm();
  line.give();
  const permit = await out;
  limited.pause(60_000, clock.monotonicMs(), '429');
  expect(permit.holds).toBe(false);
  permit.giveBack();
  const next = permitOf(PATIENT);
  await clock.calm();
  expect(line.asked).toHaveLength(0);
  clock.pass(60_000);
  await clock.calm();
  line.give();
  expect((await next).holds).toBe(true);
});

test('a run does not wait for a place for longer than it may, and hears what the line says', async () => {
  line.waitMs = 3_600_000;
  await expect(permitOf({ ...PATIENT, maxPauseMs: 60_000 })).rejects.toMatchObject({
    code: 'paused',
    message: expect.stringContaining('the limit of the account is used up'),
  });
  line.waitMs = 0;
  const waiting = permitOf(PATIENT);
  await clock.calm();
  line.asked.shift()?.reject(stop('account', 'Others go by another limit.', 'Write the same.'));
  await expect(waiting).rejects.toMatchObject({ code: 'account' });
});
