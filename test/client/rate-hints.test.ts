/**
 * Goal: whatever form a vendor uses to say how fast it may be asked, Rowonce understands it, and what makes no sense
 * changes nothing.
 * Method: headers as vendors and the drafts of the standard print them.
 */
import { describe, expect, test } from 'vitest';
import type { RateHintNames } from '../../src/client/dialect.ts';
import { askedWaitIn, rateHintsIn } from '../../src/client/rate-hints.ts';
import type { Reply } from '../../src/ledger/ledger.ts';

// Far from Greenwich, so that a mix-up of zones shows.
process.env.TZ = 'Australia/Sydney';

/** The vendor's clock is some hours from ours, as clocks are. */
const ANSWERED = 'Fri, 20 Nov 2026 10:00:00 GMT';
const ANSWERED_MS = Date.UTC(2026, 10, 20, 10);
const RECEIVED_MS = Date.UTC(2026, 10, 20, 2, 13);

type Headers = Readonly<Record<string, string>>;

function answer(headers: Headers, status = 200, body = ''): Reply {
  return {
    status,
    headers: { date: ANSWERED, ...headers },
    body: Buffer.from(body),
    receivedAtMs: RECEIVED_MS,
  };
}

const hints = (headers: Headers, names?: RateHintNames) => rateHintsIn(answer(headers), names);

const DAY_MS = 86_400_000;

describe('what is left', () => {
  test.each<[string, Headers, [requests: number, resetMs: number]]>([
    ['the current draft', { ratelimit: '"default";r=50;t=30' }, [50, 30_000]],
    ['the earlier draft', { ratelimit: 'limit=100, remaining=50, reset=5' }, [50, 5000]],
    ['separate headers', { 'ratelimit-remaining': '7', 'ratelimit-reset': '12' }, [7, 12_000]],
    ['X- and seconds', { 'x-ratelimit-remaining': '7', 'x-ratelimit-reset': '12' }, [7, 12_000]],
    [
      'seconds since 1970',
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(ANSWERED_MS / 1000 + 90) },
      [0, 90_000],
    ],
    [
      'milliseconds since 1970',
      { 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': String(ANSWERED_MS + 1500) },
      [0, 1500],
    ],
    [
      'a date',
      { 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': 'Fri Nov 20 2026 21:02:00 GMT+1100 (AEDT)' },
      [1, 120_000],
    ],
    [
      'a date without a zone, which is nobody else’s',
      { 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': '2026-11-20 10:00:30' },
      [1, 30_000],
    ],
    ['a duration', { 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': '500ms' }, [1, 500]],
    [
      'a reset in years is a day at most',
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '99999999' },
      [0, DAY_MS],
    ],
  ])('%s', (_, headers, [requests, resetMs]) => {
    expect(hints(headers).remaining).toEqual({ requests, resetMs });
  });

  test('the headers that the dialect names win', () => {
    const headers = { 'x-left': '4', 'x-again': '9', 'ratelimit-remaining': '1', 'ratelimit-reset': '1' };
    expect(hints(headers, { remaining: 'x-left', reset: 'x-again' }).remaining).toEqual({
      requests: 4,
      resetMs: 9000,
    });
  });

  test.each<[string, Headers]>([
    ['no time', { 'x-ratelimit-remaining': '0' }],
    [
      'a time that is over',
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(ANSWERED_MS / 1000 - 5) },
    ],
    ['a negative number', { 'x-ratelimit-remaining': '-1', 'x-ratelimit-reset': '5' }],
  ])('%s says nothing', (_, headers) => {
    expect(hints(headers).remaining).toBeUndefined();
  });
});

describe('how long to wait', () => {
  test.each<[string, Headers, number]>([
    ['seconds', { 'retry-after': '7' }, 7000],
    ['a fraction', { 'retry-after': ' 0.5 ' }, 500],
    ["a date, by the answer's own clock", { 'retry-after': 'Fri, 20 Nov 2026 10:00:30 GMT' }, 30_000],
    [
      'a date beside a clock that cannot be read, by ours',
      { 'retry-after': 'Fri, 20 Nov 2026 02:14:00 GMT', date: '?' },
      60_000,
    ],
    ['seconds since 1970', { 'retry-after': String(ANSWERED_MS / 1000 + 3) }, 3000],
    ['more than a day is not believed', { 'retry-after': '9999999' }, DAY_MS],
  ])('%s', (_, headers, pauseMs) => {
    expect(hints(headers).pauseMs).toBe(pauseMs);
  });

  test.each<[string, Headers]>([
    ['none', {}],
    ['blank', { 'retry-after': ' ' }],
    ['words', { 'retry-after': 'soon' }],
    ['words with a number that could be a year', { 'retry-after': 'until 2099' }],
    ['a negative number', { 'retry-after': '-5' }],
    ['zero, which would have us ask at full speed for ever', { 'retry-after': '0' }],
    ['a date that is over', { 'retry-after': 'Fri, 20 Nov 2026 09:59:00 GMT' }],
  ])('%s says nothing', (_, headers) => {
    expect(hints(headers).pauseMs).toBeUndefined();
  });

  const inBody: RateHintNames = { body: { path: 'error', matches: 'retry in (?<seconds>\\d+)s' } };

  test.each<[string, RateHintNames, string, number | undefined]>([
    ['seconds in words', inBody, '{"error":"Slow down. Retry in 36s."}', 36_000],
    ['words elsewhere', inBody, '{"message":"Retry in 36s."}', undefined],
    ['no words', inBody, '{"error":"Slow down."}', undefined],
    ['a body that is no JSON', inBody, '<html>Retry in 36s</html>', undefined],
    ['the whole body', { body: { matches: 'wait (?<ms>\\d+) ms' } }, 'Wait 250 ms', 250],
  ])('the dialect finds it in the body: %s', (_, names, body, pauseMs) => {
    expect(rateHintsIn(answer({}, 200, body), names).pauseMs).toBe(pauseMs);
  });

  test("the dialect's header goes before its words, and both before what is usual", () => {
    const names = { ...inBody, retry_after: 'x-wait' };
    const body = '{"error":"retry in 36s"}';
    const usual = { 'retry-after': '1' };
    expect(rateHintsIn(answer({ ...usual, 'x-wait': '5' }, 200, body), names).pauseMs).toBe(5000);
    expect(rateHintsIn(answer(usual, 200, body), names).pauseMs).toBe(36_000);
    expect(rateHintsIn(answer(usual), names).pauseMs).toBe(1000);
  });

  test('an error from a vendor with nothing left waits for the new window; an answer does not', () => {
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '20' };
    expect(rateHintsIn(answer(headers, 403), undefined).pauseMs).toBe(20_000);
    expect(rateHintsIn(answer(headers, 200), undefined).pauseMs).toBeUndefined();
  });
});

describe('how long an answer asks to wait that refuses its request for being too fast', () => {
  const asked = (headers: Headers, body: object | string = ''): number | undefined =>
    askedWaitIn(answer(headers, 429, typeof body === 'string' ? body : JSON.stringify(body)), undefined)
      .pauseMs;

  test.each<[string, Headers, object | string, number]>([
    ['milliseconds in a header', { 'retry-after-ms': '1500' }, '', 1500],
    ['milliseconds before whole seconds', { 'retry-after-ms': '250', 'retry-after': '1' }, '', 250],
    ['a member', {}, { message: 'You are being rate limited.', retry_after: 64.5 }, 64_500],
    ['a member within', {}, { ok: false, parameters: { retry_after: 5 } }, 5000],
    ['a member of a list', {}, { errors: [{ code: 'slow', retryAfter: '12' }] }, 12_000],
    ['a member with its unit', {}, { error: { retryAfter: '3s' } }, 3000],
    ['a member in milliseconds', {}, { retryAfterMs: 800 }, 800],
    ['seconds in words', {}, { error: 'Rate limit reached. Please try again in 3s.' }, 3000],
    ['several units in words', {}, { error: { message: 'Please try again in 1m12.5s.' } }, 72_500],
    ['whole words', {}, 'Too many requests, retry after 2 minutes and 5 seconds', 125_000],
    ['milliseconds in words', {}, { error: 'try again in 750ms' }, 750],
    ['a header before the body', { 'retry-after': '7' }, { retry_after: 9 }, 7000],
    ['a reset alone', { 'x-ratelimit-reset': '20' }, '', 20_000],
    ['a reset alone, in milliseconds', { 'x-ratelimit-reset': String(ANSWERED_MS + 4_000) }, '', 4000],
    ['a reset alone, a date', { 'x-ratelimit-reset': 'Fri, 20 Nov 2026 10:00:30 GMT' }, '', 30_000],
    ['the length of a reset', { 'x-ratelimit-reset-after': '1.5', 'x-ratelimit-reset': '99' }, '', 1500],
    ['more than a day is not believed', {}, { retry_after: 9_999_999 }, DAY_MS],
  ])('%s', (_, headers, body, pauseMs) => {
    expect(asked(headers, body)).toBe(pauseMs);
  });

  test.each<[string, Headers, object | string]>([
    ['a number of something else', {}, { error: 'Try again with 3 names' }],
    ['a time that is no number', {}, { retry_after: 'soon', retryAfter: null }],
    ['a time that is over', { 'x-ratelimit-reset': String(ANSWERED_MS - 4_000) }, ''],
    [
      'the reset of a window that is not used up',
      { 'x-ratelimit-remaining': '7', 'x-ratelimit-reset': '3600' },
      '',
    ],
  ])('%s says nothing', (_, headers, body) => {
    expect(asked(headers, body)).toBeUndefined();
  });

  test('the words of an answer that is none of a limit ask for nothing', () => {
    const body = '{"tagline":"Try again in 3 minutes","retry_after":5}';
    expect(rateHintsIn(answer({}, 200, body), undefined).pauseMs).toBeUndefined();
  });
});
