/**
 * Goal: each input of an operation comes from the column that the user means, and where that is not sure the user is asked, because a wrong
 * column is paid for row by row. A column is called what a person would call it, and a list is said to fit what somebody could mean by it.
 * Method: headers as they stand in real sheets, against an operation of three inputs, the operations as they are, and `describeFile`.
 */

import { describe, expect, test } from 'vitest';
import { StopError } from '../../../src/core/errors.ts';
import { loadFamily } from '../../../src/core/family.ts';
import { defineOperation, end, type Operation } from '../../../src/core/operation.ts';
import { mapColumns } from '../../../src/files/columns/columns.ts';
import { describeFile, fitFinder } from '../../../src/files/describe-file.ts';
import { openFile } from '../../../src/files/input.ts';
import type { OperationFit } from '../../../src/objects/list-object.ts';
import { inputFolder } from '../formats/sheets.ts';

const finding = defineOperation({
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
    const map = mapColumns(finding, header);
    expect(map.columns).toEqual(columns);
    expect(map.guessed).toBe(true);
  });
});

describe('an input that must be there', () => {
  const tagging = (...names: readonly string[]) =>
    defineOperation({
      ...finding,
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

// ------------------------------------------------------------------------------------------------ what a column looks like

async function columnOf(name: string, cells: readonly string[]) {
  const write = await inputFolder();
  const lines = cells.map((cell) => `"${cell}";x\n`);
  const { columns } = await describeFile(await openFile(await write(`${name};Other\n${lines.join('')}`)), []);
  return columns[0];
}

test.each([
  ['date', 'When', ['04.05.2026', '31.12.2025']],
  ['date', 'When', ['2026-05-04', '2026-05-04T09:30:00', '4 May 2026']],
  ['phone', 'Reach', ['+61 2 9999 0000', '(02) 9999 0000', '0412 345 678']],
  ['phone', 'Mobile', ['412345678', '411222333']],
  ['number', 'Customer', ['0001234567', '0001234568']],
  ['text', 'Deal', ['$1,234.50', 'A$ 5', '1.234,50 €', 'AUD 12', '5.00€', '-£7.50']],
  ['number', 'Size', ['10', '2,000', '3.5']],
  ['number', 'Share', ['0.8390764', '0.5741314', '0,2881209']],
  ['text', 'Note', ['May be', 'call 5 times', '12 apples']],
])('a column of %s', async (look, name, cells) => {
  expect(await columnOf(name, cells)).toMatchObject({ looks_like: look });
});

// ------------------------------------------------------------------------------------------------ what a list fits

async function projectsIn(header: readonly string[]): Promise<OperationFit | undefined> {
  const operations = await loadFamily<Operation>(new URL('../../../src/operations/', import.meta.url));
  const finder = fitFinder(header, operations.values());
  for (const row of ['a', 'b', 'c']) finder.add(header.map(() => row));
  return finder.fits().find(({ operation }) => operation === 'create-project');
}

describe('a list fits create-project', () => {
  test.each([
    [['Name'], 'Name'],
    [['name', 'description'], 'name'],
    [['Project', 'Owner'], 'Project'],
    [['Project name', 'City'], 'Project name'],
  ])('a list fits create-project with the columns %j', async (header, column) => {
    expect(await projectsIn(header)).toMatchObject({ columns: { name: column } });
    expect((await projectsIn(header))?.problem).toBeNull();
  });

  test.each([[['Name', 'Email']], [['ABN', 'name', 'Website']], [['NAME', 'City', 'Description']]])(
    'a list does not fit create-project with the columns %j, though one of them may be named',
    async (header) => {
      const fit = await projectsIn(header);
      expect(fit?.columns).toEqual({});
      expect(fit?.problem).toMatch(/^a column called "name" could .*; to use it, add --column name=name$/i);
    },
  );
});
