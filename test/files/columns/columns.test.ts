/**
 * Goal: each input of an operation comes from the column that the user means, and where that is not sure the user is asked, because a wrong
 * column is paid for row by row. A column is called what a person would call it, and a list is said to fit what somebody could mean by it.
 * Method: headers as they stand in real sheets, against an operation of three inputs, the operations as they are, and `describeFile`.
 */

import { describe, expect, test } from 'vitest';
import { defineOperation, end } from '../../../src/core/operation.ts';
import { mapColumns } from '../../../src/files/columns/columns.ts';
import { describeFile } from '../../../src/files/describe-file.ts';
import { openFile } from '../../../src/files/input.ts';
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
