import { truncate } from 'node:fs/promises';
import { expect, test } from 'vitest';
import xlsx from '../../../src/files/formats/xlsx.ts';
import { InputFile } from '../../../src/files/input-file.ts';
import { inputFolder } from './sheets.ts';
import { bookOf, bookParts, textRow, type ZipPart, zipOf } from './workbook-file.ts';

/**
 * Goal: what cannot be read as a workbook is refused before anything is paid for, with what it is and what to do, and a
 * file that was made to do harm fills neither memory nor time.
 * Method: files made by hand, each wrong in one way.
 */

const SHEET = 'xl/worksheets/sheet1.xml';
const TABLE = textRow(1, 'A', 'B') + textRow(2, '1', '2');

async function refusal(content: Buffer, options = {}): Promise<unknown> {
  const write = await inputFolder();
  const path = await write(content, 'book.xlsx');
  return xlsx.open(new InputFile(path), options).then(
    () => undefined,
    ({ code, message, next }) => ({ code, message: message.replace(path, 'BOOK'), next }),
  );
}

/** The same workbook with one part that is otherwise. */
function withPart(name: string, change: Partial<ZipPart>): Buffer {
  return zipOf(
    bookParts({ rows: TABLE }).map((part) => (part.name === name ? { ...part, ...change } : part)),
  );
}

/** The same workbook with other bytes instead of those at a place behind the first mark. */
function withBytes(mark: string, behind: number, bytes: string): Buffer {
  const book = bookOf({ rows: TABLE });
  book.write(bytes, book.indexOf(mark) + behind, 'latin1');
  return book;
}

/** An archive of the large kind, whose directory is said to stand where no file of any computer reaches. */
function beyondAllFiles(): Buffer {
  const large = Buffer.alloc(20, 0xff);
  large.write('PK\x06\x07', 'latin1');
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  return Buffer.concat([large, end]);
}

const AGAIN = 'Open it in Excel and save it again as .xlsx, or save the sheet as CSV.';
const OLD = Buffer.from('d0cf11e0a1b11ae1', 'hex');

test('the workbook without anything wrong is read', async () => {
  expect(await refusal(withPart(SHEET, {}))).toBeUndefined();
});

test.each([
  ['a file that is no archive', Buffer.from('Name,ABN\n'), 'it is cut off, or not a workbook at all'],
  ['an empty file', Buffer.alloc(0), 'it is cut off, or not a workbook at all'],
  ['half a file', bookOf({ rows: TABLE }).subarray(0, 900), 'it is cut off, or not a workbook at all'],
  [
    'an archive of something else',
    zipOf([{ name: 'a.bin', content: 'a' }]),
    'it is an archive of something else, such as an OpenDocument file (.ods)',
  ],
  ['a missing sheet', withPart(SHEET, { name: 'xl/other.xml' }), `its part ${SHEET} is missing`],
  [
    'a wrong checksum',
    withPart(SHEET, { claimedChecksum: 7 }),
    `its part ${SHEET} is damaged (its checksum fails)`,
  ],
  [
    'a part that is longer than it says',
    withPart(SHEET, { claimedBytes: 50 }),
    `its part ${SHEET} is damaged (too many bytes in the stream. expected 50.`,
  ],
  ['a damaged directory', withBytes('PK\x01\x02', 1, 'XX'), 'its directory is damaged ('],
  ['a directory beyond all files', beyondAllFiles(), 'it is cut off, or not a workbook at all'],
  [
    'XML that stops',
    withPart(SHEET, { content: '<worksheet><sheetData><row r="1"><c' }),
    `its part ${SHEET} is damaged (it is cut off)`,
  ],
  [
    'XML whose elements end in another order than they began',
    withPart(SHEET, { content: '<worksheet><sheetData></worksheet></sheetData>' }),
    `its part ${SHEET} is damaged (unexpected close tag)`,
  ],
  [
    'a shared text that is not there',
    withPart(SHEET, { content: sheet('<row r="2"><c r="A2" t="s"><v>5</v></c></row>') }),
    'row 2: a cell has text number "5", which does not exist',
  ],
  [
    'a cell beyond the last column of Excel',
    withPart(SHEET, { content: sheet('<row r="2"><c r="XFE2"><v>1</v></c></row>') }),
    'row 2: a cell says that it is "XFE2"',
  ],
  [
    'a cell twice',
    withPart(SHEET, { content: sheet('<row r="2"><c r="A2"><v>1</v></c><c r="A2"><v>1</v></c></row>') }),
    'row 2: a cell says that it is "A2"',
  ],
  [
    'rows that go back',
    withPart(SHEET, { content: sheet('<row r="9"/><row r="3"/>') }),
    'row 9: the row below it says that it is row "3"',
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

test('a text without an end is refused when it is longer than any cell, wherever the next tag is', async () => {
  const content = sheet(`<row r="2"><c r="A2" t="str"><v>${'x'.repeat(3_000_000)}</v></c></row>`);
  expect(await refusal(withPart(SHEET, { content }))).toMatchObject({
    message: expect.stringContaining('a text or a tag is longer than any can be'),
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

test('a workbook that is cut short after it was opened is refused, and not taken for one with fewer rows', async () => {
  const write = await inputFolder();
  const path = await write(bookOf({ rows: TABLE }), 'book.xlsx');
  const opened = await xlsx.open(new InputFile(path), {});
  await truncate(path, 200);
  await expect(opened.survey(() => {})).rejects.toMatchObject({ code: 'input' });
});

test('a picture whose bytes are damaged is told by its name before anything is bought, though only the output needs it', async () => {
  const write = await inputFolder();
  const picture = { name: 'xl/media/image1.png', content: 'png', claimedChecksum: 7 };
  const path = await write(zipOf([...bookParts({ rows: TABLE }), picture]), 'book.xlsx');
  await expect(xlsx.open(new InputFile(path), {})).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining('its part xl/media/image1.png is damaged (its checksum fails)'),
    next: AGAIN,
  });
});
