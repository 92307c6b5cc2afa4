/**
 * Goal: a request that no browser and no tool would send gets a refusal in words or nothing at all, and reaches nothing: no
 * spelling of a path, no second header, no shape of a body, no name.
 * Method: raw bytes to a real `rowonce serve`, with its token, so that nothing but what is odd can be the reason.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { some } from '../combinations.ts';
import { Served } from './served.ts';

let served: Served;
beforeAll(async () => {
  served = await Served.start();
});
afterAll(() => served[Symbol.asyncDispose]());

const bearer = (): string => `Authorization: Bearer ${served.note.token}\r\n`;
const host = (): string => `Host: 127.0.0.1:${served.port}\r\n`;

/** The status of the answer; 0 where the connection was closed without one. */
async function statusOf(line: string, headers: string): Promise<number> {
  const said = await served.raw(`${line} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`);
  expect(said).not.toMatch(/\bat .*\.[jt]s:\d/);
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(said)?.[1] ?? 0);
}

describe('the first line', () => {
  test.each([
    ['GET /api/batches/%zz', 404],
    ['GET /api/batches/%', 404],
    ['GET /api/batches/%00', 404],
    ['GET /api/batches/%ff%fe', 404],
    [`GET /api/batches/${'a'.repeat(9_000)}`, 404],
    ['GET /api/lists/%2e%2e%2f', 404],
    ['GET /api/lists/__proto__', 404],
    ['GET /api/tasks/__proto__', 404],
    ['GET /api/batches/constructor/rows', 404],
    ['POST /api/accounts/__proto__/test', 404],
    ['GET /downloads/__proto__', 404],
    ['GET /downloads/..%2fledger.db', 404],
    ['GET /api/batches?page=1e9', 400],
    ['GET /api/batches?page=999999999999999999', 400],
    ['GET /api/history?month=%00', 400],
    ['GET api/state', 400],
    ['GET *', 400],
    ['OPTIONS *', 400],
    ['GET file:///api/state', 400],
    ['get /api/state', 400],
    ['TRACE /api/state', 404],
    ['PRI *', 400],
  ])('%s is answered with %i', async (line, status) => {
    expect(await statusOf(line, host() + bearer())).toBe(status);
  });

  test('that names the whole address, of us or of another, needs the token like any other', async () => {
    for (const address of [`http://127.0.0.1:${served.port}`, 'http://evil.example', 'http://a:b@127.0.0.1'])
      expect(await statusOf(`GET ${address}/api/state`, host())).toBe(401);
  });
});

describe('headers', () => {
  test.each([
    ['a second host', 'Host: evil.example\r\n', 403],
    ['a second origin', 'Origin: http://evil.example\r\n', 403],
    ['a second place that it comes from', 'Sec-Fetch-Site: cross-site\r\n', 403],
    ['a second token', 'Authorization: Bearer x\r\n', 401],
    ['one over several lines', 'X-Odd: a\r\n b\r\n', 400],
    ['one with a zero', 'X-Odd: a\0b\r\n', 400],
    ['thousands of them', 'X-Odd: 1\r\n'.repeat(3_000), 431],
    ['an expectation', 'Expect: something\r\n', 417],
  ])('%s is refused', async (_what, more, status) => {
    const own = `Origin: ${served.note.url}\r\nSec-Fetch-Site: same-origin\r\n`;
    expect(await statusOf('GET /api/state', host() + own + bearer())).toBe(200);
    expect(await statusOf('GET /api/state', host() + own + bearer() + more)).toBe(status);
  });

  test('nothing of a proxy counts, and no other method than the real one', async () => {
    const forwarded = `X-Forwarded-Host: 127.0.0.1:${served.port}\r\nForwarded: host=127.0.0.1:${served.port}\r\n`;
    expect(await statusOf('GET /api/state', `Host: evil.example\r\n${forwarded}${bearer()}`)).toBe(403);
    const override = 'X-HTTP-Method-Override: DELETE\r\nContent-Length: 0\r\n';
    expect(await statusOf('GET /api/state', host() + bearer() + override)).toBe(200);
  });

  test('nothing is upgraded, and who asks for it without a token gets nothing', async () => {
    for (const to of ['websocket', 'h2c']) {
      const upgrade = `Upgrade: ${to}\r\n`;
      expect(await statusOf('GET /api/state', host() + upgrade)).toBe(401);
      expect(await statusOf('GET /api/state', host() + bearer() + upgrade)).toBe(200);
    }
  });

  test('who has no token cannot keep a connection by a body that does not end', async () => {
    const said = await served.raw(
      `PUT /api/lists?name=a.csv HTTP/1.1\r\n${host()}Content-Length: 1000000000\r\n\r\nabc`,
    );
    expect(said).toMatch(/^HTTP\/1\.1 401 /);
  });
});

describe('bodies', () => {
  const nested = (open: string, close: string, depth: number): string =>
    `${open.repeat(depth)}1${close.repeat(depth)}`;

  test.each([
    ...some([10_000, 500_000], 1).map((deep) => [`lists ${deep} deep`, nested('[', ']', deep)]),
    ['objects 10,000 deep', nested('{"a":', '}', 10_000)],
    ['keys of prototypes', '{"__proto__":{"opening":"x"},"constructor":{"prototype":{}}}'],
    ['nothing', 'null'],
    ['a number beyond all', '1e999'],
  ])('%s are refused in words by every request that takes one', async (_what, body) => {
    const { id } = await brought('name=list.csv');
    const asked = [
      ['POST', '/api/plans'],
      ['POST', '/api/starts'],
      ['POST', '/api/jobs'],
      ['POST', '/api/accounts'],
      ['PATCH', '/api/accounts/x'],
      ['PUT', `/api/lists/${id}/draft`],
      ['PUT', `/api/lists/${id}/reading`],
      ['POST', `/api/lists/${id}/describe`],
      ['POST', `/api/lists/${id}/check`],
      ['POST', `/api/lists/${id}/corrections`],
    ] as const;
    for (const [method, path] of asked) {
      const answer = await served.tool(path, { method, body });
      expect([path, answer.status, JSON.parse(answer.body).error.code]).toEqual([path, 400, 'usage']);
    }
  });

  test('a column may be called like a part of every object', async () => {
    const { id } = await brought('name=list.csv');
    const columns = { ['__proto__']: 'constructor', email: '__proto__' };
    const rows = [{ row: 2, cells: JSON.parse('{"__proto__":"jo at x","constructor":"y"}') }];
    const body = JSON.stringify({ operation: 'enrich-person', columns, rows });
    const { status, body: said } = await served.tool(`/api/lists/${id}/check`, { method: 'POST', body });
    expect([status, JSON.parse(said).rows]).toEqual([200, [expect.objectContaining({ row: 2 })]]);
    expect(JSON.parse((await served.tool('/api/state')).body).version).toMatch(/^\d/);
  });
});

async function brought(query: string): Promise<{ readonly id: string; readonly name: string }> {
  const { status, body } = await served.tool(`/api/lists?${query}`, { method: 'PUT', body: 'email\nx\n' });
  expect([status, body]).toEqual([201, expect.any(String)]);
  return JSON.parse(body);
}

test.each([
  ['a\r\nX-Odd: y\r\n\r\n.csv', 'a X-Odd: y .csv'],
  ['../../etc/leads.csv', 'leads.csv'],
  ['C:\\leads\\mine.csv', 'mine.csv'],
  ['leads\u202evsc.exe\u2066.csv', 'leadsvsc.exe.csv'],
  ['le\u200bads\ufeff\u00ad.csv', 'leads.csv'],
  ['a\0b\u001b[31m.csv', 'ab.csv'],
])('a list called %j is called %j', async (given, name) => {
  expect(await brought(`name=${encodeURIComponent(given)}`)).toMatchObject({ name });
});
