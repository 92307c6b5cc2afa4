/**
 * Goal: through a service a vendor's answers mean what they mean directly, and what the service itself says is never taken for
 * the vendor's. What is asked is shown by `cli/dialects.test.ts`.
 * Method: answers of every kind inside of and instead of the built-in envelope; then envelopes with other names.
 */
import { describe, expect, test } from 'vitest';
import type { Dialect, Envelope } from '../../src/client/dialect.ts';
import provider from '../../src/client/dialects/provider.ts';
import service from '../../src/client/dialects/service.ts';
import { judge, type Verdict } from '../../src/client/judge.ts';
import type { Call } from '../../src/core/operation.ts';
import type { Reply } from '../../src/ledger/ledger.ts';

function through(change: Partial<Envelope> = {}, more: Partial<Dialect> = {}): Dialect {
  if (service.api_call === undefined) throw new Error('the service has no API Call step');
  const envelope = { ...service.api_call, ...change };
  return { ...provider, ...more, through: { envelope, connectedAccount: 'acme-data' } };
}

function reply(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return { status, headers, body: bytes, receivedAtMs: Date.UTC(2026, 10, 20) };
}

const inside = (status: number, body?: unknown, headers: object = {}): Reply =>
  reply(200, { status, headers, body });

function verdictOn(raw: Reply, dialect = through()): Verdict {
  const operation = { method: 'POST' as const, path: '/e', credits: { most: 1, found: 1 } };
  const call: Call = { operation: 'enrich-company', parameters: { domain: 'a.example' }, ifLost: 'hold' };
  return judge({ kind: 'answered', raw }, dialect, operation, call);
}

function inShort(verdict: Verdict): string {
  if (verdict.kind === 'answered') return `${verdict.answer}, ${verdict.charged}`;
  return verdict.kind === 'stopped' ? `stop, ${verdict.stop.code}` : verdict.kind;
}

describe('an answer', () => {
  test.each<[string, Reply, string]>([
    ['a match', inside(200, { name: 'Acme' }), 'found, 1'],
    ['a match whose body is JSON in a text', inside(200, '{"name":"Acme"}'), 'found, 1'],
    ['a match whose status is a text', reply(200, { status: '200', body: { name: 'Acme' } }), 'found, 1'],
    ['an empty result', inside(200, { results: [] }), 'no_match, 0'],
    ['a 204 without a body', inside(204), 'no_match, 0'],
    ['a 404 of the vendor', inside(404, { error: 'No match' }), 'no_match, 0'],
    ['a 422 of the vendor', inside(422, { error: 'bad' }), 'refused, 0'],
    ['a 429 of the vendor', inside(429, {}), 'paused'],
    ['a 401 of the vendor', inside(401, {}), 'stop, key'],
    ['a 500 of the vendor', inside(500, {}), 'in_doubt'],
    ['a 200 of the vendor without a byte', inside(200, ''), 'in_doubt'],
    ['a 200 of the vendor that is no JSON', inside(200, '<html>'), 'in_doubt'],
    ['a status that is none', reply(200, { status: 'ok', body: { name: 'Acme' } }), 'in_doubt'],
    ['no answer of the vendor at all', reply(200, { queued: true }), 'in_doubt'],
    ['a 200 of the service that is no JSON', reply(200, '<html>'), 'in_doubt'],
    ['a 429 of the service', reply(429, {}), 'paused'],
    ['a 401 of the service', reply(401, {}), 'stop, key'],
    ['a 403 of the service', reply(403, {}), 'stop, key'],
    ['a 404 of the service', reply(404, {}), 'stop, address'],
    ['a 302 of the service', reply(302, ''), 'stop, address'],
    ['a 400 of the service', reply(400, { error: 'no such account' }), 'refused, 0'],
    ['a page with a 400 instead of the service', reply(400, '<html>'), 'in_doubt'],
    ['a page with a 404 instead of the service', reply(404, '<html>'), 'stop, address'],
    ['a page with a 404 instead of the vendor', inside(404, '<html>'), 'in_doubt'],
    ['a page with a 422 instead of the vendor', inside(422, '<html>'), 'in_doubt'],
    ['a 404 inside without a byte', inside(404), 'in_doubt'],
    ['a proxy between here and the service that asks who we are', reply(407, ''), 'stop, address'],
    ['a 502 of the service', reply(502, inside(200, { name: 'Acme' }).body.toString()), 'in_doubt'],
  ])('%s', (_what, raw, expected) => {
    expect(inShort(verdictOn(raw))).toBe(expected);
  });

  test('an answer that stops the run says whose key it is, and where to put a working one', () => {
    expect(verdictOn(reply(401, {}))).toMatchObject({
      stop: {
        message: 'The service refused the key: status 401, read by the table: the status is 401.',
        next: { typed: expect.stringContaining('the service account') },
      },
    });
    expect(verdictOn(inside(401, {}))).toMatchObject({
      stop: {
        message: 'The provider refused the key: status 401, read by the table: the status is 401.',
        next: { typed: expect.stringContaining('the connected account acme-data of the service') },
      },
    });
    expect(verdictOn(reply(404, {}))).toMatchObject({
      stop: {
        next: {
          typed: expect.stringMatching(/^Correct the account's api_call_url; if it is right, add a rule/),
        },
      },
    });
    expect(verdictOn(inside(302, ''))).toMatchObject({
      stop: { next: { typed: expect.stringMatching(/^Correct the operation's path in the dialect;/) } },
    });
  });

  test('an answer costs what the vendor says inside, by its own headers, and waits as long as it says', () => {
    const charged = through({}, { credits_charged: { header: 'x-credits' } });
    expect(inShort(verdictOn(inside(200, { name: 'Acme' }, { 'X-Credits': 3 }), charged))).toBe('found, 3');
    expect(verdictOn(inside(429, {}, { 'Retry-After': '7' }))).toMatchObject({ pauseMs: 7000 });
    expect(verdictOn(reply(429, {}, { 'retry-after': '9' }))).toMatchObject({ pauseMs: 9000 });
    // The service was quick to answer; that says nothing about how long the vendor wants to be left alone.
    const outer = { ...inside(429, {}), headers: { 'retry-after': '9' } };
    expect(verdictOn(outer)).not.toHaveProperty('pauseMs');
  });

  test('an answer of a dialect that reads no status inside has that of the service', () => {
    const dialect = through({ answer: { body: 'result' } });
    expect(inShort(verdictOn(reply(200, { result: { name: 'Acme' } }), dialect))).toBe('found, 1');
    expect(inShort(verdictOn(reply(200, { other: 1 }), dialect))).toBe('in_doubt');
    const busy = { status: ['2xx'], body: { path: 'other', equals: 1 }, means: 'rate_limited' as const };
    const telling = through({ answer: { body: 'result' }, answers: [busy] });
    expect(inShort(verdictOn(reply(200, { other: 1 }), telling))).toBe('paused');
  });
});
