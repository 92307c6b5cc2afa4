/**
 * Goal: misses that look like a wrong address, or like something that answers in the vendor's place, are suspected in
 * time, and honest ones are not. Method: histories of an account as a table.
 */
import { expect, test } from 'vitest';
import { namesRoute } from '../../src/client/judge.ts';
import { historyOf, missesStop, noteAnswer } from '../../src/run/account-history.ts';

const FRESH = { answers: 0, answersNot404: 0, found: 0, misses: 0 };

/** After so many matches, then other answers that are no 404, then misses. */
function after(found: number, others: number, misses: number, { isOfRoute = false, trusted = false } = {}) {
  const history = historyOf(FRESH, trusted);
  for (let n = 0; n < found; n += 1) noteAnswer(history, 200, true);
  for (let n = 0; n < others; n += 1) noteAnswer(history, 422, false);
  for (let n = 0; n < misses; n += 1) noteAnswer(history, 404, false, isOfRoute);
  return history;
}

const KEPT = { ...after(50, 0, 500), kept: true };
const FIRST = /^The first \d+ answers of this account were all status 404\.$/;
const SUDDEN = /^The last 100 answers .* but \d+ % of those before them were matches\.$/;

test.each([
  ['19 first misses', after(0, 0, 19), undefined],
  ['20 first misses', after(0, 0, 20), FIRST],
  ['more of them, when the first stop came too late for what was on its way', after(0, 0, 23), FIRST],
  ['20 misses after another answer', after(0, 1, 20), undefined],
  ['99 misses after matches', after(50, 0, 99), undefined],
  ['100 misses after matches', after(50, 0, 100), SUDDEN],
  ['100 misses after a fifth of matches, which is not over it', after(20, 80, 100), undefined],
  ['100 misses after a little more than a fifth', after(21, 79, 100), SUDDEN],
  ['1,000 misses of an account that never found anything', after(0, 5, 1000), undefined],
  ['two misses about a path', after(0, 0, 2, { isOfRoute: true }), undefined],
  ['three misses about a path', after(0, 0, 3, { isOfRoute: true }), FIRST],
  ['three about a path, whatever came before', after(500, 10, 3, { isOfRoute: true }), /^The last 3 answers/],
  ['misses that a person has kept', KEPT, undefined],
  ['play money', after(0, 0, 500, { trusted: true }), undefined],
])('%s', (_, history, expected) => {
  const stopped = missesStop(history, false);
  expect(stopped?.message).toEqual(expected && expect.stringMatching(expected));
  if (stopped === undefined) return;
  expect(stopped.next).toMatch(/with --accept no-match .* --accept take-back to ask for them again\.$/);
  expect(missesStop(history, true)?.next, 'changes are never taken back').not.toContain('take-back');
  noteAnswer(history, 200, true);
  expect(missesStop(history, false), 'another answer ends them').toBeUndefined();
});

test.each([
  ['{"error":"no such path: /v9/enrich/company"}', true],
  ['{"error":"Cannot POST /enrich/company"}', true],
  ['{"error":"Route /enrich not found"}', true],
  ['{"error":"company not found"}', false],
  ['{"error":"Profile URL not found"}', false],
])('%s names a route: %s', (body, expected) => {
  expect(namesRoute(Buffer.from(body))).toBe(expected);
});
