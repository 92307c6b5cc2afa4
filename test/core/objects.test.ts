/**
 * Goal: a member without a value is absent, not undefined: `exactOptionalPropertyTypes` tells the two apart, and so do
 * JSON, the ledger's checksums and `Object.keys`. Method: the helper alone; its types are checked by the compiler.
 */
import { expect, test } from 'vitest';
import { isObject, present } from '../../src/core/objects.ts';

interface Person {
  readonly name: string;
  readonly email?: string;
  readonly note: string | null;
}

test('members without a value are left out, and the others keep their order', () => {
  const email = undefined as string | undefined;
  const person: Person = present({ note: null, email, name: 'Ada' });
  expect(Object.keys(person)).toEqual(['note', 'name']);
  expect(Object.keys(present({ a: '', b: 0, c: false }))).toEqual(['a', 'b', 'c']);
});

test('the compiler asks for a value where one may be missing', () => {
  const name = undefined as string | undefined;
  // @ts-expect-error `name` may be absent from what `present` returns.
  const person: Person = { note: null, ...present({ name }) };
  expect(Object.keys(person)).toEqual(['note']);
});

test.for([
  [{}, true],
  [{ a: 1 }, true],
  [[], false],
  [null, false],
  ['text', false],
  [undefined, false],
] as const)('%j is an object: %j', ([value, expected]) => {
  expect(isObject(value)).toBe(expected);
});
