/**
 * Goal: misses that look like a wrong address, or like something that answers in the vendor's place, are suspected in
 * time, and honest ones are not. Method: histories of an account as a table.
 */
import { expect, test } from 'vitest';
import { mayNameRoute, namesRoute } from '../../src/client/judge.ts';
import { type AccountHistory, historyOf, missesStop, noteAnswer, suspicionOf } from '../../src/run/misses.ts';

const FRESH: AccountHistory = {
  answers: 0,
  answersNot404: 0,
  found: 0,
  foundBefore: 0,
  misses: 0,
  kept: false,
  routeMisses: 0,
  suspected: false,
  trusted: false,
};

/** After so many matches, then other answers that are no 404, then misses. */
function after(found: number, others: number, misses: number, more: Partial<AccountHistory> = {}) {
  const history = { ...FRESH, ...more };
  for (let n = 0; n < found; n += 1) noteAnswer(history, 200, true);
  for (let n = 0; n < others; n += 1) noteAnswer(history, 422, false);
  for (let n = 0; n < misses; n += 1) noteAnswer(history, 404, false);
  // Only another answer ends what a person has said of a series.
  return { ...history, ...(more.kept === undefined ? {} : { kept: more.kept }) };
}

test.each<[string, AccountHistory, string | undefined]>([
  ['a new account', FRESH, undefined],
  ['19 first misses', after(0, 0, 19), undefined],
  ['20 first misses', after(0, 0, 20), 'first'],
  ['more of them, when the first stop came too late for what was on its way', after(0, 0, 23), 'first'],
  ['20 misses after another answer', after(0, 1, 20), undefined],
  ['99 misses after matches', after(50, 0, 99), undefined],
  ['100 misses after matches', after(50, 0, 100), 'sudden'],
  ['100 misses after a fifth of matches, which is not over it', after(20, 80, 100), undefined],
  ['100 misses after a little more than a fifth', after(21, 79, 100), 'sudden'],
  [
    '1,000 misses of an account that never found anything, and said so otherwise',
    after(0, 5, 1000),
    undefined,
  ],
  ['misses that a person has kept', after(50, 0, 500, { kept: true }), undefined],
  ['play money', after(0, 0, 500, { trusted: true }), undefined],
])('%s', (_, history, expected) => {
  expect(suspicionOf(history)).toBe(expected);
});

test('a vendor that says that the path is wrong is believed at the third time, and until somebody has said anything', () => {
  const history = { ...FRESH };
  for (let n = 1; n <= 3; n += 1) {
    expect(suspicionOf(history)).toBeUndefined();
    noteAnswer(history, 404, false, true);
  }
  expect(suspicionOf(history)).toBe('first');
  expect(suspicionOf({ ...history, kept: true })).toBeUndefined();
  const kept = { count: 3, place: 'https://a.example/enrich', kept: false };
  const later = historyOf({ answers: 3, answersNot404: 0, found: 0, misses: kept }, false);
  expect(suspicionOf(later)).toBe('first');
  noteAnswer(later, 200, true);
  expect(suspicionOf(later)).toBeUndefined();
});

test.each([
  ['{"error":"no such path: /v9/enrich/company"}', true],
  ['{"error":"Cannot POST /enrich/company"}', true],
  ['{"error":"Route /enrich not found"}', true],
  ['{"error":"No match"}', false],
  ['{"error":"company not found"}', false],
  ['{"error":"Profile URL not found"}', false],
])('%s names a route: %s', (body, expected) => {
  expect(namesRoute(Buffer.from(body))).toBe(expected);
  expect(mayNameRoute(Buffer.from(body))).toBe(expected);
});

test('words that some vendors say of a company as well may name a route', () => {
  const body = Buffer.from('{"message":"The requested URL /enrich was not found on this server."}');
  expect([namesRoute(body), mayNameRoute(body)]).toEqual([false, true]);
});

test('three misses in a row that are about a path are suspected, whatever the account answered before', () => {
  const history = after(500, 10, 0);
  for (const nth of [1, 2, 3]) {
    expect(suspicionOf(history), `before miss ${nth}`).toBeUndefined();
    noteAnswer(history, 404, false, true);
  }
  expect(suspicionOf(history)).toBe('sudden');
});

test('another answer ends the series, and what a person said of it', () => {
  const history = { ...after(50, 0, 100), kept: true };
  noteAnswer(history, 200, true);
  expect(history).toMatchObject({ misses: 0, kept: false, answers: 151, found: 51 });
});

test.each([
  [
    'first',
    after(0, 0, 20),
    /^The first 20 answers of this account were all status 404\.$/,
    /with --accept no-match/,
  ],
  [
    'sudden',
    after(30, 20, 100),
    /^The last 100 answers .* but 60 % of those before them were matches\.$/,
    /with --accept no-match/,
  ],
] as const)('the stop says what happened and both ways on (%s)', (_, history, fact, agree) => {
  const { code, message, next } = missesStop(history, false) ?? {};
  expect({ code, message }).toEqual({ code: 'address', message: expect.stringMatching(fact) });
  expect(next).toMatch(agree);
  expect(next).toMatch(/--accept take-back to ask for them again\.$/);
  expect(missesStop(history, true)?.next, 'answers to changes are never taken back').not.toContain(
    'take-back',
  );
});
