/**
 * Goal: the bytes of an answer are read as the vendor meant them: with a byte-order mark or without, and with every digit
 * of its numbers.
 * Method: bytes in, values out; any number that can be written is also held against its own text.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readBody } from '../../src/core/answer-body.ts';

const valueIn = (text: string): unknown => {
  const body = readBody(Buffer.from(text));
  return body.kind === 'json' ? body.value : body.kind;
};

describe('a number', () => {
  test.each([
    '12345678901234567891',
    '-12345678901234567891',
    '9007199254740993',
    '1234567890.1234567890',
    '0.1234567890123456789',
    '1000000000000000000000000',
    '0.0000001',
    '1e999',
    '-1e999',
    '1E-999',
  ])('a number that a double does not hold as it is written comes back as text: %s', (number) => {
    expect(valueIn(`{"id":${number},"list":[${number}]}`)).toEqual({ id: number, list: [number] });
  });

  test.each([
    ['0', 0],
    ['42', 42],
    ['-33.8688', -33.8688],
    ['0.10', 0.1],
    ['1.50', 1.5],
    ['1.0', 1],
    ['1E5', 100_000],
    ['1e21', 1e21],
    ['9007199254740992', 2 ** 53],
    ['3.141592653589793', Math.PI],
    ['0e5', 0],
  ])('a number that it does hold stays a number: %s', (text, number) => {
    expect(valueIn(text)).toBe(number);
  });

  test('a number in a string is nothing but text', () => {
    const value = { id: '12345678901234567891', note: 'costs 1e999', more: 1 };
    expect(valueIn(JSON.stringify(value))).toEqual(value);
  });

  test('a number is never another one than was written', () => {
    const written = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.bigInt({ min: 0n, max: 10n ** 30n }),
        fc.integer({ min: 0, max: 35 }),
      )
      .map(([sign, digits, places]) => {
        const text = String(digits).padStart(places + 1, '0');
        return places === 0 ? sign + text : `${sign}${text.slice(0, -places)}.${text.slice(-places)}`;
      });
    fc.assert(
      fc.property(written, (text) => {
        const value = valueIn(text);
        // Equal but for zeros that say nothing.
        const bare = (number: string): string =>
          number.includes('.') ? number.replace(/\.?0+$/, '') : number;
        expect(bare(String(value)).replace(/^-0$/, '0')).toBe(bare(text).replace(/^-0$/, '0'));
      }),
    );
  });
});

describe('a byte-order mark', () => {
  test.each(['utf8', 'utf16le'] as const)('before JSON is no part of it (%s)', (encoding) => {
    const body = readBody(Buffer.from('\uFEFF{"name":"Café"}', encoding));
    expect(body).toEqual({ kind: 'json', value: { name: 'Café' } });
  });
});
