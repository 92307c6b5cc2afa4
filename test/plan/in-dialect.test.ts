/**
 * Goal: an operation needs to know nothing about a dialect: it is told what cannot be asked, and finds the fields of an
 * answer at their top wherever the vendor puts them.
 * Method: an operation that says what it was given, in dialects that differ in exactly that.
 */
import { expect, test } from 'vitest';
import type { Dialect, DialectOperation } from '../../src/client/dialect.ts';
import provider from '../../src/client/dialects/provider.ts';
import service from '../../src/client/dialects/service.ts';
import { type Answer, type Call, defineOperation, end, type JsonValue } from '../../src/core/operation.ts';
import { stepIn } from '../../src/plan/row-walk.ts';

const call: Call = { operation: 'enrich-company', parameters: {}, ifLost: 'hold' };

/** What an operation is told of one answer. */
function told(dialect: Dialect, asked: Call, body: JsonValue): Extract<Answer, { kind: 'found' }> {
  let found: Answer | undefined;
  const operation = defineOperation({
    name: asked.operation,
    summary: 'Keeps what it was told.',
    vendor: 'provider',
    inputs: [],
    tiers: [],
    readsAnswers: true,
    prepare: () => ({ kind: 'ready', input: {} }),
    next(_input, answered) {
      found = answered(asked);
      return end({ kind: 'no_match', reason: 'for the test' });
    },
  });
  stepIn(dialect, operation, {}, () => ({ kind: 'found', fields: body }));
  if (found?.kind !== 'found') throw new Error('nothing was told');
  return found;
}

test('a list is where the dialect says, else the first of the fields', () => {
  const search: Call = { ...call, operation: 'search-people' };
  const searching = (entry: Partial<DialectOperation>, more: Partial<Dialect> = {}): Dialect => {
    const bare = { method: 'POST' as const, path: '/search', credits: { most: 25, found: 1 } };
    return { ...provider, ...more, operations: { 'search-people': { ...bare, ...entry } } };
  };
  const people = [{ name: 'Jo' }, { name: 'Al' }];
  const hits = { other: [1], data: { hits: people } };
  expect(told(searching({ results: 'data.hits' }), search, hits).results).toEqual(people);
  expect(told(searching({}), search, { total: 2, people }).results).toEqual(people);
  const within = { tags: [1], data: { people } };
  expect(told(searching({}, { fields_at: 'data' }), search, within).results).toEqual(people);
  expect(told(searching({}), search, { name: 'Jo' }).results).toBeUndefined();
});

test('of a change only what is remembered of it is told, by our names', () => {
  const entry = { method: 'POST' as const, path: '/', credits: { most: 0, found: 0 } };
  const dialect = {
    ...service,
    operations: {
      'create-invite': {
        ...entry,
        answer_fields: { invite_code: 'invite.id', user_id: 'user' },
        accepted: { path: 'state', equals: 'done' },
      },
    },
  };
  const change = { subject: { name: 'jo@a.example' }, leaves: { state: 'invited' as const } };
  const invite: Call = { ...call, operation: 'create-invite', after: 0, change };
  expect(told(dialect, invite, { invite: { id: 7 }, secret: 'x' }).fields).toEqual({ invite_code: '7' });
  expect(told(dialect, invite, { user: 'u-1', state: 'done' }).fields).toEqual({
    user_id: 'u-1',
    accepted: true,
  });
});
