/**
 * Goal: a dialect is known by what it makes of answers, so that only a correction of that has kept answers read again; and
 * nothing is ever read again that is not the vendor's own answer to a question.
 * Method: the built-in dialects with one entry altered, and attempts as a ledger has them.
 */
import { describe, expect, test } from 'vitest';
import { type Dialect, dialectMark } from '../../src/client/dialect.ts';
import provider from '../../src/client/dialects/provider.ts';

const company = provider.operations['enrich-company'];
if (company === undefined) throw new Error('the provider looks up companies');
const withCompany = (entry: Partial<typeof company>): Dialect => ({
  ...provider,
  operations: { ...provider.operations, 'enrich-company': { ...company, ...entry } },
});

describe('a dialect is another', () => {
  test.each<[string, Dialect]>([
    ['by a rule', { ...provider, answers: [{ status: [200], means: 'no_match' }, ...provider.answers] }],
    ['by the place of fields', { ...provider, fields_at: 'data' }],
    ['by the place of the price', { ...provider, credits_charged: { path: 'credits' } }],
    ['by a rule of an operation', withCompany({ answers: [{ status: [500], means: 'no_match' }] })],
    ['by the price of an operation', withCompany({ credits: { most: 2, found: 2 } })],
  ])('%s', (_, other) => expect(dialectMark(other)).not.toBe(dialectMark(provider)));

  test.each<[string, Dialect]>([
    ['how it is asked', withCompany({ path: '/v2/company', method: 'GET' })],
    ['its headers', { ...provider, headers: { 'x-key': '{key}' } }],
    ['its name', { ...provider, name: 'ours' }],
    ['the order of its entries', Object.fromEntries(Object.entries(provider).reverse()) as Dialect],
  ])('a dialect is not another by %s', (_, other) => expect(dialectMark(other)).toBe(dialectMark(provider)));
});
