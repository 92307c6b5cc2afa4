/**
 * Goal: the dialect that is shipped as an example asks the vendor that it was written for exactly as that one is asked,
 * and takes no answer of it for something else.
 * Method: the file as it is shipped: requests to the byte, and answers as that vendor gives them against verdicts.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkDialectFile } from '../../../src/client/dialect/file.ts';
import type { Dialect } from '../../../src/client/dialect.ts';
import { unaskable } from '../../../src/client/dialect.ts';
import provider from '../../../src/client/dialects/provider.ts';
import { judge, type Verdict } from '../../../src/client/judge.ts';
import { requestOf } from '../../../src/client/request.ts';
import { version } from '../../../src/core/families.ts';
import { present } from '../../../src/core/objects.ts';
import type { Call } from '../../../src/core/operation.ts';
import enrichCompany from '../../../src/operations/enrich-company.ts';
import type { TieredInput } from '../../../src/operations/lookup/waterfall.ts';

const FILE = join(import.meta.dirname, '..', '..', '..', 'jobs', 'dialects', 'rest-get.yaml');

let dialect: Dialect;
beforeAll(async () => {
  dialect = await checkDialectFile(readFileSync(FILE, 'utf8'), FILE, provider);
});

const call = (operation: string, parameters: Call['parameters']): Call => ({
  operation,
  parameters,
  ifLost: 'hold',
});

describe('what is asked', () => {
  test.each<[string, Call['parameters'], string]>([
    ['enrich-company', { abn: '51824753556' }, '/v1/company?abn=51824753556'],
    ['enrich-company', { domain: 'acme.com.au' }, '/v1/company?fqdn=acme.com.au'],
    [
      'enrich-company',
      { profile_url: 'https://www.linkedin.com/company/acme' },
      '/v1/company?ln_url=https%3A%2F%2Fwww.linkedin.com%2Fcompany%2Facme',
    ],
    [
      'enrich-company',
      { abn: '51824753556', domain: 'acme.com.au' },
      '/v1/company?abn=51824753556&fqdn=acme.com.au',
    ],
    ['enrich-person', { email: 'jo@acme.com.au' }, '/v1/people?work_email=jo%40acme.com.au'],
    [
      'enrich-person',
      { profile_url: 'https://www.linkedin.com/in/jo' },
      '/v1/people?ln_url=https%3A%2F%2Fwww.linkedin.com%2Fin%2Fjo',
    ],
    ['enrich-person', { profile_slug: 'jo-citizen' }, '/v1/people?ln_slug=jo-citizen'],
    [
      'search-people',
      { company: 'Acme & Co', position: 'CEO' },
      '/v1/people/search?company=Acme+%26+Co&position=CEO',
    ],
  ])('%s by %j', (operation, parameters, path) => {
    expect(requestOf(dialect, '/v1', call(operation, parameters), { key: 'k3y' })).toEqual({
      method: 'GET',
      path,
      headers: {
        authorization: 'Bearer k3y',
        accept: 'application/json',
        'user-agent': `rowonce/${version()}`,
      },
      body: undefined,
    });
  });

  test('never a website, for which this vendor has no field: not by itself, and not as a part of a call', () => {
    const row = { abn: '51824753556', website: 'https://www.acme.com.au/' };
    const tiersOf = (waterfall?: readonly string[]) => {
      const options = { unaskable: unaskable(dialect, enrichCompany.name), ...present({ waterfall }) };
      const prepared = enrichCompany.prepare(row, options);
      if (prepared.kind === 'invalid') return prepared.reason;
      return (prepared.input as TieredInput).tiers.map(({ name }) => name);
    };
    // The domain is still read out of the website, because by that this vendor can be asked.
    expect(tiersOf()).toEqual(['abn', 'domain']);
    expect(tiersOf(['website', 'abn+website', 'domain'])).toEqual(['domain']);
    expect(tiersOf(['website'])).toBe(
      'no usable identifier: website https://www.acme.com.au/: the vendor cannot look it up',
    );
    expect(() =>
      requestOf(dialect, '', call('enrich-company', { website: 'a.example' }), { key: 'k' }),
    ).toThrow('enrich-company is asked by website, for which the vendor has no field');
  });
});

describe('what an answer means', () => {
  function verdictOn(
    operation: string,
    status: number,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Verdict {
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    const entry = dialect.operations[operation];
    if (entry === undefined) throw new Error(`there is no ${operation}`);
    const raw = { status, headers, body: bytes, receivedAtMs: 0 };
    const call: Call = { operation, parameters: { domain: 'a.example' }, ifLost: 'hold' };
    return judge({ kind: 'answered', raw }, dialect, entry, call);
  }

  function inShort(verdict: Verdict): string {
    switch (verdict.kind) {
      case 'answered':
        return `${verdict.answer}, ${verdict.charged} credits`;
      case 'stopped':
        return `stop, ${verdict.stop.code}`;
      case 'paused':
        return `pause, ${verdict.pauseMs} ms`;
      default:
        return verdict.kind;
    }
  }

  const LIMITED = { success: false, code: 'rate_limited', error: 'Too many requests. Retry in 36s.' };

  test.each<[string, string, number, unknown, string]>([
    ['a company', 'enrich-company', 200, { name: 'Acme' }, 'found, 1 credits'],
    ['a person', 'enrich-person', 200, { name: 'Jo' }, 'found, 2 credits'],
    ['a miss', 'enrich-company', 500, { error: 'Company profile not found' }, 'no_match, 0 credits'],
    [
      'a miss of a person',
      'enrich-person',
      500,
      { error: 'Person profile not found' },
      'no_match, 0 credits',
    ],
    [
      'a miss of a search',
      'search-people',
      500,
      { error: 'Person profile not found' },
      'no_match, 0 credits',
    ],
    ['another 500', 'enrich-company', 500, { error: 'Internal error' }, 'in_doubt'],
    ['a miss of something else', 'enrich-company', 500, { error: 'Person profile not found' }, 'in_doubt'],
    ['a 500 without JSON', 'enrich-company', 500, 'Company profile not found', 'in_doubt'],
    [
      'the same words with another status',
      'enrich-company',
      502,
      { error: 'Company profile not found' },
      'in_doubt',
    ],
    ['throttling', 'enrich-company', 200, LIMITED, 'pause, 36000 ms'],
    [
      'throttling of a person',
      'enrich-person',
      200,
      { ...LIMITED, error: 'retry in 1.5 s' },
      'pause, 1500 ms',
    ],
    ['throttling that names no time', 'enrich-company', 200, { code: 'rate_limited' }, 'pause, undefined ms'],
    ['no credits', 'enrich-company', 402, {}, 'stop, vendor_credits'],
    ['a wrong key', 'enrich-company', 401, {}, 'stop, key'],
    ['a redirect', 'enrich-company', 307, '', 'stop, address'],
  ])('%s', (_what, operation, status, body, expected) => {
    expect(inShort(verdictOn(operation, status, body))).toBe(expected);
  });
});
