import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import writeExcel from 'write-excel-file/node';
import { ZipFile } from 'yazl';
import xlsx from '../../../src/files/formats/xlsx.ts';
import { InputFile } from '../../../src/files/input-file.ts';
import { inputFolder, rowsOf } from './sheets.ts';
import { bookOf, bookParts, textRow, type WrittenBook, zipOf } from './workbook-file.ts';

/**
 * Goal: a workbook is read as somebody would type it who looks at the sheet, row by row, by Excel's own row numbers.
 * Method: files of a library that only writes, and files made by hand for what Excel and other programs write and that
 * library does not.
 */

async function opened(book: WrittenBook, options = {}) {
  const write = await inputFolder();
  return xlsx.open(new InputFile(await write(bookOf(book), 'book.xlsx')), options);
}

/** The cells below the header, of as many columns as a row has at the most. */
async function cellsOf(book: WrittenBook): Promise<readonly (readonly string[])[]> {
  return (await rowsOf(await opened(book))).map(({ cells }) => cells);
}

/** One cell `A2` below the header "Name": its type and style as attributes, and what stands in it. */
async function cellOf(
  attributes: string,
  content: string,
  book: Partial<WrittenBook> = {},
): Promise<unknown> {
  const rows = `${textRow(1, 'Name')}<row r="2"><c r="A2" ${attributes}>${content}</c></row>`;
  return (await cellsOf({ rows, ...book }))[0]?.[0];
}

test('a file of a real library is read: texts, numbers, dates, booleans and blank cells', async () => {
  const sheet = [
    ['ABN', 'Name', 'Founded', 'Active', 'Size'],
    [51824753556, ' O’Brien & <Sons> ', new Date('2001-02-28T00:00:00Z'), true, 12.5],
    [],
    [33051775556, 'Zoë\nline 2', new Date('2024-02-29T13:05:09Z'), false, null],
  ];
  const write = await inputFolder();
  const path = await write(await writeExcel(sheet, { sheet: 'Leads', dateFormat: 'dd/mm/yyyy' }).toBuffer());
  const read = await xlsx.open(new InputFile(path), {});
  expect(await read.header()).toEqual(['ABN', 'Name', 'Founded', 'Active', 'Size']);
  expect(await rowsOf(read)).toMatchObject([
    { row: 2, cells: ['51824753556', ' O’Brien & <Sons> ', '2001-02-28', 'TRUE', '12.5'] },
    { row: 4, cells: ['33051775556', 'Zoë\nline 2', '2024-02-29T13:05:09', 'FALSE', ''] },
  ]);
  expect(await read.survey()).toMatchObject({ rows: 2, encoding: 'Excel workbook, sheet "Leads"' });
});

test.each([
  ['5.1824753556E10', '51824753556'],
  ['51824753556.0', '51824753556'],
  ['1.1000000000000001', '1.1'],
  ['0.30000000000000004', '0.3'],
  ['1E-7', '0.0000001'],
  ['-2.5E-3', '-0.0025'],
  ['123456789012345', '123456789012345'],
  ['1.2345678901234501E+20', '123456789012345000000'],
  ['0', '0'],
])('the number %s is read as %s, in the digits that Excel shows', async (stored, text) => {
  expect(await cellOf('', `<v>${stored}</v>`)).toBe(text);
});

test.each([
  ['yyyy\\-mm\\-dd', '45292', '2024-01-01'],
  ['[$-C09]dd mmmm yyyy;@', '45292', '2024-01-01'],
  ['d/m/yy h:mm AM/PM', '45292.5', '2024-01-01T12:00:00'],
  ['d/m/yy h:mm', '45292.513888888889', '2024-01-01T12:20:00'],
  ['dd/mm/yyyy', '59', '1900-02-28'],
  ['dd/mm/yyyy', '61', '1900-03-01'],
  ['h:mm', '0.4375', '10:30:00'],
  ['[h]:mm:ss', '1.5', '36:00:00'],
  ['mmm', '45292', '2024-01-01'],
  ['0000', '800', '0800'],
  ['0000 000 000', '412345678', '0412345678'],
  ['00 000 000 000', '51824753556', '51824753556'],
  ['#,##0.00 "days"', '12', '12'],
  ['[Red]0.00', '12', '12'],
  ['General', '12', '12'],
  ['0', '12', '12'],
])('under the format %s, %s is read as %s', async (format, stored, text) => {
  expect(await cellOf('s="1"', `<v>${stored}</v>`, { formats: [format] })).toBe(text);
});

test('days that are counted from 1904 are the same days', async () => {
  const book = { formats: ['yyyy-mm-dd'], properties: '<workbookPr date1904="1"/>' };
  expect(await cellOf('s="1"', '<v>43830</v>', book)).toBe('2024-01-01');
});

test.each([
  ['a formula by its value', 't="str"', '<f>A1&amp;"x"</f><v>Namex</v>', 'Namex'],
  ['a formula that gave a number', '', '<f>1+1</f><v>2</v>', '2'],
  ['an error as it is shown', 't="e"', '<f>1/0</f><v>#DIV/0!</v>', '#DIV/0!'],
  [
    'a text in pieces of different looks',
    't="inlineStr"',
    '<is><r><t>ab</t></r><r><t xml:space="preserve"> c</t></r></is>',
    'ab c',
  ],
  [
    'a text without how it is pronounced',
    't="inlineStr"',
    '<is><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></is>',
    '東京',
  ],
  [
    'characters that are escaped',
    't="inlineStr"',
    '<is><t>&lt;&#233;&#x1F600;&gt;_x0009__x005F_x0041_</t></is>',
    '<é😀>\t_x0041_',
  ],
  ['a section of characters', 't="inlineStr"', '<is><t><![CDATA[a<b>&amp;]]></t></is>', 'a<b>&amp;'],
  ['a line end as XML means it', 't="inlineStr"', '<is><t>a\r\nb\rc&#13;d</t></is>', 'a\nb\nc\rd'],
  ['a text that is shared', 't="s"', '<v>1</v>', 'second'],
  ['an ISO date', 't="d"', '<v>2024-01-01</v>', '2024-01-01'],
])('%s is read', async (_, attributes, content, text) => {
  const texts = '<si><t>first</t></si><si><r><t>sec</t></r><r><t>ond</t></r></si>';
  expect(await cellOf(attributes, content, { texts })).toBe(text);
});

test('cells that hold nothing are blank, whatever type and style they have', async () => {
  const rows = `${textRow(1, 'A', 'B', 'C', 'D')}<row r="2"><c r="A2" t="s"/><c r="B2" t="s"><v></v></c><c r="C2" s="1"/><c r="D2"><v>1</v></c></row>`;
  expect(await cellsOf({ rows, formats: ['dd/mm/yyyy'] })).toEqual([['', '', '', '1']]);
});

test('rows and cells without an address follow each other, and a prefix changes no name', async () => {
  const rows =
    '<x:row><x:c t="inlineStr"><x:is><x:t>A</x:t></x:is></x:c></x:row><x:row><x:c><x:v>7</x:v></x:c></x:row>';
  expect(await cellsOf({ rows })).toEqual([['7']]);
});

test('a row with a cell behind the header is refused where that is asked for', async () => {
  const rows = textRow(1, 'A') + textRow(2, '1') + textRow(5, '4', '', 'x');
  const why = 'the cell C5 holds something, but the header in row 1 ends with column A';
  await expect(opened({ rows }, { strict: true })).rejects.toMatchObject({
    message: expect.stringContaining(why),
  });
});

test('the first sheet that can be seen is read, which is said where there are others, or the one that is named', async () => {
  const book = { rows: textRow(1, 'A'), otherSheets: [{ name: 'Old' }, { name: 'Codes', state: 'hidden' }] };
  expect((await opened(book)).notes).toEqual([
    'Read from the sheet "Leads"; to use another, name it with --sheet: "Leads", "Old" and "Codes" (hidden).',
  ]);
  expect((await opened(book, { sheet: 'leads' })).notes).toEqual([]);
  await expect(opened(book, { sheet: 'Old' })).rejects.toMatchObject({
    message: expect.stringMatching(
      /book\.xlsx: the sheet "Old" is empty: it has neither a header nor rows, or/,
    ),
  });
  const named = { ...book, otherSheets: [{ name: 'Q1 &amp; &quot;Q2&quot;' }] };
  await expect(opened(named, { sheet: 'q1 & "q2"' })).rejects.toMatchObject({
    message: expect.stringContaining('the sheet "Q1 & \\"Q2\\"" is empty'),
  });
});

describe('of several sheets, the one is read', () => {
  const table = (name: string): string => textRow(1, name) + textRow(2, 'x');
  const others = [
    { name: 'Cover', rows: textRow(1, 'Our leads') },
    { name: 'Secret', state: 'hidden', rows: table('Secret') },
    { name: 'New', rows: table('New') },
  ];
  const openAt = (activeTab: number) => ({
    rows: table('Leads'),
    otherSheets: others,
    properties: `<bookViews><workbookView activeTab="${activeTab}"/></bookViews>`,
  });
  const ALL = 'to use another, name it with --sheet: "Leads", "Cover", "Secret" (hidden) and "New".';

  test.each([
    [
      'that was open when it was saved',
      3,
      'New',
      `Read from the sheet "New", which was open when it was saved; ${ALL}`,
    ],
    [
      'that has rows, where the open one has none',
      1,
      'Leads',
      `Read from the sheet "Leads", because "Cover" is no such list; ${ALL}`,
    ],
    ['that can be seen, where the open one cannot', 2, 'Leads', `Read from the sheet "Leads"; ${ALL}`],
    ['that is there, where the open one is not', 99, 'Leads', `Read from the sheet "Leads"; ${ALL}`],
  ])('%s', async (_which, tab, header, note) => {
    const sheet = await opened(openAt(tab));
    expect(await sheet.header()).toEqual([header]);
    expect(sheet.notes).toEqual([note]);
    expect(sheet.tabs?.map(({ name, isHidden }) => [name, isHidden])).toEqual([
      ['Leads', false],
      ['Cover', false],
      ['Secret', true],
      ['New', false],
    ]);
    expect(sheet.tabs?.filter(({ isRead }) => isRead)).toMatchObject([{ name: header }]);
  });

  test('the sheet that was open is read, also where it is damaged: another one is not what was meant', async () => {
    const damaged = {
      ...openAt(1),
      otherSheets: [{ name: 'Cover', rows: textRow(1, 'A') + textRow(2, 'x', 'y') }],
    };
    await expect(opened(damaged, { header_row: '1', strict: true })).rejects.toMatchObject({
      message: expect.stringContaining('row 2: the cell B2'),
    });
  });
});

test('hidden rows are said aloud before anything is done', async () => {
  const rows = `${textRow(1, 'Card')}<row r="2" hidden="1"><c r="A2"><v>1</v></c></row>`;
  expect((await opened({ rows })).notes).toEqual([
    '1 hidden row of the sheet will be processed like all others.',
  ]);
});

const PARTS = bookParts({ rows: textRow(1, 'A') + textRow(2, 'x') });
const renamed = (rename: (name: string) => string): Buffer =>
  zipOf(PARTS.map((part) => ({ ...part, name: rename(part.name) })));

/** By a library that puts the sizes of a part behind it, and all of them into fields for large archives if asked to. */
async function streamed(forceZip64Format: boolean): Promise<Buffer> {
  const zip = new ZipFile();
  for (const { name, content } of PARTS) {
    zip.addReadStream(Readable.from([Buffer.from(content)]), name, { forceZip64Format });
  }
  zip.end({ forceZip64Format, comment: 'PK' });
  return buffer(zip.outputStream);
}

test.each<[string, () => Buffer | Promise<Buffer>]>([
  ['whose parts are not packed', () => zipOf(PARTS.map((part) => ({ ...part, stored: true })))],
  ['with backslashes in the names of its parts', () => renamed((name) => name.replaceAll('/', '\\'))],
  ['with names in other letters than its links', () => renamed((name) => name.toUpperCase())],
  ['that was written as a stream, with a comment at its end', () => streamed(false)],
  ['of the large kind', () => streamed(true)],
])('a workbook %s is read', async (_, content) => {
  const write = await inputFolder();
  const sheet = await xlsx.open(new InputFile(await write(await content(), 'book.xlsx')), {});
  expect(await rowsOf(sheet)).toMatchObject([{ row: 2, cells: ['x'] }]);
});
