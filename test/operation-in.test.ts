/**
 * Goal: an operation needs to know nothing about a dialect: it is told what cannot be asked, and finds the fields of an
 * answer at their top wherever the vendor puts them.
 * Method: an operation that says what it was given, in dialects that differ in exactly that.
 */
import { expect, test } from 'vitest';
import type { Dialect } from '../src/dialect.ts';
import provider from '../src/dialects/provider.ts';
import service from '../src/dialects/service.ts';
import {
  type Answer,
  type Call,
  defineOperation,
  end,
  type JsonValue,
  type OperationOptions,
} from '../src/operation.ts';
import { operationIn } from '../src/operation-in.ts';

const call: Call = { operation: 'enrich-company', parameters: {}, ifLost: 'hold' };

function seenIn(dialect: Dialect, answer: Answer | undefined) {
  let fields: JsonValue | undefined;
  let told: OperationOptions = {};
  const operation = defineOperation({
    name: 'enrich-company',
    summary: 'Says what it was given.',
    vendor: 'provider',
    inputs: [],
    tiers: [],
    prepare(_row, options) {
      told = options;
      return { kind: 'ready', input: {} };
    },
    next(_input, answered) {
      const given = answered(call);
      fields = given?.kind === 'found' ? given.fields : undefined;
      return end({ kind: 'no_match', reason: 'for the test' });
    },
  });
  const spoken = operationIn(dialect, operation);
  spoken.prepare({}, { waterfall: ['abn'] });
  spoken.next({}, () => answer);
  return { fields, told };
}

test('what the vendor has no field for is said beside what the job says', () => {
  const entry = { method: 'POST' as const, path: '/', credits: { most: 1, found: 1 } };
  const dialect = {
    ...provider,
    operations: { 'enrich-company': { ...entry, fields: { website: null, abn: 'a' } } },
  };
  expect(seenIn(dialect, undefined).told).toEqual({ waterfall: ['abn'], unaskable: ['website'] });
});

test('the fields are those at the place that the dialect names, and none when nothing is there', () => {
  const body = { data: { name: 'Acme' }, name: 'not this one' };
  const nested = { ...provider, fields_at: 'data' };
  expect(seenIn(provider, { kind: 'found', fields: body }).fields).toEqual(body);
  expect(seenIn(nested, { kind: 'found', fields: body }).fields).toEqual({ name: 'Acme' });
  expect(seenIn(nested, { kind: 'found', fields: {} }).fields).toBeNull();
  if (service.api_call === undefined) throw new Error('the service has no API Call step');
  const through = { ...nested, through: { envelope: service.api_call, connectedAccount: 'a' } };
  const answer = { status: 200, body: JSON.stringify(body) };
  expect(seenIn(through, { kind: 'found', fields: answer }).fields).toEqual({ name: 'Acme' });
});
