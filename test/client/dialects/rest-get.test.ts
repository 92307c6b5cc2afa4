/**
 * Goal: the dialect that is shipped as an example takes no answer of its vendor for something else. What it asks is shown by
 * `cli/dialects.test.ts`.
 * Method: the file as it is shipped, and answers as that vendor gives them against verdicts.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkDialectFile } from '../../../src/client/dialect/file.ts';
import type { Dialect } from '../../../src/client/dialect.ts';
import provider from '../../../src/client/dialects/provider.ts';
import { judge, type Verdict } from '../../../src/client/judge.ts';
import type { Call } from '../../../src/core/operation.ts';

const FILE = join(import.meta.dirname, '..', '..', '..', 'jobs', 'dialects', 'rest-get.yaml');

let dialect: Dialect;
beforeAll(async () => {
  dialect = await checkDialectFile(readFileSync(FILE, 'utf8'), FILE, provider);
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
