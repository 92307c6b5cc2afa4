/**
 * Goal: what lets somebody into the page stops doing so in time.
 * Method: the server's own admission, with a clock that the test moves and timers that it fires.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Admission, redirectIn } from '../../src/web/server/admission.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

let clock: VirtualClock;
let folder: string;
let admission: Admission;
beforeEach(() => {
  vi.useFakeTimers();
  clock = new VirtualClock();
  folder = mkdtempSync(join(tmpdir(), 'rowonce-admission-'));
  admission = new Admission(clock, folder);
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

test('a word opens for a minute', () => {
  const [early, late] = [admission.issue(), admission.issue()];
  clock.nowMs += 59_999;
  expect(admission.admit(early)).toMatch(/^[\w-]{43}$/);
  clock.nowMs += 1;
  expect(admission.admit(late)).toBe(undefined);
});

test('the file with a word is gone after a minute, also when nobody used it', () => {
  const lead = redirectIn(folder);
  admission.issue();
  writeFileSync(lead, 'a word');
  vi.advanceTimersByTime(59_999);
  expect(existsSync(lead)).toBe(true);
  // Another word has a minute of its own.
  admission.issue();
  vi.advanceTimersByTime(59_999);
  expect(existsSync(lead)).toBe(true);
  vi.advanceTimersByTime(1);
  expect(existsSync(lead)).toBe(false);
});
