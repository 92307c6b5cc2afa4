/**
 * Goal: a refusal that is about one person costs that row alone; a project on which the key is no Admin costs its own rows and no
 * others; a key that may act on nothing ends the run before a row is refused for it.
 * Method: the pure rule, told one verdict after the other.
 */
import { expect, test } from 'vitest';
import type { Verdict } from '../../src/client/judge.ts';
import type { Call } from '../../src/core/operation.ts';
import { credits } from '../../src/ledger/ledger.ts';
import { ProjectAccess } from '../../src/run/session.ts';

const callOn = (project?: string, user = 'u-1'): Call => ({
  operation: 'remove-user',
  parameters: { user_id: user },
  ifLost: 'hold',
  ...(project === undefined ? {} : { project }),
});

const settled = (answer: 'found' | 'refused'): Verdict => ({
  kind: 'answered',
  answer,
  charged: credits(0),
  why: `status ${answer}`,
});
const FORBIDDEN: Verdict = { ...settled('refused'), projectRefused: true } as Verdict;
const WAITS = { kind: 'waits', why: 'status refused' };

test('where a change of the project has worked, a refusal is of its row', () => {
  const access = new ProjectAccess(['p1']);
  access.hear(callOn('p1', 'u-1'), settled('found'));
  expect(access.hear(callOn('p1', 'u-2'), FORBIDDEN)).toBe(FORBIDDEN);
});

test('the first refusal waits; once the next row works, it is of its row', () => {
  const access = new ProjectAccess(['p1']);
  expect(access.hear(callOn('p1', 'u-1'), FORBIDDEN)).toEqual(WAITS);
  access.hear(callOn('p1', 'u-2'), settled('found'));
  expect(access.hear(callOn('p1', 'u-1'), FORBIDDEN)).toBe(FORBIDDEN);
});

test('one of two projects that refuses the key has its calls refused, and the other goes on', () => {
  const access = new ProjectAccess(['p1', 'p2']);
  const applied = settled('found');
  expect(access.hear(callOn('p2'), applied)).toBe(applied);
  expect(access.hear(callOn('p1', 'u-1'), FORBIDDEN)).toEqual(WAITS);
  expect(access.hear(callOn('p1', 'u-2'), FORBIDDEN)).toBe(FORBIDDEN);
  expect(access.hear(callOn('p1', 'u-1'), FORBIDDEN)).toBe(FORBIDDEN);
});

test('the last project that refuses the key ends the run, and says whose key is needed; no row was refused', () => {
  const access = new ProjectAccess(['p1', 'p2']);
  for (const [project, user] of [
    ['p1', 'u-1'],
    ['p1', 'u-2'],
    ['p2', 'u-1'],
  ]) {
    expect(access.hear(callOn(project, user), FORBIDDEN)).toEqual(WAITS);
  }
  expect(access.hear(callOn('p2', 'u-2'), FORBIDDEN)).toEqual({
    kind: 'stopped',
    why: 'status refused',
    stop: {
      code: 'key',
      message: 'The service does not let this key change any project of the list: status refused.',
      next: 'Use the key of an Admin of these projects, then run the same command again.',
    },
  });
});

test('the only row of the only project that is refused twice ends the run', () => {
  const access = new ProjectAccess(['p1']);
  expect(access.hear(callOn('p1'), FORBIDDEN)).toEqual(WAITS);
  expect(access.hear(callOn('p1'), FORBIDDEN).kind).toBe('stopped');
});

test('a call that names no project, and one whose answer was lost, say nothing about projects', () => {
  const access = new ProjectAccess(['p1']);
  expect(access.hear(callOn(), FORBIDDEN)).toBe(FORBIDDEN);
  const lost: Verdict = { kind: 'in_doubt', why: 'reset' };
  expect(access.hear(callOn('p1'), lost)).toBe(lost);
  expect(access.hear(callOn('p1'), FORBIDDEN)).toEqual(WAITS);
});
