import { expect, test } from 'vitest';
import { invariant } from '../../../src/core/errors.ts';
import type { Correction, ReadOptions } from '../../../src/core/format.ts';
import { openFile } from '../../../src/files/input.ts';
import { allOf, inputFolder } from './sheets.ts';
import { bookOf, partsOf, textRow } from './workbook-file.ts';

/**
 * Goal: a corrected file differs from what it was in the corrected cells and in no other byte, and a correction that
 * cannot be made leaves nothing half done.
 * Method: files with odd quotes, line ends and encodings are corrected, and what must stand there is written out by hand.
 */

async function corrected(
  bytes: Buffer,
  name: string,
  corrections: readonly Correction[],
  read: ReadOptions = {},
  note?: (sentence: string) => void,
): Promise<Buffer> {
  const write = await inputFolder();
  const { sheet } = await openFile(await write(bytes, name), read);
  invariant(sheet.corrected !== undefined, 'tables are corrected');
  return Buffer.concat(await allOf(sheet.corrected(corrections, note)));
}

const ODD = '\uFEFFabn,"name",note\r\n\r\n1, "x" ,\n"2","a ""b""",\r\n3,c,"d\r\ne"';

test('the corrected cells change, and every other byte is as it was', async () => {
  const made = await corrected(
    Buffer.from(ODD),
    'odd.csv',
    [
      { row: 4, column: 'abn', value: '22' },
      { row: 4, column: 'note', value: 'x, "y"' },
      { row: 5, column: 'name', value: '' },
    ],
    { ragged: 'pad' },
  );
  expect(made.toString()).toBe(
    '\uFEFFabn,"name",note\r\n\r\n1, "x" ,\n"22","a ""b""","x, ""y"""\r\n3,,"d\r\ne"',
  );
});

test('a row stays a row when its only cell is emptied, and a cell that was missing is put where it belongs', async () => {
  const emptied = await corrected(Buffer.from('abn\n1\n2\n'), 'one.csv', [
    { row: 2, column: 'abn', value: '' },
  ]);
  expect(emptied.toString()).toBe('abn\n""\n2\n');
  const filled = await corrected(
    Buffer.from('a;b;c\n1;2;3\n1\n'),
    'short.csv',
    [{ row: 3, column: 'c', value: '9' }],
    { ragged: 'pad' },
  );
  expect(filled.toString()).toBe('a;b;c\n1;2;3\n1;;9\n');
});

test('the encoding stays, unless a character asks for another encoding, which is said', async () => {
  const utf16 = Buffer.from('\uFEFFabn,name\n1,é\n', 'utf16le');
  const one = { row: 2, column: 'abn', value: '2' };
  expect((await corrected(utf16, 'a.csv', [one])).toString('utf16le')).toBe('\uFEFFabn,name\n2,é\n');
  const latin = Buffer.from('abn,name\n1,é\n', 'latin1');
  const read = { encoding: 'windows-1252' } as const;
  expect((await corrected(latin, 'a.csv', [one], read)).toString('latin1')).toBe('abn,name\n2,é\n');
  const notes: string[] = [];
  const other = { row: 2, column: 'name', value: 'Ω' };
  const written = await corrected(latin, 'a.csv', [other], read, (said) => notes.push(said));
  expect([written.toString(), notes.length]).toEqual(['\uFEFFabn,name\n1,Ω\n', 1]);
});

test('a workbook is corrected in the cell alone, with its format, and every other character stays', async () => {
  const book = bookOf({
    rows: `${textRow(1, 'ABN', 'Name')}${textRow(3, '1', 'a')}<row r="4"><c r="A4" s="1"><v>2</v></c></row>`,
    formats: ['0000'],
  });
  const made = await corrected(book, 'book.xlsx', [
    { row: 3, column: 'Name', value: '' },
    { row: 4, column: 'ABN', value: '0012' },
    { row: 4, column: 'Name', value: 'b' },
  ]);
  const sheet = (parts: ReturnType<typeof partsOf>): string => parts.at(-1)?.text ?? '';
  const text = (address: string, value: string, style = ''): string =>
    `<c r="${address}"${style} t="inlineStr"><is><t xml:space="preserve">${value}</t></is></c>`;
  expect(sheet(partsOf(made))).toBe(
    sheet(partsOf(book))
      .replace('<c r="B3" t="inlineStr"><is><t>a</t></is></c>', '')
      .replace('<c r="A4" s="1"><v>2</v></c>', text('A4', '0012', ' s="1"') + text('B4', 'b')),
  );
});

test.for([
  ['a column that is not there', { row: 2, column: 'Abn', value: '1' }, 'has no column "Abn"'],
  ['a row that is not there', { row: 9, column: 'abn', value: '1' }, 'has no row 9'],
  ['a row that cannot be read', { row: 3, column: 'abn', value: '1' }, 'No cell of row 3'],
] as const)('a correction of %s is refused', async ([, correction, fact]) => {
  const file = Buffer.from('abn,name\n1,a\n2,b,c\n');
  await expect(corrected(file, 'a.csv', [correction])).rejects.toThrow(fact);
});
