/**
 * Goal: a value is found in a list by what stands beside it, wherever the list has it, and a person who tells an answer puts
 * it there as well.
 * Method: bodies and paths in, values out; and what is put at a path is held against what is read there.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AnswerPlace, bodyHolding, jsonIn, valueAt } from '../../src/core/answer-body.ts';
import { valuesAt, withValueAt } from '../../src/core/answer-path.ts';

const PEOPLE = {
  contacts: [
    { type: 'phone', value: '+61 2 9000 1234' },
    { type: 'Email', value: null, main: true },
    { type: 'email', value: 'ann@acme.example', main: false, host: 'a.b' },
    { type: 'email', value: 'anna@home.example', main: true },
  ],
  lists: [
    { kind: { name: 'a' }, items: [{ n: 1, v: 'x' }] },
    { kind: { name: 'b' }, items: [{ n: 2, v: 'y' }] },
  ],
  'odd[1]': 'a name of its own',
};

test.each([
  ['contacts[type=phone].value', '+61 2 9000 1234'],
  // The first that is something.
  ['contacts[type=email].value', 'ann@acme.example'],
  ['contacts[type=email][main=true].value', 'anna@home.example'],
  ['contacts[host=a.b].value', 'ann@acme.example'],
  ['lists[kind.name=b].items[n=2].v', 'y'],
  ['lists[kind.name=b].items.0.v', 'y'],
  ['contacts[type=fax].value', undefined],
  ['contacts[type=email].none', undefined],
  ['contacts[value=].type', undefined],
  ['lists[kind=a].items', undefined],
  ['none[type=email].value', undefined],
  ['odd[1]', 'a name of its own'],
])('%s is %s', (path, expected) => {
  expect(valueAt(PEOPLE, path)).toEqual(expected);
  expect(valueAt({ in: PEOPLE }, `in.${path}`)).toEqual(expected);
});

test('a condition on a body that is a list itself stands alone', () => {
  expect(valueAt(PEOPLE.contacts, '[type=email].value')).toBe('ann@acme.example');
  expect(valueAt(PEOPLE.contacts, '[type=phone]')).toEqual(PEOPLE.contacts[0]);
});

test('each value says at which number it stands', () => {
  expect(valuesAt(PEOPLE, 'contacts[type=email].value').map(({ at }) => at)).toEqual([
    ...['contacts.1.value', 'contacts.2.value', 'contacts.3.value'],
  ]);
});

const name = fc.constantFrom('a', 'b', 'contacts');
const step = fc.oneof(
  name,
  fc.tuple(name, fc.constantFrom('type', 'kind.name'), fc.constantFrom('x', 'y z')).map(([list, at, is]) => {
    return `${list}[${at}=${is}]`;
  }),
);
const path = fc.array(step, { minLength: 1, maxLength: 4 }).map((steps) => [...steps, 'value'].join('.'));

test('what is put at a path is what is read there', () => {
  fc.assert(
    fc.property(path, fc.string({ minLength: 1 }), (at, text) => {
      expect(valuesAt(withValueAt({}, at, text), at).map(({ value }) => value)).toEqual([text]);
    }),
  );
});

test('an answer that a person tells has each value beside what names it', () => {
  const gives = {
    email: 'contacts[type=email].value',
    phone: 'contacts[type=phone].value',
    city: 'at.0.city',
  };
  const place: AnswerPlace = { gives, fields: 'data' };
  const told = { email: 'ann@acme.example', phone: '13 33 45', city: 'Perth', size: '5' };
  const body = jsonIn(bodyHolding(told, place));
  expect(Object.values(gives).map((at) => valueAt(body, at))).toEqual(Object.values(told).slice(0, 3));
  expect(body).toMatchObject({ at: [{ city: 'Perth' }], data: { size: '5' } });
});
