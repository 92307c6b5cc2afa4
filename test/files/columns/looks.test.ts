/**
 * Goal: a column is called what a person would call it.
 * Method: `describeFile` over lists of one column.
 */
import { expect, test } from 'vitest';
import { describeFile } from '../../../src/files/describe-file.ts';
import { openFile } from '../../../src/files/input.ts';
import { inputFolder } from '../formats/sheets.ts';

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
