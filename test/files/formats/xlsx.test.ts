import { describe, expect, test } from 'vitest';
import writeExcel from 'write-excel-file/node';
import type { ReadOptions, Sheet } from '../../../src/core/format.ts';
import xlsx from '../../../src/files/formats/xlsx.ts';
import { InputFile } from '../../../src/files/input.ts';
import { inputFolder, rowsOf } from './sheets.ts';
import { bookOf, bookParts, textRow, type WrittenBook, type ZipPart, zipOf } from './workbook-file.ts';

/**
 * Goal: a workbook is read as somebody would type it who looks at the sheet, row by row, by Excel's own row numbers. The table is found
 * as a person sees it, and what is no row of it is named. What cannot be read is refused with what to do, and a file that was made to do
 * harm fills neither memory nor time.
 * Method: files of a library that only writes, and files made by hand for what Excel and other programs write, each odd or wrong in one way.
 * Where a list begins is the matter of `list-start.test.ts`.
 */

async function opened(book: WrittenBook | string | Buffer, options: ReadOptions = {}): Promise<Sheet> {
  const write = await inputFolder();
  const bytes = Buffer.isBuffer(book) ? book : bookOf(typeof book === 'string' ? { rows: book } : book);
  return xlsx.open(new InputFile(await write(bytes, 'book.xlsx')), options);
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
  const read = await opened(await writeExcel(sheet, { sheet: 'Leads', dateFormat: 'dd/mm/yyyy' }).toBuffer());
  expect(await read.header()).toEqual(['ABN', 'Name', 'Founded', 'Active', 'Size']);
  expect(await rowsOf(read)).toMatchObject([
    { row: 2, cells: ['51824753556', ' O’Brien & <Sons> ', '2001-02-28', 'TRUE', '12.5'] },
    { row: 4, cells: ['33051775556', 'Zoë\nline 2', '2024-02-29T13:05:09', 'FALSE', ''] },
  ]);
  expect(read.encoding).toBe('Excel workbook, sheet "Leads"');
  expect(await read.survey()).toMatchObject({ rows: 2 });
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
  ['dd/mm/yyyy', '61', '1900-03-01'],
  ['h:mm', '0.4375', '10:30:00'],
  ['[h]:mm:ss', '1.5', '36:00:00'],
  ['0000', '800', '0800'],
  ['0000 000 000', '412345678', '0412345678'],
  ['00 000 000 000', '51824753556', '51824753556'],
  ['#,##0.00 "days"', '12', '12'],
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

test('hidden rows are said aloud before anything is done', async () => {
  const rows = `${textRow(1, 'Card')}<row r="2" hidden="1"><c r="A2"><v>1</v></c></row>`;
  expect((await opened({ rows })).notes).toEqual([
    '1 hidden row of the sheet will be processed like all others.',
  ]);
});

// ------------------------------------------------------------------------------------------------ the table on a sheet

async function read(book: string, options: ReadOptions = {}) {
  const sheet = await opened(book, options);
  const rows = (await rowsOf(sheet)).map(({ row, cells }) => [row, ...cells]);
  const { rows: counted } = await sheet.survey();
  expect(counted).toBe(rows.length);
  return { header: await sheet.header(), rows, notes: sheet.notes, layout: sheet.layout };
}

/** Rows of texts and numbers from a row on; blank texts are blank cells, undefined is a blank row. */
function sheetOf(from: number, ...rows: readonly (readonly (string | number)[] | undefined)[]): string {
  return rows.flatMap((cells, index) => (cells === undefined ? [] : rowOf(from + index, cells))).join('');
}

function rowOf(number: number, cells: readonly (string | number)[]): string {
  const xml = cells.map((cell, index) => {
    const address = `${String.fromCharCode(65 + index)}${number}`;
    if (cell === '') return '';
    return typeof cell === 'number'
      ? `<c r="${address}"><v>${cell}</v></c>`
      : `<c r="${address}" t="inlineStr"><is><t>${cell}</t></is></c>`;
  });
  return `<row r="${number}">${xml.join('')}</row>`;
}

const HEADER = ['Company', 'Mail', 'Size'];
const LEADS = [
  ['Acme', 'a@acme.com', 10],
  ['Beta', 'b@beta.com', 20],
  ['Ceta', 'c@ceta.com', 30],
] as const;
const numbered = (from: number) =>
  LEADS.map(([company, mail, size], at) => [from + at, company, mail, String(size)]);

describe('rows behind a blank one that name nobody are left out', () => {
  test('a tail is left out as a line of totals is, a remark, and another table with its title', async () => {
    const below = [
      undefined,
      ['Total', '', 60],
      ['as of May'],
      undefined,
      ['Summary'],
      undefined,
      ['Region', 'State of it'],
      ['North', 'good'],
    ];
    const { rows, notes, layout } = await read(sheetOf(1, HEADER, ...LEADS, ...below));
    expect(rows).toEqual(numbered(2));
    expect(layout.left_out).toEqual([{ rows: '6-12', text: 'Total, as of May, Summary, Region, …' }]);
    expect(notes).toEqual([
      '7 rows (6-12: Total, as of May, Summary, Region, …) are no contacts and are left out; use --rows to change that.',
    ]);
  });

  test.each([
    ['somebody', [undefined, ['Delta', 'd@delta.com', 4]]],
    ['somebody whose address is mistyped', [undefined, ['Delta', 'd@delta', 4]]],
    ['somebody further down', [undefined, ['Delta', 'n/a', 4], undefined, ['Epsilon', 'e@eps.com', 5]]],
    ['nobody, right below the table', [['Delta', '', 4]]],
  ])('a tail is kept where rows name %s', async (_what, below) => {
    const { rows, layout } = await read(sheetOf(1, HEADER, ...LEADS, ...below));
    expect([rows.length, layout]).toEqual([3 + below.filter(Boolean).length, {}]);
  });
});

// ------------------------------------------------------------------------------------------------ what is refused

const SHEET = 'xl/worksheets/sheet1.xml';
const TABLE = textRow(1, 'A', 'B') + textRow(2, '1', '2');

const refusal = (content: Buffer): Promise<unknown> =>
  opened(content).then(
    () => undefined,
    ({ code, message, next }) => ({ code, message: message.replace(/^\S*book\.xlsx/, 'BOOK'), next }),
  );

/** The same workbook with one part that is otherwise. */
function withPart(name: string, change: Partial<ZipPart>): Buffer {
  return zipOf(
    bookParts({ rows: TABLE }).map((part) => (part.name === name ? { ...part, ...change } : part)),
  );
}

const AGAIN = 'Open it in Excel and save it again as .xlsx, or save the sheet as CSV.';
const OLD = Buffer.from('d0cf11e0a1b11ae1', 'hex');

test.each([
  ['a file that is no archive', Buffer.from('Name,ABN\n'), 'it is cut off, or not a workbook at all'],
  ['half a file', bookOf({ rows: TABLE }).subarray(0, 900), 'it is cut off, or not a workbook at all'],
  [
    'an archive of something else',
    zipOf([{ name: 'a.bin', content: 'a' }]),
    'it is an archive of something else, such as an OpenDocument file (.ods)',
  ],
  [
    'a wrong checksum',
    withPart(SHEET, { claimedChecksum: 7 }),
    `its part ${SHEET} is damaged (its checksum fails)`,
  ],
  [
    'XML that stops',
    withPart(SHEET, { content: '<worksheet><sheetData><row r="1"><c' }),
    `its part ${SHEET} is damaged (it is cut off)`,
  ],
  [
    'a cell twice',
    withPart(SHEET, { content: sheet('<row r="2"><c r="A2"><v>1</v></c><c r="A2"><v>1</v></c></row>') }),
    'row 2: a cell says that it is "A2"',
  ],
])('%s is refused', async (_, content, detail) => {
  expect(await refusal(content)).toMatchObject({
    code: 'input',
    message: expect.stringContaining(`BOOK is not a readable Excel workbook: `),
    next: AGAIN,
  });
  expect(await refusal(content)).toMatchObject({ message: expect.stringContaining(detail) });
});

function sheet(rows: string): string {
  return `<worksheet><sheetData>${textRow(1, 'A')}${rows}</sheetData></worksheet>`;
}

test.each([
  ['of Excel, or a workbook from before Excel 2007', Buffer.concat([OLD, Buffer.alloc(4_000)])],
  ['of another program', withPart(SHEET, { flags: 1 })],
  ['of one that also hides the names', withPart(SHEET, { flags: 0x41 })],
])('a workbook with a password %s is told apart from damage', async (_, content) => {
  expect(await refusal(content)).toEqual({
    code: 'input',
    message: 'BOOK is protected by a password, or from before Excel 2007 (.xls).',
    next: 'Open it in Excel, remove the password under File, Info, Protect Workbook, and save it as .xlsx.',
  });
});

test('a part that would unpack to gigabytes is refused by what the directory says, without being unpacked', async () => {
  expect(await refusal(withPart(SHEET, { claimedBytes: 4_000_000_000 }))).toMatchObject({
    message: `BOOK: its part ${SHEET} would unpack to 4000000000 bytes; the most is 2147483648.`,
    next: 'Save the sheet as CSV, which may have any size.',
  });
});

test('more than 200,000 rows are refused with the advice to save them as CSV', async () => {
  const content = sheet('<row><c><v>1</v></c></row>'.repeat(200_001));
  expect(await refusal(withPart(SHEET, { content }))).toEqual({
    code: 'input',
    message: 'BOOK has more than 200000 rows, the most that Rowonce reads from a workbook.',
    next: 'Save it as CSV, which may have any number of rows.',
  });
});

test('a picture whose bytes are damaged is told by its name before anything is bought, though only the output needs it', async () => {
  const picture = { name: 'xl/media/image1.png', content: 'png', claimedChecksum: 7 };
  await expect(opened(zipOf([...bookParts({ rows: TABLE }), picture]))).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining('its part xl/media/image1.png is damaged (its checksum fails)'),
    next: AGAIN,
  });
});
