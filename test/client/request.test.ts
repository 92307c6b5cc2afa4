/**
 * Goal: no value of a row can turn a request into another one, and what cannot be said in it is refused before. Whole requests are
 * shown by `cli/dialects.test.ts`.
 * Method: requests of dialects whose entries shape one, looked at as bytes.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Dialect, DialectOperation } from '../../src/client/dialect.ts';
import provider from '../../src/client/dialects/provider.ts';
import { requestOf, sentOf, unfitForPath } from '../../src/client/request.ts';
import { version } from '../../src/core/families.ts';
import type { Call, JsonObject } from '../../src/core/operation.ts';

const call = (parameters: Call['parameters'], more: Partial<Call> = {}): Call => ({
  operation: 'do',
  parameters,
  ifLost: 'hold',
  ...more,
});

function dialect(operation: Partial<DialectOperation>, headers: Record<string, string> = {}): Dialect {
  const entry: DialectOperation = {
    method: 'POST',
    path: '/do',
    credits: { most: 1, found: 1 },
    ...operation,
  };
  return { ...provider, headers, operations: { do: entry } };
}

describe('a field with a dot in its name', () => {
  const fields = { abn: 'query.registration', domain: 'query.site.domain', website: '__proto__.a' };

  test('a field with a dot is nested in the body, beside what else stands there', () => {
    const request = requestOf(
      dialect({ fields }),
      '',
      call({ abn: '1', domain: 'a.example', website: 'w', x: [true] }),
      { key: 'k' },
    );
    expect(String(request.body)).toBe(
      '{"query":{"registration":"1","site":{"domain":"a.example"}},"__proto__":{"a":"w"},"x":[true]}',
    );
  });

  test.each<[string, Partial<DialectOperation>, JsonObject]>([
    ['a query has no place for it', { method: 'GET' }, { 'location.state': 'VIC' }],
    ['it would stand inside of another value', { fields: { abn: 'query' } }, { abn: '1', 'query.abn': '2' }],
    ['another value would stand inside of it', { fields: { abn: 'query.abn' } }, { abn: '1', query: 'x' }],
  ])('a field with a dot is refused by the plan already where %s', (_what, operation, parameters) => {
    expect(() => unfitForPath(dialect(operation), call(parameters))).toThrow(
      expect.objectContaining({ code: 'job' }),
    );
  });
});

describe('a parameter in the path', () => {
  const inPath = (user: string) =>
    requestOf(dialect({ path: '/users/{user}/delete' }), '', call({ user, role: 'x' }), { key: 'k' });

  test.each(['', '.', '..', 'a/b', 'a\\b', '../admin'])(
    '%j could lead elsewhere, so nothing is sent',
    (user) => {
      expect(() => inPath(user)).toThrow('the path parameter user is not one path segment');
    },
  );

  test('a parameter in the path is always one segment of the path that was meant', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (user) => {
        let path: string;
        try {
          ({ path } = inPath(user));
        } catch {
          return;
        }
        const read = new URL(path, 'https://vendor.example');
        expect(read.pathname.split('/')).toHaveLength(4);
        expect(decodeURIComponent(read.pathname.split('/')[2] ?? '')).toBe(user);
        expect(read.search + read.hash).toBe('');
      }),
    );
  });
});

describe('a call that brings its own request', () => {
  const own = (method: 'GET' | 'POST', endpoint: string, body: JsonObject, operation = 'api-call'): Call =>
    call({ method, endpoint, body }, { operation });

  test.each(['api-call', 'api-call-change'])(
    'a call with its own request is sent as the job says it, to the byte: %s',
    (operation) => {
      const request = requestOf(provider, '/v1', own('POST', '/tags/{x}', { a: ['"}'] }, operation), {
        key: 'k3y',
      });
      expect(request).toEqual({
        method: 'POST',
        path: '/v1/tags/{x}',
        headers: {
          authorization: 'Bearer k3y',
          'content-type': 'application/json',
          accept: 'application/json',
          'user-agent': `rowonce/${version()}`,
        },
        body: Buffer.from('{"a":["\\"}"]}'),
        key: 'k3y',
      });
    },
  );
});

describe('the key in a path, a query and a body', () => {
  const shape = { path: '/v/{key}/do?k={key}', body: { token: 'Key {key}', deep: 'x {other} {{key}}' } };
  const sent = (more: object) =>
    sentOf(requestOf(dialect({ ...shape, ...more }), '', call({ name: '{key}' }), { key: 'a"/&' }));

  test('the key is filled in as it leaves, encoded for its place; a value of a row is a text', () => {
    const { path, body } = sent({});
    expect(path).toBe('/v/a%22%2F%26/do?k=a%22%2F%26');
    expect(JSON.parse(String(body))).toEqual({ name: '{key}', token: 'Key a"/&', deep: 'x {other} {{key}}' });
    const query = new URL(sent({ method: 'GET' }).path, 'http://x').searchParams;
    expect(Object.fromEntries(query)).toMatchObject({ name: '{key}', token: 'Key a"/&' });
  });

  test('the key is not in the request that the ledger keeps', () => {
    const { path, body } = requestOf(dialect(shape), '', call({ name: 'n' }), { key: 'k3y' });
    expect(`${path}${body}`).not.toContain('k3y');
  });
});
