/**
 * Goal: the line on the terminal tells the truth, and is never in the way of a question.
 * Method: events are told one by one to the real progress, on a clock that passes only here; what a terminal would
 * show is collected.
 */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Progress } from '../../../src/commands/run/progress.ts';
import type { Console } from '../../../src/commands/shared/command.ts';
import type { RunEvent } from '../../../src/core/events.ts';
import type { BatchId } from '../../../src/ledger/ledger.ts';
import { VirtualClock } from '../../virtual-clock.ts';

const BATCH: RunEvent = {
  kind: 'batch',
  batch: 'abcdef01' as BatchId,
  rows: 100,
  settled: 0,
  inDoubt: 0,
  resumed: false,
};

const CALL = { row: 2, call: 'a' };

let clock: VirtualClock;
let shown: string[];
let said: string[];
let progress: Progress;

function terminal(interactive: boolean): Console {
  return {
    json: false,
    quiet: false,
    interactive,
    color: false,
    print: () => {},
    say: (line) => said.push(line),
    warn: () => {},
    status: (line) => shown.push(line),
    result: () => {},
    agrees: async () => false,
    ask: async () => undefined,
  };
}

function begin(interactive = true): void {
  clock = new VirtualClock();
  shown = [];
  said = [];
  progress = new Progress(terminal(interactive), clock);
}

/** Lets time pass, for the clock, and at its end for the timer that draws: nobody looks at a line of an hour before. */
function pass(durationMs: number): void {
  clock.pass(durationMs);
  vi.advanceTimersByTime(Math.min(durationMs, 1_000));
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  begin();
});
afterEach(() => {
  progress.close();
  vi.useRealTimers();
});

test('nothing is drawn before the batch begins, because a question may stand there', () => {
  pass(1_000);
  expect(shown).toEqual([]);
});

test('rows, matches, credits and the time left', () => {
  progress.hear(BATCH);
  for (let second = 0; second < 10; second += 1) {
    pass(1_000);
    for (let count = 0; count < 4; count += 1) {
      progress.hear({ kind: 'answered', found: true, credits: 1, ...CALL });
      progress.hear({ kind: 'row', row: 2, outcome: 'matched' });
    }
  }
  pass(100);
  expect(shown.at(-1)).toBe('40 % · 40/100 rows · 40 matched · 40 credits · 15 s left');
});

test('a budget says what is left of it, without what lost answers may have cost', () => {
  progress.hear({ ...BATCH, budgetLeft: 10 });
  progress.hear({ kind: 'answered', found: true, credits: 3, ...CALL });
  progress.hear({ kind: 'in_doubt', credits: 2, ...CALL });
  pass(1_000);
  expect(shown.at(-1)).toContain(' · 3 credits · 5 of the budget left');
  progress.hear({ kind: 'answered', found: true, credits: 7, ...CALL });
  pass(1_000);
  expect(shown.at(-1)).toContain(' · 0 of the budget left');
});

test('a long pause is said once, shown with its end, and counted down', () => {
  progress.hear(BATCH);
  const why = 'the vendor asked to wait';
  progress.hear({ kind: 'paused', untilMs: clock.wallMs() + 3_600_000, why, asked: true });
  pass(1_000);
  expect(said).toContain('Paused until 2026-11-20T01:00:00.000Z: the vendor asked to wait.');
  progress.hear({ kind: 'paused', untilMs: 20 + clock.wallMs() + 3_599_000, why, asked: true });
  expect(said.filter((line) => line.startsWith('Paused'))).toHaveLength(1);
  expect(shown.at(-1)).toMatch(/ paused, 59 min 59 s to go$/);
  pass(3_600_000 - 1_000 - 75_000);
  expect(shown.at(-1)).toMatch(/ 1 min 15 s to go$/);
  pass(1_000);
  expect(shown.at(-1)).toMatch(/ 1 min 14 s to go$/);
  pass(74_000);
  expect(shown.at(-1)).not.toContain('paused');
});

test('off a terminal there is a plain line once a minute and no more', () => {
  progress.close();
  begin(false);
  progress.hear(BATCH);
  pass(59_000);
  expect(said).toEqual(['Batch abcdef01: 100 rows.']);
  pass(2_000);
  expect(said).toHaveLength(2);
});
