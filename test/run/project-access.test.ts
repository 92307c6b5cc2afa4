/**
 * Goal: a project on which the key is no Admin costs its own rows and no others; a key that may act on nothing ends the
 * run before it has refused more than one call a project.
 * Method: the pure rule, told one verdict after the other.
 */
import { expect, test } from 'vitest';
import type { Verdict } from '../../src/client/judge.ts';
import type { Call } from '../../src/core/operation.ts';
import { credits } from '../../src/ledger/ledger.ts';
import { ProjectAccess } from '../../src/run/project-access.ts';

const callOn = (project?: string): Call => ({
  operation: 'create-invite',
  parameters: {},
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

test('one of two projects that refuses the key has its calls refused, and the other goes on', () => {
  const access = new ProjectAccess(['p1', 'p2']);
  expect(access.hear(callOn('p1'), FORBIDDEN)).toBe(FORBIDDEN);
  expect(access.hear(callOn('p1'), FORBIDDEN)).toBe(FORBIDDEN);
  const applied = settled('found');
  expect(access.hear(callOn('p2'), applied)).toBe(applied);
});

test('the last project that refuses the key ends the run, and says whose key is needed', () => {
  const access = new ProjectAccess(['p1', 'p2']);
  access.hear(callOn('p1'), FORBIDDEN);
  expect(access.hear(callOn('p2'), FORBIDDEN)).toEqual({
    kind: 'stopped',
    why: 'status refused',
    stop: {
      code: 'key',
      message: 'The service does not let this key change any project of the list: status refused.',
      next: 'Use the key of an Admin of these projects, then run the same command again.',
    },
  });
});

test('a key that has worked on one project is never wrong as a whole, in whatever order they answer', () => {
  const access = new ProjectAccess(['p1', 'p2']);
  access.hear(callOn('p1'), settled('refused'));
  access.hear(callOn('p2'), FORBIDDEN);
  expect(access.hear(callOn('p1'), FORBIDDEN)).toBe(FORBIDDEN);
});

test('a call that names no project, and one whose answer was lost, say nothing about projects', () => {
  const access = new ProjectAccess(['p1']);
  expect(access.hear(callOn(), FORBIDDEN)).toBe(FORBIDDEN);
  const lost: Verdict = { kind: 'in_doubt', why: 'reset' };
  expect(access.hear(callOn('p1'), lost)).toBe(lost);
  expect(access.hear(callOn('p1'), FORBIDDEN).kind).toBe('stopped');
});
