/**
 * Goal: a refusal that is about one person costs that row alone; a project on which the key is no Admin costs its own rows and no
 * others; a key that may act on nothing ends the run before a row is refused for it.
 * Method: the pure rule, told one verdict after the other.
 */
import { expect, test } from 'vitest';
import type { Verdict } from '../../src/client/judge.ts';
import { finding } from '../../src/core/finding.ts';
import { sayAll } from '../../src/core/finding-words.ts';
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
  why: finding('answer', { status: answer === 'found' ? 200 : 403 }),
});
const FORBIDDEN: Verdict = { ...settled('refused'), projectRefused: true } as Verdict;
const AFTER_OTHERS = { kind: 'after_others', why: finding('answer', { status: 403 }) };
const refusalIn = (access: ProjectAccess, call: Call): string => sayAll(access.refusalOf(call) ?? [], 'file');

test('the first refusal waits; once the next row works, it is of its row, which is not sent again', () => {
  const access = new ProjectAccess(['p1']);
  expect(access.verdictOf(callOn('p1', 'u-1'), FORBIDDEN)).toEqual(AFTER_OTHERS);
  access.verdictOf(callOn('p1', 'u-2'), settled('found'));
  expect(refusalIn(access, callOn('p1', 'u-1'))).toBe('the service refused it (status 403)');
  expect(access.refusalOf(callOn('p1', 'u-3')), 'another was not asked yet').toBeUndefined();
});

test('one of two projects that refuses the key has its calls refused, and the other goes on', () => {
  const access = new ProjectAccess(['p1', 'p2']);
  const applied = settled('found');
  expect(access.verdictOf(callOn('p2'), applied)).toBe(applied);
  for (const user of ['u-1', 'u-2'])
    expect(access.verdictOf(callOn('p1', user), FORBIDDEN)).toEqual(AFTER_OTHERS);
  expect(refusalIn(access, callOn('p1', 'u-1'))).toMatch(
    /for this person, or because the key .* project p1$/,
  );
});

test.each([
  ['within a day: what it refuses is of its row', 23, true],
  ['some days ago: that counts no more for the person, and the run is not stopped for the key', 25, false],
])('a project that the account changed %s', (_, hoursAgo, isOfRow) => {
  const access = new ProjectAccess(['p1'], new Map([['p1', 0]]), hoursAgo * 3_600_000);
  expect(access.verdictOf(callOn('p1', 'u-1'), FORBIDDEN)).toEqual(isOfRow ? FORBIDDEN : AFTER_OTHERS);
  if (!isOfRow) expect(refusalIn(access, callOn('p1', 'u-1'))).toMatch(/for this person, or because the key/);
});

const STOP = {
  code: 'key',
  message: 'The service does not let this key change any project of the list: status 403.',
  next: expect.objectContaining({
    typed: 'Use the key of an admin of these projects, then run the same command again.',
  }),
};

test('the last project that refuses the key ends the run, and says whose key is needed; no row was refused', () => {
  const access = new ProjectAccess(['p1', 'p2'], new Map([['p3', 0]]));
  for (const [project, user] of [
    ['p1', 'u-1'],
    ['p1', 'u-2'],
    ['p2', 'u-1'],
  ])
    expect(access.verdictOf(callOn(project, user), FORBIDDEN)).toEqual(AFTER_OTHERS);
  const stopped = { kind: 'stopped', why: finding('answer', { status: 403 }), stop: STOP };
  expect(access.verdictOf(callOn('p2', 'u-2'), FORBIDDEN)).toEqual(stopped);
});
