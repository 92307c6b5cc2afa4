import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
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

test('any window of any position holds at most the rate, and every refused request was refused for a reason', () => {
  const limit = new RateLimit({ requests: 5, windowMs: 100 });
  const passedMs: number[] = [];
  for (let nowMs = 0; nowMs < 5000; nowMs += 1 + ((nowMs * 7919) % 23)) {
    const inWindow = passedMs.filter((atMs) => atMs > nowMs - 100).length;
    expect(limit.waitMs('key', nowMs) === 0).toBe(inWindow < 5);
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
