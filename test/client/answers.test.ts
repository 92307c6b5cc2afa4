/**
 * Goal: an answer means what the vendor did and nothing else, however it is written: an error is never a match, and no one
 * is said to be removed who is not.
 * Method: a table of answers as vendors give them, held against the judge; then made-up ones, of which it is known by how
 * they were made whether they say that something failed.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dialectOperationOf, operationFor } from '../../src/client/dialect.ts';
import provider from '../../src/client/dialects/provider.ts';
import service from '../../src/client/dialects/service.ts';
import { judge, remarkOn, type Verdict } from '../../src/client/judge.ts';
import type { Call, JsonValue } from '../../src/core/operation.ts';
import { ANSWERS, type OfChange, type OfLookup, SPECIAL_ANSWERS } from './answers.ts';

const asked = { ifLost: 'hold' } as const;
const changed = { ...asked, after: 0, project: 'proj-1' } as const;
const subject = { project: 'proj-1', name: 'jo@acme.com.au' };

const LOOKUP: Call = { ...asked, operation: 'enrich-company', parameters: { domain: 'acme.com.au' } };
const REMOVAL: Call = {
  ...changed,
  operation: 'remove-user',
  parameters: { user_id: 'u-17' },
  change: { subject, leaves: { state: 'gone' } },
};
const ROLE_CHANGE: Call = {
  ...changed,
  operation: 'update-user',
  parameters: { user_id: 'u-17', role: 'editor' },
  change: { subject, leaves: { state: 'member', role: 'editor' } },
};
const INVITE: Call = {
  ...changed,
  operation: 'create-invite',
  parameters: { email: 'jo@acme.com.au', role: 'viewer' },
  change: { subject, leaves: { state: 'invited', role: 'viewer' } },
};
const PROJECT: Call = {
  ...asked,
  after: 0,
  operation: 'create-project',
  parameters: { name: 'Research', description: '', organization_id: 'o-1' },
  change: { subject: { name: 'project:research' }, leaves: { state: 'done' } },
};
const PAID: Call = {
  ...asked,
  after: 0,
  operation: 'api-call-change',
  parameters: { method: 'POST', endpoint: '/contacts', body: { id: 'c-1' } },
  change: { subject: { name: 'call:1' }, leaves: { state: 'done' } },
};
const DELETION: Call = {
  ...changed,
  operation: 'delete-invite',
  parameters: { invite_code: 'IC-1' },
  change: { subject, leaves: { state: 'gone' } },
};
const QUESTION: Call = {
  ...asked,
  operation: 'api-call',
  parameters: { method: 'GET', endpoint: '/invoices/7' },
};
const CALLS: Readonly<Record<string, Call>> = {
  'create-invite': INVITE,
  'delete-invite': DELETION,
  'api-call': QUESTION,
  'create-project': PROJECT,
  'remove-user': REMOVAL,
  'api-call-change': PAID,
};

function verdictOn(call: Call, status: number, body: string): Verdict {
  const dialect = Object.hasOwn(provider.operations, call.operation) ? provider : service;
  const raw = { status, headers: {}, body: Buffer.from(body), receivedAtMs: 0 };
  return judge({ kind: 'answered', raw }, dialect, dialectOperationOf(dialect, call), call);
}

const STOPS: Readonly<Record<string, 'stop: key' | 'stop: address'>> = {
  key: 'stop: key',
  address: 'stop: address',
};

/** A verdict in the words of the table. */
function inWords(call: Call, verdict: Verdict): OfLookup | OfChange {
  switch (verdict.kind) {
    case 'answered':
      return settledInWords(call, verdict);
    case 'accepted':
    case 'paused':
    case 'not_served':
      return 'wait';
    case 'in_doubt':
      return 'in doubt';
    case 'stopped':
      return STOPS[verdict.stop.code] ?? 'stop: credits';
    case 'not_sent':
      throw new Error('an answer means that it was sent');
  }
}

function settledInWords(
  call: Call,
  { answer, why, projectRefused }: Extract<Verdict, { readonly kind: 'answered' }>,
): OfLookup | OfChange {
  const isLookup = call.change === undefined;
  if (answer === 'refused') return projectRefused === true ? 'forbidden' : 'refused';
  if (answer === 'no_match') return isLookup ? 'no match' : 'not there';
  const isRemarked = remarkOn(call, why) !== undefined;
  if (isLookup) return isRemarked ? 'match in part' : 'match';
  return isRemarked ? 'done silently' : 'done';
}

const meaning = (call: Call, status: number, body: string): OfLookup | OfChange =>
  inWords(call, verdictOn(call, status, body));

describe.each(ANSWERS)('$about', ({ answers }) => {
  test.each(answers)('%i %s', (status, body, lookup, removal, roleChange) => {
    expect({
      lookup: meaning(LOOKUP, status, body),
      removal: meaning(REMOVAL, status, body),
      roleChange: meaning(ROLE_CHANGE, status, body),
    }).toEqual({ lookup, removal, roleChange });
  });
});

describe('an operation that publishes an id, has a price, or is about somebody who is known by e-mail', () => {
  test.each(SPECIAL_ANSWERS)('%s: %i %s is %s', (operation, status, body, wanted) => {
    const call = CALLS[operation];
    if (call === undefined) throw new Error(`there is no call of ${operation}`);
    expect(meaning(call, status, body)).toBe(wanted);
  });
});

test.each<[string, OfChange]>([
  ['{"error":"No such user."}', 'done'],
  ['{"detail":"Not Found"}', 'done'],
  ['{"error":"Project \\"proj-1\\" has no user \\"u-17\\" who has accepted."}', 'done'],
  ['{"error":"Project not found"}', 'in doubt'],
  ['{"code":"PROJECT_NOT_FOUND"}', 'in doubt'],
  ['{"error":"Project proj-1 does not exist"}', 'in doubt'],
  ['{"error":"User u-17 of project proj-1 not found"}', 'done'],
  ['{"message":"Cannot POST /latest/auth/users/u-17/delete"}', 'stop: address'],
  ['{"message":"No route POST /latest/auth/users/u-17/delete"}', 'stop: address'],
  ['{"message":"Invalid path parameter: user_id"}', 'done'],
])('404 %s to a repeat of a removal is %s', (body, wanted) => {
  const raw = { status: 404, headers: {}, body: Buffer.from(body), receivedAtMs: 0 };
  const operation = operationFor(service, REMOVAL, { isRepeated: true, underKey: false });
  expect(inWords(REMOVAL, judge({ kind: 'answered', raw }, service, operation, REMOVAL))).toBe(wanted);
});

test.each<[string, OfLookup]>([
  ['{"results":[{"full_name":"Jo"}]}', 'match'],
  ['{"results":[{"id":"p-1"}],"total":57}', 'match'],
  ['{"results":[]}', 'no match'],
  ['{"results":[null,{}]}', 'no match'],
  ['{"results":["error"]}', 'in doubt'],
  ['{"results":[],"message":"Your subscription has expired"}', 'in doubt'],
])('%s to a search is %s', (body, wanted) => {
  const search: Call = { ...asked, operation: 'search-people', parameters: { company: 'Acme' } };
  expect(meaning(search, 200, body)).toBe(wanted);
});

test('a name that was sent is a field of what was asked about, and a value that was sent is no word of the vendor', () => {
  const company = (name: string): Call => ({
    ...asked,
    operation: 'search-people',
    parameters: { company: name },
  });
  const none = (name: string): string => JSON.stringify({ message: `No results for ${name}.` });
  expect(meaning(company('Rate Limit Ltd'), 200, none('Rate Limit Ltd'))).toBe('no match');
  expect(meaning(company('API Key (Pty.) Ltd'), 200, none('api key (pty.) ltd'))).toBe('no match');
  expect(meaning(company('Acme'), 200, none('Rate Limit Ltd'))).toBe('wait');
  const named: Call = { ...PROJECT, parameters: { ...PROJECT.parameters, description: 'Error reports' } };
  const body = '{"project_id":"p-1","description":"Error reports"}';
  expect(meaning(named, 200, body)).toBe('done');
  expect(meaning(PROJECT, 200, body)).toBe('in doubt');
});

test('words of a dialect file are added, in any language: what is done is a whole sentence', () => {
  const { words } = service;
  const german = {
    ...service,
    words: {
      ...words,
      done: [...words.done, 'der benutzer wurde entfernt'],
      no_match: [...words.no_match, 'gibt es nicht'],
    },
  };
  const said = (message: string): OfLookup | OfChange => {
    const raw = { status: 200, headers: {}, body: Buffer.from(JSON.stringify({ message })), receivedAtMs: 0 };
    return inWords(
      REMOVAL,
      judge({ kind: 'answered', raw }, german, dialectOperationOf(german, REMOVAL), REMOVAL),
    );
  };
  expect(said('Der Benutzer wurde entfernt.')).toBe('done');
  expect(said('Den Benutzer gibt es nicht.')).toBe('not there');
  expect(said('Der Benutzer wurde nicht entfernt.')).toBe('in doubt');
  expect(said('Der Benutzer ist weg.')).toBe('in doubt');
});

// ------------------------------------------------------------------------------------------------ made-up answers

/** Members that say nothing, in any number. */
const harmless = fc.dictionary(
  fc.constantFrom('request_id', 'time', 'name', 'email', 'note', 'meta', 'data', 'user'),
  fc.oneof(
    fc.constantFrom<JsonValue>('Jo', 'x', 12, null, {}, [], { id: 'u-17' }, { name: 'Jo' }),
    fc.string({ maxLength: 12 }),
  ),
  { maxKeys: 4 },
);

/** Members by which an answer says that something failed. */
const failure = fc.oneof(
  fc.record({
    name: fc.constantFrom('success', 'ok', 'isSuccess', 'Success', 'is_ok'),
    value: fc.constantFrom<JsonValue>(false, 0, 'false', '0', 'FALSE', 'no', 'N'),
  }),
  fc.record({
    name: fc.constantFrom('code', 'status', 'resultCode'),
    value: fc.constantFrom<JsonValue>(-1, '-32000'),
  }),
  fc.record({
    name: fc.constantFrom('error', 'errors', 'failed', 'Error', 'error_message', 'has_errors'),
    value: fc.constantFrom<JsonValue>(
      true,
      'x',
      'Jo',
      { code: 'E1' },
      { user_id: 'u-17' },
      ['x'],
      [{ message: 'x' }],
      7,
    ),
  }),
);

/** Members that say that all went well. */
const praise = fc.constantFrom<Readonly<Record<string, JsonValue>>>(
  {},
  { status: 'ok' },
  { success: true },
  { message: 'User removed' },
  { removed: true },
  { removed: ['u-17'] },
  { user_id: 'u-17' },
);

const NUM_RUNS = { numRuns: 1_000 };

test('no mark of failure is ever "done", wherever an answer speaks of itself and whatever stands beside it', () => {
  const wrapped = fc.constantFrom<(body: JsonValue) => JsonValue>(
    (body) => body,
    (body) => ({ meta: body }),
    (body) => ({ status: body }),
    (body) => ({ response: body }),
    (body) => ({ data: body }),
    (body) => ({ result: body }),
    (body) => [body],
    (body) => ({ results: [body] }),
    (body) => ({ responses: [body] }),
    (body) => ({ operations: [body] }),
  );
  fc.assert(
    fc.property(harmless, praise, failure, wrapped, (beside, praised, { name, value }, wrap) => {
      const body = JSON.stringify(wrap({ ...beside, ...praised, [name]: value }));
      for (const call of [REMOVAL, ROLE_CHANGE, INVITE, PAID])
        expect(meaning(call, 200, body), `${call.operation}: ${body}`).not.toMatch(/^done/);
    }),
    NUM_RUNS,
  );
});

test('no mark of failure is a match, but for an error beside what was asked for', () => {
  fc.assert(
    fc.property(harmless, failure, ({ data: _, ...beside }, { name, value }) => {
      const body = JSON.stringify({ ...beside, [name]: value });
      const isError = /err|fail/i.test(name);
      const wanted = isError ? /^(?!match$)/ : /^(?!match)/;
      expect(meaning(LOOKUP, 200, body), body).toMatch(wanted);
      expect(meaning(LOOKUP, 200, JSON.stringify({ [name]: value })), body).not.toMatch(/^match/);
    }),
    NUM_RUNS,
  );
});
