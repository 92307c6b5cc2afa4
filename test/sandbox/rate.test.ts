import { describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../src/core/clock.ts';
import { parseRate } from '../../src/core/rate.ts';
import { RateLimit } from '../../src/sandbox/rate.ts';
import { bookOf, company, type Reply, sandbox } from './client.ts';

// Goal: no window of any position ever sees more than the rate. Method: a clock of our own, moved by hand.

describe('a rate', () => {
  test.each([
    ['20/s', 20, 1000],
    ['600/min', 600, 60_000],
    ['5000/h', 5000, 3_600_000],
    ['100/d', 100, 86_400_000],
  ])('%s is read', (text, requests, windowMs) => {
    expect(parseRate(text)).toEqual({ requests, windowMs });
  });
});

/** Both clocks at that time. */
function at(nowMs: number): Pick<Clock, 'wallMs' | 'monotonicMs'> {
  return { wallMs: () => nowMs, monotonicMs: () => nowMs };
}

test('a window slides: a burst at its end counts against the start of the next', () => {
  const limit = new RateLimit({ requests: 3, windowMs: 1000 });
  expect([0, 900, 950].map((nowMs) => limit.waitMs('key', at(nowMs)))).toEqual([0, 0, 0]);
  expect(limit.waitMs('key', at(999))).toBe(1);
  expect(limit.waitMs('key', at(1000))).toBe(0);
  expect(limit.waitMs('key', at(1001))).toBe(899);
  expect(limit.waitMs('other key', at(1001))).toBe(0);
  expect([1900, 1950, 2000].map((nowMs) => limit.waitMs('key', at(nowMs)))).toEqual([0, 0, 0]);
});

test('any window of any position holds at most the rate, and every refused request was refused for a reason', () => {
  const limit = new RateLimit({ requests: 5, windowMs: 100 });
  const passedMs: number[] = [];
  for (let nowMs = 0; nowMs < 5000; nowMs += 1 + ((nowMs * 7919) % 23)) {
    const inWindow = passedMs.filter((atMs) => atMs > nowMs - 100).length;
    expect(limit.waitMs('key', at(nowMs)) === 0).toBe(inWindow < 5);
    if (inWindow < 5) passedMs.push(nowMs);
  }
  expect(passedMs.length).toBeGreaterThan(100);
});

test('beyond the rate there is a 429, every second one without Retry-After, never charged and never faulted', async () => {
  let nowMs = 5000;
  const clock = { ...systemClock, monotonicMs: () => nowMs };
  const { url } = await sandbox({ matchRate: 1, rate: '2/s', faults: '500:x99', clock });
  const statuses = async (count: number): Promise<Reply[]> => {
    const replies: Reply[] = [];
    for (let number = 0; number < count; number += 1) replies.push(await company(url, `c${number}.example`));
    return replies;
  };
  const replies = await statuses(6);
  expect(replies.map(({ status }) => status)).toEqual([500, 500, 429, 429, 429, 429]);
  expect(replies.map(({ headers }) => headers.get('retry-after'))).toEqual([
    null,
    null,
    '1',
    null,
    '1',
    null,
  ]);
  expect(await bookOf(url)).toMatchObject({ requests: 6, rate_limited: 4, charges: 0, faults: { '500': 2 } });
  nowMs += 999;
  expect((await company(url, 'a.example')).status).toBe(429);
  expect((await company(url, 'a.example', 'key-2')).status).toBe(500);
  nowMs += 1;
  expect((await company(url, 'a.example')).status).toBe(500);
});

test('Retry-After is rounded up to whole seconds', async () => {
  let nowMs = 0;
  const clock = { ...systemClock, monotonicMs: () => nowMs };
  const { url } = await sandbox({ rate: '1/min', clock });
  await company(url, 'a.example');
  nowMs = 30_500;
  expect((await company(url, 'a.example')).headers.get('retry-after')).toBe('30');
});

test('fixed windows follow the calendar: at its worst phase twice the rate passes at once, and never more', () => {
  const limit = new RateLimit({ requests: 3, windowMs: 1000 }, 'fixed');
  const waits = (nowMs: number, count: number): number[] =>
    Array.from({ length: count }, () => limit.waitMs('key', at(nowMs)));
  expect(waits(1999, 4)).toEqual([0, 0, 0, 1]);
  expect(waits(2000, 4)).toEqual([0, 0, 0, 1000]);
  expect(waits(2600, 1)).toEqual([400]);
  expect(waits(7000, 4)).toEqual([0, 0, 0, 1000]);
});

test('a bucket is full at first and then lets one through for each that drips in', () => {
  const limit = new RateLimit({ requests: 4, windowMs: 1000 }, 'bucket');
  const wait = (nowMs: number): number => limit.waitMs('key', at(nowMs));
  expect([0, 0, 0, 0, 0].map(wait)).toEqual([0, 0, 0, 0, 250]);
  expect([125, 250, 250, 500].map(wait)).toEqual([125, 0, 250, 0]);
  expect(Array.from({ length: 5 }, () => wait(60_000))).toEqual([0, 0, 0, 0, 250]);
});

test.each([
  ['none', [null, null, null]],
  ['draft', ['"sandbox";q=2;w=60', '"sandbox";r=1;t=60', null]],
  ['x', [null, null, '1']],
] as const)('answers tell the limit as "%s" wants it', async (rateHeaders, expected) => {
  const clock = { ...systemClock, monotonicMs: () => 0 };
  const { url } = await sandbox({ matchRate: 1, rate: '2/min', rateHeaders, clock });
  const { headers } = await company(url, 'a.example');
  const names = ['ratelimit-policy', 'ratelimit', 'x-ratelimit-remaining'];
  expect(names.map((name) => headers.get(name))).toEqual(expected);
  await company(url, 'b.example');
  const refused = (await company(url, 'c.example')).headers;
  if (rateHeaders === 'x') {
    expect([refused.get('x-ratelimit-remaining'), refused.get('x-ratelimit-reset')]).toEqual(['0', '60']);
  }
});
