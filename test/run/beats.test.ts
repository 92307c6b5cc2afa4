/**
 * Goal: a process that spends beside others hears what concerns its accounts: pauses, ends and paused batches; what it says of itself
 * is what its limiter knows.
 * Method: the beat and a real limiter, by a clock that the test moves. What the ledger would answer is said by the test.
 */
import { beforeEach, expect, test } from 'vitest';
import { Limiter, type Pause, type RatePermit } from '../../src/client/limits/limiter.ts';
import { type StopError, stop } from '../../src/core/errors.ts';
import type { AccountHeard, BatchId, Beat, Heard, Spenders } from '../../src/ledger/ledger.ts';
import { historyOf } from '../../src/run/account-history.ts';
import { type BeatingAccount, type BeatingRun, Beats, type Told } from '../../src/run/beats.ts';
import { VirtualClock } from '../virtual-clock.ts';

const LIMITS = { concurrency: 4, windows: [{ requests: 1_000, windowMs: 1_000 }] };
const KNOWN = { answers: 0, answersNot404: 0, found: 0, misses: 0 };
const AWAY = stop('store', 'The database is away.', 'Wait.');

const WAITER = { signal: new AbortController().signal, maxPauseMs: undefined };

let clock: VirtualClock;
let said: Beat[];
/** What the next beats are answered; an error is thrown. */
let answer: (beat: Beat) => Partial<AccountHeard> | Promise<Partial<AccountHeard>>;
let beats: Beats;
let told: Told;
let pauses: Pause[];
let closings: number;

const spenders: Spenders = {
  async beat(beat): Promise<Heard> {
    said.push(beat);
    const each = { account: 'a', held: [], over: [], known: KNOWN, ...(await answer(beat)) };
    return { worker: 1, accounts: [each] };
  },
  line: () => Promise.reject(new Error('the limiter here has no line')),
  goOn: async () => {},
  agreeOn: async () => {},
  holdTo: async () => undefined,
};

beforeEach(() => {
  clock = new VirtualClock();
  [said, pauses, told, closings] = [[], [], {}, 0];
  answer = () => ({});
  beats = new Beats(spenders, clock);
});

interface Beating extends BeatingAccount {
  /** Given before it took part in the beat. */
  readonly permit: RatePermit;
  readonly stops: readonly (readonly [batch: string, error: StopError])[];
}

function account(runs: readonly { batch: string; maxPauseMs?: number }[] = [{ batch: 'b' }]): Beating {
  const stops: [string, StopError][] = [];
  const limiter = new Limiter({
    ...{ limits: LIMITS, clock, earlierSendsMs: [], pausedUntilMs: undefined, learnedPerSecond: undefined },
    onPause: (pause) => pauses.push(pause),
    onLearned: () => {},
  });
  const beating = runs.map(
    ({ batch, maxPauseMs }): BeatingRun => ({
      batch: batch as BatchId,
      maxPauseMs,
      stopAll: (error) => void stops.push([batch, error as StopError]),
    }),
  );
  const permit = limiter.permitAtOnce(WAITER);
  if (permit === undefined) throw new Error('nobody waits before it');
  return {
    ...{ identity: 'a', limiter, permit, stops, runs: new Set(beating) },
    history: historyOf(KNOWN, false),
    told: () => told,
    wasSaid: (heard) => {
      if (heard === told) told = {};
    },
    pause: ({ leftMs, why, asked }) => limiter.waitFor(leftMs, why, asked),
    closeLeftOpen: async () => {
      closings += 1;
    },
  };
}

/** Whether a request may leave now whose permit was given before. */
const maySend = ({ permit }: Beating): boolean => permit.holds();

/** Lets so much time pass, in steps in which everything happens. */
async function pass(ms: number): Promise<void> {
  for (let leftMs = ms; leftMs > 0; leftMs -= 100) {
    clock.pass(Math.min(leftMs, 100));
    await clock.calm();
  }
}

test('it beats once a second for what its limiter knows, and says last that it leaves', async () => {
  const beating = account();
  beats.join(beating);
  await pass(100);
  beating.permit.sent();
  await pass(3_000);
  beating.permit.done();
  await Promise.all([beats.leave(beating), pass(100)]);
  expect(said.map(({ accounts: [each] }) => each)).toEqual([
    { account: 'a', inFlight: 0, batches: ['b'] },
    ...new Array(3).fill({ account: 'a', inFlight: 1, batches: ['b'] }),
    { account: 'a', isLeaving: true, inFlight: 0, batches: ['b'] },
  ]);
  await pass(5_000);
  expect(said, 'then nothing is said any more').toHaveLength(5);
  expect(closings).toBeGreaterThan(0);
});

test('a beat that is not answered is followed by another, and what it is answered in the end says nothing any more', async () => {
  const beating = account();
  const late = Promise.withResolvers<Partial<AccountHeard>>();
  answer = () => late.promise;
  beats.join(beating);
  await pass(100);
  answer = () => ({});
  await pass(3_000);
  expect(said).toHaveLength(2);
  late.resolve({ held: ['b' as BatchId] });
  await clock.calm();
  expect(beating.stops).toEqual([]);
});

test('a store that does not answer stops each run after its longest pause, and a store that is wrong stops all at once', async () => {
  const beating = account([{ batch: 'hasty', maxPauseMs: 5_000 }, { batch: 'patient' }]);
  beats.join(beating);
  await pass(100);
  answer = () => Promise.reject(AWAY);
  await pass(4_500);
  expect(beating.stops).toEqual([]);
  await pass(1_500);
  expect(beating.stops[0]).toEqual(['hasty', expect.objectContaining({ code: 'store' })]);
  expect(beating.stops[0]?.[1].message).toMatch(/^The database is away. Nothing could be sent for /);
  expect(beating.stops.map(([batch]) => batch)).not.toContain('patient');
  answer = () => Promise.reject(stop('store_lost', 'Commits were lost.', 'Restore them.'));
  await pass(1_000);
  expect(beating.stops).toContainEqual(['patient', expect.objectContaining({ code: 'store_lost' })]);
});

test('what another process was told ends every run of the account, and a batch that is paused or over its own', async () => {
  const beating = account([{ batch: 'held' }, { batch: 'over' }, { batch: 'other' }]);
  answer = () => ({ held: ['held' as BatchId], over: ['over' as BatchId] });
  beats.join(beating);
  await pass(100);
  expect(beating.stops).toEqual([
    ['held', expect.objectContaining({ code: 'terminated', message: 'A person has paused batch held.' })],
    [
      'over',
      expect.objectContaining({ code: 'input', message: expect.stringContaining('Batch over has ended') }),
    ],
  ]);
  answer = () => ({ end: { code: 'key', message: 'The key is dead.', next: 'Write another.' } });
  await pass(1_000);
  expect(beating.stops.slice(2).map(([batch]) => batch)).toEqual(['held', 'over', 'other']);
  expect(beating.stops.at(-1)?.[1]).toMatchObject({
    code: 'key',
    message:
      'Another process that spends from this store was stopped, so this one stopped too: The key is dead.',
    next: 'Write another.',
  });
});

test('what the vendor told this process is said until the others know it, and a pause of theirs is kept', async () => {
  const beating = account();
  answer = () => Promise.reject(AWAY);
  const untilMs = clock.wallMs() + 60_000;
  told = {
    pause: { fromMs: clock.wallMs(), untilMs, why: 'too fast', asked: true },
    end: stop('vendor_credits', 'No credits.', 'Buy some.'),
  };
  beats.join(beating);
  await pass(1_100);
  answer = () => ({ pause: { leftMs: 5_000, why: 'another was asked to wait', asked: true } });
  await pass(1_000);
  const words = said.map(({ accounts: [each] }) => [each?.pause?.leftMs, each?.end?.code]);
  expect(words).toEqual([
    [60_000, 'vendor_credits'],
    [59_000, 'vendor_credits'],
    [58_000, 'vendor_credits'],
  ]);
  answer = () => ({});
  await pass(1_000);
  expect(said.at(-1)?.accounts[0]).not.toHaveProperty('pause');
  expect(maySend(beating)).toBe(false);
  expect(pauses).toMatchObject([{ why: 'another was asked to wait' }]);
  await pass(5_000);
  expect(maySend(beating)).toBe(true);
});
