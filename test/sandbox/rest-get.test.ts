import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { bookOf, company, get, post, type Reply, sandbox } from './client.ts';

// Goal: with `--dialect rest-get` the provider is the vendor that was seen in the wild. Method: requests over HTTP.

const KEY = 'Bearer key-1';

async function vendor(options: object = {}): Promise<string> {
  return (await sandbox({ matchRate: 1, dialect: 'rest-get', ...options })).url;
}

const asked = (url: string, path: string): Promise<Reply> => get(url, path, KEY);

test.each([
  ['/company?fqdn=a.example', { domain: 'a.example' }, '1'],
  ['/company?abn=51824753556', { abn: '51824753556' }, '1'],
  ['/company?ln_url=https%3A%2F%2Fp.example%2Fc', { name: expect.stringMatching(/\(sandbox\)$/) }, '1'],
  ['/people?work_email=ann%40a.example', { emails: ['ann@a.example'] }, expect.stringMatching(/^[12]$/)],
  [
    '/people?ln_slug=ann',
    { full_name: expect.stringMatching(/\(sandbox\)$/) },
    expect.stringMatching(/^[12]$/),
  ],
])('GET %s finds and is charged', async (path, body, credits) => {
  const url = await vendor();
  const reply = await asked(url, path);
  expect([reply.status, reply.json]).toEqual([200, expect.objectContaining(body)]);
  expect(reply.headers.get('x-credits-charged')).toEqual(credits);
  expect(String((await bookOf(url)).credits)).toEqual(credits);
});

test.each([
  ['/company?fqdn=a.example', 'Company profile not found'],
  ['/people?ln_url=x', 'Person profile not found'],
])('a miss is a 500 that says so and costs nothing: %s', async (path, error) => {
  const url = await vendor({ matchRate: 0 });
  const { status, json } = await asked(url, path);
  expect([status, json]).toEqual([500, { error }]);
  expect((await bookOf(url)).charges).toBe(0);
});

test('throttling is a success that says how long to wait, rounded up', async () => {
  let nowMs = 0;
  const clock = { ...systemClock, monotonicMs: () => nowMs };
  const url = await vendor({ rate: '1/min', clock });
  await asked(url, '/company?fqdn=a.example');
  nowMs = 24_500;
  const { status, json, headers } = await asked(url, '/company?fqdn=b.example');
  const error = 'Too many requests. Retry in 36s.';
  expect([status, json]).toEqual([200, { success: false, code: 'rate_limited', error }]);
  expect(headers.get('retry-after')).toBeNull();
  expect(await bookOf(url)).toMatchObject({ rate_limited: 1, credits: 1 });
});

test('a search comes in pages that the query names', async () => {
  const url = await vendor();
  const published = await sandbox({ matchRate: 1 });
  const page = async (number: number): Promise<Reply['json']> =>
    (await asked(url, `/people/search?company=A&page=${number}`)).json;
  const { total, results, next_page: next } = await page(1);
  expect(total, 'this company has more than one page of people').toBeGreaterThan(25);
  expect([results.length, next]).toEqual([25, 2]);
  const other = await post(published.url, '/search/people', KEY, { company: 'A', page: 2 });
  expect(await page(2)).toEqual(other.json);
  expect((await asked(url, '/people/search?company=A&page=9')).status).toBe(500);
  expect((await asked(url, '/people/search?company=A&page=0')).status).toBe(400);
  expect((await bookOf(url)).credits).toBe(25 + other.json.results.length);
});

describe('what it does not know is refused', () => {
  test.each([
    ['/company', 'abn, fqdn, ln_url'],
    ['/company?domain=a.example', 'abn, fqdn, ln_url'],
    ['/company?fqdn=a.example&website=x', '"website" is not a field'],
    ['/company?fqdn=', '"fqdn" is empty'],
    ['/company?fqdn=a.example&fqdn=b.example', 'more than once'],
    ['/company?abn=123', 'exactly 11 digits'],
    ['/people?email=ann%40a.example', 'work_email, ln_url, ln_slug'],
  ])('%s with 400', async (path, words) => {
    const url = await vendor();
    const { status, json } = await asked(url, path);
    expect([status, json.error]).toEqual([400, expect.stringContaining(words)]);
  });

  test('the published paths with 404, a POST with 405, a wrong header with 401', async () => {
    const url = await vendor();
    expect((await company(url, 'a.example')).status).toBe(404);
    expect((await post(url, '/company', KEY, {})).status).toBe(405);
    expect((await post(url, '/tags/apply', KEY, { domain: 'a.example', tag: 'b' })).status).toBe(404);
    expect((await asked(url, '/account/plan')).status).toBe(404);
    expect((await get(url, '/company?fqdn=a.example')).status).toBe(401);
  });
});
