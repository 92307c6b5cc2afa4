import { expect, test } from 'vitest';
import provider from '../../src/client/dialects/provider.ts';
import { refusalShape } from '../../src/client/judge.ts';
import type { Call } from '../../src/core/operation.ts';
import type { RawReply } from '../../src/ledger/ledger.ts';

/*
 * Goal: refusals that say the same of every row are of one shape, and one that quotes what its row has is of none.
 * Method: what vendors write, as the answer to questions about several people.
 */

const callOf = (email: string): Call => ({
  operation: 'enrich-person',
  parameters: { email },
  ifLost: 'hold',
});

const refusal = (body: unknown): RawReply => ({
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

test('what says something else is of another shape', () => {
  const shapes = ['Bad credentials', 'Your plan has no lookups left', 'email is required'].map((message) =>
    shapeOf({ message }),
  );
  expect(new Set(shapes).size).toBe(3);
});
