/**
 * Goal: a dialect is known by what it makes of answers, so that only a correction of that has kept answers read again; and
 * nothing is ever read again that is not the vendor's own answer to a question.
 * Method: the built-in dialects with one entry altered, and attempts as a ledger has them.
 */
import { describe, expect, test } from 'vitest';
import { type Dialect, dialectMark } from '../../src/client/dialect.ts';
import provider from '../../src/client/dialects/provider.ts';
import { readToday } from '../../src/client/kept-answers.ts';
import {
  type AttemptRecord,
  type BatchId,
  credits,
  type DecisionId,
  type DecisionKind,
} from '../../src/ledger/ledger.ts';
import { callNamed, keyNamed, NOON_MS, replyWith } from '../ledger/stores/book.ts';

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

const FOUND = {
  kind: 'answered',
  answer: 'found',
  charged: credits(1),
  why: 'x',
  endedAtMs: NOON_MS,
} as const;

const DECIDED = { id: 1 as DecisionId, key: keyNamed('acme'), batch: '0000000a' as BatchId };

function attempt(record: Partial<AttemptRecord> = {}): AttemptRecord {
  return {
    attempt: 1 as AttemptRecord['attempt'],
    key: keyNamed('acme'),
    accountIdentity: 'acme',
    batch: '0000000a' as AttemptRecord['batch'],
    row: 2,
    call: callNamed('acme'),
    reserved: credits(1),
    sentAtMs: NOON_MS,
    reply: replyWith('{"name":"Acme"}'),
    end: FOUND,
    decisions: [],
    looks: [],
    ...record,
  };
}

describe('what a kept reply means today', () => {
  test('what a kept reply means today is applied to answers to questions alone', () => {
    const isReadAgain = (record: AttemptRecord): boolean => readToday(record, provider) !== undefined;
    const subject = { project: 'p', name: 'jo@a.example' };
    const change = { subject, leaves: { state: 'invited' } } as const;
    expect(isReadAgain(attempt())).toBe(true);
    expect(isReadAgain(attempt({ call: { ...callNamed('acme'), change } }))).toBe(false);
    const { end: _, ...open } = attempt();
    expect(isReadAgain(open)).toBe(false);
    const doubt = { end: { kind: 'in_doubt', why: 'x', endedAtMs: NOON_MS } } as const;
    expect(isReadAgain(attempt(doubt)), 'a reply that is in doubt').toBe(true);
    const { reply: _reply, ...silent } = attempt(doubt);
    expect(isReadAgain(silent)).toBe(false);
    const decided = (kind: DecisionKind): Partial<AttemptRecord> => ({
      decision: { ...DECIDED, kind, by: 'person', why: 'x', atMs: NOON_MS },
    });
    expect(isReadAgain(attempt({ ...doubt, ...decided('told') }))).toBe(false);
    expect(isReadAgain(attempt({ ...doubt, ...decided('repeat') }))).toBe(false);
    expect(isReadAgain(attempt(decided('repeat')))).toBe(true);
  });
});
