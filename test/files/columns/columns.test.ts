import { describe, expect, test } from 'vitest';
import { StopError } from '../../../src/core/errors.ts';
import { defineOperation, end } from '../../../src/core/operation.ts';
import { mapColumns } from '../../../src/files/columns/columns.ts';

/**
 * Goal: each input of an operation comes from the column that the user means, and where that is not sure the user is
 * asked, because a wrong column is paid for row by row.
 * Method: headers as they stand in real sheets, against an operation of three inputs.
 */

const operation = defineOperation({
  name: 'find-company',
  summary: 'Find a company.',
  vendor: 'provider',
  inputs: [
    { name: 'abn', about: 'the business number', aliases: ['abn', 'businessnumber'] },
    { name: 'website', about: 'the address of the website', aliases: ['charitywebsite', 'url'] },
    { name: 'profile_url', about: 'the profile', aliases: ['linkedin'] },
  ],
  tiers: [],
  prepare: () => ({ kind: 'ready', input: undefined }),
  next: () => end({ kind: 'applied' }),
});

function stopOf(map: () => unknown): StopError {
  try {
    map();
  } catch (error) {
    if (error instanceof StopError) return error;
    throw error;
  }
  throw new Error('expected a stop');
}

describe('without a choice, what is sure is guessed', () => {
  test.each([
    [['Name', 'ABN'], { abn: 'ABN' }],
    [['A.B.N.', 'Charity_Website'], { abn: 'A.B.N.', website: 'Charity_Website' }],
    [['Profile URL', 'Business number'], { abn: 'Business number', profile_url: 'Profile URL' }],
    [['url', 'ABN checked', 'my abn'], { website: 'url' }],
    [['__proto__', 'constructor', 'abn'], { abn: 'abn' }],
  ])('%j', (header, columns) => {
    const map = mapColumns(operation, header);
    expect(map.columns).toEqual(columns);
    expect(map.guessed).toBe(true);
  });
});

describe('an input that must be there', () => {
  const tagging = (...names: readonly string[]) =>
    defineOperation({
      ...operation,
      name: 'tag',
      inputs: names.map((name) => ({
        name,
        about: 'as the job names it',
        aliases: [name.toLowerCase()],
        required: true as const,
      })),
    });

  test('a needed input is the column of that very name, however many others are spelled almost so', () => {
    expect(mapColumns(tagging('Email'), ['E-mail', 'Email', 'EMAIL']).columns).toEqual({ Email: 'Email' });
    expect(mapColumns(tagging('Email'), ['E-mail']).columns).toEqual({ Email: 'E-mail' });
  });

  test('a needed input is asked for with the column that was probably meant', () => {
    const error = stopOf(() => mapColumns(tagging('Email', 'Domain'), ['Email', 'Domian']));
    expect(error.message).toBe(
      'tag needs a column for "Domain" (as the job names it), and the file has no such column.',
    );
    expect(error.next).toBe('Did you mean Domian? If so: --column Domain=…, or under `columns:` in a job.');
  });

  test('a needed input may be called what it likes', () => {
    const map = mapColumns(tagging('__proto__'), ['__proto__']);
    expect(Object.entries(map.read({ row: 2, cells: ['x'] }))).toEqual([['__proto__', 'x']]);
  });
});
