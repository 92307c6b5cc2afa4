/**
 * Goal: an operation needs to know nothing about a dialect: it is told what cannot be asked, and finds the fields of an
 * answer at their top wherever the vendor puts them.
 * Method: an operation that says what it was given, in dialects that differ in exactly that.
 */
import { describe, expect, test } from 'vitest';
import { sandboxAccount } from '../../../src/client/account/account.ts';
import type { Dialect, DialectOperation } from '../../../src/client/dialect.ts';
import provider from '../../../src/client/dialects/provider.ts';
import service from '../../../src/client/dialects/service.ts';
import {
  type Answer,
  type Call,
  defineOperation,
  end,
  type JsonValue,
  send,
} from '../../../src/core/operation.ts';
import type { Job } from '../../../src/job/job.ts';
import enrichCompany from '../../../src/operations/enrich-company.ts';
import { stepIn } from '../../../src/plan/row-walk/in-dialect.ts';
import { optionsOf } from '../../../src/plan/row-walk.ts';

const call: Call = { operation: 'enrich-company', parameters: {}, ifLost: 'hold' };

test('what the vendor has no field for is said beside what the job says', () => {
  const entry = { method: 'POST' as const, path: '/', credits: { most: 1, found: 1 } };
  const dialect = {
    ...provider,
    operations: { 'enrich-company': { ...entry, fields: { website: null, abn: 'a' } } },
  };
  const job: Job = {
    ...{ name: 'test', operation: enrichCompany, waterfall: ['abn'] },
  };
  const account = sandboxAccount('provider');
  expect(optionsOf({ job, account, dialect })).toEqual({
    settings: {},
    waterfall: ['abn'],
    unaskable: ['website'],
  });
});

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

describe('pages', () => {
  const search = (parameters: Call['parameters'] = {}): Call => ({
    ...call,
    operation: 'search-people',
    parameters,
  });
  const searching = (entry: Partial<DialectOperation>, more: Partial<Dialect> = {}): Dialect => {
    const bare = { method: 'POST' as const, path: '/search', credits: { most: 25, found: 1 } };
    return { ...provider, ...more, operations: { 'search-people': { ...bare, ...entry } } };
  };
  const people = [{ name: 'Jo' }, { name: 'Al' }];

  test('are read where the dialect says that list and next page stand', () => {
    const dialect = searching({ results: 'data.hits', paging: { parameter: 'cursor', next: 'meta.next' } });
    const body = { other: [1], data: { hits: people }, meta: { next: 'b' } };
    expect(told(dialect, search(), body)).toMatchObject({ results: people, more: 'b' });
  });

  test('are counted on from the first until one is empty', () => {
    const dialect = searching({ paging: { parameter: 'p', from: 0 } });
    expect(told(dialect, search(), people).more).toBe(1);
    expect(told(dialect, search({ page: 4 }), people).more).toBe(5);
    expect(told(dialect, search({ page: 5 }), []).more).toBeUndefined();
  });

  test('are found under the same name where the list is in `data`, and where they have an object of their own', () => {
    const named = searching({ paging: { parameter: 'page', next: 'next_page' } });
    for (const body of [
      { data: { people, next_page: 2 } },
      { data: { people, pagination: { next_page: 2 } } },
      { people, pagination: { next_page: 2 } },
      { data: { people, pagination: { next: 2 } } },
    ]) {
      expect(told(named, search(), body).more).toBe(2);
    }
    for (const next of ['https://a.example/?page=2', '/people?page=2&size=25']) {
      expect(told(named, search(), { people, links: { next } }).more).toBe(2);
    }
    for (const next of ['https://a.example/?cursor=b', 'Y3Vyc29y', 'https://a.example/2']) {
      expect(told(named, search(), { data: { people, pagination: { next } } })).not.toHaveProperty('more');
    }
    for (const next of [null, '', false]) {
      expect(told(named, search(), { next_page: next, data: { next_page: 2 } }).more).toBeUndefined();
    }
  });

  test('are none where the dialect has none', () => {
    expect(told(searching({}), search(), { results: people, next_page: 2 }).more).toBeUndefined();
  });

  test('have the first list in the fields where the dialect does not say which', () => {
    expect(told(searching({}), search(), { total: 2, people }).results).toEqual(people);
    expect(
      told(searching({}, { fields_at: 'data' }), search(), { tags: [1], data: { people } }).results,
    ).toEqual(people);
    expect(told(searching({}), search(), { name: 'Jo' }).results).toBeUndefined();
  });
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

test.each(['..', 'a/b', '%2e%2e', '..;x', '\ud800'])(
  'a cell that would lead out of the path is a reason of its row, and never a request: %j',
  (code) => {
    const entry = { method: 'POST' as const, path: '/invites/{invite_code}', credits: { most: 0, found: 0 } };
    const dialect = { ...service, operations: { ...service.operations, 'delete-invite': entry } };
    const asked = (invite_code: string): Call => ({
      operation: 'delete-invite',
      parameters: { invite_code },
      ifLost: 'hold',
    });
    const step = (value: string) =>
      stepIn(
        dialect,
        defineOperation({
          name: 'delete-invite',
          summary: 'Asks.',
          vendor: 'service',
          inputs: [],
          tiers: [],
          prepare: () => ({ kind: 'ready', input: {} }),
          next: () => send(asked(value)),
        }),
        {},
        () => undefined,
      );
    expect(step('abc')).toMatchObject({ kind: 'send' });
    expect(step(code)).toMatchObject({
      kind: 'end',
      outcome: {
        kind: 'refused',
        reason: expect.stringMatching(/^invite_code ".*" cannot be part of an address$/),
      },
    });
  },
);
