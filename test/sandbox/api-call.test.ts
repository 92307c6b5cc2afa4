import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { accountOf } from '../../src/sandbox/vendor.ts';
import { bookOf, company, linesOf, post, type Reply, sandbox, temporaryFolder } from './client.ts';

// Goal: a call through the service's "API Call" step is the provider's call, charged and lost like one made directly,
// under the connected account. Method: requests over HTTP, the book and the log.

const KEY = 'Bearer proj-1:key-1';

function apiCall(url: string, inner: object, key: string | undefined = KEY): Promise<Reply> {
  return post(url, '/latest/tools/api-call', key, { account: 'acme-data', ...inner });
}

const LOOKUP = { method: 'POST', endpoint: '/enrich/company', body: { domain: 'a.example' } };

describe('an "API Call"', () => {
  test('is answered with status, headers and body of the provider, as it would answer directly', async () => {
    const { url } = await sandbox({ matchRate: 1 });
    const { status, json } = await apiCall(url, LOOKUP);
    const direct = await company(url, 'a.example');
    expect([status, json.status, json.body]).toEqual([200, 200, direct.json]);
    expect(json.headers).toEqual({ 'x-credits-charged': '1' });
  });

  test('is booked once, to the connected account, whoever calls', async () => {
    const bookPath = join(temporaryFolder(), 'book.jsonl');
    const { url } = await sandbox({ bookPath, matchRate: 1 });
    await apiCall(url, LOOKUP);
    await apiCall(url, LOOKUP, 'Bearer :key-2');
    await apiCall(url, { ...LOOKUP, account: 'other-data' });
    const connected = accountOf('connected account acme-data');
    expect(linesOf(bookPath)).toMatchObject([
      { vendor: 'provider', operation: 'enrich-company', account: connected, credits: 1 },
      { account: connected },
      { account: accountOf('connected account other-data') },
    ]);
    expect((await bookOf(url)).charged_twice).toMatchObject([{ parameters: LOOKUP.body, times: 2 }]);
  });

  test.each([
    [{ account: '' }, '"account" is empty'],
    [{ method: 'PUT' }, '"method" must be GET or POST'],
    [{ endpoint: 'enrich/company' }, 'starts with /'],
    [{ body: 'text' }, '"body" must be a JSON object'],
    [{ more: 1 }, '"more" is not a field'],
  ])('that is none is refused with 400: %j', async (wrong, words) => {
    const { url } = await sandbox({ matchRate: 1 });
    const { status, json } = await apiCall(url, { ...LOOKUP, ...wrong });
    expect([status, json.error]).toEqual([400, expect.stringContaining(words)]);
    expect((await bookOf(url)).charges).toBe(0);
  });

  test.each([undefined, 'Bearer key-1', 'proj-1:key-1', 'Bearer proj-1:revoked-1'])(
    'needs a key of the service: %s is refused with 401',
    async (key) => {
      const { url } = await sandbox({ matchRate: 1 });
      expect((await post(url, '/latest/tools/api-call', key, { account: 'a', ...LOOKUP })).status).toBe(401);
    },
  );
});

describe('what goes wrong inside an "API Call"', () => {
  test('an answer that the provider gives comes inside a 200', async () => {
    const { url } = await sandbox({ matchRate: 1, faults: 'charged-500:x1,429:x1,limited-200:x1,301:x1' });
    const inner = async (): Promise<Reply['json']> => (await apiCall(url, LOOKUP)).json;
    expect(await inner()).toMatchObject({ status: 500, body: { error: 'Status 500, on purpose.' } });
    expect(await inner()).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    expect(await inner()).toMatchObject({ status: 200, body: { code: 'rate_limited' } });
    expect(await inner()).toMatchObject({
      status: 301,
      headers: { location: `${url}/moved/enrich/company` },
    });
    expect((await bookOf(url)).credits).toBe(1);
  });

  test('an answer that is lost takes the service answer with it', async () => {
    const { url } = await sandbox({ matchRate: 1, faults: 'charged-reset:x1,reset:x1,empty:x1,garbage:x1' });
    await expect(apiCall(url, LOOKUP)).rejects.toThrow();
    await expect(apiCall(url, LOOKUP)).rejects.toThrow();
    expect((await apiCall(url, LOOKUP)).text).toBe('');
    expect((await apiCall(url, LOOKUP)).text).toBe('<html>Bad gat');
    expect((await bookOf(url)).credits).toBe(1);
  });

  test('too many calls of a connected account: the 429 comes inside a 200, other accounts go on', async () => {
    const { url } = await sandbox({ matchRate: 1, rate: '1/h' });
    const status = async (account: string): Promise<unknown> => {
      const { status: outer, json } = await apiCall(url, { ...LOOKUP, account });
      return [outer, json.status];
    };
    expect(await status('acme-data')).toEqual([200, 200]);
    expect(await status('acme-data')).toEqual([200, 429]);
    expect(await status('other-data')).toEqual([200, 200]);
    expect(await bookOf(url)).toMatchObject({ rate_limited: 1, credits: 2 });
  });
});
