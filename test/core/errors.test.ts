/**
 * Goal: a rule of the ledger that a bug would break is said in words of a user.
 * Method: the sentence as SQLite and as PostgreSQL give it.
 */
import { expect, test } from 'vitest';
import { bugWords } from '../../src/core/errors.ts';

test.each([
  ['money rule: above a cap', 'The ledger refused to write what breaks its rule: above a cap.'],
  [
    'error: money rule: a call is told once',
    'The ledger refused to write what breaks its rule: a call is told once.',
  ],
  ['Rowonce has a bug: unexpected 7', 'Rowonce has a bug: unexpected 7'],
])('the bug %j says %j', (message, said) => {
  expect(bugWords(new Error(message))).toBe(said);
});
