import { readFileSync } from 'node:fs';
import { readSheet } from 'read-excel-file/node';
import { expect, test } from 'vitest';
import type { CopyOptions, Sheet } from '../../../src/core/format.ts';
import csv from '../../../src/files/formats/csv.ts';
import xlsx from '../../../src/files/formats/xlsx.ts';
import { InputFile, openInput } from '../../../src/files/input.ts';
import { chooseDestination, copyFor } from '../../../src/files/output/destination.ts';
import { workbookCopy } from '../../../src/files/value-copy.ts';
import { allOf, type CellsOfRow, inputFolder, rowByRow } from './sheets.ts';
import { bookOf, textRow, type WrittenBook } from './workbook-file.ts';

/**
 * Goal: where a workbook is written anew it is one that other programs read, with the user's own cells by value and ours behind
 * them. `own-copy.test.ts` is about the workbook that is kept.
 * Method: what is written is read by a library that only reads, and shares nothing with ours.
 */

const AS_IT_IS: CopyOptions = { columns: [], dropped: new Set(), byValue: true };
const NOTHING: CellsOfRow = async () => [];

async function copied(book: WrittenBook, options: CopyOptions, cellsFor: CellsOfRow): Promise<Buffer> {
  const write = await inputFolder();
  const sheet = await xlsx.open(new InputFile(await write(bookOf(book), 'book.xlsx')), {});
  return Buffer.concat(await allOf(sheet.copy({ ...options, byValue: true }, rowByRow(cellsFor))));
}

/** What the other library reads. */
async function cellsIn(bytes: Buffer): Promise<readonly (readonly unknown[])[]> {
  return readSheet(bytes, { trim: false });
}

const row = (number: number, cells: string): string => `<row r="${number}">${cells}</row>`;

test('every cell keeps what it shows, days in figures, and ours stand behind them, no formula among them', async () => {
  const cells =
    '<c r="A2"><v>12.5</v></c><c r="B2" s="1"><v>45292</v></c><c r="C2" t="b"><v>1</v></c><c r="D2" t="str"><f>1+1</f><v>two</v></c><c r="F2" s="2"><v>45292.75</v></c>';
  const rows = textRow(1, 'Size', 'Founded', 'Active', 'Note', 'Blank', 'Seen') + row(2, cells);
  const bytes = await copied(
    { rows, formats: ['dd/mm/yyyy', 'd/m/yy h:mm'] },
    { ...AS_IT_IS, columns: ['employees', '_status'] },
    async () => ['120', '=1+1'],
  );
  expect(await cellsIn(bytes)).toEqual([
    ['Size', 'Founded', 'Active', 'Note', 'Blank', 'Seen', 'employees', '_status'],
    [12.5, '2024-01-01', 'TRUE', 'two', null, '2024-01-01T18:00:00', 120, '=1+1'],
  ]);
});

test('of what is appended, credits, counts and years are numbers; identifiers, phones and postcodes are text', async () => {
  const columns = [
    '_credits',
    'employees',
    'founded',
    'revenue',
    'phone',
    'postcode',
    'company_id',
    'found',
    'call',
  ];
  const found = ['0', '120', '1999', '1.50', '412345678', '3000', '7', '51824753556', '61412345678'];
  const bytes = await copied(
    { rows: textRow(1, 'A') + textRow(2, 'a') },
    { ...AS_IT_IS, columns },
    async () => found,
  );
  expect((await cellsIn(bytes))[1]).toEqual([
    'a',
    ...[0, 120, 1999],
    ...['1.50', '412345678', '3000', '7', '51824753556', '61412345678'],
  ]);
});

test('a text that no cell of Excel can hold is cut, and says so at its end', async () => {
  const rows = textRow(1, 'A') + textRow(2, 'a');
  const [, [, longest = '', longer = ''] = []] = (await cellsIn(
    await copied({ rows }, { columns: ['B', 'C'], dropped: new Set() }, async () => [
      'x'.repeat(32_767),
      'y'.repeat(32_768),
    ]),
  )) as string[][];
  expect(longest).toBe('x'.repeat(32_767));
  expect(longer).toHaveLength(32_767);
  expect(longer).toMatch(/^y+ … \(cut: an Excel cell holds 32767 characters\)$/);
});

test('a workbook with macros comes back without them under a name that promises none, which is said', async () => {
  const write = await inputFolder();
  const path = await write(readFileSync(new URL('./books/macros.xlsm', import.meta.url)), 'macros.xlsm');
  const input = await openInput(path, {});
  const named = path.replace('.xlsm', '.xlsx');
  const destination = await chooseDestination(input, {}, { named, sandbox: false });
  const notes: string[] = [];
  const copy = await copyFor(input, destination);
  const bytes = await allOf(
    copy(
      { columns: [], dropped: new Set(), note: (sentence) => void notes.push(sentence) },
      rowByRow(NOTHING),
    ),
  );
  expect((await cellsIn(Buffer.concat(bytes)))[1]).toEqual(['51824753556', 'Zoë & Söhne']);
  expect(notes).toEqual([
    expect.stringMatching(
      /^The output has the values of the sheet "[^"]+", and nothing else of macros\.xlsm\.$/,
    ),
  ]);
});

test('a CSV file for Excel has numbers only where they look the same, and keeps the numbers of its rows', async () => {
  const write = await inputFolder();
  const path = await write(
    'Name,ABN,Postcode,Size,Rate,Long,Note\nA,51824753556,0800,12,1234.12345678,12345678901234567890,-0\n\nB,33051775556,3000,-1.5,0.25,1.50,007\n',
  );
  const sheet = await csv.open(new InputFile(path), {});
  const bytes = await allOf(
    workbookCopy(sheet, { columns: ['found'], dropped: new Set() }, async (rows) =>
      rows.map(({ row }) => [`${row}`]),
    ),
  );
  expect(await cellsIn(Buffer.concat(bytes))).toEqual([
    ['Name', 'ABN', 'Postcode', 'Size', 'Rate', 'Long', 'Note', 'found'],
    ['A', '51824753556', '0800', 12, '1234.12345678', '12345678901234567890', '-0', 2],
    [null, null, null, null, null, null, null, null],
    ['B', '33051775556', '3000', -1.5, 0.25, '1.50', '007', 4],
  ]);
});

test('a list that is longer than a sheet is refused for Excel before anything is bought', async () => {
  const write = await inputFolder();
  const path = await write('A\n', 'long.csv');
  const wanted = (rows: number, isWorkbook: boolean) => {
    const sheet = { layout: {} } as Sheet;
    const input = { path, sheet, survey: { sha256: '', header: ['A'], rows } };
    const named = isWorkbook ? path.replace('.csv', '.xlsx') : undefined;
    return chooseDestination(input, {}, { sandbox: false, named });
  };
  await expect(wanted(1_048_576, true)).rejects.toMatchObject({
    code: 'output',
    message: 'The output needs row 1048577, but an Excel sheet ends with row 1048576.',
    next: 'Write it as CSV instead: name a file that ends in .csv.',
  });
  await expect(wanted(1_048_575, true)).resolves.toMatchObject({
    path: path.replace('.csv', '.xlsx'),
  });
  await expect(wanted(1_048_576, false)).resolves.toMatchObject({
    path: path.replace('.csv', '.enriched.csv'),
  });
});
