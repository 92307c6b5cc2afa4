import { expect, test } from 'vitest';
import provider from '../../src/client/dialects/provider.ts';
import { factsShape, NO_FACTS, refusalShape } from '../../src/client/judge.ts';
import type { Call } from '../../src/core/operation.ts';
import type { Reply } from '../../src/ledger/ledger.ts';

/*
 * Goal: refusals that say the same of every row are of one shape, and one that quotes what its row has is of none; a match that tells
 * of nothing but itself shows no facts. What a series does to a run: `faults/series.test.ts` and `cli/answers.test.ts`.
 * Method: what vendors write, as the answer to questions about several people.
 */

const callOf = (email: string): Call => ({
  operation: 'enrich-person',
  parameters: { email },
  ifLost: 'hold',
});

const refusal = (body: unknown): Reply => ({
  status: 400,
  headers: {},
  body: Buffer.from(JSON.stringify(body)),
  receivedAtMs: 0,
});

const shapeOf = (body: unknown, email = 'jane.doe@acme.example'): string | undefined =>
  refusalShape(refusal(body), provider, callOf(email));

test.each<[unknown]>([
  [{ message: 'jane.doe@acme.example is not an e-mail address' }],
  [{ error: { code: 'invalid', detail: 'No mailbox of ACME.example is looked up' } }],
  [{ errors: [{ field: 'email', value: 'jane.doe@acme.example', code: 'invalid' }] }],
  [{ detail: [{ loc: ['body', 'email'], msg: 'not valid', input: 'jane.doe@acme.example' }] }],
  ['jane.doe@acme.example is unknown here'],
])('what quotes the row is of no shape: %j', (body) => {
  expect(shapeOf(body)).toBeUndefined();
});

test.each<[(nth: number) => unknown]>([
  [() => ({ message: 'Bad credentials' })],
  [(nth) => ({ error_code: 'INSUFFICIENT_CREDITS', request_id: `r-${nth}` })],
  [(nth) => ({ error: `Plan expired (request 0b0f7d1e-0000-4000-8000-00000000000${nth}).` })],
  [(nth) => ({ error: 'Bad credentials', email: `row-${nth}@acme.example` })],
])('what says the same of each row is of one shape: %o', (say) => {
  const shapes = [1, 2, 3].map((nth) => shapeOf(say(nth), `row-${nth}@acme.example`));
  expect(shapes[0]).toEqual(expect.any(String));
  expect(new Set(shapes).size).toBe(1);
});

test.each<[object, object]>([
  [{ request_id: 'r-1', status: 'ok', timestamp: '2026-11-21T00:00:00Z', credits: 1 }, {}],
  [{ requestId: 'r-1', success: true, message: 'Request processed', data: {} }, {}],
  [{ meta: { anything: 'at all' }, data: null, took_ms: 12 }, {}],
  [{ data: { trace_id: 't', status: 200, pagination: { next: 'abc' } } }, { fields_at: 'data' }],
])('an answer that tells of nothing but itself shows no facts: %j', (answer, dialect) => {
  expect(factsShape(JSON.stringify(answer), { ...provider, ...dialect }, callOf('a@b.example'))).toBe(
    NO_FACTS,
  );
});

test.each([
  { request_id: 'r-1', data: { name: 'Acme' } },
  { metadata_company: 'Acme' },
  { created: '2019-05-01' },
  { is_verified: true },
])('what may be a field shows one: %j', (answer) => {
  expect(factsShape(JSON.stringify(answer), provider, callOf('a@b.example'))).not.toBe(NO_FACTS);
});
