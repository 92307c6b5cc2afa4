/**
 * Goal: the bytes of an answer are read as the vendor meant them, with every digit of its numbers; and its
 * fields are written whole, under paths that a job can name.
 * Method: bytes in, values and fields out; any number that can be written is also held against its own text.
 */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readBody } from '../../src/core/answer-body.ts';
import type { JsonValue } from '../../src/core/operation.ts';
import { FieldSurvey, wholeFields } from '../../src/values/answer-fields.ts';

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

// ------------------------------------------------------------------------------------------------ its fields

const fieldsOf = (answer: unknown): object => Object.fromEntries(wholeFields(answer as JsonValue));

describe('an answer is written whole', () => {
  test('lists of objects are numbered, as a path names them, and those after the third are counted', () => {
    const jobs = ['CEO', 'CFO', 'Clerk', 'Intern', 'Temp'].map((title) => ({ title, at: { city: 'Perth' } }));
    expect(fieldsOf({ jobs: jobs.slice(0, 2), more: [jobs[0], 'odd', ['a', 'b'], null] })).toEqual({
      'jobs.0.title': 'CEO',
      'jobs.0.at.city': 'Perth',
      'jobs.1.title': 'CFO',
      'jobs.1.at.city': 'Perth',
      'more.0.title': 'CEO',
      'more.0.at.city': 'Perth',
      'more.1': 'odd',
      'more.2': 'a; b',
      'more.more': '1',
    });
    expect(fieldsOf({ jobs })).toMatchObject({ 'jobs.2.title': 'Clerk', 'jobs.more': '2' });
    expect(fieldsOf(jobs)).toMatchObject({ '0.title': 'CEO', more: '2' });
  });
});

describe('the fields of many answers', () => {
  const surveyOf = (...answers: readonly JsonValue[]): FieldSurvey => {
    const survey = new FieldSurvey();
    for (const answer of answers) survey.add(answer);
    return survey;
  };

  test('the fields of many answers come as they first appear; what some leave empty is told by its members alone', () => {
    const { names } = surveyOf(
      { name: 'A', location: null, emails: [], note: null },
      { location: { city: 'Perth' }, emails: [{ address: 'a@b.example' }] },
    );
    expect(names).toEqual(['name', 'note', 'location.city', 'emails.0.address']);
    expect(surveyOf({ at: 'Perth' }, { at: { city: 'Perth' } }).names).toEqual(['at', 'at.city']);
  });

  test('the fields of many answers are no more than a sheet can have, however many ids a vendor uses as names', () => {
    const survey = surveyOf(
      ...Array.from({ length: 50 }, (_, row) =>
        Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`id${row * 50 + at}`, at] as const)),
      ),
    );
    expect(survey.isCut).toBe(true);
    expect(survey.names).toHaveLength(1_000);
  });
});
