import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { bookOf, company, post, type Reply, sandbox } from './client.ts';

// Goal: the provider of the sandbox is the published one. Method: requests over HTTP, right ones and wrong ones.

describe('the Authorization header of the provider', () => {
  test.each([
    ['none', undefined],
    ['another scheme', 'Basic key-1'],
    ['the scheme in lower case', 'bearer key-1'],
    ['two blanks', 'Bearer  key-1'],
    ['no key', 'Bearer'],
    ['the shape of the service', 'Bearer :key-1'],
    ['a project in it', 'Bearer proj-1:key-1'],
  ])('the Authorization header with %s is refused with 401', async (_case, authorization) => {
    const { url } = await sandbox({ matchRate: 1 });
    const reply = await post(url, '/enrich/company', authorization, { domain: 'a.example' });
    expect(reply.status).toBe(401);
    expect(reply.json.error).toContain('Authorization header must be exactly "Bearer <key>"');
    expect(await bookOf(url)).toMatchObject({ requests: 1, charges: 0 });
  });
});

test('answers depend on seed and identifier only: same again after a restart, others with another seed', async () => {
  const answers = async (seed: number): Promise<string[]> => {
    const { url } = await sandbox({ seed, matchRate: 0.5 });
    const texts: string[] = [];
    for (let number = 0; number < 30; number += 1)
      texts.push((await company(url, `c${number}.example`)).text);
    return texts;
  };
  const first = await answers(1);
  expect(await answers(1)).toEqual(first);
  // Not only other words: other identifiers are known.
  const known = (texts: string[]): boolean[] => texts.map((text) => text.includes('(sandbox)'));
  expect(known(await answers(2))).not.toEqual(known(first));
});

test('rows match about as often as the match rate says, and those without a match come in every published shape, free', async () => {
  const { url } = await sandbox({ matchRate: 0.6 });
  const replies = [];
  for (let number = 0; number < 300; number += 1) replies.push(await company(url, `c${number}.example`));
  const matched = replies.filter(({ json }) => json.name !== undefined);
  expect(matched.length).toBeGreaterThan(150);
  expect(matched.length).toBeLessThan(210);
  const misses = new Set(
    replies.filter(({ json }) => json.name === undefined).map(({ status, text }) => `${status} ${text}`),
  );
  expect(misses).toEqual(new Set(['404 {"error":"No match"}', '200 {}', '200 {"results":[]}']));
  expect(await bookOf(url)).toMatchObject({ charges: matched.length, credits: matched.length });
});

test('a limit on purpose may name no time, and a busy vendor names one; neither costs anything', async () => {
  const { url } = await sandbox({ matchRate: 1, faults: 'limited-429:x2,busy-503:x1' });
  const replies = [];
  for (let nth = 0; nth < 4; nth += 1) replies.push(await company(url, 'acme.example'));
  expect(replies.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual([
    [429, null],
    [429, null],
    [503, '1'],
    [200, null],
  ]);
  expect(await bookOf(url)).toMatchObject({ charges: 1, faults: { 'limited-429': 2, 'busy-503': 1 } });
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
