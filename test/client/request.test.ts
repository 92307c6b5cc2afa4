/**
 * Goal: what leaves is exactly what the dialect says, and no value of a row can turn it into another request.
 * Method: requests of the built-in provider and of dialects with every entry that shapes one, looked at as bytes.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Dialect, type DialectOperation, dialectOperationOf } from '../../src/client/dialect.ts';
import provider from '../../src/client/dialects/provider.ts';
import service from '../../src/client/dialects/service.ts';
import { freeRequestOf, readBackRequestOf, requestOf, unfitForPath } from '../../src/client/request.ts';
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

test('a lookup of the provider, to the byte', () => {
  const lookup = call({ abn: '51824753556' }, { operation: 'enrich-company' });
  const request = requestOf(provider, '', lookup, { key: 'k3y' });
  expect(request).toMatchObject({ method: 'POST', path: '/enrich/company' });
  expect(request.headers).toEqual({
    authorization: 'Bearer k3y',
    'content-type': 'application/json',
    accept: 'application/json',
    'user-agent': `rowonce/${version()}`,
  });
  expect(request.body?.toString()).toBe('{"abn":"51824753556"}');
});

test("a parameter is sent under the vendor's name for it", () => {
  const request = requestOf(
    dialect({ fields: { abn: 'business_number' } }),
    '',
    call({ abn: '1', x: [true] }),
    { key: 'k' },
  );
  expect(JSON.parse(String(request.body))).toEqual({ business_number: '1', x: [true] });
});

describe('a field with a dot in its name', () => {
  const fields = { abn: 'query.registration', domain: 'query.site.domain', website: '__proto__.a' };

  test('is nested in the body, beside what else stands there', () => {
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

  test('may be taken into the path', () => {
    const request = requestOf(
      dialect({ method: 'GET', path: '/by/{query.registration}', fields }),
      '',
      call({ abn: '1' }),
      { key: 'k' },
    );
    expect(request.path).toBe('/by/1');
  });

  test.each<[string, Partial<DialectOperation>, JsonObject]>([
    ['a query has no place for it', { method: 'GET' }, { 'location.state': 'VIC' }],
    ['it would stand inside of another value', { fields: { abn: 'query' } }, { abn: '1', 'query.abn': '2' }],
    ['another value would stand inside of it', { fields: { abn: 'query.abn' } }, { abn: '1', query: 'x' }],
  ])('is refused by the plan already where %s', (_what, operation, parameters) => {
    expect(() => unfitForPath(dialect(operation), call(parameters))).toThrow(
      expect.objectContaining({ code: 'job' }),
    );
  });
});

describe('each method', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)('%s carries its parameters in a body', (method) => {
    const request = requestOf(
      dialect({ method, path: '/do/{id}' }, { 'content-type': 'application/json' }),
      '',
      call({ id: 'a b', role: 'x' }),
      { key: 'k' },
    );
    expect(request).toMatchObject({ method, path: '/do/a%20b', body: Buffer.from('{"role":"x"}') });
  });

  test('a DELETE that says nothing but its path has no body; a POST has an empty one', () => {
    const bare = (method: 'POST' | 'DELETE') =>
      requestOf(
        dialect({ method, path: '/do/{id}' }, { 'content-type': 'application/json' }),
        '',
        call({ id: '1' }),
        { key: 'k' },
      );
    expect(bare('DELETE')).toEqual({ method: 'DELETE', path: '/do/1', headers: {}, body: undefined });
    expect(String(bare('POST').body)).toBe('{}');
  });

  test('through a service only those are sent that its step takes, and the plan says so', () => {
    if (service.api_call === undefined) throw new Error('the service has no API Call step');
    const { api_call: envelope } = service;
    const through = (methods?: ('PUT' | 'GET')[]): Dialect => ({
      ...dialect({ method: 'PUT' }),
      through: {
        envelope: methods === undefined ? envelope : { ...envelope, methods },
        connectedAccount: 'acme-data',
      },
    });
    expect(() => unfitForPath(through(), call({ a: 1 }))).toThrow(
      'The "API Call" step of the service sends GET and POST, but do is a PUT.',
    );
    unfitForPath(through(['GET', 'PUT']), call({ a: 1 }));
    const sent = requestOf(through(['PUT']), '/step', call({ a: 1 }), { key: 'k' });
    expect(JSON.parse(String(sent.body))).toMatchObject({ method: 'PUT', body: { a: 1 } });
  });
});

describe('a parameter in the path', () => {
  const inPath = (user: string) =>
    requestOf(dialect({ path: '/users/{user}/delete' }), '', call({ user, role: 'x' }), { key: 'k' });

  test('leaves the body and is encoded', () => {
    const request = inPath('a b?c#d%');
    expect(request.path).toBe('/users/a%20b%3Fc%23d%25/delete');
    expect(String(request.body)).toBe('{"role":"x"}');
  });

  test.each(['', '.', '..', 'a/b', 'a\\b', '../admin'])(
    '%j could lead elsewhere, so nothing is sent',
    (user) => {
      expect(() => inPath(user)).toThrow('the path parameter user is not one path segment');
    },
  );

  test('is always one segment of the path that was meant', () => {
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

test('a GET carries its parameters in the query and has no body', () => {
  const request = requestOf(dialect({ method: 'GET' }), '', call({ q: 'a&b=c', n: 3 }), { key: 'k' });
  expect(request).toMatchObject({ method: 'GET', path: '/do?q=a%26b%3Dc&n=3', body: undefined });
  expect(requestOf(dialect({ method: 'GET' }), '', call({}), { key: 'k' }).path).toBe('/do');
});

test('a list in a query is its members, and what is nested deeper is JSON', () => {
  const parameters = { sizes: [10, 50], place: { state: 'NSW' }, none: null };
  expect(requestOf(dialect({ method: 'GET' }), '', call(parameters), { key: 'k' }).path).toBe(
    '/do?sizes=10%2C50&place=%7B%22state%22%3A%22NSW%22%7D&none=',
  );
});

describe('a search', () => {
  const search = (parameters: Call['parameters']): Call => call(parameters, { operation: 'search-people' });

  test('of the provider, first page and next, to the byte', () => {
    const [first, next] = [{ company: 'Acme' }, { company: 'Acme', page: 2 }].map((parameters) =>
      requestOf(provider, '/v1', search(parameters), { key: 'k3y' }),
    );
    expect(first).toMatchObject({ method: 'POST', path: '/v1/search/people' });
    expect(String(first?.body)).toBe('{"company":"Acme"}');
    expect(next).toEqual({ ...first, body: Buffer.from('{"company":"Acme","page":2}') });
  });

  test('asks for the next page by the name that the vendor has for it', () => {
    const paged = dialect({ method: 'GET', paging: { parameter: 'cursor', next: 'next' } });
    expect(requestOf(paged, '', call({ q: 'a', page: 'b c' }), { key: 'k' }).path).toBe('/do?q=a&cursor=b+c');
  });

  test('with a filter that has the vendor’s name for something else is refused, not sent without one of both', () => {
    const named = dialect({ fields: { company: 'org' }, paging: { parameter: 'cursor', next: 'next' } });
    for (const parameters of [
      { company: 'Acme', org: 'x' },
      { cursor: 'x', page: 'b' },
    ]) {
      expect(() => requestOf(named, '', call(parameters), { key: 'k' })).toThrow(
        /^do: two values would be sent as "(org|cursor)"\.$/,
      );
    }
  });
});

describe('a call that brings its own request', () => {
  const own = (method: 'GET' | 'POST', endpoint: string, body: JsonObject, operation = 'api-call'): Call =>
    call({ method, endpoint, body }, { operation });

  test.each(['api-call', 'api-call-change'])('is sent as the job says it, to the byte: %s', (operation) => {
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
    });
  });

  test('has its body for a query when it is a GET', () => {
    const request = requestOf(provider, '', own('GET', '/x?v=2', { q: 'a&b', n: 1 }), { key: 'k' });
    expect(request).toMatchObject({ method: 'GET', path: '/x?v=2&q=a%26b&n=1', body: undefined });
    expect(request.headers).not.toHaveProperty('content-type');
  });

  test('costs what the job says at most, and is booked at that', () => {
    const stated = { ...own('POST', '/x', {}), creditsMost: 7 };
    expect(dialectOperationOf(provider, stated).credits).toEqual({ most: 7, found: 7 });
    const search: Call = call({}, { operation: 'search-people', creditsMost: 100 });
    expect(dialectOperationOf(provider, search).credits).toEqual({ most: 100, found: 1, per_result: 1 });
  });
});

test('a query that the path has already is kept', () => {
  const versioned = dialect({ method: 'GET', path: '/do?version=2' });
  expect(requestOf(versioned, '', call({ q: 'a' }), { key: 'k' }).path).toBe('/do?version=2&q=a');
  expect(requestOf(versioned, '', call({}), { key: 'k' }).path).toBe('/do?version=2');
});

test('a request without a body does not say of which type it is', () => {
  const typed = { 'content-type': 'application/json', accept: 'application/json' };
  expect(requestOf(dialect({ method: 'GET' }, typed), '', call({}), { key: 'k' }).headers).toEqual({
    accept: 'application/json',
  });
});

describe('an idempotency key', () => {
  const values = { key: 'k', idempotency_key: 'lost 1' };
  const keyed = { ...dialect({}), idempotency: { header: 'idempotency-key', valid_for: '24h' } };
  const readBack = { method: 'GET' as const, path: '/charges/{idempotency_key}', answers: [] };

  test('is sent in the header that the vendor honours, and in no other', () => {
    expect(requestOf(keyed, '', call({}), values).headers).toEqual({ 'idempotency-key': 'lost 1' });
    expect(requestOf(keyed, '', call({}), { key: 'k' }).headers).toEqual({});
    expect(requestOf(dialect({}), '', call({}), values).headers).toEqual({});
  });

  test('is what a read-back asks by, in its path or in a header, and it is not used for the read-back itself', () => {
    const headers = { 'x-lost': '{idempotency_key}' };
    const fields = { abn: null, domain: 'fqdn' };
    expect(
      readBackRequestOf(
        keyed,
        '/v1',
        call({ abn: '1', domain: 'a.example' }),
        { ...readBack, headers, fields },
        values,
      ),
    ).toEqual({
      method: 'GET',
      path: '/v1/charges/lost%201?fqdn=a.example',
      headers: { 'x-lost': 'lost 1' },
      body: undefined,
    });
  });
});

test('the count of credits is asked for with the headers of the dialect and its own', () => {
  const counting = {
    ...dialect({}, { authorization: 'Bearer {key}' }),
    usage: { method: 'GET' as const, path: '/usage', headers: { 'x-a': '{key}' }, credits: 'used' },
  };
  expect(freeRequestOf(counting, '/v1', counting.usage, {}, { key: 'k' })).toEqual({
    method: 'GET',
    path: '/v1/usage',
    headers: { authorization: 'Bearer k', 'x-a': 'k' },
    body: undefined,
  });
});

describe('headers', () => {
  const headers = { authorization: 'Bearer {project_id}:{key}', 'x-org': '{organization_id}' };
  const values = { key: 'k', project_id: 'p-default', organization_id: 'o' };

  test('are filled from the account, and from the call for its project', () => {
    expect(requestOf(dialect({}, headers), '', call({}), values).headers.authorization).toBe(
      'Bearer p-default:k',
    );
    const other = requestOf(dialect({}, headers), '', call({}, { project: 'p-9' }), values);
    expect(other.headers).toEqual({ authorization: 'Bearer p-9:k', 'x-org': 'o' });
  });

  test("an operation's own replace those of the dialect", () => {
    const request = requestOf(
      dialect({ headers: { authorization: '{key}' } }, headers),
      '',
      call({}),
      values,
    );
    expect(request.headers).toEqual({ authorization: 'k', 'x-org': 'o' });
  });
});
